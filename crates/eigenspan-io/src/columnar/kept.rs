//! Numbers of a table small enough to stay in memory: unpacked once, field by field and several fields at a time.
//!
//! They stay in the order of the file, one strip for each field and group of rows, and are assembled into rows when a part is
//! read. So no page is unpacked twice, and no number is in memory twice.

use std::ops::Range;

use eigenspan::{Context, Real};

use super::source::{Reader, Take};
use super::store::Seen;
use crate::error::ReadError;
use crate::parallel::try_each;

/// All numbers in use.
#[derive(Debug)]
pub(super) struct Kept<T> {
    groups: Vec<Group<T>>,
}

/// The numbers of one group of rows.
#[derive(Debug)]
struct Group<T> {
    /// Its rows, counted among those in use.
    rows: Range<usize>,
    /// One for each field that is read: its elements, row by row.
    strips: Vec<Strip<T>>,
}

type Strip<T> = Vec<T>;

/// Rows that are assembled at once: few enough that their cells stay in the nearest cache.
const ROWS_AT_ONCE: usize = 64;

impl<T: Real> Kept<T> {
    /// Unpacks some rows of a file.
    pub(super) fn read(
        reader: &Reader,
        takes: &[Take],
        rows: &Range<usize>,
        ctx: &Context,
    ) -> Result<Self, ReadError> {
        let groups = reader.groups(rows);
        ctx.begin("reading", Some((rows.len() * takes.len()) as u64));
        let strip = |(group, take): (&Range<usize>, &Take)| -> Result<Strip<T>, ReadError> {
            ctx.check()?;
            let strip = reader.read(&[take.field], group.clone(), |cursors| {
                let mut cells = Vec::new();
                for cursor in cursors {
                    cursor.numbers(group.len(), take.width, &mut cells, &mut Seen::default())?;
                }
                let mut strip: Strip<T> = cells.into_iter().map(T::from_f64).collect();
                strip.shrink_to_fit();
                Ok(strip)
            });
            ctx.advance(group.len() as u64);
            strip
        };
        let tasks: Vec<(&Range<usize>, &Take)> = groups
            .iter()
            .flat_map(|group| takes.iter().map(move |take| (group, take)))
            .collect();
        let strips = try_each(ctx, tasks.len(), |i| strip(tasks[i]))?;
        let mut strips = strips.into_iter();
        let groups = groups.into_iter().map(|group| Group {
            rows: group.start - rows.start..group.end - rows.start,
            strips: strips.by_ref().take(takes.len()).collect(),
        });
        Ok(Kept {
            groups: groups.collect(),
        })
    }

    /// Assembles rows: calls `put` with each field's strip for some rows, and with the position of these rows among those
    /// requested.
    pub(super) fn for_each_strip(
        &self,
        rows: &Range<usize>,
        takes: &[Take],
        mut put: impl FnMut(&Take, &[T], Range<usize>),
    ) {
        let first = self.groups.partition_point(|g| g.rows.end <= rows.start);
        for group in self.groups.iter().skip(first) {
            let shared = group.rows.start.max(rows.start)..group.rows.end.min(rows.end);
            if shared.is_empty() {
                break;
            }
            for start in shared.clone().step_by(ROWS_AT_ONCE) {
                let end = (start + ROWS_AT_ONCE).min(shared.end);
                for (strip, take) in group.strips.iter().zip(takes) {
                    let of = |row: usize| (row - group.rows.start) * take.width;
                    let cells = strip.get(of(start)..of(end)).unwrap_or_default();
                    put(take, cells, start - rows.start..end - rows.start);
                }
            }
        }
    }
}
