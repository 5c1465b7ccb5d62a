//! Frames that travel between this program and the Java programs of `runtime/java`: a big-endian length, then fields.
//! The layout of each message is described in `docs/runtime-java.md`.

/// Longer frames are taken for a corrupt stream.
const MAX_FRAME: usize = 256 << 20;

/// The stream does not follow the protocol.
#[derive(Debug, thiserror::Error)]
#[error("the Java side sent a broken message ({0})")]
pub(crate) struct BrokenFrame(&'static str);

/// Builds one frame.
#[derive(Debug, Default)]
pub(crate) struct FrameWriter(Vec<u8>);

impl FrameWriter {
    pub(crate) fn u8(mut self, value: u8) -> Self {
        self.0.push(value);
        self
    }

    pub(crate) fn u32(mut self, value: u32) -> Self {
        self.0.extend(value.to_be_bytes());
        self
    }

    pub(crate) fn u64(mut self, value: u64) -> Self {
        self.0.extend(value.to_be_bytes());
        self
    }

    pub(crate) fn count(self, value: usize) -> Self {
        self.u32(u32::try_from(value).unwrap_or(u32::MAX))
    }

    pub(crate) fn string(self, value: &str) -> Self {
        let mut this = self.count(value.len());
        this.0.extend(value.as_bytes());
        this
    }

    pub(crate) fn strings<I>(self, values: I) -> Self
    where
        I: IntoIterator<Item: AsRef<str>, IntoIter: ExactSizeIterator>,
    {
        let values = values.into_iter();
        let this = self.count(values.len());
        values.fold(this, |this, value| this.string(value.as_ref()))
    }

    /// The frame with its length in front.
    pub(crate) fn finish(self) -> Vec<u8> {
        let mut frame = FrameWriter::default().count(self.0.len()).0;
        frame.extend(self.0);
        frame
    }
}

/// Cuts a growing stream into frames.
#[derive(Debug, Default)]
pub(crate) struct FrameBuffer {
    bytes: Vec<u8>,
    start: usize,
}

impl FrameBuffer {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if self.start > 0 {
            self.bytes.drain(..self.start);
            self.start = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole frame, if there is one.
    pub(crate) fn next_frame(&mut self) -> Result<Option<Vec<u8>>, BrokenFrame> {
        let rest = &self.bytes[self.start..];
        let Some((length, body)) = rest.split_first_chunk::<4>() else { return Ok(None) };
        let length = u32::from_be_bytes(*length) as usize;
        if length > MAX_FRAME {
            return Err(BrokenFrame("length"));
        }
        let Some(frame) = body.get(..length) else { return Ok(None) };
        let frame = frame.to_vec();
        self.start += 4 + length;
        Ok(Some(frame))
    }
}

/// Reads the fields of one frame.
#[derive(Debug)]
pub(crate) struct FrameReader<'a>(&'a [u8]);

impl<'a> FrameReader<'a> {
    pub(crate) fn new(frame: &'a [u8]) -> Self {
        Self(frame)
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], BrokenFrame> {
        let (head, tail) = self.0.split_at_checked(count).ok_or(BrokenFrame("too short"))?;
        self.0 = tail;
        Ok(head)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, BrokenFrame> {
        Ok(self.take(1)?[0])
    }

    pub(crate) fn flag(&mut self) -> Result<bool, BrokenFrame> {
        Ok(self.u8()? != 0)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, BrokenFrame> {
        let bytes = self.take(4)?.try_into().map_err(|_| BrokenFrame("number"))?;
        Ok(u32::from_be_bytes(bytes))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, BrokenFrame> {
        let bytes = self.take(8)?.try_into().map_err(|_| BrokenFrame("number"))?;
        Ok(u64::from_be_bytes(bytes))
    }

    pub(crate) fn string(&mut self) -> Result<String, BrokenFrame> {
        let length = self.u32()? as usize;
        Ok(String::from_utf8_lossy(self.take(length)?).into_owned())
    }

    pub(crate) fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, BrokenFrame>,
    ) -> Result<Vec<T>, BrokenFrame> {
        let count = self.u32()?;
        (0..count).map(|_| item(self)).collect()
    }

    pub(crate) fn strings(&mut self) -> Result<Vec<String>, BrokenFrame> {
        self.list(Self::string)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_whatever_the_pieces() {
        let frame =
            FrameWriter::default().u8(7).u32(70_000).u64(1 << 40).string("grün").strings(["a", ""]).finish();
        let twice: Vec<u8> = frame.iter().chain(&frame).copied().collect();
        for piece in 1..=twice.len() {
            let mut buffer = FrameBuffer::default();
            let mut frames = Vec::new();
            for bytes in twice.chunks(piece) {
                buffer.push(bytes);
                while let Some(frame) = buffer.next_frame().unwrap() {
                    frames.push(frame);
                }
            }
            assert_eq!(frames.len(), 2);
            let mut reader = FrameReader::new(&frames[1]);
            assert_eq!(reader.u8().unwrap(), 7);
            assert_eq!(reader.u32().unwrap(), 70_000);
            assert_eq!(reader.u64().unwrap(), 1 << 40);
            assert_eq!(reader.string().unwrap(), "grün");
            assert_eq!(reader.strings().unwrap(), ["a", ""]);
            assert!(reader.u8().is_err());
        }
    }

    #[test]
    fn a_length_beyond_reason_is_an_error_not_an_allocation() {
        let mut buffer = FrameBuffer::default();
        buffer.push(&[0xff; 8]);
        assert!(buffer.next_frame().is_err());
    }

    #[test]
    fn a_list_that_promises_more_than_it_holds_is_an_error() {
        let frame = FrameWriter::default().u32(u32::MAX).finish();
        assert!(FrameReader::new(&frame[4..]).strings().is_err());
    }
}
