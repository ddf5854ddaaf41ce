//! Times fits on an array in memory, for `benches/`: one JSON object per run of the program.
//!
//! `fit_speed DATA.npy|CSR_PREFIX SOLVER K REPEATS [--stream]`. K is a count or `all`. A dense array is read into memory
//! first; with `--stream` it stays in its file. CSR_PREFIX names three arrays: .indptr.npy, .indices.npy, .data.npy.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use eigenspan::solve::Keep;
use eigenspan::source::{CsrView, Dense, Source, Sparse};
use eigenspan::{Context, Mat, Pca, PcaOptions, Real};
use eigenspan_io::{Input, Numbers, ReadOptions, open};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [data, solver, k, repeats, rest @ ..] = args.as_slice() else {
        return Err(
            "usage: fit_speed DATA.npy|CSR_PREFIX SOLVER K REPEATS [--stream] [--tolerance=T]"
                .into(),
        );
    };
    let tolerance = rest
        .iter()
        .find_map(|a| a.strip_prefix("--tolerance="))
        .map(str::parse)
        .transpose()?;
    let options = PcaOptions {
        n_components: k.parse::<Keep>()?,
        solver: solver.parse()?,
        tolerance,
        ..Default::default()
    };
    let repeats: usize = repeats.parse()?;
    let stream = rest.iter().any(|a| a == "--stream");
    if !data.ends_with(".npy") {
        return time_sparse(Path::new(data), &options, repeats);
    }
    let ctx = Context::new();
    let table = open(&Input::new(data), &ReadOptions::default(), &ctx)?;
    match (table.numbers(), stream) {
        (Numbers::F64(source), true) => time(&options, source, repeats),
        (Numbers::F32(source), true) => time(&options, source, repeats),
        (Numbers::F64(source), false) => time(&options, &Dense::new(read(source)?.view()), repeats),
        (Numbers::F32(source), false) => time(&options, &Dense::new(read(source)?.view()), repeats),
    }
}

/// All rows in memory, in their own type.
fn read<T: Real>(source: &dyn Source<T>) -> Result<Mat<T>, Box<dyn Error>> {
    let mut cells = Vec::new();
    for part in 0..source.n_parts() {
        source.read_part(part, &mut |rows| {
            cells.extend_from_slice(rows.block.to_mat().as_slice());
            Ok(())
        })?;
    }
    Ok(Mat::from_vec(
        cells.len() / source.n_cols(),
        source.n_cols(),
        cells,
    )?)
}

/// One column of whole numbers or floats, as f64.
fn column(path: &Path) -> Result<Vec<f64>, Box<dyn Error>> {
    let table = open(&Input::new(path), &ReadOptions::default(), &Context::new())?;
    Ok(match table.numbers() {
        Numbers::F64(source) => read(source)?.into_vec(),
        Numbers::F32(source) => read(source)?
            .into_vec()
            .into_iter()
            .map(f64::from)
            .collect(),
    })
}

fn time_sparse(prefix: &Path, options: &PcaOptions, repeats: usize) -> Result<(), Box<dyn Error>> {
    let name = |part: &str| format!("{}.{part}.npy", prefix.display());
    let indptr: Vec<usize> = column(name("indptr").as_ref())?
        .iter()
        .map(|x| *x as usize)
        .collect();
    let indices: Vec<u32> = column(name("indices").as_ref())?
        .iter()
        .map(|x| *x as u32)
        .collect();
    let values = column(name("data").as_ref())?;
    let n_cols = column(name("shape").as_ref())?[1] as usize;
    let view = CsrView::new(n_cols, &indptr, &indices, &values)?;
    time(options, &Sparse::new(view), repeats)
}

fn time<T: Real>(
    options: &PcaOptions,
    source: &dyn Source<T>,
    repeats: usize,
) -> Result<(), Box<dyn Error>> {
    let ctx = Context::new();
    let mut seconds = Vec::new();
    let mut last: Option<Pca> = None;
    for _ in 0..repeats {
        let start = Instant::now();
        let pca = options.fit(&ctx, source)?;
        seconds.push(start.elapsed().as_secs_f64());
        last = Some(pca);
    }
    let pca = last.ok_or("no repeats")?;
    let shown = pca
        .explained_variance()
        .into_iter()
        .take(10)
        .collect::<Vec<_>>();
    let worst = pca
        .spectrum()
        .residuals
        .iter()
        .fold(0.0f64, |m, r| m.max(*r));
    let object = serde_json::json!({
        "seconds": seconds,
        "solver": pca.parts().plan.solver,
        "explained_variance": shown,
        "worst_residual": worst,
        "notes": pca.notes().iter().map(ToString::to_string).collect::<Vec<_>>(),
        "peak_rss_kb": peak_rss_kb(),
    });
    println!("{object}");
    Ok(())
}

/// The most memory this process ever held, where the system tells.
fn peak_rss_kb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
