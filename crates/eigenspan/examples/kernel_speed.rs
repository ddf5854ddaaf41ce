//! Times kernel PCA and its parts on rows in memory, for `benches/`: one JSON object per run of the program.
//!
//! `kernel_speed TRAIN.npy KERNEL K REPEATS [--new=NEW.npy] [--memory=BYTES] [--tolerance=T] [--solver=S]
//! [--keep=whole|half|single|anew]`. With `--new` the projection of those rows is timed too. With `--keep`, the kernel matrix
//! kept that way and its product with K vectors are timed instead of a fit.

use std::error::Error;
use std::time::Instant;

use eigenspan::kernel::{Gram, ResolvedKernel};
use eigenspan::linalg::Columns;
use eigenspan::method::KernelPcaOptions;
use eigenspan::solve::Keep;
use eigenspan::source::Dense;
use eigenspan::{Context, Mat};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [data, kernel, k, repeats, rest @ ..] = args.as_slice() else {
        return Err("usage: kernel_speed TRAIN.npy KERNEL K REPEATS [--new=NEW.npy] [--memory=BYTES] [--tolerance=T] [--solver=S] [--keep=whole|half|single|anew]".into());
    };
    let flag = |name: &str| rest.iter().find_map(|a| a.strip_prefix(name));
    let (k, repeats): (usize, usize) = (k.parse()?, repeats.parse()?);
    let mut ctx = Context::new();
    if let Some(bytes) = flag("--memory=") {
        ctx = ctx.with_memory(bytes.parse()?);
    }
    let train = read(data)?;
    let options = KernelPcaOptions {
        n_components: Keep::Count(k.max(1)),
        kernel: kernel.parse()?,
        tolerance: flag("--tolerance=").map(str::parse).transpose()?,
        solver: flag("--solver=").map_or(Ok(Default::default()), str::parse)?,
        ..Default::default()
    };
    let mut out = match flag("--keep=") {
        Some(keep) => parts(&ctx, &options, train, (keep, k), repeats)?,
        None => fit(&ctx, &options, &train, flag("--new="), repeats)?,
    };
    out["peak_rss_kb"] = json!(peak_rss_kb());
    println!("{out}");
    Ok(())
}

/// The kernel matrix, and its product with k vectors.
fn parts(
    ctx: &Context,
    options: &KernelPcaOptions,
    train: Mat<f64>,
    (keep, k): (&str, usize),
    repeats: usize,
) -> Result<Value, Box<dyn Error>> {
    let kernel = ResolvedKernel::new(&options.kernel, &train)?;
    let points = kernel.points(train, 0)?;
    let n = points.len();
    let vectors = Columns::from_mat(&Mat::from_fn(n, k, |i, j| ((i * 7 + j * 3) % 11) as f64));
    let (mut gram_seconds, mut product_seconds) = (Vec::new(), Vec::new());
    let mut means = Vec::new();
    for _ in 0..repeats {
        let (seconds, gram) = timed(|| match keep {
            "half" => Gram::half(ctx, &kernel, &points),
            "single" => Gram::single(ctx, &kernel, &points),
            "anew" => Ok(Gram::recomputed(ctx, &kernel, &points)),
            _ => Gram::stored(ctx, &kernel, &points),
        })?;
        gram_seconds.push(seconds);
        if k > 0 {
            let (seconds, _) = timed(|| gram.times(&vectors))?;
            product_seconds.push(seconds);
        }
        means = gram.row_means()?;
    }
    Ok(json!({
        "gram_seconds": gram_seconds,
        "product_seconds": product_seconds,
        "mean": means.iter().sum::<f64>() / n as f64,
    }))
}

fn fit(
    ctx: &Context,
    options: &KernelPcaOptions,
    train: &Mat<f64>,
    new: Option<&str>,
    repeats: usize,
) -> Result<Value, Box<dyn Error>> {
    let new = new.map(read).transpose()?;
    let (mut seconds, mut project) = (Vec::new(), Vec::new());
    let mut out = Value::Null;
    for _ in 0..repeats {
        let (taken, model) = timed(|| options.fit(ctx, &Dense::new(train.view())))?;
        seconds.push(taken);
        let mut first_scores = Vec::new();
        if let Some(new) = &new {
            let (taken, scores) = timed(|| model.transform(ctx, &Dense::new(new.view())))?;
            project.push(taken);
            first_scores = scores.row(0).to_vec();
        }
        let residuals = &model.spectrum().residuals;
        out = json!({
            "eigenvalues": model.eigenvalues(),
            "worst_residual": residuals.iter().fold(0.0f64, |m, r| m.max(*r)),
            "first_scores": first_scores,
            "plan": model.parts().plan,
            "notes": model.notes().iter().map(ToString::to_string).collect::<Vec<_>>(),
        });
    }
    out["seconds"] = json!(seconds);
    out["project_seconds"] = json!(project);
    Ok(out)
}

fn timed<R, E>(work: impl FnOnce() -> Result<R, E>) -> Result<(f64, R), E> {
    let start = Instant::now();
    let result = work()?;
    Ok((start.elapsed().as_secs_f64(), result))
}

/// The rows of an NPY file of f64, written row after row by a machine like this one.
fn read(path: &str) -> Result<Mat<f64>, Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = String::from_utf8_lossy(&bytes[10..start]);
    let shape = header.split(['(', ')']).nth(1).ok_or("no shape")?;
    let sides: Vec<usize> = shape
        .split(',')
        .map(|side| side.trim().parse())
        .collect::<Result<_, _>>()?;
    if !header.contains("'<f8'") || header.contains("True") || sides.len() != 2 {
        return Err(format!("a table of f64 in rows is wanted, not {header}").into());
    }
    let cells = bytes[start..].chunks_exact(8);
    let number = |cell: &[u8]| cell.try_into().map(f64::from_le_bytes);
    let cells = cells.map(number).collect::<Result<Vec<f64>, _>>()?;
    Ok(Mat::from_vec(sides[0], sides[1], cells)?)
}

/// The most memory this process ever held, where the system tells.
fn peak_rss_kb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
