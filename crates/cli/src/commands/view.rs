//! `percussion view`.

mod request;

use std::{
    io::{self, Read, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use anyhow::{Context, Result, ensure};

use self::request::{Reply, reply};
use crate::{
    arguments::View,
    output::{Verdict, print},
};

/// The page shown first: the first of these that exists.
const PAGES: [&str; 2] = ["view.html", "index.html"];

/// Longest head of a request that is read (bytes).
const HEAD_LIMIT: u64 = 16 << 10;

/// Most requests answered at a time; a browser makes about six.
const MOST: usize = 32;

/// How long a browser may take to ask and to read (s).
const PATIENCE: Duration = Duration::from_secs(10);

/// Serves a directory on the loopback interface until the process is ended.
pub(super) fn execute(arguments: &View) -> Result<Verdict> {
    let name = arguments.directory.display();
    let root =
        arguments.directory.canonicalize().with_context(|| format!("cannot read `{name}`"))?;
    let page = PAGES.into_iter().find(|page| root.join(page).is_file());
    ensure!(
        page.is_some(),
        "`{name}` holds neither of {}, expected a directory written with `--out`",
        PAGES.join(" and ")
    );
    let port = arguments.port;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .with_context(|| format!("cannot listen on port {port} of 127.0.0.1"))?;
    let address = listener.local_addr()?;
    print(&format!("Serving {name} at http://{address}/ (interrupt to end)\n"))?;
    serve(&listener, &root);
    Ok(Verdict::Met)
}

fn serve(listener: &TcpListener, root: &Path) {
    let running = AtomicUsize::new(0);
    thread::scope(|scope| {
        for stream in listener.incoming() {
            // A connection that failed, or one too many, is the browser's to repeat.
            let Ok(stream) = stream else { continue };
            if running.fetch_add(1, Ordering::Relaxed) >= MOST {
                running.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            let running = &running;
            scope.spawn(move || {
                if let Err(error) = answer(stream, root) {
                    tracing::debug!(%error, "connection ended");
                }
                running.fetch_sub(1, Ordering::Relaxed);
            });
        }
    });
}

fn answer(mut stream: TcpStream, root: &Path) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let head = head(&stream)?;
    let Reply { status, kind, body } = reply(&head, root, &PAGES);
    tracing::info!(request = head.lines().next().unwrap_or_default(), status, "answered");
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
    )?;
    if !head.starts_with("HEAD ") {
        stream.write_all(&body)?;
    }
    stream.flush()
}

/// The head of a request: its first line and its headers.
fn head(stream: &TcpStream) -> io::Result<String> {
    let mut head = Vec::new();
    for byte in io::BufReader::new(stream.take(HEAD_LIMIT)).bytes() {
        head.push(byte?);
        if head.ends_with(b"\r\n\r\n") {
            break;
        }
    }
    Ok(String::from_utf8_lossy(&head).into_owned())
}

/// The file below `root` that a path of a URL names, if there is one.
fn file(root: &Path, path: &Path) -> Option<PathBuf> {
    let file = root.join(path).canonicalize().ok()?;
    // Links that lead out of the directory are not followed.
    (file.starts_with(root) && file.is_file()).then_some(file)
}
