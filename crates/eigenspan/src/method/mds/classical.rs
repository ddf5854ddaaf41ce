//! Classical scaling: a PCA of the rows for Euclidean distances, else the eigenpairs of the centered squared distances.

use super::MdsOptions;
use crate::context::Context;
use crate::error::Error;
use crate::kernel::Kernel;
use crate::mat::Mat;
use crate::method::{KernelPcaOptions, PcaOptions};
use crate::note::Note;
use crate::parallel;
use crate::prepare::Preparation;
use crate::solve::{Approximate, Keep, Negative, Plan, Spectrum};
use crate::source::Dense;

/// Places by classical scaling.
pub(super) struct Places {
    /// n × k
    pub(super) places: Mat<f64>,
    pub(super) spectrum: Spectrum,
    pub(super) plan: Plan,
    pub(super) notes: Vec<Note>,
}

impl MdsOptions {
    /// From rows, by their Euclidean distances.
    pub(super) fn classical_of_rows(
        &self,
        ctx: &Context,
        rows: &Mat<f64>,
    ) -> Result<Places, Error> {
        let (k, source) = (self.n_components, Dense::new(rows.view()));
        if k > rows.n_cols() {
            // More dimensions than columns: the others are zero, as the n × n matrix says.
            return self.by_kernel(ctx, rows, "linear".parse()?);
        }
        let options = PcaOptions {
            n_components: Keep::Count(k),
            seed: self.seed,
            ..PcaOptions::default()
        };
        let pca = options.fit(ctx, &source)?;
        Ok(Places {
            places: upright(pca.transform(ctx, &source)?).0,
            spectrum: pca.spectrum().clone(),
            plan: pca.parts().plan.clone(),
            notes: notes_for_places(pca.notes()),
        })
    }

    /// From rows with weights, by their Euclidean distances: the scores of their weighted PCA, which are about the weighted mean (Gower
    /// 1966). A weight of 2 is the row twice.
    pub(super) fn classical_of_weighted(
        &self,
        ctx: &Context,
        (rows, weights): (&Mat<f64>, &[f64]),
    ) -> Result<(Places, Preparation), Error> {
        let source = Dense::new(rows.view()).with_weights(weights)?;
        let options = PcaOptions {
            n_components: Keep::Count(self.n_components),
            scale: self.scale,
            seed: self.seed,
            ..PcaOptions::default()
        };
        let pca = options.fit(ctx, &source)?;
        let found = Places {
            places: upright(pca.transform(ctx, &source)?).0,
            spectrum: pca.spectrum().clone(),
            plan: pca.parts().plan.clone(),
            notes: notes_for_places(pca.notes()),
        };
        Ok((found, pca.parts().preparation.clone()))
    }

    /// From a matrix of distances.
    pub(super) fn classical_of_distances(
        &self,
        ctx: &Context,
        distances: &Mat<f64>,
    ) -> Result<Places, Error> {
        let mut squares = distances.clone();
        let n = squares.n_cols();
        ctx.install(|| {
            parallel::each_chunk(squares.as_mut_slice(), n, |_, row| {
                row.iter_mut().for_each(|x| *x = -0.5 * *x * *x);
            });
        });
        self.by_kernel(ctx, &squares, "precomputed".parse()?)
    }

    fn by_kernel(&self, ctx: &Context, rows: &Mat<f64>, kernel: Kernel) -> Result<Places, Error> {
        let options = KernelPcaOptions {
            n_components: Keep::Count(self.n_components),
            kernel,
            approximate: Approximate::None,
            negative: Negative::Clip,
            seed: self.seed,
            ..KernelPcaOptions::default()
        };
        let source = Dense::new(rows.view());
        let model = options.fit(ctx, &source)?;
        let places = match model.scores() {
            Some(scores) => scores.clone(),
            None => model.transform(ctx, &source)?,
        };
        Ok(Places {
            places: upright(places).0,
            spectrum: model.spectrum().clone(),
            plan: model.parts().plan.clone(),
            notes: notes_for_places(model.notes()),
        })
    }
}

/// Turns every coordinate so that its entry of largest magnitude is positive, the first of those that are equal up to rounding; and
/// which ones were turned.
pub(in crate::method) fn upright(mut places: Mat<f64>) -> (Mat<f64>, Vec<bool>) {
    let mut turned = vec![false; places.n_cols()];
    for c in 0..places.n_cols() {
        let column = places.col(c);
        let largest = column.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let first = column.iter().find(|x| x.abs() >= largest * (1.0 - 1e-9));
        if first.is_some_and(|x| *x < 0.0) {
            (0..column.len()).for_each(|i| places[(i, c)] = -column[i]);
            turned[c] = true;
        }
    }
    (places, turned)
}

/// The notes that hold for places, in their words.
pub(in crate::method) fn notes_for_places(notes: &[Note]) -> Vec<Note> {
    let said = notes.iter().map(|note| match note {
        Note::NegativeEigenvalues {
            count,
            smallest,
            largest,
            ..
        } => Note::NotEuclidean {
            count: *count,
            smallest: *smallest,
            largest: *largest,
        },
        note => {
            let mut own = note.clone();
            if let Note::UnlikeScales { component, .. } = &mut own {
                *component = component.replace("PC", "MDS");
            }
            own
        }
    });
    said.collect()
}
