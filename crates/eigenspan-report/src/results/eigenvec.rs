//! Eigenvectors and eigenvalues of genotypes, in PLINK's format.

use std::path::Path;

use eigenspan::method::Names;
use eigenspan::{Context, Mat, Note, Pca};
use eigenspan_io::{Format, Formatted, Layout, Output, Sealed, Table, TableWriter, write_sealed};

use super::scores::{Carried, Part, write_parts};
use crate::subject::scores_of_part;
use crate::{JobError, genotypes};

/// Writes eigenvectors and eigenvalues to temporary files that still have to be moved into place.
pub(super) fn write(
    ctx: &Context,
    table: &Table,
    pca: &Pca,
    output: &Output,
    values: &Path,
) -> Result<[Sealed; 2], JobError> {
    let spectrum = pca.spectrum();
    let lengths: Vec<f64> = spectrum
        .singular_values
        .iter()
        .map(|sigma| match pca.parts().options.whiten {
            true => spectrum.divisor.sqrt(),
            false => *sigma,
        })
        .collect();
    let vectors = unit_scores(ctx, table, pca, &lengths, output)?;
    let n_varying = pca.n_cols() - n_constant(pca);
    let values = write_sealed(values, |out| {
        for sigma in &spectrum.singular_values {
            writeln!(out, "{}", sigma * sigma / n_varying.max(1) as f64)?;
        }
        Ok(())
    })?;
    Ok([vectors, values])
}

/// The number of constant columns, which PLINK does not count.
fn n_constant(pca: &Pca) -> usize {
    let constant = pca.notes().iter().map(|note| match note {
        Note::ConstantColumns { columns, .. } => columns.len(),
        _ => 0,
    });
    constant.sum()
}

/// Writes each component's scores divided by their length, after the columns that name a person; the file still has to be moved into place.
fn unit_scores(
    ctx: &Context,
    table: &Table,
    pca: &Pca,
    lengths: &[f64],
    output: &Output,
) -> Result<Sealed, JobError> {
    let people = genotypes::person_columns(table)?;
    let numbered = people.is_empty();
    let (mut names, places): (Vec<String>, Vec<usize>) = people.into_iter().unzip();
    if numbered {
        names.push("#IID".to_owned());
    }
    let layout = Layout {
        texts: names.clone(),
        // PLINK's names for the components, whatever the model calls them.
        numbers: Names::Pc.first(pca.n_components()),
        ..Layout::default()
    };
    let mut writer = TableWriter::create::<f64>(output, Format::Tsv, layout)?;
    let carried = Carried { names, places };
    let unit = |part: Part<'_>| -> Result<Formatted, JobError> {
        let scores = scores_of_part(ctx, table, None, pca, part.index)?;
        let unit = Mat::from_fn(scores.n_rows(), scores.n_cols(), |i, j| match lengths[j] {
            0.0 => 0.0,
            length => scores[(i, j)] / length,
        });
        let mut texts = part.texts;
        if numbered {
            let first = table.part_texts(part.index, &[])?.first;
            let numbers = first + 1..=first + unit.n_rows();
            texts.push(numbers.map(|row| row.to_string()).collect());
        }
        Ok(part.writer.format(&texts, unit.view())?)
    };
    write_parts(ctx, table, &carried, &mut writer, unit)?;
    Ok(writer.seal()?)
}
