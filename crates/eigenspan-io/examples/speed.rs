//! How fast a table is read and written: `cargo run --release -p eigenspan-io --example speed [FILE]`.
//!
//! Without a file it makes one: 200,000 rows of 50 numbers with all their digits.

use std::time::Instant;

use eigenspan::Context;
use eigenspan::source::for_each_block;
use eigenspan_io::{Format, Input, Layout, Numbers, Output, ReadOptions, TableWriter, open};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = match std::env::args_os().nth(1) {
        Some(path) => path.into(),
        None => made(&folder.path().join("made.csv"))?,
    };
    let size = std::fs::metadata(&path)?.len() as f64 / 1e6;
    let ctx = Context::new();
    for (what, ctx) in [
        ("kept in memory", ctx.clone()),
        ("read again", ctx.with_memory(1 << 20)),
    ] {
        let start = Instant::now();
        let table = open(&Input::new(&path), &ReadOptions::default(), &ctx)?;
        let opened = start.elapsed().as_secs_f64();
        let start = Instant::now();
        match table.numbers() {
            Numbers::F32(source) => for_each_block(&ctx, source, |_| Ok(()))?,
            Numbers::F64(source) => for_each_block(&ctx, source, |_| Ok(()))?,
        }
        let read = start.elapsed().as_secs_f64();
        println!(
            "{size:.1} MB, {} × {}, {what}: opened in {opened:.3} s ({:.0} MB/s), read in {read:.3} s ({:.0} MB/s)",
            table.n_rows(),
            table.columns().len(),
            size / opened,
            size / read
        );
    }
    Ok(())
}

fn made(path: &std::path::Path) -> Result<std::path::PathBuf, Box<dyn std::error::Error>> {
    let (n_rows, n_cols) = (200_000, 50);
    // A small generator of well-mixed digits: splitmix64.
    let cell = |i: usize, j: usize| {
        let mut z = (i * n_cols + j + 1) as u64;
        z = z.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) as f64 / u64::MAX as f64 - 0.5) * 8.0
    };
    let values = eigenspan::Mat::from_fn(n_rows, n_cols, cell);
    let layout = Layout {
        texts: Vec::new(),
        numbers: (0..n_cols).map(|j| format!("c{j}")).collect(),
        ..Layout::default()
    };
    let start = Instant::now();
    let mut writer = TableWriter::create::<f64>(&Output::new(path), Format::Csv, layout)?;
    writer.write(&[], values.view())?;
    writer.finish()?;
    let seconds = start.elapsed().as_secs_f64();
    let size = std::fs::metadata(path)?.len() as f64 / 1e6;
    println!("written in {seconds:.3} s ({:.0} MB/s)", size / seconds);
    Ok(path.to_owned())
}
