//! Writes a folder of files, whole or not at all: fills it under another name in the same parent folder, then renames it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::error::WriteError;
use super::live::Live;

/// A new folder that is being filled. It appears under its name only when [`FolderWriter::finish`] has succeeded.
#[derive(Debug)]
pub struct FolderWriter {
    name: String,
    target: PathBuf,
    temp: TempDir,
    _live: Live,
}

impl FolderWriter {
    /// Begins a folder at a path that does not exist, or that is an empty folder.
    pub fn create(path: &Path) -> Result<Self, WriteError> {
        let name = path.display().to_string();
        let failed = |source| WriteError::io(&name, source);
        // A path that ends in `/` has a parent, too.
        let target: PathBuf = path.components().collect();
        let parent = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        if !parent.is_dir() {
            return Err(WriteError::NoFolder {
                file: name,
                folder: parent.display().to_string(),
            });
        }
        if target.exists() && !target.is_dir() {
            let folder = target.display().to_string();
            return Err(WriteError::NotAFolder { file: name, folder });
        }
        if target.is_dir() && fs::read_dir(&target).map_err(failed)?.next().is_some() {
            return Err(WriteError::FolderInUse { file: name });
        }
        let temp = tempfile::Builder::new()
            .prefix(".eigenspan-")
            .tempdir_in(parent)
            .map_err(failed)?;
        Ok(FolderWriter {
            _live: Live::new(temp.path()),
            name,
            target,
            temp,
        })
    }

    /// Adds a file; an error if its bytes could not be made.
    pub fn add(&mut self, file: &str, bytes: io::Result<Vec<u8>>) -> Result<(), WriteError> {
        let written = bytes.and_then(|bytes| fs::write(self.temp.path().join(file), bytes));
        written.map_err(|source| WriteError::io(&self.name, source))
    }

    /// Puts the folder in its place. Without this call, nothing is left behind.
    pub fn finish(self) -> Result<(), WriteError> {
        let failed = |source| WriteError::io(&self.name, source);
        if self.target.is_dir() {
            fs::remove_dir(&self.target).map_err(failed)?;
        }
        #[cfg(unix)]
        {
            // A temporary folder is private to its owner; this one gets the usual permissions.
            use std::os::unix::fs::PermissionsExt;
            let open = fs::Permissions::from_mode(0o755);
            fs::set_permissions(self.temp.path(), open).map_err(failed)?;
        }
        fs::rename(self.temp.path(), &self.target).map_err(failed)?;
        // There is nothing left to remove.
        let _ = self.temp.keep();
        Ok(())
    }
}
