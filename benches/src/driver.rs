//! A solver of another library as a child process: [`Driver`].

use std::{
    error::Error,
    io::{self, Read, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

/// A running driver of `benches/peers`, which reads requests and replies to each with numbers.
///
/// Both are in the byte order of the machine; the source of a driver describes its protocol.
#[derive(Debug)]
pub struct Driver {
    child: Child,
    requests: ChildStdin,
    replies: ChildStdout,
}

impl Driver {
    /// Starts `program`.
    ///
    /// # Errors
    ///
    /// When it cannot be started.
    pub fn start(program: &str) -> io::Result<Self> {
        let mut child =
            Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let closed = || io::Error::other("the driver has no pipes");
        let requests = child.stdin.take().ok_or_else(closed)?;
        let replies = child.stdout.take().ok_or_else(closed)?;
        Ok(Self { child, requests, replies })
    }

    /// Sends one request.
    ///
    /// # Errors
    ///
    /// When the driver has gone.
    pub fn send(&mut self, request: &[u8]) -> io::Result<()> {
        self.requests.write_all(request)?;
        self.requests.flush()
    }

    /// The next four bytes of the answer.
    ///
    /// # Errors
    ///
    /// When the driver has gone.
    pub fn integer(&mut self) -> io::Result<i32> {
        let mut bytes = [0; 4];
        self.replies.read_exact(&mut bytes)?;
        Ok(i32::from_ne_bytes(bytes))
    }

    /// The next number of the answer.
    ///
    /// # Errors
    ///
    /// When the driver has gone.
    pub fn number(&mut self) -> io::Result<f64> {
        let mut bytes = [0; 8];
        self.replies.read_exact(&mut bytes)?;
        Ok(f64::from_ne_bytes(bytes))
    }

    /// The next `count` numbers of the answer.
    ///
    /// # Errors
    ///
    /// When the driver has gone.
    pub fn numbers(&mut self, count: usize) -> io::Result<Vec<f64>> {
        (0..count).map(|_| self.number()).collect()
    }

    /// Tells the driver that there are no more requests and waits for its end.
    ///
    /// # Errors
    ///
    /// When it does not end well.
    pub fn finish(mut self) -> Result<(), Box<dyn Error>> {
        drop(self.requests);
        let status = self.child.wait()?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("the driver ended with {status}").into())
        }
    }
}
