//! The server of `percussion view`: [`serve`].
//!
//! Every connection carries one request, has a thread of its own and ends at a deadline, whatever the client
//! sends or reads in the meantime. The number of connections is bounded. When a new connection exceeds the
//! bound, the oldest connection with an incomplete request is closed, or else the oldest of all, so that slow
//! clients cannot block a browser.

use std::{
    io::{self, ErrorKind, Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    path::Path,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use super::request::{Reply, reply};

/// Maximum size of the head of a request (bytes).
const HEAD_LIMIT: usize = 16 << 10;

/// Maximum number of bytes written between two checks of the deadline.
const PART: usize = 64 << 10;

/// Time to wait until a closed connection is gone, before the next one is closed as well.
const TURN: Duration = Duration::from_millis(100);

/// Limits of the server.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Maximum number of simultaneous connections, and therefore of threads.
    pub(super) connections: usize,
    /// Time from the beginning of a connection to the last byte of its reply.
    pub(super) patience: Duration,
}

/// Serves the files below `root`, and for `/` the first of `pages` that exists, until the process ends.
pub(super) fn serve(listener: &TcpListener, root: &Path, pages: &[&str], limits: Limits) {
    let table = Table::default();
    thread::scope(|scope| {
        for (number, stream) in (0_u64..).zip(listener.incoming()) {
            let Ok((stream, twin)) = stream.and_then(|stream| Ok((stream.try_clone()?, stream)))
            else {
                // For example, there are too few descriptors. The browser tries again.
                thread::sleep(TURN);
                continue;
            };
            let entry = table.enter(number, twin, limits.connections);
            let deadline = Instant::now() + limits.patience;
            // If no thread can be started, the connection is closed.
            let _ = thread::Builder::new().spawn_scoped(scope, move || {
                if let Err(error) = answer(stream, deadline, root, pages, &entry) {
                    tracing::debug!(%error, "connection ended");
                }
            });
        }
    });
}

/// The connections that are open.
#[derive(Debug, Default)]
struct Table {
    open: Mutex<Vec<Connection>>,
    /// Signals that a connection has ended.
    ended: Condvar,
}

#[derive(Debug)]
struct Connection {
    number: u64,
    stream: TcpStream,
    /// Whether the request is complete and is being answered.
    answering: bool,
    /// Whether the connection was closed to make room.
    cut: bool,
}

/// A place in the table, released when it is dropped.
struct Entry<'a> {
    table: &'a Table,
    number: u64,
}

impl Table {
    /// Makes room for a connection and enters it.
    fn enter(&self, number: u64, stream: TcpStream, limit: usize) -> Entry<'_> {
        let mut open = self.lock();
        while open.len() >= limit {
            // The table is ordered by the time of entry.
            let oldest = |open: &[Connection], answering: bool| {
                open.iter().position(|other| !other.cut && other.answering == answering)
            };
            if let Some(place) = oldest(&open, false).or_else(|| oldest(&open, true)) {
                open[place].cut = true;
                let _ = open[place].stream.shutdown(Shutdown::Both);
            }
            let waited = self.ended.wait_timeout(open, TURN);
            open = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        open.push(Connection { number, stream, answering: false, cut: false });
        Entry { table: self, number }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Connection>> {
        // The table stays consistent even after a panic.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry<'_> {
    /// Records that the request is complete.
    fn answering(&self) {
        let mut open = self.table.lock();
        if let Some(own) = open.iter_mut().find(|other| other.number == self.number) {
            own.answering = true;
        }
    }
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        self.table.lock().retain(|other| other.number != self.number);
        self.table.ended.notify_all();
    }
}

fn answer(
    mut stream: TcpStream,
    deadline: Instant,
    root: &Path,
    pages: &[&str],
    entry: &Entry<'_>,
) -> io::Result<()> {
    let Reply { status, kind, body, without_body } = match head(&mut stream, deadline)? {
        Some(head) => {
            entry.answering();
            let reply = reply(&head, root, pages);
            let request = head.lines().next().unwrap_or_default();
            tracing::info!(request, status = reply.status, "answered");
            reply
        }
        None => Reply::refusal("431 Request Header Fields Too Large"),
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
    );
    send(&mut stream, head.as_bytes(), deadline)?;
    if without_body { Ok(()) } else { send(&mut stream, &body, deadline) }
}

/// The head of a request: its first line and its headers. `None` if it is longer than the limit.
fn head(stream: &mut TcpStream, deadline: Instant) -> io::Result<Option<String>> {
    const END: &[u8] = b"\r\n\r\n";
    let (mut head, mut part) = (Vec::new(), [0; 1024]);
    loop {
        stream.set_read_timeout(Some(left(deadline)?))?;
        let count = stream.read(&mut part)?;
        if count == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let from = head.len().saturating_sub(END.len() - 1);
        head.extend_from_slice(&part[..count]);
        let end = head[from..].windows(END.len()).position(|window| window == END);
        if let Some(end) = end.map(|end| from + end + END.len()).filter(|end| *end <= HEAD_LIMIT) {
            return Ok(Some(String::from_utf8_lossy(&head[..end]).into_owned()));
        }
        if head.len() >= HEAD_LIMIT {
            return Ok(None);
        }
    }
}

fn send(stream: &mut TcpStream, mut bytes: &[u8], deadline: Instant) -> io::Result<()> {
    while !bytes.is_empty() {
        stream.set_write_timeout(Some(left(deadline)?))?;
        match stream.write(&bytes[..bytes.len().min(PART)])? {
            0 => return Err(ErrorKind::WriteZero.into()),
            count => bytes = &bytes[count..],
        }
    }
    Ok(())
}

/// The remaining time, which is not zero.
fn left(deadline: Instant) -> io::Result<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(left) }
}

#[cfg(test)]
mod tests {
    use std::{fs, net::SocketAddr};

    use super::*;

    /// The address of a server for a directory with a page of `size` bytes; it ends with the process.
    fn server(size: usize, limits: Limits) -> (SocketAddr, tempfile::TempDir) {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("view.html"), vec![b'x'; size]).unwrap();
        let root = directory.path().canonicalize().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || serve(&listener, &root, &["view.html"], limits));
        (address, directory)
    }

    fn ask(address: SocketAddr) -> TcpStream {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        stream
    }

    /// The length of a whole answer, and how long it took.
    fn get(address: SocketAddr) -> (usize, Duration) {
        let start = Instant::now();
        let mut answer = Vec::new();
        ask(address).read_to_end(&mut answer).unwrap();
        (answer.len(), start.elapsed())
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn slow_clients_do_not_keep_a_browser_out() {
        let (address, _directory) = server(10, Limits { connections: 4, patience: LONG });
        let slow: Vec<TcpStream> = (0..12)
            .map(|_| {
                let mut stream = TcpStream::connect(address).unwrap();
                stream.write_all(b"GET / HT").unwrap();
                stream
            })
            .collect();
        for _ in 0..3 {
            let (length, time) = get(address);
            assert!(length > 100 && time < LONG / 10, "{length} bytes after {time:?}");
        }
        drop(slow);
    }

    #[test]
    fn clients_that_do_not_read_do_not_keep_a_browser_out() {
        let size = 32 << 20;
        let (address, _directory) = server(size, Limits { connections: 2, patience: LONG });
        let slow: Vec<TcpStream> = (0..4).map(|_| ask(address)).collect();
        let (length, time) = get(address);
        assert!(length > size && time < LONG / 10, "{length} bytes after {time:?}");
        drop(slow);
    }

    #[test]
    fn a_request_that_trickles_in_ends_by_its_deadline() {
        let patience = Duration::from_millis(300);
        let (address, _directory) = server(10, Limits { connections: 4, patience });
        let mut stream = TcpStream::connect(address).unwrap();
        let start = Instant::now();
        // Each byte arrives well within the time limit, but all of them together do not.
        while stream.write_all(b"x").is_ok() && start.elapsed() < LONG {
            thread::sleep(patience / 10);
        }
        let time = start.elapsed();
        assert!(time >= patience && time < LONG / 10, "it ended after {time:?}");
    }

    #[test]
    fn an_answer_that_is_not_read_ends_by_its_deadline() {
        let (size, patience) = (32 << 20, Duration::from_millis(300));
        let (address, _directory) = server(size, Limits { connections: 1, patience });
        let mut slow = ask(address);
        thread::sleep(4 * patience);
        let mut answer = Vec::new();
        let _ = slow.read_to_end(&mut answer);
        assert!(answer.len() < size, "the connection ended long before");
    }

    #[test]
    fn heads_beyond_the_limit_and_incomplete_ones_are_refused() {
        let (address, _directory) = server(10, Limits { connections: 4, patience: LONG });
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(&vec![b'x'; HEAD_LIMIT]).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\n").unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert_eq!(answer, "");
    }
}
