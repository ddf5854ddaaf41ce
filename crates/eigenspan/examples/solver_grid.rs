//! Times every solver that could do a job, over a grid of shapes, for `benches/calibration.py`: one JSON array.
//!
//! `solver_grid [REPEATS]`. The data are rows of falling variance along some directions, plus noise, about a mean. The
//! least of REPEATS (3) runs counts. `tests/it/plan.rs` compares the choices of `plan` with these times.

use std::error::Error;
use std::time::Instant;

use eigenspan::rng::Rng;
use eigenspan::solve::{Keep, Solver};
use eigenspan::source::Dense;
use eigenspan::{Context, Mat, PcaOptions};

/// Rows, columns, and the numbers of components tried; 0 stands for all.
const GRID: [(usize, usize, &[usize]); 10] = [
    (200_000, 40, &[3, 0]),
    (50_000, 200, &[5, 40, 0]),
    (20_000, 800, &[5, 40, 0]),
    (5000, 800, &[5, 40, 0]),
    (10_000, 2000, &[5, 40]),
    (3000, 3000, &[5, 40]),
    (1000, 8000, &[5, 40, 0]),
    (300, 20_000, &[5, 30, 0]),
    (3000, 6000, &[5, 40]),
    (100, 50_000, &[5, 0]),
];

const SOLVERS: [Solver; 5] = [
    Solver::Covariance,
    Solver::Partial,
    Solver::Dual,
    Solver::Lanczos,
    Solver::Randomized,
];

fn main() -> Result<(), Box<dyn Error>> {
    let repeats: usize = std::env::args().nth(1).map_or(Ok(3), |text| text.parse())?;
    let mut cases = Vec::new();
    for (n, d, counts) in GRID {
        let x = data(n, d);
        for &k in counts {
            let times: Vec<String> = SOLVERS
                .into_iter()
                .filter(|&solver| would_do(solver, n, d, k))
                .map(|solver| Ok(format!("\"{solver}\":{:.6}", time(&x, solver, k, repeats)?)))
                .collect::<Result<_, Box<dyn Error>>>()?;
            let case = format!(
                "{{\"n_rows\":{n},\"n_cols\":{d},\"k\":{k},\"seconds\":{{{}}}}}",
                times.join(",")
            );
            eprintln!("{case}");
            cases.push(case);
        }
    }
    println!("[{}]", cases.join(",\n"));
    Ok(())
}

/// Roads that `plan` would consider, and that end within minutes.
fn would_do(solver: Solver, n: usize, d: usize, k: usize) -> bool {
    match solver {
        Solver::Covariance => d <= 3000,
        Solver::Partial => k > 0 && d <= 6000,
        Solver::Dual => n < d,
        _ => k > 0,
    }
}

fn time(x: &Mat<f64>, solver: Solver, k: usize, repeats: usize) -> Result<f64, Box<dyn Error>> {
    let options = PcaOptions {
        n_components: if k == 0 { Keep::All } else { Keep::Count(k) },
        solver,
        ..Default::default()
    };
    let mut best = f64::INFINITY;
    for _ in 0..repeats {
        let start = Instant::now();
        options.fit(&Context::new(), &Dense::new(x.view()))?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(best)
}

fn data(n: usize, d: usize) -> Mat<f64> {
    let rank = 60.min(d / 2).min(n / 2);
    let mut rng = Rng::new(7);
    let directions = Mat::from_fn(rank, d, |i, _| {
        10.0 * 0.95f64.powi(i as i32) * rng.normal() / (d as f64).sqrt()
    });
    let mut x = Mat::zeros(n, d);
    for i in 0..n {
        let row = x.row_mut(i);
        row.iter_mut().for_each(|x| *x = 1.0 + 0.1 * rng.normal());
        for direction in directions.rows() {
            let along = rng.normal();
            row.iter_mut()
                .zip(direction)
                .for_each(|(x, v)| *x += along * v);
        }
    }
    x
}
