//! A text that is needed for a while and may be too large for memory: kept there up to a size, else in a file without a
//! name, which the system removes whatever happens.

use std::fs::File;
use std::io::{self, Write as _};

use crate::source::read_at;

/// Texts up to this size stay in memory.
const IN_MEMORY: usize = 32 << 20;

/// See the module.
#[derive(Debug, Default)]
pub struct Spool {
    /// What is not in the file.
    memory: Vec<u8>,
    file: Option<File>,
    len: u64,
}

impl Spool {
    /// Number of bytes.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Puts bytes behind the text.
    ///
    /// # Errors
    /// There is no room for them.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.file.is_none() && self.memory.len() + bytes.len() > IN_MEMORY {
            let mut file = tempfile::tempfile()?;
            file.write_all(&std::mem::take(&mut self.memory))?;
            self.file = Some(file);
        }
        match &mut self.file {
            Some(file) => file.write_all(bytes)?,
            None => self.memory.extend_from_slice(bytes),
        }
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Leaves out what stands from `len` on. Nothing may be appended then.
    pub fn truncate(&mut self, len: u64) {
        self.len = self.len.min(len);
    }

    /// Fills as much of `buffer` as there is from `offset` on; 0 at the end.
    ///
    /// # Errors
    /// Whatever reading raises.
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.len.saturating_sub(offset)).unwrap_or(usize::MAX);
        let most = buffer.len().min(left);
        if let Some(file) = &self.file {
            return read_at(file, offset, &mut buffer[..most]);
        }
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(self.memory.len());
        buffer[..most].copy_from_slice(&self.memory[start..start + most]);
        Ok(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_texts_read_the_same() {
        for piece in [1 << 10, 9 << 20] {
            let mut spool = Spool::default();
            for number in 0..5_u8 {
                spool.append(&vec![number; piece]).expect("room");
            }
            let at = |n: usize| (n * piece) as u64;
            let around = |spool: &Spool, offset: u64| {
                let mut bytes = [9; 2];
                let count = spool.read_at(offset - 1, &mut bytes).expect("readable");
                bytes[..count].to_vec()
            };
            assert_eq!(spool.file.is_some(), piece > 1 << 20);
            assert_eq!(around(&spool, at(2)), [1, 2]);
            spool.truncate(at(3));
            assert_eq!((spool.len(), around(&spool, at(3))), (at(3), vec![2]));
            assert_eq!(spool.read_at(at(4), &mut [0; 4]).expect("the end"), 0);
        }
    }
}
