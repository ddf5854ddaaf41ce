//! A neighbor graph in several pieces is joined by the shortest links between them.

use eigenspan::graph::{Algorithm, EdgeValues, Graph, GraphOf, Metric, NeighborOptions, Pieces};
use eigenspan::source::{Dense, Numbers};
use eigenspan::{Context, Error, Mat, Note};

use super::{normal, options};

fn graph(ctx: &Context, rows: &Mat<f64>, options: &NeighborOptions, pieces: Pieces) -> Joined {
    let source = Dense::new(rows.view());
    let ready = options.prepare(ctx, Numbers::F64(&source))?;
    let mut graph = ready
        .neighbors(ctx)?
        .graph(GraphOf::Symmetric, EdgeValues::Distance);
    let note = graph.join_pieces(ctx, &ready, EdgeValues::Distance, pieces)?;
    Ok((graph, note))
}

type Joined = Result<(Graph, Option<Note>), Error>;

/// Rows in four clusters of unlike sizes, mixed.
fn clusters() -> (Mat<f64>, Vec<usize>) {
    let noise = normal(90, 3, 5);
    let of = |i: usize| [0, 1, 0, 2, 0, 1, 0, 3, 0][i % 9];
    let rows = Mat::from_fn(90, 3, |i, j| {
        noise[(i, j)] + 40.0 * (of(i) * (j + of(i))) as f64
    });
    (rows, (0..90).map(of).collect())
}

#[test]
fn every_two_pieces_are_joined_by_their_nearest_rows() {
    let (rows, of) = clusters();
    for metric in [Metric::Euclidean, Metric::Manhattan] {
        let options = options(3, metric, Algorithm::Exact);
        let ready = |rows: &Mat<f64>| {
            let source = Dense::new(rows.view());
            let all = NeighborOptions {
                n_neighbors: 89,
                ..options.clone()
            };
            all.fit(&Context::new(), &source).expect("distances")
        };
        let distances = ready(&rows);
        let (graph, note) =
            graph(&Context::new(), &rows, &options, Pieces::Join).expect("one piece");
        assert_eq!(graph.components().len(), 1);
        let mut between: Vec<(usize, usize, f64)> = Vec::new();
        for i in 0..90 {
            let (to, lengths) = graph.row(i);
            assert!(to.windows(2).all(|pair| pair[0] < pair[1]));
            for (&j, &x) in to.iter().zip(lengths) {
                let (back, same) = graph.row(j as usize);
                let at = back
                    .iter()
                    .position(|&r| r as usize == i)
                    .expect("both directions");
                assert_eq!(same[at], x);
                if of[i] != of[j as usize] {
                    between.push((i, j as usize, x));
                }
            }
        }
        assert_eq!(between.len(), 12);
        for &(i, j, x) in &between {
            for a in (0..90).filter(|&a| of[a] == of[i]) {
                let (near, far) = distances.row(a);
                for (&b, &y) in near.iter().zip(far) {
                    assert!(
                        of[b as usize] != of[j] || y >= x,
                        "{metric:?} {i} {j} {a} {b}"
                    );
                }
            }
        }
        let longest = between.iter().fold(0.0f64, |m, link| m.max(link.2));
        match note {
            Some(Note::JoinedPieces {
                pieces: 4,
                sizes,
                links: 6,
                longest: said,
                n_neighbors: 3,
                n_rows: 90,
            }) => {
                assert_eq!(sizes, [50, 20, 10, 10]);
                assert_eq!(said, longest);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn links_are_the_same_for_any_number_of_threads() {
    let (rows, _) = clusters();
    let options = options(2, Metric::Euclidean, Algorithm::Exact);
    let with = |threads| {
        let ctx = Context::new().with_threads(threads).expect("threads");
        graph(&ctx, &rows, &options, Pieces::Join)
            .expect("one piece")
            .0
    };
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(8));
}

#[test]
fn rows_that_stand_alone_in_great_number_are_joined_too() {
    // Pairs of equal rows: every pair is a piece of its own.
    let rows = Mat::from_fn(60, 2, |i, j| ((i / 2) * (3 * j + 1)) as f64);
    let options = options(1, Metric::Euclidean, Algorithm::Exact);
    let (graph, note) = graph(&Context::new(), &rows, &options, Pieces::Join).expect("one piece");
    assert_eq!(graph.components().len(), 1);
    // One edge of length 0 within each pair, one between every two pairs.
    assert_eq!(graph.n_edges(), 2 * (30 + 30 * 29 / 2));
    // Of equally short links, that of the smallest row numbers is taken.
    assert_eq!(graph.row(0).0[..3], [1, 2, 4]);
    let said = note.expect("a note").to_string();
    assert_eq!(
        said,
        "the neighbor graph was in 30 pieces (the largest of 2, 2, 2, 2 and 2 rows): 435 links were added, one between the nearest rows of every two pieces, the longest of length 120"
    );
}

#[test]
fn refusing_says_how_many_pieces_there_are() {
    let (rows, _) = clusters();
    let options = options(3, Metric::Euclidean, Algorithm::Exact);
    let refused = graph(&Context::new(), &rows, &options, Pieces::Refuse).expect_err("pieces");
    assert_eq!(
        refused.to_string(),
        "the graph of 3 neighbors is in 4 pieces of 50, 20, 10 and 10 rows, but pieces = `refuse` takes only one piece"
    );
    let hint = refused.hint().expect("a hint");
    assert_eq!((hint.option, hint.value.as_str()), ("pieces", "join"));
    let whole = normal(50, 2, 1);
    let (_, note) = graph(&Context::new(), &whole, &options, Pieces::Refuse).expect("one piece");
    assert_eq!(note, None);
}
