//! Connected components of a graph.

use serde::Serialize;

/// Rows that hang together, whichever way edges point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Components {
    /// The component of every row; the largest component is 0, and among equally large ones that of the first row comes first.
    pub of_rows: Vec<u32>,
    /// How many rows each has, the largest first.
    pub sizes: Vec<usize>,
}

impl Components {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether the graph has no rows, and so no pieces.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// Of n rows and pairs of them, by a forest of sets (Tarjan 1975, doi:10.1145/321879.321884).
    pub fn from_edges(n: usize, edges: impl Iterator<Item = (u32, u32)>) -> Self {
        let mut parent: Vec<u32> = (0..n as u32).collect();
        for (a, b) in edges {
            let (a, b) = (root(&mut parent, a), root(&mut parent, b));
            // The smaller number becomes the root: the first row of a component is its root.
            parent[a.max(b) as usize] = a.min(b);
        }
        let mut counts = vec![0usize; n];
        for row in 0..n as u32 {
            counts[root(&mut parent, row) as usize] += 1;
        }
        let mut roots: Vec<u32> = (0..n as u32)
            .filter(|&row| counts[row as usize] > 0)
            .collect();
        roots.sort_by_key(|&row| std::cmp::Reverse(counts[row as usize]));
        let mut number = vec![0u32; n];
        for (i, &row) in (0u32..).zip(&roots) {
            number[row as usize] = i;
        }
        Components {
            of_rows: parent.iter().map(|&root| number[root as usize]).collect(),
            sizes: roots.iter().map(|&row| counts[row as usize]).collect(),
        }
    }
}

/// The first row of the set that a row is in.
fn root(parent: &mut [u32], mut row: u32) -> u32 {
    let mut root = row;
    while parent[root as usize] != root {
        root = parent[root as usize];
    }
    while parent[row as usize] != root {
        row = std::mem::replace(&mut parent[row as usize], root);
    }
    root
}
