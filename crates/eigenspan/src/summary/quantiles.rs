//! Quantiles of numbers that come one by one: exact while all numbers fit, then from a sketch with a proven error bound.
//!
//! Level h keeps numbers that each stand for 2ʰ numbers. When a level is full, it is sorted, every other number moves up a
//! level, and the rest is dropped: no rank changes by more than 2ʰ (Manku, Rajagopalan & Lindsay 1998,
//! doi:10.1145/276305.276342; Karnin, Lang & Liberty 2016, doi:10.1109/FOCS.2016.17). These errors are summed, so the bound
//! that comes with a quantile always holds, not just on average. Which of two neighbors stays alternates instead of being
//! random: the same numbers in the same order give the same bits.

/// A summary of numbers that gives their quantiles.
#[derive(Debug, Clone)]
pub struct Quantiles {
    levels: Vec<Vec<f64>>,
    /// The most numbers that are all kept.
    exact: usize,
    /// Numbers of one level of the sketch.
    width: usize,
    n: u64,
    error: u64,
    odd: bool,
}

impl Quantiles {
    /// Keeps everything up to `exact` numbers, then `width` (at least 2) per level.
    pub fn new(exact: usize, width: usize) -> Self {
        Quantiles {
            levels: vec![Vec::new()],
            exact,
            width: width.max(2),
            n: 0,
            error: 0,
            odd: false,
        }
    }

    /// Numbers seen.
    pub fn n(&self) -> u64 {
        self.n
    }

    /// The largest error of a rank, as a share of the numbers; 0 if all were kept.
    pub fn rank_error(&self) -> f64 {
        self.error as f64 / self.n.max(1) as f64
    }

    /// Adds a number. NaN has no rank and must not be added.
    #[inline]
    pub fn push(&mut self, x: f64) {
        self.n += 1;
        self.levels[0].push(x);
        if self.levels[0].len() > self.room(0) {
            self.compact();
        }
    }

    /// Merges the summary of numbers that came later.
    pub fn merge(&mut self, other: Quantiles) {
        self.n += other.n;
        self.error += other.error;
        self.odd ^= other.odd;
        if self.levels.len() < other.levels.len() {
            self.levels.resize(other.levels.len(), Vec::new());
        }
        for (level, more) in self.levels.iter_mut().zip(other.levels) {
            level.extend(more);
        }
        self.compact();
    }

    /// The most bytes in use with these sizes.
    pub fn bytes(exact: usize, width: usize) -> usize {
        8 * exact.max(width * 24)
    }

    /// The numbers at these shares (0 is the smallest, 0.5 the median, 1 the largest), interpolated between neighbors: R's
    /// type 7, NumPy's default. NaN without numbers.
    pub fn at(&self, shares: &[f64]) -> Vec<f64> {
        let items = self.sorted();
        let total: u64 = items.iter().map(|item| item.1).sum();
        let value = |rank: u64| {
            let mut seen = 0;
            let found = items.iter().find(|item| {
                seen += item.1;
                seen > rank
            });
            found.or(items.last()).map_or(f64::NAN, |item| item.0)
        };
        let at = |share: &f64| {
            let place = share.clamp(0.0, 1.0) * total.saturating_sub(1) as f64;
            let (low, high) = (value(place.floor() as u64), value(place.ceil() as u64));
            // Equal neighbors first: two infinities have no difference.
            if low == high {
                low
            } else {
                low + (high - low) * place.fract()
            }
        };
        shares.iter().map(at).collect()
    }

    /// How many numbers lie in each of `bins` equal intervals from `low` to `high`; the last interval includes both its ends.
    pub fn histogram(&self, low: f64, high: f64, bins: usize) -> Vec<u64> {
        let mut counts = vec![0; bins];
        let width = (high - low) / bins.max(1) as f64;
        for (level, weight) in self.levels.iter().zip(weights()) {
            for x in level.iter().filter(|x| (low..=high).contains(*x)) {
                let bin = if width > 0.0 { (x - low) / width } else { 0.0 };
                if let Some(count) = counts.get_mut((bin as usize).min(bins.saturating_sub(1))) {
                    *count += weight;
                }
            }
        }
        counts
    }

    /// The numbers that are kept, rising, each with how many numbers it stands for.
    fn sorted(&self) -> Vec<(f64, u64)> {
        let mut items: Vec<(f64, u64)> = self
            .levels
            .iter()
            .zip(weights())
            .flat_map(|(level, weight)| level.iter().map(move |x| (*x, weight)))
            .collect();
        items.sort_by(|a, b| a.0.total_cmp(&b.0));
        items
    }

    fn room(&self, level: usize) -> usize {
        if level == 0 && self.levels.len() == 1 {
            self.exact.max(self.width)
        } else {
            self.width
        }
    }

    /// Halves every level that is too full, from below.
    fn compact(&mut self) {
        let mut h = 0;
        while h < self.levels.len() {
            if self.levels[h].len() <= self.room(h) {
                h += 1;
                continue;
            }
            let mut full = std::mem::take(&mut self.levels[h]);
            full.sort_unstable_by(f64::total_cmp);
            // An even number of numbers is halved; an extra one stays.
            if full.len() % 2 == 1 {
                self.levels[h].extend(full.pop());
            }
            if h + 1 == self.levels.len() {
                self.levels.push(Vec::new());
            }
            let stays = full.iter().skip(usize::from(self.odd)).step_by(2);
            self.levels[h + 1].extend(stays);
            self.odd = !self.odd;
            self.error += 1 << h;
            h += 1;
        }
    }
}

/// How many numbers a number of each level stands for.
fn weights() -> impl Iterator<Item = u64> {
    (0..64).map(|h| 1u64 << h)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn few_numbers_have_exact_quantiles() {
        let mut q = Quantiles::new(100, 8);
        [3.0, 1.0, 2.0, 4.0].iter().for_each(|x| q.push(*x));
        assert_eq!(
            q.at(&[0.0, 0.25, 0.5, 0.75, 1.0]),
            [1.0, 1.75, 2.5, 3.25, 4.0]
        );
        assert_eq!(q.rank_error(), 0.0);
        assert!(Quantiles::new(4, 4).at(&[0.5])[0].is_nan());
        assert_eq!(q.histogram(1.0, 4.0, 3), [1, 1, 2]);
    }

    #[test]
    fn the_stated_error_of_a_rank_holds_for_sorted_random_and_merged_numbers() {
        let mut rng = Rng::new(7);
        for (n, parts) in [(5_000, 1), (40_000, 1), (40_000, 7), (100_001, 64)] {
            for order in 0..3 {
                let mut numbers: Vec<f64> = (0..n).map(|_| rng.normal()).collect();
                match order {
                    0 => numbers.sort_by(f64::total_cmp),
                    1 => numbers.sort_by(|a, b| b.total_cmp(a)),
                    _ => {}
                }
                let mut all = Quantiles::new(1_000, 64);
                for part in numbers.chunks(n / parts) {
                    let mut one = Quantiles::new(1_000, 64);
                    part.iter().for_each(|x| one.push(*x));
                    all.merge(one);
                }
                assert_eq!(all.n(), n as u64);
                let (shares, mut sorted) = ([0.01, 0.25, 0.5, 0.75, 0.99], numbers);
                sorted.sort_by(f64::total_cmp);
                let slack = all.rank_error() + 2.0 / n as f64;
                assert!(slack < 0.35, "{slack}");
                for (share, x) in shares.iter().zip(all.at(&shares)) {
                    let rank = sorted.partition_point(|y| *y < x) as f64 / n as f64;
                    assert!((rank - share).abs() <= slack, "{n} {order} {share}: {rank}");
                    // The stated error is the worst case; the actual one is far smaller.
                    assert!((rank - share).abs() <= 0.03, "{n} {order} {share}: {rank}");
                }
            }
        }
    }
}
