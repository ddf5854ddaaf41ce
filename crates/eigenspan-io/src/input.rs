//! Where bytes come from: a file, or standard input, which is first copied to an unnamed temporary file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use eigenspan::Context;
use eigenspan::error::{grouped, nearest};

use crate::error::ReadError;
use crate::kind;

/// Bytes at the start of a pipe by which its format is recognized.
const HEAD: usize = 1 << 16;

/// Bytes after which reading from a device is given up.
const MOST_OF_A_DEVICE: u64 = 1 << 30;

/// What to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A file.
    Path(PathBuf),
    /// Standard input.
    Stdin,
    /// Several inputs that together are one table.
    Several(Vec<Input>),
}

impl Input {
    /// `-` is standard input, anything else a file.
    pub fn new(given: impl AsRef<Path>) -> Self {
        let given = given.as_ref();
        if given == Path::new("-") {
            Input::Stdin
        } else {
            Input::Path(given.to_owned())
        }
    }

    /// One path, or several that together are one table.
    pub fn from_paths<P: AsRef<Path>>(given: impl IntoIterator<Item = P>) -> Self {
        let mut inputs: Vec<Input> = given.into_iter().map(Input::new).collect();
        match inputs.len() {
            1 => inputs.remove(0),
            _ => Input::Several(inputs),
        }
    }

    /// The name that messages use.
    pub fn name(&self) -> String {
        match self {
            Input::Path(path) => path.display().to_string(),
            Input::Stdin => "standard input".to_owned(),
            Input::Several(inputs) => {
                let first = inputs.first().map(Input::name).unwrap_or_default();
                match inputs.len() {
                    0 | 1 => first,
                    2 => format!("{first} and 1 more"),
                    n => format!("{first} and {} more", grouped(n as u64 - 1)),
                }
            }
        }
    }

    /// The part of the name behind its last dot, in lower case; behind the last but one where the file is packed.
    pub(crate) fn extension(&self, packed: bool) -> String {
        let Input::Path(path) = self else {
            return String::new();
        };
        let path = match path.file_stem() {
            Some(stem) if packed => Path::new(stem),
            _ => path,
        };
        let extension = path.extension().unwrap_or_default();
        extension.to_string_lossy().to_lowercase()
    }

    /// All bytes of the input.
    pub(crate) fn bytes(&self) -> Result<Bytes, ReadError> {
        self.bytes_or_interrupt(None)
    }

    /// All bytes of the input; waiting for a pipe can be interrupted.
    pub(crate) fn bytes_or_interrupt(&self, ctx: Option<&Context>) -> Result<Bytes, ReadError> {
        let failed = |source| ReadError::Io {
            file: self.name(),
            source,
        };
        let file = match self {
            Input::Path(path) => self.open(path, ctx)?,
            Input::Stdin => self.await_all(io::stdin(), None, ctx)?,
            Input::Several(_) => {
                return Err(ReadError::Folder { file: self.name() });
            }
        };
        let bytes = Bytes::map(&file).map_err(failed)?;
        if bytes.is_empty() {
            return Err(ReadError::Empty { file: self.name() });
        }
        Ok(bytes)
    }

    /// Copies a pipe to an unnamed temporary file. A separate thread waits for the pipe, so that this thread can be
    /// interrupted.
    ///
    /// Bytes of an unknown format are refused as soon as they arrive, because the pipe may never end; so is an input that
    /// gives more than `most` bytes.
    fn await_all(
        &self,
        mut from: impl Read + Send + 'static,
        most: Option<u64>,
        ctx: Option<&Context>,
    ) -> Result<File, ReadError> {
        const PATIENCE: Duration = Duration::from_millis(100);
        let failed = |source| ReadError::Io {
            file: self.name(),
            source,
        };
        let (send, receive) = sync_channel(4);
        std::thread::spawn(move || {
            let mut buffer = vec![0u8; 1 << 18];
            loop {
                let read = match from.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(count) => Ok(buffer.get(..count).unwrap_or_default().to_vec()),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => Err(error),
                };
                let last = read.is_err();
                if send.send(read).is_err() || last {
                    break;
                }
            }
        });
        let mut file = tempfile::tempfile().map_err(failed)?;
        let (mut head, mut read) = (Vec::new(), 0);
        loop {
            ctx.map_or(Ok(()), Context::check)?;
            match receive.recv_timeout(PATIENCE) {
                Ok(bytes) => {
                    let bytes = bytes.map_err(failed)?;
                    if head.len() < HEAD {
                        head.extend(bytes.iter().take(HEAD - head.len()));
                        if head.len() == HEAD {
                            kind::refuse_unknown(&self.name(), &self.extension(false), &head)?;
                        }
                    }
                    file.write_all(&bytes).map_err(failed)?;
                    read += bytes.len() as u64;
                    if most.is_some_and(|most| read > most) {
                        return Err(ReadError::Endless {
                            file: self.name(),
                            read,
                        });
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        Ok(file)
    }

    fn open(&self, path: &Path, ctx: Option<&Context>) -> Result<File, ReadError> {
        let failed = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => match dangling(path) {
                Some(target) => ReadError::DanglingLink {
                    file: self.name(),
                    target,
                },
                None => ReadError::NotFound {
                    file: self.name(),
                    near: files_like(path),
                },
            },
            io::ErrorKind::IsADirectory => ReadError::Folder { file: self.name() },
            _ => ReadError::Io {
                file: self.name(),
                source,
            },
        };
        let meta = std::fs::metadata(path).map_err(failed)?;
        if meta.is_dir() {
            return Err(ReadError::Folder { file: self.name() });
        }
        let file = File::open(path).map_err(failed)?;
        if meta.is_file() {
            return Ok(file);
        }
        // A named pipe or a device, such as the shell's <(command). A pipe ends when its writer does; a device may never end.
        let most = (!is_pipe(&meta)).then_some(MOST_OF_A_DEVICE);
        self.await_all(file, most, ctx)
    }
}

/// The target of a broken link; `None` for anything else.
pub(crate) fn dangling(path: &Path) -> Option<String> {
    let target = std::fs::read_link(path).ok()?;
    (!path.exists()).then(|| target.display().to_string())
}

#[cfg(unix)]
fn is_pipe(meta: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    meta.file_type().is_fifo() || meta.file_type().is_socket()
}

#[cfg(not(unix))]
fn is_pipe(_meta: &std::fs::Metadata) -> bool {
    false
}

/// Copies a stream to an unnamed temporary file, so that it can be read more than once.
pub(crate) fn spool(from: &mut dyn Read) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    let mut buffer = vec![0u8; 1 << 18];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => file.write_all(buffer.get(..count).unwrap_or_default())?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}

/// Files in the same folder with similar names.
fn files_like(path: &Path) -> Vec<String> {
    const LOOKED_AT: usize = 10_000;
    let Some(wanted) = path.file_name().map(|name| name.to_string_lossy()) else {
        return Vec::new();
    };
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .take(LOOKED_AT)
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .collect();
    names.sort();
    nearest(&wanted, names.iter().map(String::as_str))
}

/// The bytes of a file, or of a part of it, mapped into memory.
#[derive(Debug, Clone)]
pub(crate) struct Bytes {
    map: Option<Arc<memmap2::Mmap>>,
    range: Range<usize>,
}

/// Files at least this large give pages back after each use, so that memory in use stays small.
const LARGE: usize = 64 << 20;

impl Bytes {
    pub(crate) fn map(file: &File) -> io::Result<Self> {
        if file.metadata()?.len() == 0 {
            return Ok(Bytes {
                map: None,
                range: 0..0,
            });
        }
        // SAFETY: the map is only read. Another process that shortens or rewrites the file meanwhile can end or confuse
        // this one, as with every program that maps files; nothing below assumes that two readings see the same bytes.
        let map = unsafe { memmap2::Mmap::map(file)? };
        Ok(Bytes {
            range: 0..map.len(),
            map: Some(Arc::new(map)),
        })
    }

    /// A part of the bytes, without a copy.
    pub(crate) fn part(&self, part: Range<usize>) -> Option<Bytes> {
        let whole = &self.range;
        let (start, end) = (
            whole.start.checked_add(part.start)?,
            whole.start.checked_add(part.end)?,
        );
        (start <= end && end <= whole.end).then(|| Bytes {
            map: self.map.clone(),
            range: start..end,
        })
    }

    /// Tells the system that these bytes are not needed for now; when they are, they are read again from the file. Small
    /// files stay in memory: bytes that are used in place are soon used again.
    pub(crate) fn release(&self, start: usize, end: usize) {
        if self.map.as_ref().is_some_and(|map| map.len() >= LARGE) {
            self.drop_pages(start, end);
        }
    }

    /// Does the same for a file of any size, once the bytes were decoded: reading them again costs little beside decoding
    /// them again.
    pub(crate) fn drop_pages(&self, start: usize, end: usize) {
        const PAGE: usize = 1 << 16;
        let Some(map) = &self.map else { return };
        let (start, end) = (self.range.start + start, self.range.start + end);
        // The system loads pages together with their neighbors, so the neighbors are dropped too; a page that is still read
        // is loaded again.
        let start = (start / PAGE).saturating_sub(1) * PAGE;
        let end = (end.min(self.range.end) / PAGE + 2) * PAGE;
        let end = end.min(map.len());
        if start >= end {
            return;
        }
        #[cfg(unix)]
        {
            // SAFETY: the map is shared and read-only, so dropped pages come back with the file's content.
            // It is advice: a refusal changes nothing but the memory in use.
            let _ = unsafe {
                map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, start, end - start)
            };
        }
    }
}

impl Deref for Bytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        let all: &[u8] = self.map.as_ref().map_or(&[], |map| map);
        all.get(self.range.clone()).unwrap_or_default()
    }
}
