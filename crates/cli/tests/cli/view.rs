//! The page that plays a run, and `percussion view`.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::Child,
};

use crate::{
    browser::Browser,
    common::{command, percussion},
};

const ROD: &str = "stewart-trinkle/rod-on-table";

/// `percussion view` of a directory, ended when it is dropped.
struct Server {
    process: Child,
    /// Such as `http://127.0.0.1:4711/`.
    url: String,
}

impl Server {
    fn start(directory: &Path) -> Self {
        let mut process = command(&["view", directory.to_str().unwrap()]).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url =
            line.split(' ').find(|word| word.starts_with("http://")).expect("a URL").to_owned();
        Self { process, url }
    }

    /// The answer to a request for `target`.
    fn get(&self, target: &str) -> String {
        let address = self.url.trim_start_matches("http://").trim_end_matches('/');
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "GET {target} HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A directory with a short run of the rod: it falls and strikes the table at 0.386 s.
fn rod() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    let finished =
        percussion(&["run", ROD, "--step-size", "0.01", "--duration", "0.5", "--out", out]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    directory
}

#[test]
fn a_run_is_served_on_loopback_and_nothing_else_is() {
    let directory = rod();
    let server = Server::start(directory.path());
    assert!(server.url.starts_with("http://127.0.0.1:"), "{}", server.url);
    let page = server.get("/");
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n") && page.contains("<canvas"), "no page");
    let data = server.get("/view.json");
    let data: serde_json::Value =
        serde_json::from_str(data.split_once("\r\n\r\n").unwrap().1).unwrap();
    assert_eq!(data["format"], "percussion-view/1");
    fs::write(directory.path().with_extension("secret"), "secret").unwrap();
    let outside = format!("/../{}.secret", directory.path().file_name().unwrap().to_str().unwrap());
    for target in [outside.as_str(), "/../../etc/passwd", "//etc/passwd", "/missing"] {
        let answer = server.get(target);
        assert!(answer.starts_with("HTTP/1.1 4"), "{target}: {answer}");
    }
    fs::remove_file(directory.path().with_extension("secret")).unwrap();
}

#[test]
fn forty_slow_clients_do_not_keep_a_browser_out() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("view.html"), "<!DOCTYPE html>").unwrap();
    let server = Server::start(directory.path());
    let address = server.url.trim_start_matches("http://").trim_end_matches('/');
    // Symptom: 32 clients that had begun a request, and sent an occasional byte, occupied all places without
    // limit; other connections were closed. Expected: a client that sends its request at once is answered at
    // once.
    let slow: Vec<TcpStream> = (0..40)
        .map(|_| {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(b"GET /").unwrap();
            stream
        })
        .collect();
    for _ in 0..5 {
        let answer = server.get("/");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer:?}");
    }
    drop(slow);
}

#[test]
fn directories_without_a_page_and_taken_ports_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let empty = directory.path().to_str().unwrap();
    percussion(&["view", empty]).assert_refused(&[empty, "view.html", "--out"]);
    percussion(&["view", "no-such-directory"]).assert_refused(&["no-such-directory"]);
    percussion(&["view", "rocking-block"]).assert_refused(&[
        "built-in impact",
        "percussion compare rocking-block --out rocking-block",
    ]);
    fs::write(directory.path().join("view.html"), "").unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    percussion(&["view", empty, "--port", &port]).assert_refused(&[&port]);
}

#[test]
fn the_rod_falls_in_a_browser_from_disk_and_over_loopback() {
    let Some(mut browser) = Browser::start() else { return };
    let directory = rod();
    let server = Server::start(directory.path());
    let file = directory.path().join("view.html").canonicalize().unwrap();
    for url in [format!("file://{}", file.display()), server.url.clone()] {
        browser.open(&url);
        let [share, _, before] = browser.colored("#canvas");
        assert!((0.005..0.3).contains(&share), "{share} of the picture is colored");
        browser.click("#slider", 0.99);
        let time =
            browser.eval("Number(document.getElementById('slider').value)").as_f64().unwrap();
        assert!(time > 0.45, "the slider stands at {time}");
        let [_, _, after] = browser.colored("#canvas");
        assert!(after > before + 0.2, "the rod was at {before} and is at {after}");
        let contacts = browser.eval("document.getElementById('contacts').textContent");
        assert!(contacts.as_str().unwrap().contains("end −"), "{contacts}");
        // It plays from the start.
        browser.click("#slider", 0.02);
        browser.click("#play", 0.5);
        // A busy machine may take long for the first frame.
        let moves = "new Promise(done => {
            const at = () => Number(document.getElementById('slider').value), from = at(), start = performance.now();
            const look = () => (at() > from || performance.now() > start + 20000 ? done(at() - from) : setTimeout(look, 50));
            look();
        })";
        assert!(browser.eval(moves).as_f64() > Some(0.0), "it plays");
    }
    assert_eq!(browser.errors, Vec::<String>::new());
}

/// Runs `percussion` with `arguments` and `--out` a new directory.
fn written(arguments: &[&str]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let out = ["--out", directory.path().to_str().unwrap()];
    let finished = percussion(&[arguments, &out].concat());
    assert_eq!(finished.code, Some(0), "{finished:?}");
    directory
}

fn page(directory: &Path) -> String {
    format!("file://{}", directory.join("view.html").canonicalize().unwrap().display())
}

/// Asserts that some pixels of the picture are colored and that they move with the slider: see [`Browser::colored`].
fn assert_moves(browser: &mut Browser, what: &str) {
    let before = browser.colored("#canvas");
    browser.click("#slider", 0.99);
    let after = browser.colored("#canvas");
    for [share, ..] in [before, after] {
        assert!((0.001..0.6).contains(&share), "{share} of the picture of {what} is colored");
    }
    let change = (0..3).map(|k| (after[k] - before[k]).abs()).fold(0.0, f64::max);
    assert!(change > 1e-3, "{what}: {before:?}, then {after:?}");
    assert_eq!(browser.errors, Vec::<String>::new(), "{what}");
}

#[test]
fn motions_of_every_integrator_impacts_in_space_and_grains_play() {
    let Some(mut browser) = Browser::start() else { return };
    let balls = ["run", "stewart-trinkle/four-balls", "--step-size", "0.02", "--duration", "0.6"];
    let by = |integrator: &'static str| [&balls[..], &["--integrator", integrator]].concat();
    let scenes = [
        balls.to_vec(),
        by("impulse-velocity"),
        by("moreau-jean"),
        by("variational"),
        vec!["run", "event-driven/bouncing-ball", "--duration", "1"],
        vec!["impact", "brick-flat", "--law", "plus"],
        vec!["grains", "channel", "--factor", "8", "--duration", "0.008"],
        vec!["grains", "drum", "--factor", "2", "--duration", "0.02"],
    ];
    for arguments in scenes {
        let directory = written(&arguments);
        browser.open(&page(directory.path()));
        assert_moves(&mut browser, &arguments.join(" "));
        let charts = browser.eval("document.querySelectorAll('#charts svg').length");
        assert!(charts.as_u64() > Some(0), "{arguments:?} has no charts");
    }
}

#[test]
fn the_report_unfolds_players_that_share_their_scripts() {
    let Some(mut browser) = Browser::start() else { return };
    let directory = written(&["reproduce", "stewart-trinkle/two-balls-direct", "--quick"]);
    let player = directory.path().join("stewart-trinkle/two-balls-direct");
    browser.open(&page(&player));
    assert_moves(&mut browser, "the page of the report");
    // Pages in the same directory can access each other only if they are served.
    let server = Server::start(directory.path());
    browser.open_until(&server.url, "document.querySelector('.player') !== null");
    // A dozen of players at once would be slow.
    let address = "document.querySelector('iframe').src";
    assert_eq!(browser.eval(address), "");
    browser.eval("document.querySelector('.player').open = true");
    browser.wait_for(
        "document.querySelector('iframe').contentDocument?.documentElement?.dataset.ready === 'yes'",
    );
    let page = fs::metadata(directory.path().join("index.html")).unwrap();
    assert!(page.len() < 500_000, "the players are not in it: {} bytes", page.len());
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn laws_stand_side_by_side_and_outcomes_of_a_set_can_be_chosen() {
    let Some(mut browser) = Browser::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    let finished = percussion(&[
        "compare",
        "disk-stack",
        "--laws",
        "poisson,anitescu-potra,set-valued-routh",
        "--samples",
        "512",
        "--out",
        out,
    ]);
    assert!(finished.stdout.contains("view.html"), "{finished:?}");
    browser.open(&format!("file://{}", directory.path().join("view.html").display()));
    let panels = "document.querySelectorAll('#names span').length";
    assert_eq!(browser.eval(panels), 2);
    assert_eq!(browser.eval("document.querySelectorAll('#sets svg').length"), 5);
    let choose = "document.querySelector('circle.sample').dispatchEvent(new Event('click'))";
    browser.eval(choose);
    assert_eq!(browser.eval(panels), 3);
    browser.click("#choice button", 0.5);
    assert_eq!(browser.eval(panels), 2);
    let [share, ..] = browser.colored("#canvas");
    assert!((0.02..0.9).contains(&share), "{share} of the picture is colored");
    assert_eq!(browser.errors, Vec::<String>::new());
}
