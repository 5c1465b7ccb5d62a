//! Big-endian bytes, in and out.

use super::ClassFileError;

/// A place in bytes; every read checks the bounds.
#[derive(Debug, Clone)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(super) fn starting_at(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8], ClassFileError> {
        let end = self.at.saturating_add(length);
        let taken = self.bytes.get(self.at..end).ok_or(ClassFileError::Truncated { at: self.bytes.len() })?;
        self.at = end;
        Ok(taken)
    }

    pub(super) fn skip(&mut self, length: usize) -> Result<(), ClassFileError> {
        self.take(length).map(|_| ())
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ClassFileError> {
        let taken = self.take(N)?;
        taken.try_into().map_err(|_| ClassFileError::Truncated { at: self.at })
    }

    pub(super) fn u1(&mut self) -> Result<u8, ClassFileError> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(super) fn u2(&mut self) -> Result<u16, ClassFileError> {
        self.array().map(u16::from_be_bytes)
    }

    pub(super) fn u4(&mut self) -> Result<u32, ClassFileError> {
        self.array().map(u32::from_be_bytes)
    }

    pub(super) fn s4(&mut self) -> Result<i32, ClassFileError> {
        self.array().map(i32::from_be_bytes)
    }

    /// A `u2` that counts or points.
    pub(super) fn size2(&mut self) -> Result<usize, ClassFileError> {
        self.u2().map(usize::from)
    }

    /// A `u4` that counts or points.
    pub(super) fn size4(&mut self) -> Result<usize, ClassFileError> {
        self.u4().map(|value| value as usize)
    }
}

/// The last two bytes of a number that is known to fit.
pub(super) fn put2(out: &mut Vec<u8>, value: usize) {
    let bytes = value.to_be_bytes();
    out.extend_from_slice(&bytes[bytes.len() - 2..]);
}

/// The last four bytes of a number that is known to fit.
pub(super) fn put4(out: &mut Vec<u8>, value: usize) {
    let bytes = value.to_be_bytes();
    out.extend_from_slice(&bytes[bytes.len() - 4..]);
}

/// Writes a length of four bytes before what `body` writes.
pub(super) fn sized4<T>(out: &mut Vec<u8>, body: impl FnOnce(&mut Vec<u8>) -> T) -> T {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    let result = body(out);
    let length = (out.len() - start - 4).to_be_bytes();
    out[start..start + 4].copy_from_slice(&length[length.len() - 4..]);
    result
}
