//! The cells of several files, one after the other.

use std::sync::Arc;

use eigenspan::source::{Block, Chain, Rows, Sink, Source};
use eigenspan::{Context, Error, MatView};

use super::columns::Columns;
use crate::error::ReadError;
use crate::picture::Picture;
use crate::table::{Cells, Element, Numbers, PartTexts, Table};

/// The cells of all files.
pub(super) fn chain(
    columns: &Columns,
    tables: Vec<Table>,
    has_header: bool,
) -> Result<Box<dyn Cells>, ReadError> {
    let narrow = tables
        .iter()
        .all(|table| matches!(table.numbers(), Numbers::F32(_)));
    let picture = tables.first().and_then(Table::picture);
    let picture = picture.filter(|_| tables.iter().all(|table| table.picture() == picture));
    let used: Arc<[String]> = columns.used.clone().into();
    let shards: Vec<Shard> = tables
        .into_iter()
        .zip(&columns.files)
        .map(|(table, matched)| Shard {
            names: has_header.then(|| used.clone()),
            order: (!in_order(&matched.used, table.columns().len())).then(|| matched.used.clone()),
            texts: matched.names.clone(),
            cells: table.cells,
        })
        .collect();
    let links = if narrow {
        Links::F32(Chain::new(shards)?)
    } else {
        Links::F64(Chain::new(shards)?)
    };
    Ok(Box::new(Chained {
        picture,
        names: columns.names.clone(),
        used_names: columns.used.clone(),
        links,
    }))
}

/// Whether the columns in use are those of the file, in the same order.
fn in_order(places: &[Option<usize>], n_used: usize) -> bool {
    places.iter().copied().eq((0..n_used).map(Some))
}

#[derive(Debug)]
struct Chained {
    names: Vec<String>,
    used_names: Vec<String>,
    links: Links,
    picture: Option<Picture>,
}

#[derive(Debug)]
enum Links {
    F32(Chain<f32, Shard>),
    F64(Chain<f64, Shard>),
}

impl Links {
    fn shards(&self) -> &[Shard] {
        match self {
            Links::F32(chain) => chain.sources(),
            Links::F64(chain) => chain.sources(),
        }
    }
}

impl Cells for Chained {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn used_names(&self) -> &[String] {
        &self.used_names
    }

    fn picture(&self) -> Option<Picture> {
        self.picture
    }

    fn numbers(&self) -> Numbers<'_> {
        match &self.links {
            Links::F32(chain) => Numbers::F32(chain),
            Links::F64(chain) => Numbers::F64(chain),
        }
    }

    fn part_texts(&self, part: usize, columns: &[usize]) -> Result<PartTexts, ReadError> {
        let place = match &self.links {
            Links::F32(chain) => chain.place(part),
            Links::F64(chain) => chain.place(part),
        };
        let shards = self.links.shards();
        let found = place.and_then(|(shard, part, first)| Some((shards.get(shard)?, part, first)));
        let Some((shard, part, first_row)) = found else {
            return Ok(PartTexts::default());
        };
        let in_file = |col: &usize| shard.texts.get(*col).copied();
        let columns: Vec<usize> = columns.iter().filter_map(in_file).collect();
        let texts = shard.cells.part_texts(part, &columns)?;
        Ok(PartTexts {
            first: first_row + texts.first,
            ..texts
        })
    }

    fn fetch(&self, ctx: &Context) -> Result<(), ReadError> {
        let mut shards = self.links.shards().iter();
        shards.try_for_each(|shard| shard.cells.fetch(ctx))
    }

    fn kept_bytes(&self) -> u64 {
        let shards = self.links.shards().iter();
        shards.map(|shard| shard.cells.kept_bytes()).sum()
    }

    fn forget(&self) {
        let shards = self.links.shards().iter();
        shards.for_each(|shard| shard.cells.forget());
    }

    /// Files are read one after the other, so the largest value counts.
    fn reading_bytes(&self, threads: usize) -> u64 {
        let shards = self.links.shards().iter();
        let bytes = shards.map(|shard| shard.cells.reading_bytes(threads));
        bytes.max().unwrap_or(0)
    }
}

/// One file of several, with its columns in the order of the whole table.
#[derive(Debug)]
struct Shard {
    cells: Box<dyn Cells>,
    names: Option<Arc<[String]>>,
    /// The position of each column in use among those of the file; `None` if the order is the same.
    order: Option<Vec<Option<usize>>>,
    /// The position of each column of the whole table among the file's columns.
    texts: Vec<usize>,
}

impl Shard {
    fn with<T: Element, R>(&self, take: impl FnOnce(&dyn Source<T>) -> R) -> Option<R> {
        T::with_source(self.cells.numbers(), take)
    }
}

impl<T: Element> Source<T> for Shard {
    fn n_cols(&self) -> usize {
        let own = self.cells.used_names().len();
        self.order.as_ref().map_or(own, Vec::len)
    }

    fn read_part(&self, part: usize, sink: &mut Sink<'_, T>) -> Result<(), Error> {
        let read = |source: &dyn Source<T>| match &self.order {
            None => source.read_part(part, sink),
            Some(order) => reordered(source, order, part, sink),
        };
        self.with(read).unwrap_or(Ok(()))
    }

    fn n_parts(&self) -> usize {
        self.with::<T, _>(|source| source.n_parts())
            .unwrap_or_default()
    }

    fn n_rows(&self) -> Option<usize> {
        self.with::<T, _>(|source| source.n_rows()).flatten()
    }

    fn nnz(&self) -> Option<u64> {
        self.with::<T, _>(|source| source.nnz()).flatten()
    }

    fn col_names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    fn is_weighted(&self) -> bool {
        self.with::<T, _>(|source| source.is_weighted()) == Some(true)
    }
}

/// Hands a part over with its columns in another order; the cells of a column that the file lacks are missing.
fn reordered<T: Element>(
    source: &dyn Source<T>,
    order: &[Option<usize>],
    part: usize,
    sink: &mut Sink<'_, T>,
) -> Result<(), Error> {
    let mut cells: Vec<T> = Vec::new();
    source.read_part(part, &mut |rows| {
        let block = rows.block.to_mat();
        cells.clear();
        for row in block.rows() {
            let cell = |place: &Option<usize>| place.and_then(|at| row.get(at)).copied();
            let missing = T::from_f64(f64::NAN);
            cells.extend(order.iter().map(|place| cell(place).unwrap_or(missing)));
        }
        let view = MatView::from_rows(&cells, block.n_rows(), order.len())?;
        sink(Rows {
            first: rows.first,
            block: Block::from(view),
            weights: rows.weights,
        })
    })
}
