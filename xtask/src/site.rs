//! One static site of book, report and crate documentation: `cargo xtask site`, into `target/site/`.
//!
//! The book is at the root, with its search, the report of the experiments in `report/`, and the documentation of the crates in
//! `api/`. Every link between them is checked.

use std::{fmt::Write as _, fs};

use anyhow::Context;

use crate::{book, doc, shell, tidy};

/// Folder of the documentation of the crates in the site.
const API: &str = "api";

/// Builds the site.
pub(crate) fn run() -> anyhow::Result<()> {
    let site = shell::target().join("site");
    if site.exists() {
        fs::remove_dir_all(&site).with_context(|| format!("removing {}", site.display()))?;
    }
    doc::run()?;
    book::for_site(&site)?;
    let api = site.join(API);
    book::copy(&shell::target().join("doc"), &api)?;
    fs::write(api.join("index.html"), index_of_crates()?)
        .context("writing the index of the crates")?;
    book::links_lead_somewhere(&site, Some(&api))?;
    println!("{}", site.join("index.html").display());
    Ok(())
}

/// A page that lists the crates, with the descriptions of their packages.
fn index_of_crates() -> anyhow::Result<String> {
    let mut rows = String::new();
    for package in tidy::metadata()?["packages"].as_array().into_iter().flatten() {
        let text = |name: &str| package[name].as_str().unwrap_or_default();
        if package["publish"].is_null() {
            let (name, folder) = (text("name"), text("name").replace('-', "_"));
            let about = text("description");
            writeln!(rows, "<dt><a href=\"{folder}/index.html\">{name}</a></dt><dd>{about}</dd>")?;
        }
    }
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>The crates of percussion</title>\n\
         <style>body {{ font: 1rem/1.5 sans-serif; margin: 2rem auto; max-width: 45rem; padding: 0 1rem }} dd {{ margin-bottom: 0.6rem }}</style>\n\
         </head>\n<body>\n<main>\n<p><a href=\"../index.html\">The book</a></p>\n\
         <h1>The crates of percussion</h1>\n<dl>\n{rows}</dl>\n</main>\n</body>\n</html>\n"
    ))
}
