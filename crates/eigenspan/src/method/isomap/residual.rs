//! Residual variance: the share of the variance of the geodesics that distances in the map leave unexplained, for 1, 2, … k dimensions.

use crate::context::Context;
use crate::error::Error;
use crate::linalg::{dot, sum};
use crate::mat::Mat;
use crate::parallel;

/// Rows whose pairs one thread sums at a time.
const ROWS: usize = 64;

/// Sums over pairs: of geodesics g, g², and for each number of dimensions of distances x, x² and g·x.
struct Sums {
    count: f64,
    g: [f64; 2],
    x: Vec<[f64; 3]>,
}

/// 1 − R² for 1, 2, … k dimensions of a map (n × k); where no two geodesics or distances differ, nothing.
///
/// `fill` writes the geodesics of a row of pairs, from its own row (which it returns) to the rows 0, 1, 2, … of the map, into memory.
/// Where the own row is among these, that pair does not count.
pub(super) fn residual_variances(
    ctx: &Context,
    places: &Mat<f64>,
    n_lines: usize,
    fill: impl Fn(usize, &mut Vec<f64>) -> usize + Sync,
) -> Result<Vec<Option<f64>>, Error> {
    let (k, columns) = (places.n_cols(), places.transposed());
    let blocks = n_lines.div_ceil(ROWS);
    let sums_of = |block: usize| -> Result<Sums, Error> {
        ctx.check()?;
        let mut sums = Sums::new(k);
        let (mut g, mut squares, mut x) = (Vec::new(), Vec::new(), Vec::new());
        for line in block * ROWS..((block + 1) * ROWS).min(n_lines) {
            g.clear();
            let own = fill(line, &mut g);
            let len = g.len();
            sums.count += len as f64 - f64::from(u8::from(own < len));
            sums.g[0] += sum(&g);
            sums.g[1] += dot(&g, &g);
            squares.clear();
            squares.resize(len, 0.0f64);
            x.resize(len, 0.0f64);
            for (column, of) in columns.rows().zip(&mut sums.x) {
                let here = column[own];
                let cells = squares.iter_mut().zip(&mut x).zip(column);
                for ((square, x), there) in cells {
                    *square += (here - there) * (here - there);
                    *x = square.sqrt();
                }
                of[0] += sum(&x[..len]);
                of[1] += sum(&squares);
                of[2] += dot(&g, &x[..len]);
            }
        }
        Ok(sums)
    };
    // Later lines may be longer.
    let found = ctx.install_here(|| parallel::collect_of((0..blocks).rev(), sums_of));
    let mut all = Sums::new(k);
    for sums in found {
        all.add(&sums?);
    }
    Ok((0..k).map(|c| all.unexplained(c)).collect())
}

impl Sums {
    fn new(k: usize) -> Self {
        Sums {
            count: 0.0,
            g: [0.0; 2],
            x: vec![[0.0; 3]; k],
        }
    }

    fn add(&mut self, other: &Sums) {
        self.count += other.count;
        (0..2).for_each(|i| self.g[i] += other.g[i]);
        for (own, x) in self.x.iter_mut().zip(&other.x) {
            (0..3).for_each(|i| own[i] += x[i]);
        }
    }

    fn unexplained(&self, c: usize) -> Option<f64> {
        let ([g, gg], [x, xx, gx]) = (self.g, self.x[c]);
        let (of_g, of_x) = (gg - g * g / self.count, xx - x * x / self.count);
        let both = gx - g * x / self.count;
        // What rounding may leave of pairs that are all the same.
        let least = 1e-12;
        if !(of_g > least * gg && of_x > least * xx) {
            return None;
        }
        Some((1.0 - (both / of_g) * (both / of_x)).clamp(0.0, 1.0))
    }
}
