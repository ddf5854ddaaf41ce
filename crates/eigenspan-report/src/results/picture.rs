//! Rows rebuilt from scores as pictures: one PNG file, or a folder of them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use eigenspan::note::Advice;
use eigenspan::{Context, Note};
use eigenspan_io::{
    Assembler, FolderWriter, Output, Picture, PictureFault, ReadError, Table, write_atomically,
};

use crate::JobError;
use crate::project::ComputedRows;
use crate::subject::parts_in_order;

/// The largest size of a picture in bytes if no memory limit is given; else half of the limit.
const ALLOWED: u64 = 512 << 20;

/// Where pictures go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// One picture, into this file.
    File(PathBuf),
    /// Each picture into its own file in this folder.
    Folder(PathBuf),
}

impl Place {
    /// The destination, if the name of the output asks for pictures: `back.png`, `faces/`.
    pub(crate) fn from_output(output: &Output) -> Option<Self> {
        let Output::Path(path) = output else {
            return None;
        };
        let text = path.to_string_lossy();
        if path.is_dir() || text.ends_with(['/', std::path::MAIN_SEPARATOR]) {
            return Some(Place::Folder(path.clone()));
        }
        let end = path.extension().unwrap_or_default().to_string_lossy();
        (end.to_lowercase() == "png").then(|| Place::File(path.clone()))
    }

    /// Whether pictures can be written: an existing folder is a mistake if the model was not fitted to pictures.
    pub(crate) fn wants_pictures(&self, picture: Option<Picture>) -> bool {
        picture.is_some() || !self.path().is_dir()
    }

    fn path(&self) -> &Path {
        match self {
            Place::File(path) | Place::Folder(path) => path,
        }
    }
}

/// The shape of a model's pictures, or the size that was given.
pub(crate) fn shape(
    name: &str,
    picture: Option<Picture>,
    size: Option<(usize, usize)>,
    place: &Place,
) -> Result<Picture, JobError> {
    let Some(picture) = picture else {
        return Err(JobError::Usage {
            what: format!(
                "{name} was not fitted to pictures, so {} cannot be made",
                place.path().display()
            ),
            advice: "a name that ends in .csv, .tsv or .npy takes the rows".into(),
        });
    };
    let Some((width, height)) = size else {
        return Ok(picture);
    };
    let refused = |what: String| JobError::Usage {
        what,
        advice: Advice::default(),
    };
    if picture.patch.is_none() {
        return Err(refused(format!(
            "a size is for patches, but a row of {name} is a whole picture"
        )));
    }
    let other = Picture {
        width,
        height,
        ..picture
    };
    let cannot = || {
        refused(format!(
            "a picture of {width} × {height} has no such patches"
        ))
    };
    other.checked().ok_or_else(cannot)
}

/// Writes computed rows as pictures, and returns notes about them.
pub(crate) fn rebuild(
    ctx: &Context,
    rows: &ComputedRows<'_>,
    picture: Picture,
    place: &Place,
) -> Result<Option<Note>, JobError> {
    let table = rows.table;
    let (n_rows, per) = (table.n_rows(), picture.n_rows());
    let whole = match place {
        Place::File(_) => n_rows == per,
        Place::Folder(_) => n_rows % per == 0,
    };
    if !whole {
        return Err(rows_fault(table, &picture));
    }
    let allowed = ctx.memory().map_or(ALLOWED, |memory| memory / 2);
    let assembler = Assembler::new(picture, allowed).map_err(|fault| read_fault(table, fault))?;
    let mut state = (assembler, Target::new(place, table, &picture)?);
    let compute = |_: &(Assembler, Target), part| rows.part(part);
    parts_in_order(
        ctx,
        table,
        &mut state,
        compute,
        |(assembler, target), part| {
            let mut files = part.rows().filter_map(|row| assembler.push(row));
            files.try_for_each(|file| target.add(file))
        },
    )?;
    state.1.finish()?;
    Ok(cut_off(&picture))
}

/// A note about a picture whose edge no patch covers.
fn cut_off(picture: &Picture) -> Option<Note> {
    let (width, height) = picture.covered();
    if (width, height) == (picture.width, picture.height) {
        return None;
    }
    let text = format!(
        "{width} × {height} of {} × {} pixels: the edge that no patch covers is cut off",
        picture.width, picture.height
    );
    Some(Note::reading(text))
}

fn rows_fault(table: &Table, picture: &Picture) -> JobError {
    let fault = PictureFault::Rows {
        size: (picture.width, picture.height),
        per: picture.n_rows(),
        rows: table.n_rows(),
    };
    read_fault(table, fault)
}

fn read_fault(table: &Table, fault: PictureFault) -> JobError {
    JobError::Read(ReadError::Picture {
        file: table.name().to_owned(),
        fault,
    })
}

/// Where finished pictures are collected.
enum Target {
    File(PathBuf),
    Folder {
        folder: FolderWriter,
        names: std::vec::IntoIter<String>,
    },
}

impl Target {
    fn new(place: &Place, table: &Table, picture: &Picture) -> Result<Self, JobError> {
        Ok(match place {
            Place::File(path) => Target::File(path.clone()),
            Place::Folder(path) => Target::Folder {
                folder: FolderWriter::create(path)?,
                names: names(table, picture)?.into_iter(),
            },
        })
    }

    fn add(&mut self, file: std::io::Result<Vec<u8>>) -> Result<(), JobError> {
        match self {
            Target::File(path) => {
                write_atomically(path, |out| out.write_all(&file?))?;
            }
            Target::Folder { folder, names } => {
                let name = names.next().unwrap_or_default();
                folder.add(&name, file)?;
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<(), JobError> {
        if let Target::Folder { folder, .. } = self {
            folder.finish()?;
        }
        Ok(())
    }
}

/// File names of the pictures: the original names if the scores file carries them and they are unique, else numbers.
fn names(table: &Table, picture: &Picture) -> Result<Vec<String>, JobError> {
    let per = picture.n_rows();
    let count = table.n_rows() / per;
    if let Some(id) = table.id() {
        let texts = table.texts(&id.name)?;
        let named: Option<Vec<String>> = texts
            .iter()
            .step_by(per)
            .map(|text| file_name(text))
            .collect();
        let named = named.unwrap_or_default();
        let distinct: HashSet<&String> = named.iter().collect();
        if distinct.len() == count {
            return Ok(named);
        }
    }
    let digits = count.to_string().len();
    Ok((1..=count).map(|i| format!("{i:0digits$}.png")).collect())
}

/// `faces/ann.jpg r01c01` becomes `ann.png`; `None` if no usable name is left.
fn file_name(id: &str) -> Option<String> {
    let is_place = |word: &str| {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let place = word.strip_prefix('r').and_then(|rest| rest.split_once('c'));
        place.is_some_and(|(row, col)| digits(row) && digits(col))
    };
    let id = match id.rsplit_once(' ') {
        Some((title, place)) if is_place(place) => title,
        _ if is_place(id) => return None,
        _ => id,
    };
    let name = id.rsplit(['/', '\\']).next()?;
    let stem = Path::new(name).file_stem()?.to_str()?;
    let plain = |c: char| !c.is_control() && !":*?\"<>|".contains(c);
    let good = !stem.starts_with('.') && stem.len() <= 200 && stem.chars().all(plain);
    good.then(|| format!("{stem}.png"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_after_their_pictures_and_stay_in_their_folder() {
        assert_eq!(file_name("ann.jpg").as_deref(), Some("ann.png"));
        assert_eq!(file_name("ann.jpg r01c07").as_deref(), Some("ann.png"));
        assert_eq!(file_name("../../etc/passwd").as_deref(), Some("passwd.png"));
        assert_eq!(file_name("r01c07"), None);
        assert_eq!(file_name(".."), None);
        assert_eq!(file_name("a\0b.png"), None);
        assert_eq!(file_name(""), None);
        assert_eq!(file_name("3 r1c1").as_deref(), Some("3.png"));
    }
}
