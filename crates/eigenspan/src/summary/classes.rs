//! Rows of several classes in one reading: the weight and the mean m_c of each class, and the scatter within classes,
//! W = Σ_c Σ_(i in c) w (x − m_c)(x − m_c)ᵀ; the scatter between classes follows from the means.
//!
//! W is never found as the total scatter minus that between classes: where classes lie far apart, that difference has no digits
//! left. Every row is centered about the mean of its own class so far before anything is squared, and all classes are squared
//! together, 256 rows at a time, into one matrix. Rows that drift away from that mean are corrected for as in
//! [`Scatter`], class by class: if further rows of weight b lie δ away from the mean of rows of weight a, adding
//! −b²/(a+b)·δδᵀ moves the scatter to the mean of all of them (Chan, Golub & LeVeque 1983,
//! doi:10.1080/00031305.1983.10483115). Sparse rows are squared class by class as [`Scatter`] squares them.
//!
//! Cost n·d² for the squares, as for one scatter, and d² of memory for any number of classes; where the scatter of every class is
//! wanted, d² for each.

use super::accuracy::Accuracy;
use super::scatter::{add_outer, mirrored};
use super::{Scatter, Summary, check_rows, summarize, vanishes};
use crate::context::Context;
use crate::error::{Error, ShapeFault};
use crate::linalg::{CHUNK, Centered, Gram};
use crate::mat::{Mat, MatView, Real};
use crate::source::{Block, Rows, Source};

/// The class of a row that has none: it is left out.
pub const UNLABELED: u32 = u32::MAX;

/// Weights, means and scatters of classes, of the rows seen so far.
#[derive(Debug, Clone)]
pub struct ClassScatter<'a> {
    /// The class of every row of the source.
    classes: &'a [u32],
    n_cols: usize,
    groups: Vec<Group>,
    within: Within,
    /// Whether rows with missing cells are left out.
    drops: bool,
    n_dropped: usize,
}

/// The scatters, of all classes together or of each.
#[derive(Debug, Clone)]
enum Within {
    Pooled(Box<Pooled>),
    Each(Vec<Scatter>),
}

/// Scatter within classes about the means of their [`Group`]s.
#[derive(Debug, Clone)]
struct Pooled {
    /// Lower triangle.
    scatter: Mat<f64>,
    gram: Gram,
    panel: Vec<f64>,
    accuracy: Accuracy,
}

/// The rows of one class.
#[derive(Debug, Clone)]
struct Group {
    n_rows: usize,
    weight: f64,
    /// A row of the class; the fields below are relative to it. Empty before the first row with a weight.
    shift: Vec<f64>,
    mean: Vec<f64>,
    /// Weight of the rows that were squared about this mean and are not included in it, and the sum of their distances to it.
    ahead: f64,
    drift: Vec<f64>,
}

/// What a reading of classes found.
#[derive(Debug, Clone)]
pub struct ClassSums {
    /// Rows of each class.
    pub n_rows: Vec<usize>,
    /// Weight of each class.
    pub weights: Vec<f64>,
    /// A row of the data, to which the means are relative, so that a common offset costs no digits.
    pub base: Vec<f64>,
    /// The mean of each class minus `base` (classes × d).
    pub means: Mat<f64>,
    /// Scatter within classes, all of them together (d × d); its diagonal alone (1 × d) where no more was summed.
    pub within: Mat<f64>,
    /// Scatter of every class, where it was asked for.
    pub each: Option<Vec<Mat<f64>>>,
    /// Rows that were left out because cells or their class are missing.
    pub n_dropped: usize,
    pub(crate) accuracy: Accuracy,
}

impl<'a> ClassScatter<'a> {
    /// A summary of no rows. `classes` has the class of every row of the source, by the row's number; each is below `n_classes`, or
    /// [`UNLABELED`].
    pub fn new(n_cols: usize, classes: &'a [u32], n_classes: usize) -> Self {
        ClassScatter {
            classes,
            n_cols,
            groups: vec![Group::new(n_cols); n_classes],
            within: Within::Pooled(Box::new(Pooled {
                scatter: Mat::zeros(n_cols, n_cols),
                gram: Gram::default(),
                panel: Vec::new(),
                accuracy: Accuracy::default(),
            })),
            drops: false,
            n_dropped: 0,
        }
    }

    /// Keeps the scatter of every class.
    pub fn with_each(mut self, each: bool) -> Self {
        if each {
            self.within = Within::Each(vec![Scatter::new(self.n_cols); self.groups.len()]);
        }
        self
    }

    /// Leaves out rows with missing cells.
    pub fn dropping_incomplete_rows(mut self, drops: bool) -> Self {
        self.drops = drops;
        self
    }

    /// Reads a source once.
    pub fn read<T: Real>(
        ctx: &Context,
        source: &dyn Source<T>,
        new: impl Fn() -> Self + Sync,
    ) -> Result<ClassSums, Error> {
        Ok(summarize(ctx, source, new)?.into_sums())
    }

    /// Weights, means and scatters.
    pub fn into_sums(mut self) -> ClassSums {
        let d = self.n_cols;
        if let Within::Pooled(pooled) = &mut self.within {
            let groups = self.groups.iter_mut();
            groups.for_each(|group| group.catch_up(&mut pooled.scatter));
        }
        let (within, each, accuracy) = match self.within {
            Within::Pooled(pooled) => (mirrored(pooled.scatter), None, pooled.accuracy),
            Within::Each(scatters) => {
                for (group, scatter) in self.groups.iter_mut().zip(&scatters) {
                    group.take_mean(scatter);
                }
                let accuracy = scatters.iter().map(Scatter::accuracy);
                let accuracy = accuracy.reduce(Accuracy::joined).unwrap_or_default();
                let each: Vec<Mat<f64>> =
                    scatters.into_iter().map(|s| s.into_matrix(true)).collect();
                let mut within = Mat::zeros(d, d);
                for scatter in &each {
                    let cells = within.as_mut_slice().iter_mut().zip(scatter.as_slice());
                    cells.for_each(|(a, b)| *a += b);
                }
                (within, Some(each), accuracy)
            }
        };
        let groups = &self.groups;
        let first = groups.iter().find(|group| !group.shift.is_empty());
        let base = first.map_or_else(|| vec![0.0; d], |group| group.shift.clone());
        let mean = |c: usize, j: usize| match groups[c].shift.get(j) {
            Some(shift) => (shift - base[j]) + groups[c].mean[j],
            None => 0.0,
        };
        ClassSums {
            n_rows: groups.iter().map(|group| group.n_rows).collect(),
            weights: groups.iter().map(|group| group.weight).collect(),
            means: Mat::from_fn(groups.len(), d, mean),
            base,
            within,
            each,
            n_dropped: self.n_dropped,
            accuracy,
        }
    }

    /// The rows of each class that count, and a weight for every row: 0 for a row that is left out.
    fn deal<T: Real>(&mut self, rows: &Rows<'_, T>) -> Result<(Vec<f64>, &'a [u32]), Error> {
        let n = rows.block.n_rows();
        let classes = self.classes.get(rows.first..rows.first + n);
        let Some(classes) = classes else {
            return Err(Error::Shape(ShapeFault::Labels {
                given: self.classes.len(),
                n_rows: rows.first + n,
            }));
        };
        let mut weights = rows.weights.map_or_else(|| vec![1.0; n], <[f64]>::to_vec);
        let mut row = vec![0.0; self.n_cols];
        for (i, (weight, &class)) in weights.iter_mut().zip(classes).enumerate() {
            let mut is_left_out = class == UNLABELED;
            if self.drops && !is_left_out {
                rows.block.row_to_f64(i, &mut row);
                is_left_out = row.iter().any(|x| x.is_nan());
            }
            match is_left_out {
                true => {
                    *weight = 0.0;
                    self.n_dropped += 1;
                }
                false => self.groups[class as usize].n_rows += 1,
            }
        }
        Ok((weights, classes))
    }

    /// Adds the rows of one class, which are sparse or go to a scatter of their own.
    fn add_of_class<T: Real>(
        &mut self,
        class: usize,
        block: &Block<'_, T>,
        weights: &[f64],
    ) -> Result<(), Error> {
        let rows = Rows {
            first: 0,
            block: *block,
            weights: Some(weights),
        };
        match &mut self.within {
            Within::Each(scatters) => scatters[class].add(&rows),
            Within::Pooled(pooled) => {
                let classes = vec![class as u32; weights.len()];
                match self.groups[class].add_sparse(pooled, &rows) {
                    true => {}
                    false => pooled.add_dense(&mut self.groups, block, weights, &classes),
                }
                Ok(())
            }
        }
    }
}

impl<T: Real> Summary<T> for ClassScatter<'_> {
    fn add(&mut self, rows: &Rows<'_, T>) -> Result<(), Error> {
        check_rows(rows, self.n_cols)?;
        if rows.block.n_rows() == 0 || self.n_cols == 0 {
            return Ok(());
        }
        let (weights, classes) = self.deal(rows)?;
        if let (Within::Pooled(pooled), Some(_)) = (&mut self.within, rows.block.dense()) {
            pooled.add_dense(&mut self.groups, &rows.block, &weights, classes);
            return Ok(());
        }
        let mut members = vec![Vec::new(); self.groups.len()];
        for (i, &class) in classes
            .iter()
            .enumerate()
            .filter(|(i, _)| weights[*i] > 0.0)
        {
            members[class as usize].push(i);
        }
        for (class, members) in members.iter().enumerate() {
            if !members.is_empty() {
                let weights: Vec<f64> = members.iter().map(|&i| weights[i]).collect();
                let add = |block: Block<'_, T>| self.add_of_class(class, &block, &weights);
                rows.block.with_rows(members, add)?;
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: Self) {
        self.n_dropped += other.n_dropped;
        match (&mut self.within, other.within) {
            (Within::Each(ours), Within::Each(theirs)) => {
                for (scatter, other) in ours.iter_mut().zip(theirs) {
                    Summary::<f64>::merge(scatter, other);
                }
                for (group, other) in self.groups.iter_mut().zip(other.groups) {
                    group.n_rows += other.n_rows;
                }
            }
            (Within::Pooled(ours), Within::Pooled(mut theirs)) => {
                for (group, mut other) in self.groups.iter_mut().zip(other.groups) {
                    group.catch_up(&mut ours.scatter);
                    other.catch_up(&mut theirs.scatter);
                    group.merge(other, &mut ours.scatter);
                }
                let cells = ours.scatter.as_mut_slice().iter_mut();
                cells
                    .zip(theirs.scatter.as_slice())
                    .for_each(|(a, b)| *a += b);
                ours.accuracy = ours.accuracy.joined(theirs.accuracy);
            }
            _ => unreachable!("summaries of one reading keep the same scatters"),
        }
    }

    fn bytes(&self) -> usize {
        let d = self.n_cols;
        let scatters = match &self.within {
            Within::Pooled(_) => 1,
            Within::Each(scatters) => scatters.len(),
        };
        8 * d * (scatters * d + CHUNK + 3 * self.groups.len())
    }
}

impl Pooled {
    /// Adds rows in the order in which they lie, whatever their classes.
    fn add_dense<T: Real>(
        &mut self,
        groups: &mut [Group],
        block: &Block<'_, T>,
        weights: &[f64],
        classes: &[u32],
    ) {
        let n = block.n_rows();
        let n_chunks = n.div_ceil(CHUNK);
        for chunk in 0..n_chunks {
            let (start, end) = (chunk * n / n_chunks, (chunk + 1) * n / n_chunks);
            let rows = block.slice_rows(start, end);
            self.add_chunk(groups, &rows, &weights[start..end], &classes[start..end]);
        }
    }

    fn add_chunk<T: Real>(
        &mut self,
        groups: &mut [Group],
        rows: &Block<'_, T>,
        weights: &[f64],
        classes: &[u32],
    ) {
        let (n, d) = (rows.n_rows(), rows.n_cols());
        self.panel.resize(n * d, 0.0);
        let cells = &mut self.panel[..n * d];
        begin_classes(groups, rows, weights, classes);
        // 1. Every row is centered about the mean of its class so far.
        let in_place = rows.rows_in_place();
        if in_place.is_none() {
            rows.copy_to_f64(cells);
        }
        for (i, out) in cells.chunks_exact_mut(d).enumerate() {
            if weights[i] == 0.0 {
                // A row without weight may hold any cells.
                out.fill(0.0);
                continue;
            }
            let group = &mut groups[classes[i] as usize];
            match in_place.as_ref().and_then(|rows| rows.row(i)) {
                Some(row) => group.center(row, out),
                None => group.center_in_place(out),
            }
            group.count(out, weights[i]);
        }
        // 2. All rows are squared together.
        if let Ok(rows) = MatView::from_rows(cells, n, d) {
            let zeros = vec![0.0; d];
            let chunk = Centered {
                rows,
                shift: &zeros,
                mean: &zeros,
                weights: weights.iter().any(|w| *w != 1.0).then_some(weights),
                ahead: &[],
            };
            self.gram.add(&mut self.scatter, &chunk, &mut zeros.clone());
        }
        self.accuracy.depth = self.accuracy.depth.max(n as f64) + 1.0;
        // 3. Classes whose new rows weigh as much as those before are moved to the mean of both.
        for group in groups {
            if group.ahead > 0.0 && group.ahead >= group.weight {
                group.catch_up(&mut self.scatter);
            }
        }
    }
}

/// Gives every class that begins in these rows a row to which its sums are relative, and the mean of its rows here to center them.
fn begin_classes<T: Real>(
    groups: &mut [Group],
    rows: &Block<'_, T>,
    weights: &[f64],
    classes: &[u32],
) {
    let mut row = Vec::new();
    let is_new = |groups: &[Group], i: usize| {
        weights[i] > 0.0 && groups[classes[i] as usize].shift.is_empty()
    };
    let begins = (0..weights.len()).find(|&i| is_new(groups, i));
    let Some(begin) = begins else { return };
    row.resize(rows.n_cols(), 0.0);
    let mut new: Vec<(u32, usize)> = Vec::new();
    for i in begin..weights.len() {
        if is_new(groups, i) {
            match new.iter_mut().find(|(class, _)| *class == classes[i]) {
                // Sums relative to a row of little weight could be sums relative to an outlier.
                Some((_, heaviest)) if weights[i] > weights[*heaviest] => *heaviest = i,
                Some(_) => {}
                None => new.push((classes[i], i)),
            }
        }
    }
    for (class, heaviest) in new {
        let group = &mut groups[class as usize];
        rows.row_to_f64(heaviest, &mut row);
        group.shift = row.clone();
        let mut weight = 0.0;
        for i in (begin..weights.len()).filter(|&i| classes[i] == class && weights[i] > 0.0) {
            rows.row_to_f64(i, &mut row);
            for ((sum, x), shift) in group.drift.iter_mut().zip(&row).zip(&group.shift) {
                *sum += weights[i] * (x - shift);
            }
            weight += weights[i];
        }
        for (mean, sum) in group.mean.iter_mut().zip(&mut group.drift) {
            (*mean, *sum) = (*sum / weight, 0.0);
        }
    }
}

impl Group {
    fn new(n_cols: usize) -> Self {
        Group {
            n_rows: 0,
            weight: 0.0,
            shift: Vec::new(),
            mean: vec![0.0; n_cols],
            ahead: 0.0,
            drift: vec![0.0; n_cols],
        }
    }

    /// x − shift − mean.
    fn center<T: Real>(&self, row: &[T], out: &mut [f64]) {
        let about = self.shift.iter().zip(&self.mean);
        for ((out, x), (shift, mean)) in out.iter_mut().zip(row).zip(about) {
            *out = (x.to_f64() - shift) - mean;
        }
    }

    fn center_in_place(&self, row: &mut [f64]) {
        let about = self.shift.iter().zip(&self.mean);
        for (x, (shift, mean)) in row.iter_mut().zip(about) {
            *x = (*x - shift) - mean;
        }
    }

    /// Counts a centered row.
    fn count(&mut self, centered: &[f64], weight: f64) {
        let sums = self.drift.iter_mut().zip(centered);
        match weight == 1.0 {
            true => sums.for_each(|(sum, x)| *sum += x),
            false => sums.for_each(|(sum, x)| *sum += weight * x),
        }
        self.ahead += weight;
    }

    /// Moves the mean, and the scatter of the rows of this class within `scatter`, to the mean of all its rows.
    fn catch_up(&mut self, scatter: &mut Mat<f64>) {
        if self.ahead == 0.0 {
            return;
        }
        let total = self.weight + self.ahead;
        let delta: Vec<f64> = self.drift.iter().map(|sum| sum / self.ahead).collect();
        add_outer(scatter, &delta, -(self.ahead / total * self.ahead));
        for (m, delta) in self.mean.iter_mut().zip(&delta) {
            *m += delta * (self.ahead / total);
        }
        self.weight = total;
        self.ahead = 0.0;
        self.drift.fill(0.0);
    }

    /// Adds sparse rows of this class: squared about zero, where most cells are, then moved to their mean. Returns false if most
    /// columns would have a cell in every row: such rows are made dense.
    fn add_sparse<T: Real>(&mut self, pooled: &mut Pooled, rows: &Rows<'_, T>) -> bool {
        let sums = rows.block.sparse_sums(rows.weights);
        let Some(sums) = sums.filter(|sums| 2 * sums.shifts.len() <= self.mean.len()) else {
            return false;
        };
        self.catch_up(&mut pooled.scatter);
        if self.shift.is_empty() {
            self.shift = sums.shift.clone();
        }
        rows.block
            .add_sparse_gram(rows.weights, &sums.shifts, &mut pooled.scatter);
        add_outer(&mut pooled.scatter, &sums.mean_of_products(), -sums.weight);
        pooled.accuracy.depth += rows.block.n_rows() as f64 + 2.0;
        let other = Group {
            n_rows: 0,
            weight: sums.weight,
            shift: sums.shift,
            mean: sums.mean,
            ahead: 0.0,
            drift: Vec::new(),
        };
        self.merge(other, &mut pooled.scatter);
        true
    }

    /// Joins later rows of the same class, whose scatter about their own mean is added to `scatter` elsewhere.
    fn merge(&mut self, other: Group, scatter: &mut Mat<f64>) {
        self.n_rows += other.n_rows;
        if other.weight == 0.0 {
            return;
        }
        if self.weight == 0.0 {
            let n_rows = self.n_rows;
            *self = Group {
                n_rows,
                drift: std::mem::take(&mut self.drift),
                ..other
            };
            return;
        }
        let total = self.weight + other.weight;
        let delta: Vec<f64> = (0..self.mean.len())
            .map(|j| (other.shift[j] - self.shift[j]) + (other.mean[j] - self.mean[j]))
            .collect();
        add_outer(scatter, &delta, self.weight / total * other.weight);
        for (mean, delta) in self.mean.iter_mut().zip(&delta) {
            *mean += delta * (other.weight / total);
        }
        self.weight = total;
    }

    /// Takes weight and mean of a scatter of its own.
    fn take_mean(&mut self, scatter: &Scatter) {
        if scatter.weight() > 0.0 {
            self.weight = scatter.weight();
            (self.shift, self.mean) = scatter.shift_and_mean();
        }
    }
}

impl ClassSums {
    /// The weight of all rows.
    pub fn weight(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// Rows that were summed.
    pub fn total_rows(&self) -> usize {
        self.n_rows.iter().sum()
    }

    /// The mean of the classes' means under these shares (which sum to 1), minus `base`.
    pub fn center(&self, shares: &[f64]) -> Vec<f64> {
        let mut center = vec![0.0; self.base.len()];
        for (mean, share) in self.means.rows().zip(shares) {
            let sums = center.iter_mut().zip(mean);
            sums.for_each(|(sum, m)| *sum += share * m);
        }
        center
    }

    /// Scatter of column j within classes.
    pub fn diagonal(&self, j: usize) -> f64 {
        match self.within.n_rows() {
            1 => self.within[(0, j)],
            _ => self.within[(j, j)],
        }
    }

    /// Variance of column j within classes, with the weight of all rows as its divisor.
    pub fn variance_within(&self, j: usize) -> f64 {
        self.diagonal(j) / self.weight()
    }

    /// Whether every mean and every column's scatter is a finite number.
    pub fn is_finite(&self) -> bool {
        let d = self.base.len();
        self.means.as_slice().iter().all(|x| x.is_finite())
            && (0..d).all(|j| self.diagonal(j).is_finite())
    }

    /// Whether a column varies, but its squares are too small to differ from zero.
    pub fn is_underflowed(&self) -> bool {
        let d = self.base.len();
        (0..d).any(|j| {
            let mut means = self.means.rows().map(|row| row[j]);
            means.any(|mean| vanishes(self.diagonal(j), mean))
        })
    }
}
