//! Seconds for the neighbors of the rows of an NPY file (f64, rows in order), for the trustworthiness of their first two columns, or for
//! their Isomap of two dimensions: `neighbor_speed FILE exact|approximate|trustworthiness|isomap K REPEATS`. Prints JSON.

use std::time::Instant;

use eigenspan::evaluate::MapOptions;
use eigenspan::graph::{Algorithm, NeighborOptions};
use eigenspan::method::IsomapOptions;
use eigenspan::source::{Dense, Numbers};
use eigenspan::{Context, Mat, MatView};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().collect();
    let [_, file, task, k, repeats] = &words[..] else {
        return Err(
            "neighbor_speed FILE exact|approximate|trustworthiness|isomap K REPEATS".into(),
        );
    };
    let (cells, n, d) = read(&std::fs::read(file)?).ok_or("not an NPY file of <f8 rows")?;
    let (k, repeats): (usize, usize) = (k.parse()?, repeats.parse()?);
    let rows = Dense::new(MatView::from_rows(&cells, n, d)?);
    let map = Mat::from_fn(n, 2, |i, j| cells[i * d + j]);
    let map = Dense::new(map.view());
    let ctx = Context::new();
    let (mut seconds, mut found, mut recall) = (Vec::new(), 0.0, 1.0);
    let mut places = Vec::new();
    for _ in 0..repeats {
        let start = Instant::now();
        if task == "trustworthiness" {
            let options = MapOptions {
                n_neighbors: k,
                ..MapOptions::default()
            };
            let judged = options.trustworthiness(&ctx, Numbers::F64(&rows), Numbers::F64(&map))?;
            found = judged.estimate.value;
        } else if task == "isomap" {
            let options = IsomapOptions {
                n_neighbors: k,
                ..IsomapOptions::default()
            };
            let model = options.fit(&ctx, &rows)?;
            found = model.reconstruction_error();
            places = model.places().as_slice().to_vec();
        } else {
            let options = NeighborOptions {
                n_neighbors: k,
                algorithm: match task.as_str() {
                    "exact" => Algorithm::Exact,
                    _ => Algorithm::Approximate,
                },
                ..NeighborOptions::default()
            };
            let near = options.fit(&ctx, &rows)?;
            found = near.distances().iter().sum();
            recall = near.recall().map_or(1.0, |recall| recall.share);
        }
        seconds.push(start.elapsed().as_secs_f64());
    }
    println!(
        "{{\"seconds\": {seconds:?}, \"found\": {found:?}, \"recall\": {recall:?}, \"places\": {places:?}}}"
    );
    Ok(())
}

/// The cells of an NPY file, version 1.0, and its shape.
fn read(bytes: &[u8]) -> Option<(Vec<f64>, usize, usize)> {
    let length = usize::from(u16::from_le_bytes([*bytes.get(8)?, *bytes.get(9)?]));
    let header = std::str::from_utf8(bytes.get(10..10 + length)?).ok()?;
    let shape = header.split('(').nth(1)?.split(')').next()?;
    let mut sizes = shape.split(',').map(|n| n.trim().parse::<usize>());
    let (n, d) = (sizes.next()?.ok()?, sizes.next()?.ok()?);
    let is_plain = header.contains("<f8") && header.contains("'fortran_order': False");
    let cells = bytes.get(10 + length..)?.chunks_exact(8);
    let cells: Vec<f64> = cells
        .filter_map(|x| x.try_into().ok().map(f64::from_le_bytes))
        .collect();
    (is_plain && cells.len() == n * d).then_some((cells, n, d))
}
