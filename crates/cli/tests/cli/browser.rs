//! A headless Chromium, controlled through the `DevTools` protocol of Chrome.

use std::{
    io::{BufRead, BufReader},
    net::TcpStream,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;
use tungstenite::{Message, WebSocket, client};

/// Names of the program, tried in turn.
const PROGRAMS: [&str; 4] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Time limit of a page, on a machine with other load (s).
const PATIENCE: Duration = Duration::from_secs(60);

/// One window of a browser.
#[derive(Debug)]
pub(crate) struct Browser {
    process: Child,
    socket: WebSocket<TcpStream>,
    session: Value,
    last: u64,
    /// Exceptions and errors that pages reported.
    pub(crate) errors: Vec<String>,
    _profile: TempDir,
}

impl Browser {
    /// Starts the browser; prints a message and returns `None` if none is installed.
    pub(crate) fn start() -> Option<Self> {
        let installed = |program: &&str| {
            let version = Command::new(program).arg("--version").output();
            version.is_ok_and(|output| output.status.success())
        };
        let Some(program) = PROGRAMS.into_iter().find(installed) else {
            eprintln!("skipped: no Chromium is installed (Debian: apt install chromium)");
            return None;
        };
        let profile = tempfile::tempdir().unwrap();
        let mut process = Command::new(program)
            .args(["--headless=new", "--no-sandbox", "--no-first-run", "--hide-scrollbars"])
            .args(["--use-angle=swiftshader", "--enable-unsafe-swiftshader"])
            .args(["--window-size=1000,1000", "--remote-debugging-port=0", "about:blank"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let url = lines
            .find_map(|line| line.ok()?.strip_prefix("DevTools listening on ").map(str::to_owned))
            .expect("the browser tells where it listens");
        // Its later output must be read, or the process would block.
        std::thread::spawn(move || lines.count());
        let address = url.strip_prefix("ws://").unwrap().split('/').next().unwrap();
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let (socket, _) = client(&url, stream).unwrap();
        let (session, errors) = (Value::Null, Vec::new());
        let mut browser = Self { process, socket, session, last: 0, errors, _profile: profile };
        let targets = browser.call("Target.getTargets", json!({}));
        let targets = targets["targetInfos"].as_array().unwrap();
        let page = targets.iter().find(|target| target["type"] == "page").unwrap();
        let attach = json!({"targetId": page["targetId"], "flatten": true});
        let session = browser.call("Target.attachToTarget", attach)["sessionId"].clone();
        browser.session = session;
        for domain in ["Page", "Runtime", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Opens `url` and waits until its scripts report that the page is ready.
    pub(crate) fn open(&mut self, url: &str) {
        self.open_until(url, "document.documentElement?.dataset.ready === 'yes'");
    }

    /// Opens `url` and waits until the expression `ready` is true.
    pub(crate) fn open_until(&mut self, url: &str, ready: &str) {
        self.call("Page.navigate", json!({"url": url}));
        self.wait_for(ready);
    }

    /// Waits until an expression is true.
    pub(crate) fn wait_for(&mut self, expression: &str) {
        let start = Instant::now();
        while self.eval(expression) != true {
            assert!(start.elapsed() < PATIENCE, "{expression} stays false: {:?}", self.errors);
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// The value of an expression on the page, awaited if it is a promise.
    pub(crate) fn eval(&mut self, expression: &str) -> Value {
        let parameters =
            json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let answer = self.call("Runtime.evaluate", parameters);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Presses and releases the mouse at a share of the width of the element `selector`, halfway up.
    pub(crate) fn click(&mut self, selector: &str, share: f64) {
        let place = self.eval(&format!(
            "(() => {{ const node = document.querySelector('{selector}'); \
             node.scrollIntoView({{block: 'center'}}); \
             const {{x, y, width, height}} = node.getBoundingClientRect(); \
             return [x + {share} * width, y + height / 2]; }})()"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// The fraction of colored pixels in a picture of the element `selector`, and the mean of their positions
    /// from left to right and from top to bottom, all from 0 to 1.
    pub(crate) fn colored(&mut self, selector: &str) -> [f64; 3] {
        let clip = self.eval(&format!(
            "(() => {{ window.scrollTo(0, 0); \
             const {{x, y, width, height}} = document.querySelector('{selector}').getBoundingClientRect(); \
             return {{x, y, width, height, scale: 1}}; }})()"
        ));
        let picture = self.call("Page.captureScreenshot", json!({"format": "png", "clip": clip}));
        let picture = picture["data"].as_str().unwrap();
        let measured = self.eval(&format!(
            "(async () => {{ const image = new Image(); image.src = 'data:image/png;base64,{picture}'; \
             await image.decode(); const {{width, height}} = image; \
             const context = Object.assign(document.createElement('canvas'), {{width, height}}).getContext('2d'); \
             context.drawImage(image, 0, 0); const {{data}} = context.getImageData(0, 0, width, height); \
             let [count, x, y] = [0, 0, 0]; \
             for (let i = 0; i < width * height; i++) {{ \
               const [r, g, b] = data.subarray(4 * i, 4 * i + 3); \
               if (Math.max(r, g, b) - Math.min(r, g, b) < 20) continue; \
               count++; x += i % width; y += Math.floor(i / width); }} \
             return [count / (width * height), x / count / width, y / count / height]; }})()"
        ));
        [0, 1, 2].map(|index| measured[index].as_f64().unwrap_or(f64::NAN))
    }

    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last += 1;
        let mut message = json!({"id": self.last, "method": method, "params": parameters});
        if !self.session.is_null() {
            message["sessionId"] = self.session.clone();
        }
        self.socket.send(Message::text(message.to_string())).unwrap();
        loop {
            let Message::Text(text) = self.socket.read().unwrap() else { continue };
            let mut answer: Value = serde_json::from_str(&text).unwrap();
            if answer["id"] == self.last {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].take();
            }
            self.note(&answer);
        }
    }

    fn note(&mut self, event: &Value) {
        let parameters = &event["params"];
        let is_error = match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => parameters["type"] == "error",
            Some("Log.entryAdded") => parameters["entry"]["level"] == "error",
            _ => false,
        };
        if is_error {
            self.errors.push(parameters.to_string());
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
