//! Fills the missing cells of a table, for `benches/missing.py`.
//!
//! `fill_missing ROWS COLUMNS K < CELLS > FILLED`: little-endian 64-bit floats row by row, NaN where a cell is missing; K components, 0 for
//! all. Notes go to standard error.

use std::error::Error;
use std::io::{Read, Write};

use eigenspan::prepare::Missing;
use eigenspan::solve::Keep;
use eigenspan::source::{Block, Dense};
use eigenspan::{Context, Mat, PcaOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [rows, columns, k] = args.as_slice() else {
        return Err("usage: fill_missing ROWS COLUMNS K < CELLS > FILLED".into());
    };
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    let cells = bytes
        .chunks_exact(8)
        .map(|b| f64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]));
    let table = Mat::from_vec(rows.parse()?, columns.parse()?, cells.collect())?;
    let options = PcaOptions {
        n_components: match k.parse()? {
            0 => Keep::All,
            k => Keep::Count(k),
        },
        missing: Missing::Em,
        ..Default::default()
    };
    let pca = options.fit(&Context::new(), &Dense::new(table.view()))?;
    pca.notes().iter().for_each(|note| eprintln!("{note}"));
    let filled = pca.complete(&Block::from(table.view()))?;
    let mut out = std::io::stdout().lock();
    for x in filled.as_slice() {
        out.write_all(&x.to_le_bytes())?;
    }
    Ok(())
}
