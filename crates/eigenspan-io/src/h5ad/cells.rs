//! Reads numbers of a dataset, whatever their type.

use eigenspan::Real;
use hdf5_reader::error::Error;
use hdf5_reader::{Dataset, Datatype, H5Type, SliceInfo, SliceInfoElem};

/// A selection of everything, in so many dimensions.
pub(super) fn all(n_dims: usize) -> SliceInfo {
    SliceInfo::all(n_dims)
}

/// A selection of some rows of a matrix, and of all or one of its columns.
pub(super) fn rows(rows: std::ops::Range<usize>, column: Option<usize>) -> SliceInfo {
    let slice = |start: u64, end: u64| SliceInfoElem::Slice {
        start,
        end,
        step: 1,
    };
    let columns = match column {
        Some(column) => slice(column as u64, column as u64 + 1),
        None => slice(0, u64::MAX),
    };
    SliceInfo {
        selections: vec![slice(rows.start as u64, rows.end as u64), columns],
    }
}

/// Whether the numbers are 32-bit floats.
pub(super) fn is_single(x: &Dataset) -> bool {
    matches!(x.dtype(), Datatype::FloatingPoint { size: 4, .. })
}

/// Whether the numbers are integers.
pub(super) fn is_whole(x: &Dataset) -> bool {
    matches!(x.dtype(), Datatype::FixedPoint { .. })
}

/// The numbers of a part, row after row.
pub(super) fn numbers<T: Real>(x: &Dataset, part: &SliceInfo) -> Result<Vec<T>, Error> {
    match x.dtype() {
        Datatype::FloatingPoint { size: 4, .. } => read(x, part, |v: f32| T::from_f64(v.into())),
        Datatype::FloatingPoint { size: 8, .. } => read(x, part, T::from_f64),
        Datatype::FixedPoint { size, signed, .. } => match (*signed, *size) {
            (true, 1) => read(x, part, |v: i8| T::from_f64(v.into())),
            (true, 2) => read(x, part, |v: i16| T::from_f64(v.into())),
            (true, 4) => read(x, part, |v: i32| T::from_f64(v.into())),
            (true, 8) => read(x, part, |v: i64| T::from_f64(v as f64)),
            (false, 1) => read(x, part, |v: u8| T::from_f64(v.into())),
            (false, 2) => read(x, part, |v: u16| T::from_f64(v.into())),
            (false, 4) => read(x, part, |v: u32| T::from_f64(v.into())),
            (false, 8) => read(x, part, |v: u64| T::from_f64(v as f64)),
            _ => Err(not_numbers(x)),
        },
        _ => Err(not_numbers(x)),
    }
}

/// Indices or pointers; an error if one is negative.
pub(super) fn places<P: TryFrom<i64> + TryFrom<u64>>(x: &Dataset) -> Result<Vec<P>, Error> {
    let negative = || Error::InvalidData(format!("{} holds a number that is no index", x.name()));
    let of = |v: i64| P::try_from(v).map_err(|_| negative());
    let part = all(1);
    let found = match x.dtype() {
        Datatype::FixedPoint {
            size: 4,
            signed: true,
            ..
        } => read(x, &part, |v: i32| of(v.into())),
        Datatype::FixedPoint {
            size: 8,
            signed: true,
            ..
        } => read(x, &part, of),
        Datatype::FixedPoint {
            size: 4,
            signed: false,
            ..
        } => read(x, &part, |v: u32| of(v.into())),
        Datatype::FixedPoint {
            size: 8,
            signed: false,
            ..
        } => read(x, &part, |v: u64| P::try_from(v).map_err(|_| negative())),
        _ => Err(not_numbers(x)),
    };
    found?.into_iter().collect()
}

fn read<H: H5Type, R>(x: &Dataset, part: &SliceInfo, to: impl Fn(H) -> R) -> Result<Vec<R>, Error> {
    Ok(x.read_slice::<H>(part)?.into_iter().map(to).collect())
}

fn not_numbers(x: &Dataset) -> Error {
    Error::InvalidData(format!(
        "{} holds no integers and no floats of 32 or 64 bits",
        x.name()
    ))
}
