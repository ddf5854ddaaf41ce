//! Seconds for Laplacian eigenmaps, or a locally linear embedding, of the rows of an NPY file (f64, rows in order) in two dimensions:
//! `spectral_speed FILE laplacian|lle K REPEATS`. Prints JSON with the places.

use std::time::Instant;

use eigenspan::method::{LaplacianOptions, LleOptions};
use eigenspan::source::Dense;
use eigenspan::{Context, MatView};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().collect();
    let [_, file, task, k, repeats] = &words[..] else {
        return Err("spectral_speed FILE laplacian|lle K REPEATS".into());
    };
    let (cells, n, d) = read(&std::fs::read(file)?).ok_or("not an NPY file of <f8 rows")?;
    let (n_neighbors, repeats): (usize, usize) = (k.parse()?, repeats.parse()?);
    let rows = Dense::new(MatView::from_rows(&cells, n, d)?);
    let ctx = Context::new();
    let (mut seconds, mut places, mut residual) = (Vec::new(), Vec::new(), 0.0f64);
    for _ in 0..repeats {
        let start = Instant::now();
        let (found, residuals) = match task.as_str() {
            "laplacian" => {
                let options = LaplacianOptions {
                    n_neighbors,
                    ..LaplacianOptions::default()
                };
                let map = options.fit(&ctx, &rows)?;
                (map.places().as_slice().to_vec(), map.residuals().to_vec())
            }
            _ => {
                let options = LleOptions {
                    n_neighbors,
                    ..LleOptions::default()
                };
                let map = options.fit(&ctx, &rows)?;
                (map.places().as_slice().to_vec(), map.residuals().to_vec())
            }
        };
        seconds.push(start.elapsed().as_secs_f64());
        places = found;
        residual = residuals.into_iter().fold(0.0, f64::max);
    }
    println!("{{\"seconds\": {seconds:?}, \"residual\": {residual:e}, \"places\": {places:?}}}");
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
