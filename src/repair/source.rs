//! The file under repair: opened once, read at any offset, never written.

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::script::Bytes;
use crate::finding::fingerprint::hex;

/// An open source.
#[derive(Debug)]
pub struct Source {
    path: PathBuf,
    name: String,
    file: File,
    metadata: Metadata,
}

impl Source {
    /// Opens a regular file; links are followed.
    ///
    /// # Errors
    /// `NotFound` when there is no such file or it is a folder or device; else whatever opening raises.
    pub fn open(path: &Path) -> io::Result<Self> {
        let missing = || io::Error::new(io::ErrorKind::NotFound, "no such file");
        if !std::fs::metadata(path)?.is_file() {
            return Err(missing());
        }
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        let name = path.file_name().ok_or_else(missing)?.to_string_lossy().into_owned();
        Ok(Self { path: path.to_owned(), name, file, metadata })
    }

    /// The path as given.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its name without folders.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Mode, owner and size as they were when it was opened.
    #[must_use]
    pub const fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// SHA-256 of what stands at the path now, hex: another file put in its place is seen too.
    ///
    /// # Errors
    /// Whatever reading raises.
    pub fn hash_again(&self) -> io::Result<String> {
        let mut hasher = Sha256::new();
        io::copy(&mut File::open(&self.path)?, &mut hasher)?;
        Ok(hex(&hasher.finalize()))
    }
}

impl Bytes for Source {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        crate::source::read_at(&self.file, offset, buffer)
    }

    fn len(&self) -> u64 {
        self.metadata.len()
    }
}
