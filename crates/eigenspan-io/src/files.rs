//! Finds the files to read: one file, standard input, a folder of files, a pattern, or several of these.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use eigenspan::Note;

use crate::error::ReadError;
use crate::input::Input;
use crate::mtx::Tenx;
use crate::plink;
use crate::select::matches_glob;

/// The files to read, in order, and notes about them.
#[derive(Debug, Default)]
pub(crate) struct FileList {
    pub(crate) inputs: Vec<Input>,
    pub(crate) notes: Vec<Note>,
}

impl Input {
    /// The files that are read: those of a folder by name (hidden ones and those that begin with `_` left out), those that
    /// match a pattern, or the one that was given. Numbers in names count as numbers: `part-2` comes before `part-10`.
    pub fn files(&self) -> Result<Vec<Input>, ReadError> {
        Ok(find(self)?.inputs)
    }
}

/// Finds the files that an input stands for.
pub(crate) fn find(input: &Input) -> Result<FileList, ReadError> {
    let mut found = FileList::default();
    find_into(input, &mut found)?;
    let pipes = found.inputs.iter().filter(|input| **input == Input::Stdin);
    if pipes.count() > 1 {
        return Err(ReadError::BadOption {
            option: "data",
            given: "- -".to_owned(),
            allowed: "standard input once",
        });
    }
    Ok(found)
}

fn find_into(input: &Input, found: &mut FileList) -> Result<(), ReadError> {
    match input {
        Input::Stdin => found.inputs.push(Input::Stdin),
        Input::Several(inputs) => {
            for input in inputs {
                find_into(input, found)?;
            }
        }
        Input::Path(path) if path.is_dir() => folder(path, found)?,
        Input::Path(path) if is_pattern(path) => {
            let mut paths = matching(path);
            if paths.is_empty() {
                return Err(ReadError::NoMatch {
                    pattern: path.display().to_string(),
                });
            }
            paths.sort_by(|a, b| natural(&a.to_string_lossy(), &b.to_string_lossy()));
            found.notes.extend(files_note(&paths));
            found.inputs.extend(paths.into_iter().map(Input::Path));
        }
        Input::Path(path) => found.inputs.push(Input::Path(path.clone())),
    }
    Ok(())
}

/// Whether a folder is one data set and not a collection of tables: a sparse matrix with files that name its rows and
/// columns.
fn is_one_dataset(folder: &Path) -> bool {
    Tenx::find(folder).is_some()
}

fn folder(path: &Path, found: &mut FileList) -> Result<(), ReadError> {
    if is_one_dataset(path) {
        found.inputs.push(Input::Path(path.to_owned()));
        return Ok(());
    }
    let (mut files, mut folders) = (Vec::new(), 0);
    for entry in entries(path)? {
        let hidden = name_of(&entry).starts_with(['.', '_']);
        match entry.is_dir() {
            _ if hidden => {}
            true => folders += 1,
            false => files.push(entry),
        }
    }
    if let Some(bed) = plink_set(&files) {
        found.notes.push(Note::reading(format!(
            "{}: read as the genotypes {}, .bim, .fam",
            path.display(),
            name_of(&bed)
        )));
        found.inputs.push(Input::Path(bed));
        return Ok(());
    }
    if files.is_empty() {
        return Err(ReadError::EmptyFolder {
            folder: path.display().to_string(),
            folders,
        });
    }
    let kinds = kinds(&files);
    let pictures = |(kind, _): &(String, usize)| ["png", "jpg", "jpeg"].contains(&kind.as_str());
    if kinds.len() > 1 && !kinds.iter().all(pictures) {
        return Err(ReadError::MixedFolder {
            folder: path.display().to_string(),
            kinds,
        });
    }
    if folders > 0 {
        let what = eigenspan::error::counted(folders, "folder");
        let note = format!("{}: {what} inside not looked into", path.display());
        found.notes.push(Note::reading(note));
    }
    files.sort_by(|a, b| natural(&name_of(a), &name_of(b)));
    found.notes.extend(files_note(&files));
    found.inputs.extend(files.into_iter().map(Input::Path));
    Ok(())
}

/// The `.bed` file, if the folder holds exactly one PLINK set and otherwise only files that PLINK writes beside it.
fn plink_set(files: &[PathBuf]) -> Option<PathBuf> {
    const BESIDE: [&str; 7] = ["bed", "bim", "fam", "log", "nosex", "hh", "irem"];
    let extension = |file: &Path| {
        let extension = file.extension().unwrap_or_default();
        extension.to_string_lossy().to_lowercase()
    };
    if !files
        .iter()
        .all(|file| BESIDE.contains(&extension(file).as_str()))
    {
        return None;
    }
    let mut beds = files.iter().filter(|file| extension(file) == "bed");
    let (bed, None) = (beds.next()?, beds.next()) else {
        return None;
    };
    plink::Files::from_path(bed, None).map(|_| bed.clone())
}

/// The note about which files a folder or a pattern stands for.
fn files_note(files: &[PathBuf]) -> Option<Note> {
    let (first, last) = (files.first()?, files.last()?);
    let count = eigenspan::error::counted(files.len(), "file");
    let range = match files.len() {
        1 => name_of(first),
        _ => format!("{} to {}", name_of(first), name_of(last)),
    };
    Some(Note::reading(format!("{count} read as one table: {range}")))
}

/// The formats of the files by the ends of their names (`csv`, also for `a.csv.gz`), and how many files have each.
fn kinds(files: &[PathBuf]) -> Vec<(String, usize)> {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for file in files {
        let name = name_of(file).to_lowercase();
        let plain = [".gz", ".zst", ".bz2"]
            .iter()
            .find_map(|packing| name.strip_suffix(packing))
            .unwrap_or(&name);
        let kind = Path::new(plain).extension().unwrap_or_default();
        *kinds
            .entry(kind.to_string_lossy().into_owned())
            .or_default() += 1;
    }
    kinds.into_iter().collect()
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, ReadError> {
    let failed = |source| ReadError::Io {
        file: folder.display().to_string(),
        source,
    };
    let entry = |entry: std::io::Result<std::fs::DirEntry>| Ok(entry.map_err(failed)?.path());
    std::fs::read_dir(folder)
        .map_err(failed)?
        .map(entry)
        .collect()
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Whether a path holds `*` or `?` and does not exist as a file.
fn is_pattern(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?']) && !path.exists()
}

/// Files that match a pattern. `*` and `?` match within one folder's name; hidden files match only a pattern that begins with
/// a dot.
fn matching(pattern: &Path) -> Vec<PathBuf> {
    let mut paths = vec![PathBuf::new()];
    let mut parts = pattern.components().peekable();
    while let Some(part) = parts.next() {
        let text = part.as_os_str().to_string_lossy().into_owned();
        if !text.contains(['*', '?']) {
            paths.iter_mut().for_each(|path| path.push(part));
            continue;
        }
        let is_last = parts.peek().is_none();
        let fits = |path: &PathBuf| {
            let name = name_of(path);
            let shown = !name.starts_with('.') || text.starts_with('.');
            shown && matches_glob(&text, &name) && (is_last || path.is_dir())
        };
        let below = |path: &PathBuf| {
            let here = path.as_os_str().is_empty();
            let listed = entries(if here { Path::new(".") } else { path });
            let names = listed.unwrap_or_default().into_iter();
            // Files found in `.` are named without `./`, as a shell does.
            let named = names.map(|entry| path.join(name_of(&entry)));
            named.filter(fits).collect::<Vec<_>>()
        };
        paths = paths.iter().flat_map(below).collect();
    }
    paths.retain(|path| path.is_file());
    paths
}

/// The order in which people count: runs of digits by their value, everything else by its characters.
fn natural(a: &str, b: &str) -> Ordering {
    let (mut rest_a, mut rest_b) = (a, b);
    loop {
        let (Some(x), Some(y)) = (rest_a.chars().next(), rest_b.chars().next()) else {
            // One name is the beginning of the other, or they differ only in leading zeros of numbers.
            return rest_a.len().cmp(&rest_b.len()).then_with(|| a.cmp(b));
        };
        if x.is_ascii_digit() && y.is_ascii_digit() {
            let (number_a, number_b) = (digits(&mut rest_a), digits(&mut rest_b));
            let order = number_a.len().cmp(&number_b.len());
            match order.then_with(|| number_a.cmp(number_b)) {
                Ordering::Equal => continue,
                unequal => return unequal,
            }
        }
        if x != y {
            return x.cmp(&y);
        }
        rest_a = &rest_a[x.len_utf8()..];
        rest_b = &rest_b[y.len_utf8()..];
    }
}

/// Takes the digits off the front, and returns them without leading zeros.
fn digits<'a>(rest: &mut &'a str) -> &'a str {
    let end = rest.find(|c: char| !c.is_ascii_digit());
    let (number, behind) = rest.split_at(end.unwrap_or(rest.len()));
    *rest = behind;
    number.trim_start_matches('0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_put_in_the_order_in_which_people_count() {
        let mut names = ["part-10", "part-9", "part-09b", "part-2", "Part-1", "part"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(
            names,
            ["Part-1", "part", "part-2", "part-9", "part-09b", "part-10"]
        );
        assert_eq!(natural("a01", "a1"), Ordering::Less);
        assert_eq!(natural("x", "x"), Ordering::Equal);
    }
}
