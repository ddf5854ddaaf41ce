//! Writes whole files or none: under another name in the same folder, made durable, then renamed.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::error::WriteError;
use super::live::Live;

/// Writes a file with `fill`. The old file stays as it is until `fill` has succeeded and all bytes are on the disk.
///
/// A device or a pipe (`/dev/null`) is written directly: there is no old file to protect.
pub fn write_atomically(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), WriteError> {
    write_sealed(path, fill)?.place()
}

/// Writes a file with `fill` but does not put it in its place yet, for files that belong together.
pub fn write_sealed(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<Sealed, WriteError> {
    let mut file = AtomicFile::create(path)?;
    fill(&mut file).map_err(|source| WriteError::io(&file.name, source))?;
    file.seal()
}

/// Checks that a file can be written here, so that a failure comes now and not at the end of long work. Leaves nothing
/// behind.
pub fn probe(path: &Path) -> Result<(), WriteError> {
    AtomicFile::create(path).map(drop)
}

/// A complete file on the disk that is not in its place yet. If it is dropped, it leaves nothing behind.
///
/// If several files belong together, all are sealed before the first is placed: by then, everything that can fail has
/// succeeded.
#[derive(Debug)]
#[must_use = "the file appears only when it is placed"]
pub struct Sealed {
    name: String,
    /// The file and its destination; `None` for output to a device or a pipe, which is already written.
    waiting: Option<(NamedTempFile, PathBuf, Live)>,
}

impl Sealed {
    /// For output that needs no placing.
    pub(super) fn nothing(name: String) -> Self {
        let waiting = None;
        Sealed { name, waiting }
    }

    /// Puts the file in its place.
    pub fn place(self) -> Result<(), WriteError> {
        let Some((temp, target, _live)) = self.waiting else {
            return Ok(());
        };
        let failed = |source| WriteError::io(&self.name, source);
        temp.persist(&target).map_err(|e| failed(e.error))?;
        // The new name is durable only once the folder is synced; systems that cannot sync a folder do not need it.
        if let Ok(folder) = File::open(folder_of(&target)) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

/// A file that takes its place when it is finished, and leaves nothing behind when it is dropped.
#[derive(Debug)]
pub(super) struct AtomicFile {
    name: String,
    place: Place,
}

#[derive(Debug)]
enum Place {
    Beside {
        temp: BufWriter<NamedTempFile>,
        target: PathBuf,
        live: Live,
    },
    Direct(BufWriter<File>),
}

const BUFFER: usize = 1 << 18;

impl AtomicFile {
    pub(super) fn create(path: &Path) -> Result<Self, WriteError> {
        let name = path.display().to_string();
        // A link is followed: the file it points to is replaced, not the link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let place = match fs::metadata(&target) {
            Ok(meta) if meta.is_dir() => return Err(WriteError::IsFolder { file: name }),
            Ok(meta) if meta.is_file() => {
                // Renaming would replace even a write-protected file.
                if meta.permissions().readonly() {
                    return Err(WriteError::ReadOnly {
                        file: name,
                        what: "the file".to_owned(),
                    });
                }
                Self::beside(&name, target, Some(meta.permissions()))?
            }
            Ok(_) => {
                let file = fs::OpenOptions::new().write(true).open(&target);
                let file = file.map_err(|source| WriteError::io(&name, source))?;
                Place::Direct(BufWriter::with_capacity(BUFFER, file))
            }
            Err(_) => Self::beside(&name, target, None)?,
        };
        Ok(AtomicFile { name, place })
    }

    fn beside(
        name: &str,
        target: PathBuf,
        permissions: Option<fs::Permissions>,
    ) -> Result<Place, WriteError> {
        let folder = folder_of(&target);
        if !folder.is_dir() {
            let (file, taken) = (name.to_owned(), folder.exists());
            let folder = folder.display().to_string();
            return Err(if taken {
                WriteError::NotAFolder { file, folder }
            } else {
                WriteError::NoFolder { file, folder }
            });
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".eigenspan-").suffix(".part");
        // The new file gets the usual permissions, not the stricter ones of a temporary file.
        let permissions = permissions.or_else(usual_permissions);
        if let Some(permissions) = permissions {
            builder.permissions(permissions);
        }
        let temp = builder.tempfile_in(folder).map_err(|source| {
            use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
            match source.kind() {
                PermissionDenied | ReadOnlyFilesystem => WriteError::ReadOnly {
                    file: name.to_owned(),
                    what: format!("the folder {}", folder.display()),
                },
                _ => WriteError::io(name, source),
            }
        })?;
        let live = Live::new(temp.path());
        let temp = BufWriter::with_capacity(BUFFER, temp);
        Ok(Place::Beside { temp, target, live })
    }

    /// Overwrites the first bytes, for what is known only at the end.
    pub(super) fn overwrite_start(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        let done = match &mut self.place {
            Place::Beside { temp, .. } => overwrite(temp, bytes),
            Place::Direct(file) => overwrite(file, bytes),
        };
        done.map_err(|source| WriteError::io(&self.name, source))
    }

    /// Makes the bytes durable.
    pub(super) fn seal(self) -> Result<Sealed, WriteError> {
        let name = self.name;
        let failed = |source| WriteError::io(&name, source);
        let waiting = match self.place {
            Place::Direct(mut file) => {
                file.flush().map_err(failed)?;
                None
            }
            Place::Beside { temp, target, live } => {
                let temp = temp.into_inner().map_err(|e| failed(e.into_error()))?;
                temp.as_file().sync_all().map_err(failed)?;
                Some((temp, target, live))
            }
        };
        Ok(Sealed { name, waiting })
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.place {
            Place::Beside { temp, .. } => temp.write(bytes),
            Place::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.place {
            Place::Beside { temp, .. } => temp.flush(),
            Place::Direct(file) => file.flush(),
        }
    }
}

fn overwrite<W: Write + Seek>(file: &mut BufWriter<W>, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    file.write_all(bytes)?;
    file.seek(SeekFrom::End(0))?;
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(unix)]
fn usual_permissions() -> Option<fs::Permissions> {
    use std::os::unix::fs::PermissionsExt;
    // The process's umask removes what it should.
    Some(fs::Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn usual_permissions() -> Option<fs::Permissions> {
    None
}
