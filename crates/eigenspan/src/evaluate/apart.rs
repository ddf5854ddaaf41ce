//! Which components can be told apart, and the bias of eigenvalues.
//!
//! Bias. The eigenvalue ℓᵢ of n rows estimates ℓᵢ/(1 + Bᵢ) with Bᵢ = Σⱼ ℓⱼ/(n(ℓᵢ − ℓⱼ)): Lawley's expansion (1956,
//! doi:10.1093/biomet/43.1-2.128) to all orders for a value that lies apart from the others, for any d/n (Bai & Ding 2012,
//! doi:10.1142/S2010326311500109). The component keeps cos²θ = 1/(1 + δᵢ/(1 + Bᵢ)) of its direction,
//! δᵢ = Σⱼ ℓᵢℓⱼ/(n(ℓᵢ − ℓⱼ)²) (Benaych-Georges & Nadakuditi 2011, doi:10.1016/j.aim.2011.02.007).
//!
//! Groups. Neighbors whose intervals overlap cannot be told apart; chains of such neighbors form a group, and Bᵢ sums over the
//! eigenvalues outside of the group. Inside, the largest sample values lie above and the smallest below the true ones, but
//! their mean does not: λᵢ is at least the mean of λᵢ and the later values of the group, and at most the mean of λᵢ and the
//! earlier values; the same means of ℓ make the interval wider, never narrower (a sum of the largest eigenvalues is convex in
//! the matrix). A sample of fewer rows than columns hides directions; those count as zeros in the last group.

use super::interval::Ruler;

/// Two neighbors are apart where ln ℓᵢ − ln ℓᵢ₊₁ exceeds this many times the sum of their deviations.
const OVERLAP: f64 = 2.3;
/// A component has a direction of its own where that difference is at least this many of its own deviations.
const CLEAR: f64 = 4.5;
/// This many deviations of the difference may be chance: intervals of loadings are as wide as if the difference were smaller
/// by that.
const LUCK: f64 = 2.0;
/// The smallest value used for 1 + B, for groups that lie too close for the expansion.
const LEAST: f64 = 0.05;
/// An interval that is wider than this on its scale is useless: some draws of very few rows do not vary at all.
const FARTHEST: f64 = 16.0;

/// What is known about the eigenvalues.
pub(super) struct Known<'a> {
    /// The model's nonzero eigenvalues, largest first.
    pub(super) values: &'a [f64],
    /// Deviation of ln ℓ of the leading ones.
    pub(super) deviations: &'a [f64],
    /// The number of directions that too few rows hide.
    pub(super) hidden: usize,
    /// The number of rows, minus one if they were centered.
    pub(super) freedom: f64,
}

/// A component among its neighbors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    /// First and last eigenvalue of the group, counted from 0.
    pub(super) first: usize,
    pub(super) last: usize,
    /// Zeros that belong to the group.
    pub(super) hidden: usize,
    /// 1 + B.
    pub(super) inflation: f64,
    /// cos θ between the component and the true direction.
    pub(super) cosine: f64,
    /// The factor by which loadings spread wider than their replicates, where the component has a direction of its own.
    pub(super) widening: Option<f64>,
}

impl Known<'_> {
    /// The place of every eigenvalue.
    pub(super) fn places(&self) -> Vec<Place> {
        let mut places = Vec::with_capacity(self.values.len());
        for (first, last) in self.groups() {
            for i in first..=last {
                places.push(self.place(i, first, last));
            }
        }
        places
    }

    /// First and last index of each group. Values whose deviations are not known belong to the last group.
    fn groups(&self) -> Vec<(usize, usize)> {
        let mut groups = Vec::new();
        let mut first = 0;
        for i in 0..self.values.len() {
            let ends = match (i + 1 < self.values.len(), self.deviations.get(i + 1)) {
                (false, _) => true,
                (true, None) => false,
                (true, Some(next)) => self.gap(i) > OVERLAP * (self.deviations[i] + next),
            };
            if ends {
                groups.push((first, i));
                first = i + 1;
            }
        }
        groups
    }

    fn gap(&self, i: usize) -> f64 {
        (self.values[i] / self.values[i + 1]).ln()
    }

    fn place(&self, i: usize, first: usize, last: usize) -> Place {
        let own = self.values[i];
        let outside = self.values[..first].iter().chain(&self.values[last + 1..]);
        let (mut b, mut delta) = (0.0, 0.0);
        for other in outside {
            let ratio = other / (own - other);
            b += ratio / self.freedom;
            delta += ratio * (own / (own - other)) / self.freedom;
        }
        let inflation = (1.0 + b).max(LEAST);
        let hidden = match last + 1 == self.values.len() {
            true => self.hidden,
            false => 0,
        };
        let widening = (first == last && hidden == 0).then(|| self.widening(i));
        Place {
            first,
            last,
            hidden,
            inflation,
            cosine: (1.0 / (1.0 + delta / inflation)).sqrt(),
            widening: widening.flatten(),
        }
    }

    /// That factor from the gap to the nearer neighbor, in deviations of the gap; None where the gap is too small.
    fn widening(&self, i: usize) -> Option<f64> {
        let between = |a: usize| {
            let [low, high] = [self.deviations.get(a)?, self.deviations.get(a + 1)?];
            Some(self.gap(a) / low.hypot(*high))
        };
        let mut clear = f64::INFINITY;
        if i > 0 {
            clear = clear.min(between(i - 1)?);
        }
        if i + 1 < self.values.len() {
            clear = clear.min(between(i)?);
        }
        match clear {
            clear if clear < CLEAR => None,
            clear if clear.is_finite() => Some(clear / (clear - LUCK)),
            _ => Some(1.0),
        }
    }
}

/// Ends of intervals of variances and shares, from means over parts of groups.
pub(super) struct Ends<'a> {
    pub(super) places: &'a [Place],
    pub(super) values: &'a [f64],
    /// Whether columns are scaled by their own deviations: the bias then lies between zero and that of [`Place`].
    pub(super) scaled: bool,
    /// z, times the factor that widens deviations of replicates.
    pub(super) reach: f64,
    /// z, times the deviation of ln ℓ for normal rows: intervals of variances are at least this wide.
    pub(super) least: f64,
}

/// The leading variances of a replicate, and the sum of all.
pub(super) trait Variances {
    /// The i-th largest; 0 where the replicate has fewer.
    fn variance(&self, i: usize) -> f64;
    /// Sum of all.
    fn total(&self) -> f64;

    /// The sum from index `from` to index `to`; where `to` is the last of all, the rest of the total.
    fn sum(&self, from: usize, to: usize, n_values: usize) -> f64 {
        let some = |a: usize, b: usize| (a..b).map(|i| self.variance(i)).sum::<f64>();
        match to + 1 == n_values {
            true => (self.total() - some(0, from)).max(0.0),
            false => some(from, to + 1),
        }
    }
}

/// The variances of one draw.
type Of<'a, V> = &'a dyn Fn(&V) -> f64;

impl Ends<'_> {
    /// The variance corrected for its bias; for scaled columns, with the geometric middle of no correction and that of
    /// [`Place`].
    pub(super) fn corrected(&self, i: usize) -> f64 {
        match self.scaled {
            true => self.values[i] / self.places[i].inflation.sqrt(),
            false => self.values[i] / self.places[i].inflation,
        }
    }

    /// The interval of eigenvalue i, or of its share where a total is given; None where there are too few rows for any
    /// interval.
    pub(super) fn interval<V: Variances>(
        &self,
        i: usize,
        draws: &[V],
        total: Option<f64>,
    ) -> Option<[f64; 2]> {
        let place = &self.places[i];
        let n_below = (place.last - i + 1 + place.hidden) as f64;
        let n_above = (i - place.first + 1) as f64;
        let low = self.sum(i, place.last, false) / n_below;
        let high = self.sum(place.first, i, true) / n_above;
        let below = |v: &V| v.sum(i, place.last, self.values.len()) / n_below;
        let above = |v: &V| v.sum(place.first, i, self.values.len()) / n_above;
        let counts = [place.last - i + 1, i - place.first + 1];
        self.ends([low, high], draws, (&below, &above), total, counts)
    }

    /// The interval of the share of eigenvalue i and those before it.
    pub(super) fn cumulative<V: Variances>(
        &self,
        i: usize,
        draws: &[V],
        total: f64,
    ) -> Option<[f64; 2]> {
        let (place, n) = (&self.places[i], self.values.len());
        if i + 1 == n && place.hidden == 0 {
            return Some([1.0; 2]);
        }
        // The values of its group up to i sum to at least their number times the group's mean.
        let part =
            (i - place.first + 1) as f64 / (place.last - place.first + 1 + place.hidden) as f64;
        let before = |v: &V| match place.first {
            0 => 0.0,
            first => v.sum(0, first - 1, n),
        };
        let sum_before = match place.first {
            0 => 0.0,
            first => self.sum(0, first - 1, false),
        };
        let low = sum_before + part * self.sum(place.first, place.last, false);
        let below = |v: &V| before(v) + part * v.sum(place.first, place.last, n);
        let above = |v: &V| v.sum(0, i, n);
        let ends = [low, self.sum(0, i, true)];
        self.ends(ends, draws, (&below, &above), Some(total), [1; 2])
    }

    /// A sum of values corrected for their bias; for scaled columns, the smallest or the largest possible sum.
    fn sum(&self, from: usize, to: usize, largest: bool) -> f64 {
        let plain: f64 = self.values[from..=to].iter().sum();
        let each = (from..=to).map(|i| self.values[i] / self.places[i].inflation);
        let less: f64 = each.sum();
        match (self.scaled, largest) {
            (false, _) => less,
            (true, false) => less.min(plain),
            (true, true) => less.max(plain),
        }
    }

    fn ends<V: Variances>(
        &self,
        [low, high]: [f64; 2],
        draws: &[V],
        (below, above): (Of<'_, V>, Of<'_, V>),
        total: Option<f64>,
        counts: [usize; 2],
    ) -> Option<[f64; 2]> {
        let (ruler, whole) = match total {
            None => (Ruler::Log, 1.0),
            Some(total) => (Ruler::Logit, total),
        };
        let half = |of: &dyn Fn(&V) -> f64, count: usize| {
            let each = draws.iter().map(|v| match total {
                None => of(v),
                Some(_) => of(v) / v.total(),
            });
            let least = match total.is_none() && !self.scaled {
                true => self.least / (count as f64).sqrt(),
                false => 0.0,
            };
            (self.reach * ruler.deviation(each)).max(least)
        };
        let (down, up) = (half(below, counts[0]), half(above, counts[1]));
        let ends = || [ruler.away(low / whole, -down), ruler.away(high / whole, up)];
        (down.max(up) <= FARTHEST).then(ends)
    }
}
