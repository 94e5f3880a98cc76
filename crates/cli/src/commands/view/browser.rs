//! Opening a page in the reader's browser.

use std::{
    env,
    io::{self, IsTerminal},
    process::{Command, Stdio},
};

/// What decides whether and how a browser is opened.
#[derive(Clone, Debug)]
struct Surroundings {
    /// Whether somebody sees the output.
    terminal: bool,
    /// Whether this is continuous integration.
    ci: bool,
    /// Whether windows can be shown.
    display: bool,
    /// The program that the reader chose, by the variable `BROWSER`.
    chosen: Option<String>,
}

/// Opens `url` where a browser can be shown; where it cannot, the printed address has to do.
pub(super) fn open(url: &str) {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let surroundings = Surroundings {
        terminal: io::stdout().is_terminal(),
        ci: is_set("CI"),
        display: cfg!(any(windows, target_os = "macos"))
            || is_set("DISPLAY")
            || is_set("WAYLAND_DISPLAY"),
        chosen: env::var("BROWSER").ok().filter(|name| !name.is_empty()),
    };
    let Some((program, arguments)) = surroundings.opener(url) else { return };
    let quiet = || Stdio::null();
    let opened = Command::new(&program)
        .args(arguments)
        .stdin(quiet())
        .stdout(quiet())
        .stderr(quiet())
        .spawn();
    if let Err(error) = opened {
        tracing::info!(program, %error, "no browser was opened");
    }
}

impl Surroundings {
    /// The program that opens `url`, with its arguments; `None` where none should be opened.
    fn opener(&self, url: &str) -> Option<(String, Vec<String>)> {
        if !self.terminal || self.ci || !self.display {
            return None;
        }
        let (program, before): (&str, &[&str]) = match &self.chosen {
            Some(chosen) => (chosen, &[]),
            None if cfg!(windows) => ("cmd", &["/C", "start", ""]),
            None if cfg!(target_os = "macos") => ("open", &[]),
            None => ("xdg-open", &[]),
        };
        let arguments = before.iter().copied().chain([url]).map(str::to_owned).collect();
        Some((program.to_owned(), arguments))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_is_opened_only_where_somebody_can_see_it() {
        let desk = Surroundings {
            terminal: true,
            ci: false,
            display: true,
            chosen: Some("firefox".to_owned()),
        };
        let url = "http://127.0.0.1:8000/";
        let expected = ("firefox".to_owned(), vec![url.to_owned()]);
        assert_eq!(desk.opener(url), Some(expected));
        let usual = Surroundings { chosen: None, ..desk.clone() };
        assert_eq!(usual.opener(url).unwrap().1.last().unwrap(), url);
        for blind in [
            Surroundings { terminal: false, ..desk.clone() },
            Surroundings { ci: true, ..desk.clone() },
            Surroundings { display: false, ..desk },
        ] {
            assert_eq!(blind.opener(url), None, "{blind:?}");
        }
    }
}
