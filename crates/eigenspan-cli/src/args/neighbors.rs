//! The options of `eigenspan neighbors`.

use std::path::PathBuf;

use clap::Args;
use eigenspan::graph::{EdgeValues, GraphOf, NeighborOptions};

use super::Data;

const EXAMPLES: &str = "\
Examples:
  eigenspan neighbors iris.csv -k 15       what is found; nothing is written
  eigenspan neighbors iris.csv -k 15 -o graph.npz
                       scipy.sparse.load_npz('graph.npz') reads it
  eigenspan neighbors words.npy --metric cosine --graph mutual -o words.npz
  eigenspan neighbors big.npy --algorithm approximate --recall 0.99 -o big.npz
  eigenspan neighbors iris.csv --mode connectivity --graph symmetric -o graph.mtx";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct NeighborsArgs {
    #[command(flatten)]
    pub(crate) data: Data,

    #[command(flatten, next_help_heading = "Neighbors")]
    pub(crate) search: NeighborOptions,

    /// Which pairs of rows have an edge
    #[arg(long, value_name = "GRAPH", value_enum, default_value_t = GraphOf::Knn, help_heading = "Results")]
    pub(crate) graph: GraphOf,

    /// What an edge holds
    #[arg(long, value_name = "MODE", value_enum, default_value_t = EdgeValues::Distance, help_heading = "Results")]
    pub(crate) mode: EdgeValues,

    /// Write the graph to this file, as SciPy's sparse matrix (.npz) or Matrix Market (.mtx); - writes .mtx to standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Results")]
    pub(crate) output: Option<PathBuf>,
}
