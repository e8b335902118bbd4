//! SHA-256 of a stream that someone else reads, so that no byte is read twice.

use std::io::{self, Read};

use sha2::{Digest, Sha256};

/// Hashes what is read through it.
#[derive(Debug)]
pub struct Hashed<R> {
    input: R,
    hasher: Sha256,
    size: u64,
}

impl<R: Read> Hashed<R> {
    /// Hashes from here on.
    pub fn new(input: R) -> Self {
        Self { input, hasher: Sha256::new(), size: 0 }
    }

    /// Reads the rest; gives hash and size of everything.
    ///
    /// # Errors
    /// Whatever reading raises.
    pub fn finish(mut self) -> io::Result<([u8; 32], u64)> {
        let mut rest = vec![0; 64 << 10];
        loop {
            match self.read(&mut rest) {
                Ok(0) => return Ok((self.hasher.finalize().into(), self.size)),
                Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
                _ => {}
            }
        }
    }
}

impl<R: Read> Read for Hashed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.hasher.update(&buffer[..read]);
        self.size += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn the_hash_is_that_of_all_bytes_however_few_were_read() {
        let bytes = vec![b'x'; 200_000];
        for read in [0, 1, 70_000, 200_000] {
            let mut input = Hashed::new(bytes.as_slice());
            input.read_exact(&mut vec![0; read]).expect("memory");
            assert_eq!(input.finish().expect("memory"), (Sha256::digest(&bytes).into(), 200_000));
        }
    }
}
