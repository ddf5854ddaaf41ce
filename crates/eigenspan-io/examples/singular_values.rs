//! The singular values of the centered rows of a table, for `benches/accuracy.py`: one JSON array.
//!
//! `singular_values DATA SOLVER`. All of them are asked for.

use std::error::Error;

use eigenspan::{Context, PcaOptions};
use eigenspan_io::{Input, Numbers, ReadOptions, open};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(data), Some(solver)) = (arguments.next(), arguments.next()) else {
        return Err("usage: singular_values DATA SOLVER".into());
    };
    let ctx = Context::new();
    let options = PcaOptions {
        solver: solver.parse()?,
        ..Default::default()
    };
    let table = open(&Input::new(data), &ReadOptions::default(), &ctx)?;
    let pca = match table.numbers() {
        Numbers::F32(source) => options.fit(&ctx, source)?,
        Numbers::F64(source) => options.fit(&ctx, source)?,
    };
    println!("{:?}", pca.spectrum().singular_values);
    Ok(())
}
