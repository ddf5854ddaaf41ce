//! AnnData files: the matrix as AnnData wrote it, dense or sparse, packed or not; and what is said where they are not read.

use eigenspan::Context;
use eigenspan_io::{Input, ReadOptions, Table, open};

use super::sparse::fixture;
use super::{Folder, said};

fn read(name: &str, options: &ReadOptions) -> Result<Table, String> {
    let input = Input::new(fixture(name));
    open(&input, options, &Context::new()).map_err(|error| said(&error))
}

#[cfg(not(feature = "h5ad"))]
#[test]
fn without_the_feature_it_is_said_how_to_get_there() {
    let refused = read("dense.h5ad", &ReadOptions::default()).unwrap_err();
    for part in ["is an HDF5 file", "read_h5ad", "--features h5ad"] {
        assert!(refused.contains(part), "{refused}");
    }
    // A file that is named so and is not one is told by its content.
    let folder = Folder::new();
    let path = folder.file("x.h5ad", "a,b\n1,2\n");
    let error = open(&Input::new(path), &ReadOptions::default(), &Context::new()).unwrap_err();
    assert!(said(&error).contains("named like an HDF5 file"));
}

#[cfg(feature = "h5ad")]
mod built_in {
    use eigenspan::source::Dense;
    use eigenspan::{Mat, PcaOptions};
    use eigenspan_io::{Format, Numbers};

    use super::*;
    use crate::{names, notes, numbers, options};

    /// What `make_h5ad.py` wrote: zeros but for seven cells.
    fn cells() -> Vec<f64> {
        let mut cells = vec![0.0; 28];
        let given = [(1, 1.5), (3, -2.0), (4, 3.0), (10, f64::from(0.1f32))];
        let others = [(17, 7.0), (20, f64::from(1e-3f32)), (27, 4.0)];
        given
            .iter()
            .chain(&others)
            .for_each(|(at, x)| cells[*at] = *x);
        cells
    }

    #[test]
    fn every_layout_gives_the_same_cells_and_names() {
        for name in ["dense.h5ad", "dense_gzip.h5ad", "csr.h5ad", "csc.h5ad"] {
            let table = read(name, &ReadOptions::default()).unwrap();
            assert_eq!(table.format(), Format::H5ad);
            let mut want = cells();
            if name == "csc.h5ad" {
                // Integers were written there.
                want.iter_mut().for_each(|x| *x = x.trunc());
            }
            assert_eq!(numbers(&table).0, want, "{name}");
            let single = matches!(table.numbers(), Numbers::F32(_));
            assert_eq!(single, ["dense.h5ad", "csr.h5ad"].contains(&name), "{name}");
            assert_eq!(
                table.columns(),
                names(&["TP53", "ACTB", "MATR3", "MATR3-1"])
            );
            let id = table.id().expect("names of the rows").name.clone();
            assert_eq!(table.texts(&id).unwrap()[..2], ["cell0", "cell1"]);
            assert_eq!(table.texts("ACTB").unwrap().len(), 7);
            assert!(notes(&table).contains("names of var occur more than once"));
        }
        let whole = read("dense.h5ad", &ReadOptions::default()).unwrap();
        let note = "of obs, only the names are read, not kind, depth";
        assert!(notes(&whole).contains(note), "{}", notes(&whole));
    }

    #[test]
    fn a_fit_gives_the_bits_of_the_same_numbers_in_memory() {
        let x = Mat::from_vec(7, 4, cells()).unwrap();
        let want = PcaOptions::default()
            .fit(&Context::new(), &Dense::new(x.view()))
            .unwrap();
        let table = read("dense_gzip.h5ad", &ReadOptions::default()).unwrap();
        let Numbers::F64(source) = table.numbers() else {
            panic!("64-bit floats");
        };
        let got = PcaOptions::default().fit(&Context::new(), source).unwrap();
        assert_eq!(got.components(), want.components());
        assert_eq!(got.explained_variance(), want.explained_variance());
    }

    #[test]
    fn rows_columns_and_weights_are_chosen_alike() {
        let given = options(|o| {
            o.rows = Some((2, 5));
            o.columns = names(&["MATR3", "TP53"]);
        });
        for name in ["dense.h5ad", "csr.h5ad"] {
            let table = read(name, &given).unwrap();
            assert_eq!(table.columns(), names(&["TP53", "MATR3"]));
            let tenth = f64::from(0.1f32);
            assert_eq!(
                numbers(&table).0,
                [3.0, 0.0, 0.0, tenth, 0.0, 0.0, 0.0, 0.0]
            );
            let id = table.id().expect("names of the rows").name.clone();
            assert_eq!(
                table.texts(&id).unwrap(),
                ["cell1", "cell2", "cell3", "cell4"]
            );
        }
        let weighted = options(|o| o.weight_column = Some("ACTB".to_owned()));
        let table = read("dense.h5ad", &weighted).unwrap();
        assert_eq!(numbers(&table).1, [1.5, 0.0, 0.0, 0.0, 7.0, 0.0, 0.0]);
        let turned = read("csr.h5ad", &options(|o| o.transpose = true)).unwrap_err();
        assert!(
            turned.contains("observations are always the rows"),
            "{turned}"
        );
    }

    #[test]
    fn files_that_are_cut_or_something_else_are_refused() {
        let folder = Folder::new();
        let whole = std::fs::read(fixture("csr.h5ad")).unwrap();
        for length in (8..whole.len()).step_by(whole.len() / 40) {
            let path = folder.file("cut.h5ad", &whole[..length]);
            let ctx = Context::new().with_memory(32 << 20);
            let cut = open(&Input::new(path), &ReadOptions::default(), &ctx);
            let error = said(&cut.expect_err("a file that is cut"));
            assert!(
                error.contains("not an AnnData file that can be read"),
                "{error}"
            );
        }
    }
}
