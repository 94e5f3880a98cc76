//! The command line of `percussion view`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

/// Arguments of `view`.
#[derive(Debug, Args)]
#[command(after_help = VIEW_HELP)]
pub(crate) struct View {
    /// Directory that `run`, `impact`, `compare`, `grains` or `reproduce` wrote with `--out`.
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: PathBuf,
    /// Port on this machine; by default any free port.
    #[arg(long, value_name = "PORT", value_parser = port, allow_hyphen_values = true, default_value_t = 0)]
    pub(crate) port: u16,
    /// Do not open a browser. None is opened either in continuous integration (`CI` is set), without a display, or
    /// if standard output is not a terminal.
    #[arg(long)]
    pub(crate) no_browser: bool,
}

const VIEW_HELP: &str = "\
Serves the directory on 127.0.0.1 only, until interrupted, and opens the page in a browser. The page can also be opened from disk, as view.html
or index.html of the directory.

Examples:
  percussion run stewart-trinkle/four-balls --out run && percussion view run
  percussion view target/reproduction --port 8000";

fn port(text: &str) -> Result<u16, String> {
    text.parse().map_err(|_| "expected an integer from 0 to 65535".to_owned())
}
