//! `neighbors`: the nearest rows of every row of a table, as a graph in a file, and what there is to say about them.

use eigenspan::error::{counted, grouped};
use eigenspan::graph::{Components, EdgeValues, GraphOf, NeighborOptions, Neighbors};
use eigenspan::note::Clause;
use eigenspan::{Context, Note};
use eigenspan_io::Input;
use serde_json::{Value, json};

use crate::JobError;
use crate::heading::Heading;
use crate::results::{Files, GraphFile};
use crate::subject::{OpenRows, Rows};
use crate::words::{short, wrapped};

/// A request for the neighbors of all rows.
#[derive(Debug, Clone)]
pub struct NeighborsJob {
    /// The data.
    pub rows: Rows,
    /// Which neighbors.
    pub options: NeighborOptions,
    /// Which pairs of rows the graph has edges for.
    pub graph: GraphOf,
    /// What edges hold.
    pub values: EdgeValues,
    /// The file for the graph.
    pub file: Option<GraphFile>,
}

/// Neighbors that were found.
#[derive(Debug)]
pub struct FoundNeighbors {
    /// The data.
    pub rows: OpenRows,
    /// What was asked for.
    pub options: NeighborOptions,
    /// Which pairs of rows the graph has edges for.
    pub graph: GraphOf,
    /// What edges hold.
    pub values: EdgeValues,
    /// The neighbors.
    pub neighbors: Neighbors,
    /// Edges of the graph, each direction counted.
    pub n_edges: usize,
    /// Rows that hang together.
    pub components: Components,
    /// Notes from reading.
    pub notes: Vec<Note>,
    /// Files written.
    pub outputs: Vec<String>,
}

/// Finds the neighbors and writes their graph.
pub fn neighbors(ctx: &Context, job: &NeighborsJob) -> Result<FoundNeighbors, JobError> {
    let inputs: Vec<Input> = job.rows.input().cloned().into_iter().collect();
    if let Some(file) = &job.file {
        file.check(&inputs)?;
    }
    let rows = job.rows.open(ctx)?;
    let table = &*rows.table;
    if let Some(missing) = table.missing() {
        return Err(JobError::Usage {
            what: missing.error().to_string(),
            advice: [
                Clause::say("rows with missing cells have no distances"),
                Clause::name("exclude").then(" leaves columns out"),
            ]
            .into(),
        });
    }
    let found = job.options.neighbors_of(ctx, rows.numbers(ctx));
    let neighbors = found.map_err(|error| JobError::core(table.name(), error))?;
    let graph = neighbors.graph(job.graph, job.values);
    let mut files = Files::default();
    if let Some(file) = &job.file {
        file.write(&graph, &mut files)?;
    }
    Ok(FoundNeighbors {
        outputs: files.place()?,
        notes: table.notes().to_vec(),
        options: job.options.clone(),
        graph: job.graph,
        values: job.values,
        n_edges: graph.n_edges(),
        components: graph.components(),
        neighbors,
        rows,
    })
}

/// What was done, in a few lines.
pub fn text(found: &FoundNeighbors, width: usize) -> String {
    let metric = found.options.metric.name();
    let k = found.neighbors.n_neighbors();
    let right = format!("{}, {metric}", counted(k, "neighbor"));
    let mut out = Heading::from_table(&found.rows.table).line(&right);
    out += "\n\n";
    for sentence in [how(found), distances(found), edges(found), pieces(found)] {
        for line in wrapped(&sentence, width.saturating_sub(1)) {
            out += &format!(" {line}\n");
        }
    }
    out
}

/// How the neighbors were found.
fn how(found: &FoundNeighbors) -> String {
    let Some(recall) = found.neighbors.recall() else {
        return "Exact: every row was compared with every other.".to_owned();
    };
    let percent = |share: f64| format!("{:.1}", 100.0 * share);
    let short = match recall.share < found.options.recall {
        true => format!(
            ", fewer than the {} % asked for",
            percent(found.options.recall)
        ),
        false => String::new(),
    };
    format!(
        "Approximate, by NN-descent: {} % of the true neighbors were found{short}, as measured on {} ({} to {} % for all rows, \
         with 95 % confidence).",
        percent(recall.share),
        counted(recall.n_sampled, "random row"),
        percent(recall.low),
        percent(recall.high)
    )
}

/// How far the farthest of the k neighbors is.
fn distances(found: &FoundNeighbors) -> String {
    let k = found.neighbors.n_neighbors();
    let mut farthest: Vec<f64> = found
        .neighbors
        .distances()
        .chunks_exact(k)
        .map(|x| x[k - 1])
        .collect();
    farthest.sort_unstable_by(f64::total_cmp);
    let n = farthest.len();
    let which = match k {
        1 => "nearest row".to_owned(),
        k => format!("nearest {k} rows"),
    };
    format!(
        "The {which} of a row lie within {} of it for half of the rows, and within {} for all.",
        short(farthest[n / 2]),
        short(farthest[n - 1])
    )
}

fn edges(found: &FoundNeighbors) -> String {
    let edges = grouped(found.n_edges as u64);
    match found.graph {
        GraphOf::Knn => format!("The graph has {edges} edges, from every row to its neighbors."),
        GraphOf::Symmetric => format!(
            "The graph is symmetric and has {edges} entries: rows of which at least one is a neighbor of the other."
        ),
        GraphOf::Mutual => format!(
            "The graph is symmetric and has {edges} entries: rows that are neighbors of each other."
        ),
    }
}

/// Into how many pieces the graph falls.
fn pieces(found: &FoundNeighbors) -> String {
    const SHOWN: usize = 5;
    let sizes = &found.components.sizes;
    if sizes.len() == 1 {
        return "It hangs together: every row can be reached from every other along edges, whichever way they point.".to_owned();
    }
    let mut list: Vec<String> = sizes
        .iter()
        .take(SHOWN)
        .map(|n| grouped(*n as u64))
        .collect();
    if sizes.len() > SHOWN {
        list.push("…".to_owned());
    }
    let alone = sizes.iter().filter(|n| **n == 1).count();
    let alone = match alone {
        0 => String::new(),
        1 => "; 1 row has no edge".to_owned(),
        n => format!("; {} rows have no edge", grouped(n as u64)),
    };
    format!(
        "It falls into {} pieces that no edge joins, of {} rows{alone}. They were left apart.",
        grouped(sizes.len() as u64),
        list.join(", ")
    )
}

/// The same as JSON.
pub fn json(found: &FoundNeighbors, seconds: f64) -> Value {
    json!({
        "data": found.rows.table.name(),
        "n_rows": found.neighbors.n_rows(),
        "n_cols": found.rows.table.columns().len(),
        "n_neighbors": found.neighbors.n_neighbors(),
        "metric": found.options.metric,
        "algorithm": if found.neighbors.recall().is_some() { "approximate" } else { "exact" },
        "recall": found.neighbors.recall(),
        "graph": found.graph,
        "mode": found.values,
        "n_edges": found.n_edges,
        "n_components": found.components.len(),
        "component_sizes": found.components.sizes,
        "seed": found.options.seed,
        "seconds": seconds,
        "outputs": found.outputs,
        "notes": Vec::<String>::new(),
    })
}
