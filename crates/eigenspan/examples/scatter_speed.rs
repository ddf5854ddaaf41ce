//! How fast the scatter matrix is summed up, compared with the same through the backend and with the backend's plain product.
//!
//! `cargo run --release -p eigenspan --example scatter_speed [rounds [fewer [case …]]]` prints GF/s, counting n·d² useful
//! operations; each figure is the best of `rounds` (5), the variants alternate, so that a busy machine slows all of them down
//! alike. `fewer` divides the rows: short runs slip between the other work of a busy machine.

use std::error::Error;
use std::time::Instant;

use eigenspan::rng::Rng;
use eigenspan::source::{Dense, Rows};
use eigenspan::summary::{Scatter, Summary, summarize};
use eigenspan::{Context, Mat, Real};
use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular_matmul};
use faer::traits::ComplexField;
use faer::{Accum, MatMut, MatRef, Par};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rounds = arguments.first().map_or(Ok(5), |text| text.parse())?;
    let fewer = arguments.get(1).map_or(Ok(1), |text| text.parse())?;
    let wanted = |case: &str| arguments.len() < 3 || arguments[2..].iter().any(|a| a == case);
    println!(
        "{:<16}{:>10}{:>10}{:>10}{:>10}{:>8}{:>8}",
        "GF/s", "ours 1", "backend 1", "ours 2", "backend 2", "x 1", "x 2"
    );
    if wanted("gemm") {
        report("GEMM 2048 f64", gemm::<f64>(rounds));
        report("GEMM 2048 f32", gemm::<f32>(rounds));
    }
    for (n, d) in [
        (200_000, 256),
        (1_000_000, 100),
        (20_000, 2000),
        (1_000_000, 20),
        (1_000_000, 8),
        (1_000_000, 3),
    ] {
        let n: usize = n / fewer;
        if wanted(&format!("{d}")) || wanted(&format!("{d}-f64")) {
            report(&format!("{n}x{d} f64"), scatter::<f64>(n, d, rounds)?);
        }
        if wanted(&format!("{d}")) || wanted(&format!("{d}-f32")) {
            report(&format!("{n}x{d} f32"), scatter::<f32>(n, d, rounds)?);
        }
    }
    Ok(())
}

/// GF/s: ours and the backend's on one thread, then on two.
fn report(case: &str, [ours_1, backend_1, ours_2, backend_2]: [f64; 4]) {
    println!(
        "{case:<16}{ours_1:>10.1}{backend_1:>10.1}{ours_2:>10.1}{backend_2:>10.1}{:>8.2}{:>8.2}",
        ours_1 / backend_1,
        ours_2 / backend_2
    );
}

fn scatter<T: Real>(n: usize, d: usize, rounds: usize) -> Result<[f64; 4], Box<dyn Error>> {
    let mut rng = Rng::new(1);
    let noise: Vec<f64> = (0..4096).map(|_| rng.normal()).collect();
    let x = Mat::from_fn(n, d, |i, j| {
        T::from_f64(3.0 + noise[(i * 37 + j * 101) % 4096])
    });
    let x = Dense::new(x.view());
    let contexts = [
        Context::new().with_threads(1)?,
        Context::new().with_threads(2)?,
    ];
    let mut best = [0.0f64; 4];
    for _ in 0..rounds {
        for (at, ctx) in [0, 2].into_iter().zip(&contexts) {
            let flops = (n * d * d) as f64;
            let ours = speed(flops, || Scatter::read(ctx, &x, false));
            let backend = speed(flops, || summarize(ctx, &x, || BackendScatter::new(d)));
            best[at] = best[at].max(ours);
            best[at + 1] = best[at + 1].max(backend);
        }
    }
    Ok(best)
}

/// The backend's product of two square matrices: what the machine can do.
fn gemm<T: Real + ComplexField>(rounds: usize) -> [f64; 4] {
    const SIZE: usize = 2048;
    let a = Mat::<T>::from_fn(SIZE, SIZE, |i, j| T::from_f64((i + 2 * j) as f64 / 1e4));
    let mut out = Mat::<T>::zeros(SIZE, SIZE);
    let mut best = [f64::NAN, 0.0, f64::NAN, 0.0];
    for _ in 0..rounds {
        for (at, par) in [(1, Par::Seq), (3, Par::rayon(2))] {
            let flops = 2.0 * (SIZE as f64).powi(3);
            let a = MatRef::from_row_major_slice(a.as_slice(), SIZE, SIZE);
            let to = MatMut::from_row_major_slice_mut(out.as_mut_slice(), SIZE, SIZE);
            let product = || {
                faer::linalg::matmul::matmul(to, Accum::Replace, a, a, T::one_impl(), par);
            };
            best[at] = best[at].max(speed(flops, product));
        }
    }
    best
}

fn speed<R>(flops: f64, work: impl FnOnce() -> R) -> f64 {
    let start = Instant::now();
    std::hint::black_box(work());
    flops / start.elapsed().as_secs_f64() / 1e9
}

/// The scatter through the backend's triangular product: rows are copied out in f64, centered, then multiplied.
struct BackendScatter {
    weight: f64,
    shift: Vec<f64>,
    mean: Vec<f64>,
    scatter: Mat<f64>,
    panel: Vec<f64>,
}

impl BackendScatter {
    fn new(d: usize) -> Self {
        BackendScatter {
            weight: 0.0,
            shift: Vec::new(),
            mean: vec![0.0; d],
            scatter: Mat::zeros(d, d),
            panel: Vec::new(),
        }
    }

    /// Adds the centered rows of the panel and the distance of the means.
    fn add_panel(&mut self, count: usize) {
        let d = self.mean.len();
        let (panel, distance) = self.panel.split_at_mut(count * d);
        distance.fill(0.0);
        for row in panel.chunks_exact(d) {
            distance.iter_mut().zip(row).for_each(|(m, x)| *m += x);
        }
        distance.iter_mut().for_each(|m| *m /= count as f64);
        for row in panel.chunks_exact_mut(d) {
            row.iter_mut().zip(&*distance).for_each(|(x, m)| *x -= m);
        }
        let total = self.weight + count as f64;
        let factor = (self.weight / total * count as f64).sqrt();
        for (m, distance) in self.mean.iter_mut().zip(distance) {
            let delta = *distance - *m;
            *m += delta * (count as f64 / total);
            *distance = delta * factor;
        }
        self.weight = total;
        let panel = MatRef::from_row_major_slice(&self.panel, count + 1, d);
        triangular_matmul(
            MatMut::from_row_major_slice_mut(self.scatter.as_mut_slice(), d, d),
            BlockStructure::TriangularLower,
            Accum::Add,
            panel.transpose(),
            BlockStructure::Rectangular,
            panel,
            BlockStructure::Rectangular,
            1.0,
            Par::Seq,
        );
    }
}

impl<T: Real> Summary<T> for BackendScatter {
    fn add(&mut self, rows: &Rows<'_, T>) -> Result<(), eigenspan::Error> {
        const CHUNK: usize = 256;
        let (n, d) = (rows.block.n_rows(), self.mean.len());
        if self.shift.is_empty() {
            self.shift.resize(d, 0.0);
            rows.block.row_to_f64(0, &mut self.shift);
        }
        for start in (0..n).step_by(CHUNK) {
            let end = (start + CHUNK).min(n);
            self.panel.resize((end - start + 1) * d, 0.0);
            let block = rows.block.slice_rows(start, end);
            block.copy_shifted(&self.shift, &mut self.panel[..(end - start) * d]);
            self.add_panel(end - start);
        }
        Ok(())
    }

    /// As in the crate, so that the two differ in the product alone.
    fn merge(&mut self, other: Self) {
        let total = self.weight + other.weight;
        let share = other.weight / total;
        let d = self.mean.len();
        let delta: Vec<f64> = (0..d)
            .map(|j| (other.shift[j] - self.shift[j]) + (other.mean[j] - self.mean[j]))
            .collect();
        for i in 0..d {
            self.mean[i] += delta[i] * share;
            let left = self.weight * share * delta[i];
            let (row, other) = (self.scatter.row_mut(i), other.scatter.row(i));
            for j in 0..=i {
                row[j] += other[j] + left * delta[j];
            }
        }
        self.weight = total;
    }

    fn bytes(&self) -> usize {
        8 * self.mean.len() * (self.mean.len() + 256)
    }
}
