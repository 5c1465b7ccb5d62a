//! The few words that come over the status pipe from a job's helpers: a tag and a value, native integers.

use std::io::{self, PipeReader, Read};

/// A step of the start failed; the value is the number of a [`crate::child::Step`].
pub(crate) const STEP: i32 = 1;
/// The program ended; the value is its wait status.
pub(crate) const EXITED: i32 = 2;

/// One message.
pub(crate) enum Message {
    FailedStep(u32),
    Exited(i32),
    /// All helpers are gone.
    Closed,
}

/// Reads one message; blocks until there is one.
pub(crate) fn receive(pipe: &mut PipeReader) -> io::Result<Message> {
    let mut message = [[0; 4]; 2];
    if let Err(error) = pipe.read_exact(message.as_flattened_mut()) {
        return if error.kind() == io::ErrorKind::UnexpectedEof { Ok(Message::Closed) } else { Err(error) };
    }
    let [tag, value] = message.map(i32::from_ne_bytes);
    Ok(match tag {
        EXITED => Message::Exited(value),
        _ => Message::FailedStep(value.cast_unsigned()),
    })
}
