//! Runs one of the innermost loops a given number of times, for `benches/instructions.py`, which counts instructions.
//!
//! `hot_kernels` lists the kernels as JSON, and says which instruction set this processor has. `hot_kernels NAME ROUNDS` runs one
//! of them on one thread: two runs that differ in ROUNDS differ in the instructions of the kernel alone.

use std::error::Error;
use std::hint::black_box;

use eigenspan::kernel::ResolvedKernel;
use eigenspan::linalg::{Columns, LinearMap, exp_all, leading_eigen};
use eigenspan::prepare::{Preparation, Prepared};
use eigenspan::source::{CsrView, Dense, Source, Sparse};
use eigenspan::summary::{Scatter, summarize};
use eigenspan::{Context, Mat, Real};
use serde_json::json;

type Outcome = Result<(), Box<dyn Error>>;

/// A kernel: its name, what is counted, how many of those one round has, and how to run so many rounds.
struct Hot {
    name: &'static str,
    unit: &'static str,
    units: usize,
    run: fn(&Context, usize) -> Outcome,
}

/// Rows and columns of the tables, and vectors of a block.
const ROWS: usize = 1024;
const COLS: usize = 256;
const BLOCK: usize = 12;
/// Cells of a sparse row.
const CELLS: usize = 16;
/// Size of the symmetric matrix that is made tridiagonal.
const SIZE: usize = 384;
/// Rows and columns of points that a kernel compares.
const POINTS: usize = 256;
const SHORT: usize = 32;

const KERNELS: [Hot; 8] = [
    Hot {
        name: "symmetric product f64",
        unit: "operation of n·d²",
        units: ROWS * COLS * COLS,
        run: |ctx, rounds| symmetric::<f64>(ctx, rounds),
    },
    Hot {
        name: "symmetric product f32",
        unit: "operation of n·d²",
        units: ROWS * COLS * COLS,
        run: |ctx, rounds| symmetric::<f32>(ctx, rounds),
    },
    Hot {
        name: "skinny product dense",
        unit: "operation of 4·n·d·b",
        units: 4 * ROWS * COLS * BLOCK,
        run: skinny_dense,
    },
    Hot {
        name: "skinny product sparse",
        unit: "operation of 4·nnz·b",
        units: 4 * ROWS * CELLS * BLOCK,
        run: skinny_sparse,
    },
    Hot {
        name: "tridiagonalization",
        unit: "operation of 4/3·d³",
        units: 4 * SIZE * SIZE * SIZE / 3,
        run: tridiagonal,
    },
    Hot {
        name: "exp row",
        unit: "cell",
        units: ROWS * COLS,
        run: exp_row,
    },
    Hot {
        name: "gaussian tile",
        unit: "cell",
        units: POINTS * POINTS,
        run: |_, rounds| tile("rbf(gamma=0.1)", rounds),
    },
    Hot {
        name: "inner tile",
        unit: "cell",
        units: POINTS * POINTS,
        run: |_, rounds| tile("linear", rounds),
    },
];

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, rounds] = arguments.as_slice() else {
        let listed = KERNELS
            .map(|hot| json!({"kernel": hot.name, "unit": hot.unit, "units": hot.units}))
            .to_vec();
        println!(
            "{}",
            json!({"instruction_set": instruction_set(), "kernels": listed})
        );
        return Ok(());
    };
    let hot = KERNELS.iter().find(|hot| hot.name == name);
    let hot = hot.ok_or("no such kernel; without arguments they are listed")?;
    (hot.run)(&Context::new().with_threads(1)?, rounds.parse()?)
}

/// The best that this processor has, or the program that stands for one.
fn instruction_set() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            return "AVX-512";
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return "AVX2 and FMA";
        }
    }
    "portable"
}

/// Cells that look random, without a generator in the count.
fn table<T: Real>(n: usize, d: usize) -> Mat<T> {
    Mat::from_fn(n, d, |i, j| {
        T::from_f64(((i * 37 + j * 101 + i * j) % 211) as f64 / 100.0 - 1.0)
    })
}

fn symmetric<T: Real>(ctx: &Context, rounds: usize) -> Outcome {
    let x = table::<T>(ROWS, COLS);
    let rows = Dense::new(x.view());
    for _ in 0..rounds {
        let single = T::BYTES == f32::BYTES;
        let scatter = summarize(ctx, &rows, || {
            Scatter::new(COLS).with_single_products(single)
        });
        black_box(scatter?);
    }
    Ok(())
}

fn skinny_dense(ctx: &Context, rounds: usize) -> Outcome {
    let x = table::<f64>(ROWS, COLS);
    skinny(ctx, &Dense::new(x.view()), rounds)
}

fn skinny_sparse(ctx: &Context, rounds: usize) -> Outcome {
    let starts: Vec<usize> = (0..=ROWS).map(|i| i * CELLS).collect();
    let column = |at: usize| (at % CELLS * (COLS / CELLS) + at / CELLS % 7) as u32;
    let columns: Vec<u32> = (0..ROWS * CELLS).map(column).collect();
    let values: Vec<f64> = (0..ROWS * CELLS).map(|at| (at % 5 + 1) as f64).collect();
    let rows = Sparse::new(CsrView::new(COLS, &starts, &columns, &values)?);
    skinny(ctx, &rows, rounds)
}

fn skinny(ctx: &Context, rows: &dyn Source<f64>, rounds: usize) -> Outcome {
    let preparation = Preparation {
        center: vec![0.1; COLS],
        scale: None,
    };
    let map = Prepared::new(ctx, rows, &preparation, ROWS);
    let vectors = Columns::from_mat(&table(COLS, BLOCK));
    for _ in 0..rounds {
        black_box(map.gram_times(&vectors)?);
    }
    Ok(())
}

fn tridiagonal(ctx: &Context, rounds: usize) -> Outcome {
    let x = table::<f64>(SIZE, SIZE);
    let a = Mat::from_fn(SIZE, SIZE, |i, j| x[(i, j)] + x[(j, i)]);
    for _ in 0..rounds {
        // One pair: next to nothing beside the tridiagonal matrix that it is found in.
        black_box(ctx.install(|| leading_eigen(&a, 1))?);
    }
    Ok(())
}

fn exp_row(_: &Context, rounds: usize) -> Outcome {
    let x = table::<f64>(ROWS, COLS);
    let mut row = vec![0.0; COLS];
    for _ in 0..rounds {
        for from in x.rows() {
            row.copy_from_slice(from);
            exp_all(black_box(&mut row));
        }
    }
    Ok(())
}

fn tile(kernel: &str, rounds: usize) -> Outcome {
    let rows = table::<f64>(POINTS, SHORT);
    let kernel = ResolvedKernel::new(&kernel.parse()?, &rows)?;
    let points = kernel.points(rows, 0)?;
    for _ in 0..rounds {
        black_box(kernel.between(&points, &points));
    }
    Ok(())
}
