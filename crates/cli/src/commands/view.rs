//! `percussion view`.

mod browser;
mod request;
mod server;

use std::{
    net::{Ipv4Addr, TcpListener},
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};

use self::server::{Limits, serve};
use crate::{
    arguments::View,
    catalogue::taker,
    output::{Verdict, print},
};

/// Names of the start page; the first one that exists is shown.
const PAGES: [&str; 2] = ["view.html", "index.html"];

/// A browser opens about six connections at a time, and the files are on this machine.
const LIMITS: Limits = Limits { connections: 32, patience: Duration::from_secs(10) };

/// Serves a directory on the loopback interface until the process is ended.
pub(super) fn execute(arguments: &View) -> Result<Verdict> {
    let name = arguments.directory.display();
    if !arguments.directory.exists()
        && let Some((sort, command)) = taker(&name.to_string())
    {
        bail!(
            "`{name}` is a built-in {sort}, expected a directory of results; \
             `{command} --out {name}` writes one"
        );
    }
    let root =
        arguments.directory.canonicalize().with_context(|| format!("cannot read `{name}`"))?;
    let page = PAGES.into_iter().find(|page| root.join(page).is_file());
    ensure!(
        page.is_some(),
        "`{name}` contains neither of {}, expected a directory written with `--out`",
        PAGES.join(" and ")
    );
    let port = arguments.port;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .with_context(|| format!("cannot listen on port {port} of 127.0.0.1"))?;
    let address = listener.local_addr()?;
    print(&format!("Serving {name} at http://{address}/ (interrupt to end)\n"))?;
    if !arguments.no_browser {
        browser::open(&format!("http://{address}/"));
    }
    serve(&listener, &root, &PAGES, LIMITS);
    Ok(Verdict::Met)
}
