//! Where the commands print.

use std::borrow::Cow;
use std::io::{Error, ErrorKind, Result, Write};
use std::path::Path;

/// A path as a shell takes it for one word: for commands that are to be copied.
pub fn quoted(path: &Path) -> String {
    let path = path.to_string_lossy();
    shlex::try_quote(&path).map_or_else(|_| path.clone().into_owned(), Cow::into_owned)
}

/// A standard output. A reader that has seen enough closes its end: that is no failure, and changes no exit code.
#[derive(Debug)]
pub struct Output<W>(pub W);

impl<W: Write> Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        unless_closed(self.0.write(bytes), bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        unless_closed(self.0.flush(), ())
    }
}

fn unless_closed<T>(written: Result<T>, as_if: T) -> Result<T> {
    written.or_else(|error| {
        if error.kind() == ErrorKind::BrokenPipe {
            Ok(as_if)
        } else {
            Err(Error::new(error.kind(), format!("cannot print: {error}")))
        }
    })
}
