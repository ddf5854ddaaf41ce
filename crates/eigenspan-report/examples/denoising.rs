//! Draws pictures in lines below each other: as they were, with noise, and after each way to take it out.
//!
//! `cargo run --example denoising -- OUT.png WIDTH 'original=clean.npy' 'noisy=noisy.npy' 'PCA=pca.npy' …`, with tables of one picture per
//! row, WIDTH pixels wide, gray values from 0 to 1; under each name stands the mean squared error against the first table.

use std::error::Error;

use eigenspan::Context;
use eigenspan_io::{Input, Numbers, ReadOptions, open};
use eigenspan_report::figure::palette::sequential;
use eigenspan_report::figure::png;
use eigenspan_report::figure::scene::{Area, Cells, Ink, Item, Scene, Text};

/// Pictures in a line.
const SHOWN: usize = 10;
/// Side of a picture, and from one to the next.
const SIDE: f64 = 64.0;
const STEP: f64 = 72.0;
const LEFT: f64 = 120.0;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [out, width, tables @ ..] = words.as_slice() else {
        return Err("OUT.png WIDTH NAME=TABLE …".into());
    };
    let width: usize = width.parse()?;
    let mut lines = Vec::new();
    for word in tables {
        let (name, path) = word.split_once('=').ok_or("NAME=TABLE")?;
        lines.push((name, rows(path)?));
    }
    let mut scene = Scene::new(
        LEFT + STEP * SHOWN as f64 + 8.0,
        STEP * lines.len() as f64 + 16.0,
    );
    for (line, (name, rows)) in lines.iter().enumerate() {
        let top = 12.0 + STEP * line as f64;
        scene.text(Text::new(16.0, top + 30.0, *name, 14.0).bold());
        if line > 0 {
            let error = format!("{:.4}", error(rows, &lines[0].1));
            scene.text(Text::new(16.0, top + 48.0, error, 12.0).ink(Ink::Muted));
        }
        for (i, row) in rows.iter().take(SHOWN).enumerate() {
            scene.items.push(Item::Cells(Cells {
                area: Area {
                    left: LEFT + STEP * i as f64,
                    top,
                    width: SIDE,
                    height: SIDE,
                },
                n_cols: width,
                inks: row
                    .iter()
                    .map(|x| Some(sequential(x.clamp(0.0, 1.0))))
                    .collect(),
            }));
        }
    }
    std::fs::write(out, png::draw(&scene, 2.0, false)?)?;
    Ok(())
}

/// The rows of a table.
fn rows(path: &str) -> Result<Vec<Vec<f64>>, Box<dyn Error>> {
    let table = open(&Input::new(path), &ReadOptions::default(), &Context::new())?;
    let Numbers::F64(source) = table.numbers() else {
        return Err("f64 is expected".into());
    };
    let mut all = Vec::new();
    for part in 0..source.n_parts() {
        source.read_part(part, &mut |rows| {
            all.extend(rows.block.to_mat().rows().map(<[f64]>::to_vec));
            Ok(())
        })?;
    }
    Ok(all)
}

fn error(rows: &[Vec<f64>], clean: &[Vec<f64>]) -> f64 {
    let cells = rows.iter().flatten().zip(clean.iter().flatten());
    let n = cells.clone().count().max(1) as f64;
    cells.map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / n
}
