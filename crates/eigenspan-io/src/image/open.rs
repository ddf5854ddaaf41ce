//! Opens pictures as a table: compares sizes, decides on channels and patches, and gives columns their roles.

use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use eigenspan::error::{counted, grouped};
use eigenspan::note::Clause;
use eigenspan::{Context, Note};

use super::cells::{Ids, Pictures};
use super::decode::Head;
use super::idx;
use super::store::{PictureFile, Store};
use crate::error::{PictureFault, ReadError};
use crate::input::{Bytes, Input};
use crate::kind::is_picture;
use crate::npy::Element;
use crate::options::{Format, ReadOptions};
use crate::parallel::each_in;
use crate::picture::{Grid, Picture};
use crate::sample;
use crate::select::Names;
use crate::table::{IdColumn, Table};
use crate::unpack::unpacked;

/// The most bytes that one decoded picture may take without a memory budget; with one, half of it.
const ALLOWED: u64 = 512 << 20;

/// The most bytes of decoded pictures kept between readings; also at most a quarter of the memory budget.
const KEPT_BYTES: u64 = 256 << 20;

/// The most columns of a table of pictures: each column has a name.
const MOST_COLUMNS: u64 = 1 << 22;

/// The column of labels that lie beside the pictures.
const LABEL: &str = "label";

/// Whether several files are pictures, each in a file of its own.
pub(crate) fn are_pictures(inputs: &[Input], options: &ReadOptions) -> bool {
    let first_bytes = |path: &Path| {
        let mut head = [0u8; 8];
        let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut head));
        read.is_ok() && is_picture(&head)
    };
    match (options.format, inputs.first()) {
        (Some(format), _) => format == Format::Image,
        (None, Some(Input::Path(path))) => first_bytes(path),
        _ => false,
    }
}

/// Opens one picture.
pub(crate) fn open_one(
    input: &Input,
    bytes: &[u8],
    options: &ReadOptions,
    ctx: &Context,
) -> Result<Table, ReadError> {
    let allowed = allowed(ctx);
    let mut file = PictureFile::from_bytes(input, bytes, allowed)?;
    let common = Common::from_files(&[&file], options)?;
    file.kept = Some(file.decode_bytes(bytes, allowed)?);
    let ids = match common.picture.patch {
        Some(_) => Ids::Places,
        None => Ids::Titles(titles(&[&file])),
    };
    let notes = common.notes(&[&file], options);
    let store = Store::Files {
        files: vec![file],
        allowed,
    };
    let parts = Parts {
        name: input.name(),
        format: Format::Image,
        grid: common.picture.grid(),
        pixel_names: None,
        picture: Some(common.picture),
        n_pictures: 1,
        ids,
        labels: None,
        notes,
    };
    sample::range(parts.table(store, options)?, options)
}

/// Opens several pictures, each in a file of its own; the caller selects the rows.
pub(crate) fn open_several(
    name: String,
    inputs: &[Input],
    options: &ReadOptions,
    ctx: &Context,
) -> Result<Table, ReadError> {
    // Pictures that are transposed later are read in their own orientation.
    let cell_options = options.cell_options();
    let options = if options.transpose {
        &cell_options
    } else {
        options
    };
    let allowed = allowed(ctx);
    let read_head = |input: &Input| PictureFile::read_head(input, allowed);
    let mut files = in_order(ctx, inputs, read_head)?;
    let all: Vec<&PictureFile> = files.iter().collect();
    let common = Common::from_files(&all, options)?;
    let notes = common.notes(&all, options);
    let titles = titles(&all);
    let bytes = all
        .iter()
        .fold(0u64, |sum, file| sum.saturating_add(file.head.bytes()));
    if bytes <= ctx.memory().map_or(KEPT_BYTES, |m| KEPT_BYTES.min(m / 4)) {
        let decoded = in_order(ctx, &files, |file| file.decode(allowed))?;
        for (file, samples) in files.iter_mut().zip(decoded) {
            file.kept = Some(samples);
        }
    }
    let ids = match common.picture.patch {
        Some(_) => Ids::TitlesAndPlaces(titles),
        None => Ids::Titles(titles),
    };
    let parts = Parts {
        name,
        format: Format::Image,
        grid: common.picture.grid(),
        pixel_names: None,
        picture: Some(common.picture),
        n_pictures: files.len(),
        ids,
        labels: None,
        notes,
    };
    parts.table(Store::Files { files, allowed }, options)
}

/// Opens an IDX file: one row per first index, or per patch of it.
pub(crate) fn open_idx(
    input: &Input,
    bytes: Bytes,
    options: &ReadOptions,
) -> Result<Table, ReadError> {
    let name = input.name();
    let fault = |fault: PictureFault| fault.in_file(&name);
    let header = idx::read(&bytes).map_err(fault)?;
    let n_pictures = header.dims.first().copied().unwrap_or_default();
    let (labels, mut notes) = labels_beside(input, n_pictures, options)?;
    let mut parts = Parts {
        name: name.clone(),
        format: Format::Idx,
        grid: Grid {
            width: header.n_cols(),
            height: 1,
            channels: 1,
            tile: (header.n_cols(), 1),
        },
        pixel_names: None,
        picture: None,
        n_pictures,
        ids: Ids::None,
        labels,
        notes: Vec::new(),
    };
    match header.dims.as_slice() {
        &[_, height, width] => {
            let patch = patch(options)?;
            if patch.is_some() {
                parts.ids = Ids::NumbersAndPlaces;
            }
            let shape = Picture {
                width,
                height,
                channels: 1,
                depth: 8,
                patch,
            };
            check_patch(&shape).map_err(fault)?;
            parts.grid = shape.grid();
            notes.extend(cut_off(&parts.grid));
            // Only bytes have a white that a PNG file can hold.
            parts.picture = (header.element == Element::U8).then_some(shape);
        }
        dims if options.patch.is_some() => {
            let dims = dims.len() - 1;
            return Err(fault(PictureFault::NoPictures { dims }));
        }
        [_] => parts.pixel_names = Some(vec!["value".to_owned()]),
        _ => {
            check_width(header.n_cols()).map_err(fault)?;
            let names = (1..=header.n_cols()).map(|i| format!("p{i}"));
            parts.pixel_names = Some(names.collect());
        }
    }
    parts.notes = notes;
    sample::range(parts.table(Store::Idx { bytes, header }, options)?, options)
}

/// What several pictures have in common.
struct Common {
    picture: Picture,
}

impl Common {
    fn from_files(files: &[&PictureFile], options: &ReadOptions) -> Result<Self, ReadError> {
        let Some(first) = files.first() else {
            return Err(ReadError::Empty {
                file: String::new(),
            });
        };
        let patch = patch(options)?;
        let model = options.picture.as_ref();
        let (expected, depth, first_name) = match model {
            Some(model) => (
                (model.width, model.height),
                model.depth,
                "the model".to_owned(),
            ),
            None => (first.head.size(), first.head.depth, first.input.name()),
        };
        for file in files {
            let fault = |fault: PictureFault| Err(fault.in_file(&file.input.name()));
            if file.head.depth != depth {
                return fault(PictureFault::OtherDepth {
                    depth: file.head.depth,
                    first: first_name,
                    expected: depth,
                });
            }
            // A model's patches may come from pictures of any size.
            let alike = file.head.size() == first.head.size();
            if !alike || (patch.is_none() && file.head.size() != expected) {
                let by_model = patch.is_none() && model.is_some();
                let (first, expected) = match by_model {
                    true => (first_name, expected),
                    false => (first.input.name(), first.head.size()),
                };
                return fault(PictureFault::OtherSize {
                    size: file.head.size(),
                    first,
                    expected,
                });
            }
        }
        let colored = files.iter().any(|file| file.head.colored);
        let Head { width, height, .. } = first.head;
        let picture = Picture {
            width,
            height,
            channels: match model {
                Some(model) if !options.color => model.channels,
                _ if options.color && colored => 3,
                _ => 1,
            },
            depth,
            patch,
        };
        check_patch(&picture).map_err(|fault| fault.in_file(&first.input.name()))?;
        Ok(Common { picture })
    }

    /// Notes on how the pictures are read.
    fn notes(&self, files: &[&PictureFile], options: &ReadOptions) -> Vec<Note> {
        let count = |what: fn(&Head) -> bool| files.iter().filter(|f| what(&f.head)).count();
        let whose = |n: usize| match files.len() {
            1 => "the picture has".to_owned(),
            _ if n == 1 => "1 picture has".to_owned(),
            _ => format!("{} pictures have", grouped(n as u64)),
        };
        let mut notes = Vec::new();
        let colored = count(|head| head.colored);
        if colored > 0 && self.picture.channels == 1 && options.picture.is_none() {
            notes.push(Note::advised(
                format!(
                    "{} colors, read as grays: 0.299 r + 0.587 g + 0.114 b",
                    whose(colored)
                ),
                Clause::set("color", "true").then(" keeps them"),
            ));
        }
        if options.color && colored == 0 {
            notes.push(Note::reading("no colors to keep: one column per pixel"));
        }
        match count(|head| head.alpha) {
            0 => {}
            n => notes.push(Note::reading(format!(
                "{} an alpha channel, which is left out",
                whose(n)
            ))),
        }
        match count(|head| head.frames > 1) {
            0 => {}
            n => notes.push(Note::reading(format!(
                "{} more than one frame; the first is read",
                whose(n)
            ))),
        }
        notes.extend(cut_off(&self.picture.grid()));
        notes
    }
}

/// What a table of pictures is made of.
struct Parts {
    name: String,
    format: Format,
    grid: Grid,
    /// Names of the pixels, if they are not named by their places.
    pixel_names: Option<Vec<String>>,
    picture: Option<Picture>,
    n_pictures: usize,
    ids: Ids,
    labels: Option<Vec<String>>,
    notes: Vec<Note>,
}

impl Parts {
    fn table(self, store: Store, options: &ReadOptions) -> Result<Table, ReadError> {
        if let Some(column) = &options.weight_column {
            return Err(ReadError::BadOption {
                option: "weight_column",
                given: column.clone(),
                allowed: "no column of pictures, which have no weights",
            });
        }
        let n_pixels = self.grid.n_cols();
        let id_column = self.ids.column().map(str::to_owned);
        let n_ids = usize::from(id_column.is_some());
        let mut names: Vec<String> = id_column.clone().into_iter().collect();
        names.extend(self.pixel_names.unwrap_or_else(|| self.grid.names()));
        names.extend(self.labels.as_ref().map(|_| LABEL.to_owned()));
        let chosen = Names::new(&self.name, &names).choose(options)?;
        let in_use = |pixel: &usize| chosen.columns.get(n_ids + pixel) == Some(&true);
        let used: Vec<usize> = (0..n_pixels).filter(in_use).collect();
        if used.is_empty() {
            return Err(ReadError::NoNumericColumns {
                file: self.name,
                set_aside: Vec::new(),
            });
        }
        let named = |col: usize| names.get(col).cloned();
        let given_id = chosen.id.and_then(named).map(|name| IdColumn {
            name,
            guessed: false,
        });
        let own_id = id_column.map(|name| IdColumn {
            name,
            guessed: true,
        });
        let pictures = Pictures {
            picture: self.picture.filter(|_| used.len() == n_pixels),
            used_names: used.iter().filter_map(|&col| named(n_ids + col)).collect(),
            store,
            grid: self.grid,
            n_pictures: self.n_pictures,
            ids: self.ids,
            labels: self.labels,
            used,
            names: names.clone(),
        };
        Ok(Table {
            notes: self.notes,
            name: self.name,
            format: self.format,
            n_rows: pictures.n_rows(),
            has_header: true,
            id: given_id.or(own_id),
            label: chosen.label.and_then(named),
            weight: None,
            set_aside: Vec::new(),
            missing: None,
            cells: Box::new(pictures),
            array: OnceLock::new(),
        })
    }
}

fn allowed(ctx: &Context) -> u64 {
    ctx.memory().map_or(ALLOWED, |memory| memory / 2)
}

/// Calls a function for each item, on all threads; the error of the first item that fails is returned.
fn in_order<T: Sync, R: Send>(
    ctx: &Context,
    items: &[T],
    work: impl Fn(&T) -> Result<R, ReadError> + Sync,
) -> Result<Vec<R>, ReadError> {
    const WAVE: usize = 256;
    let mut done = Vec::with_capacity(items.len());
    for wave in items.chunks(WAVE) {
        ctx.check()?;
        let found = each_in(ctx, wave.len(), |i| work(&wave[i]));
        for result in found {
            done.push(result?);
        }
    }
    Ok(done)
}

/// The side of the patches: from the options, or from the model.
fn patch(options: &ReadOptions) -> Result<Option<usize>, ReadError> {
    match options.patch {
        Some(0) => Err(ReadError::BadOption {
            option: "patch",
            given: "0".to_owned(),
            allowed: "the number of pixels on a side of a patch, such as 12",
        }),
        Some(patch) => Ok(Some(patch)),
        None => Ok(options.picture.as_ref().and_then(|picture| picture.patch)),
    }
}

fn check_patch(picture: &Picture) -> Result<(), PictureFault> {
    let size = (picture.width, picture.height);
    match picture.patch {
        Some(patch) if patch > size.0.min(size.1) => Err(PictureFault::TooSmall { patch, size }),
        _ => check_width(picture.n_cols()),
    }
}

fn check_width(columns: usize) -> Result<(), PictureFault> {
    if columns as u64 <= MOST_COLUMNS {
        return Ok(());
    }
    Err(PictureFault::TooWide {
        columns: columns as u64,
        most: MOST_COLUMNS,
    })
}

/// The note on pixels that no patch covers.
fn cut_off(grid: &Grid) -> Option<Note> {
    let (right, bottom) = grid.left_over();
    let covered = (grid.width - right) * (grid.height - bottom);
    let lost = grid.width * grid.height - covered;
    if lost == 0 {
        return None;
    }
    let edges: Vec<String> = [(right, "right"), (bottom, "bottom")]
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, edge)| format!("{count} at the {edge}"))
        .collect();
    Some(Note::reading(format!(
        "{} × {} pixels are {} × {} patches; the edge that no patch covers is cut off: {}, {} in all",
        grid.width,
        grid.height,
        grid.across(),
        grid.down(),
        edges.join(", "),
        counted(lost, "pixel")
    )))
}

/// The names of files, without their folders if the names alone are all different.
fn titles(files: &[&PictureFile]) -> Vec<String> {
    let short = |file: &&PictureFile| match &file.input {
        Input::Path(path) => path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        other => other.name(),
    };
    let titles: Vec<String> = files.iter().map(short).collect();
    let distinct: HashSet<&String> = titles.iter().collect();
    if distinct.len() == titles.len() {
        return titles;
    }
    files.iter().map(|file| file.input.name()).collect()
}

/// The labels in `X-labels-idx1-ubyte` beside `X-images-idx3-ubyte`, if they were requested; otherwise a note that they
/// exist.
fn labels_beside(
    input: &Input,
    n_pictures: usize,
    options: &ReadOptions,
) -> Result<(Option<Vec<String>>, Vec<Note>), ReadError> {
    let Some(path) = path_of_labels(input) else {
        return Ok((None, Vec::new()));
    };
    let name = path.display().to_string();
    if options.label_column.as_deref() != Some(LABEL) {
        let note = Note::advised(
            format!("labels lie beside it, in {name}"),
            Clause::set("label_column", LABEL).then(" takes them along"),
        );
        return Ok((None, vec![note]));
    }
    let (bytes, _) = unpacked(&name, Input::Path(path).bytes()?)?;
    let header = idx::read(&bytes).map_err(|fault| fault.in_file(&name))?;
    let mut numbers = Vec::new();
    let data = bytes.get(header.offset..).unwrap_or_default();
    header.element.convert(true, data, &mut numbers);
    if header.dims.len() != 1 || numbers.len() != n_pictures {
        let fault = PictureFault::Labels {
            labels: numbers.len(),
            pictures: n_pictures,
        };
        return Err(fault.in_file(&name));
    }
    let labels = numbers.iter().map(|number| header.written(*number));
    Ok((Some(labels.collect()), Vec::new()))
}

fn path_of_labels(input: &Input) -> Option<PathBuf> {
    let Input::Path(path) = input else {
        return None;
    };
    let name = path.file_name()?.to_str()?;
    let name = name
        .contains("images")
        .then(|| name.replace("images", "labels"))?;
    let name = name.replace("idx3", "idx1");
    let plain = name.strip_suffix(".gz").unwrap_or(&name);
    let beside = [name.clone(), plain.to_owned(), format!("{plain}.gz")];
    let mut beside = beside.iter().map(|name| path.with_file_name(name));
    beside.find(|path| path.is_file())
}
