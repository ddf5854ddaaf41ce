//! Sums of scores together with a supplementary number or group of the rows.
//!
//! Two sets of rows are merged by their means and the distance between the means (Chan, Golub & LeVeque 1983,
//! doi:10.1080/00031305.1983.10483115); within a set, means are subtracted before anything is multiplied.

/// Weight, means, squares and products of y and of scores t over the rows that have y.
#[derive(Debug, Clone)]
pub(super) struct Together {
    pub(super) n_rows: usize,
    pub(super) weight: f64,
    pub(super) y: f64,
    pub(super) t: Vec<f64>,
    /// Σ w (y − ȳ)².
    pub(super) yy: f64,
    /// Σ w (t − t̄)².
    pub(super) tt: Vec<f64>,
    /// Σ w (y − ȳ)(t − t̄).
    pub(super) yt: Vec<f64>,
}

/// A row that counts: its weight, y, and scores.
pub(super) type Row<'a> = (f64, f64, &'a [f64]);

impl Together {
    /// Empty sums.
    pub(super) fn new(k: usize) -> Self {
        Together {
            n_rows: 0,
            weight: 0.0,
            y: 0.0,
            t: vec![0.0; k],
            yy: 0.0,
            tt: vec![0.0; k],
            yt: vec![0.0; k],
        }
    }

    /// Adds rows of positive weight.
    pub(super) fn add(&mut self, rows: &[Row<'_>]) {
        let mut lot = Together::new(self.t.len());
        let Some((_, shift, _)) = rows.first() else {
            return;
        };
        // 1. Means; y is taken relative to one of its values, so that a large offset costs no digits.
        for (w, y, t) in rows {
            lot.n_rows += 1;
            lot.weight += w;
            lot.y += w * (y - shift);
            lot.t.iter_mut().zip(*t).for_each(|(sum, t)| *sum += w * t);
        }
        lot.y = shift + lot.y / lot.weight;
        lot.t.iter_mut().for_each(|sum| *sum /= lot.weight);
        // 2. Squares and products about them.
        for (w, y, t) in rows {
            let dy = y - lot.y;
            lot.yy += w * dy * dy;
            for (c, t) in t.iter().enumerate() {
                let dt = t - lot.t[c];
                lot.tt[c] += w * dt * dt;
                lot.yt[c] += w * dy * dt;
            }
        }
        self.merge(lot);
    }

    /// Merges the sums of the rows that come after these.
    pub(super) fn merge(&mut self, other: Together) {
        if other.weight == 0.0 {
            return;
        }
        if self.weight == 0.0 {
            *self = other;
            return;
        }
        let total = self.weight + other.weight;
        let (part, factor) = (other.weight / total, self.weight / total * other.weight);
        let dy = other.y - self.y;
        self.yy += other.yy + dy * dy * factor;
        self.y += dy * part;
        for c in 0..self.t.len() {
            let dt = other.t[c] - self.t[c];
            self.tt[c] += other.tt[c] + dt * dt * factor;
            self.yt[c] += other.yt[c] + dy * dt * factor;
            self.t[c] += dt * part;
        }
        self.n_rows += other.n_rows;
        self.weight = total;
    }

    /// Numbers it holds.
    pub(super) fn len(k: usize) -> usize {
        4 + 3 * k
    }
}
