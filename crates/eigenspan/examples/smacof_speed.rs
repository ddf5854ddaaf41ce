//! Seconds for scaling by stress from given places: `smacof_speed DISTANCES START metric|nonmetric REPEATS`, with an n × n matrix of
//! distances and an n × k matrix of places in NPY files (f64, rows in order). Prints JSON.

use std::time::Instant;

use eigenspan::method::{Criterion, Distances, MdsOptions};
use eigenspan::source::Dense;
use eigenspan::{Context, MatView};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().collect();
    let [_, distances, start, criterion, repeats] = &words[..] else {
        return Err("smacof_speed DISTANCES START metric|nonmetric REPEATS".into());
    };
    let matrix = |file: &str| -> Result<_, Box<dyn std::error::Error>> {
        Ok(read(&std::fs::read(file)?).ok_or("not an NPY file of <f8 rows")?)
    };
    let ((cells, n, d), (places, _, k)) = (matrix(distances)?, matrix(start)?);
    let source = Dense::new(MatView::from_rows(&cells, n, d)?);
    let options = MdsOptions {
        n_components: k,
        criterion: match criterion.as_str() {
            "metric" => Criterion::Metric,
            _ => Criterion::Nonmetric,
        },
        distances: Distances::Precomputed,
        places: Some(places.chunks_exact(k).map(<[f64]>::to_vec).collect()),
        ..MdsOptions::default()
    };
    let (mut seconds, mut stress) = (Vec::new(), None);
    for _ in 0..repeats.parse()? {
        let begin = Instant::now();
        stress = options.fit(&Context::new(), &source)?.stress();
        seconds.push(begin.elapsed().as_secs_f64());
    }
    let stress = stress.ok_or("no repeats")?;
    println!(
        "{{\"seconds\": {seconds:?}, \"stress\": {:?}, \"stress_1\": {:?}, \"steps\": {}}}",
        stress.raw, stress.stress_1, stress.n_iterations
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
