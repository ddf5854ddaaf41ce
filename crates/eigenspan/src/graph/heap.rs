//! A heap of nodes by their distance, in which a distance can be lowered: four children per node, which keeps it shallow.

/// Nodes that wait, the nearest first; equally near ones in the order of their numbers.
#[derive(Debug, Default)]
pub(super) struct Heap {
    /// The waiting nodes as a heap.
    nodes: Vec<u32>,
    /// The place of every node in the heap, or [`ABSENT`].
    places: Vec<u32>,
    /// The distance of every node.
    distances: Vec<f64>,
}

const ABSENT: u32 = u32::MAX;
/// Children of a node.
const ARITY: usize = 4;

impl Heap {
    /// Empties the heap, for n nodes without a distance.
    pub(super) fn reset(&mut self, n: usize) {
        self.nodes.clear();
        self.places.clear();
        self.places.resize(n, ABSENT);
        self.distances.clear();
        self.distances.resize(n, f64::INFINITY);
    }

    /// Lowers the distance of a node, which then waits; nothing where it is not lower.
    pub(super) fn offer(&mut self, node: u32, distance: f64) {
        if distance >= self.distances[node as usize] {
            return;
        }
        self.distances[node as usize] = distance;
        let mut place = self.places[node as usize];
        if place == ABSENT {
            place = self.nodes.len() as u32;
            self.nodes.push(node);
        }
        self.rise(place as usize, node);
    }

    /// The nearest of the waiting nodes, and its distance.
    pub(super) fn pop(&mut self) -> Option<(u32, f64)> {
        let first = *self.nodes.first()?;
        self.places[first as usize] = ABSENT;
        if let Some(last) = self.nodes.pop()
            && last != first
        {
            self.sink(last);
        }
        Some((first, self.distances[first as usize]))
    }

    fn key(&self, node: u32) -> (f64, u32) {
        (self.distances[node as usize], node)
    }

    fn put(&mut self, place: usize, node: u32) {
        self.nodes[place] = node;
        self.places[node as usize] = place as u32;
    }

    /// Moves a node towards the top from the place that it has.
    fn rise(&mut self, mut place: usize, node: u32) {
        while place > 0 {
            let above = (place - 1) / ARITY;
            if self.key(self.nodes[above]) <= self.key(node) {
                break;
            }
            self.put(place, self.nodes[above]);
            place = above;
        }
        self.put(place, node);
    }

    /// Moves a node down from the top, whose place is free.
    fn sink(&mut self, node: u32) {
        let mut place = 0;
        loop {
            let first = ARITY * place + 1;
            let children = first..(first + ARITY).min(self.nodes.len());
            let mut least = None;
            for child in children {
                let key = self.key(self.nodes[child]);
                if least.is_none_or(|(_, known)| key < known) {
                    least = Some((child, key));
                }
            }
            match least {
                Some((child, key)) if key < self.key(node) => {
                    self.put(place, self.nodes[child]);
                    place = child;
                }
                _ => break,
            }
        }
        self.put(place, node);
    }
}

#[cfg(test)]
mod tests {
    use super::Heap;
    use crate::rng::Rng;

    #[test]
    fn nodes_leave_by_rising_distance_and_number() {
        let mut rng = Rng::new(3);
        let mut heap = Heap::default();
        for n in [1usize, 2, 7, 200] {
            heap.reset(n);
            let mut least = vec![f64::INFINITY; n];
            for _ in 0..4 * n {
                let (node, x) = (rng.below(n), rng.below(20) as f64);
                heap.offer(node as u32, x);
                least[node] = least[node].min(x);
            }
            let mut expected: Vec<(f64, u32)> = (0u32..)
                .zip(&least)
                .filter(|(_, x)| x.is_finite())
                .map(|(i, x)| (*x, i))
                .collect();
            expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let popped: Vec<(f64, u32)> =
                std::iter::from_fn(|| heap.pop().map(|(i, x)| (x, i))).collect();
            assert_eq!(popped, expected);
        }
    }
}
