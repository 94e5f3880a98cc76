//! `percussion new`: commented files to start from.

use std::{
    fs::OpenOptions,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};

use crate::{
    arguments::{Kind, New},
    output::{Verdict, print, written},
};

/// The file of a kind: its default name and its text, in which `FILE` stands for its name.
const fn start(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Scenario => ("scenario.toml", include_str!("../../templates/scenario.toml")),
        Kind::Impact => ("impact.toml", include_str!("../../templates/impact.toml")),
        Kind::Scene => ("scene.toml", include_str!("../../templates/scene.toml")),
        Kind::Law => ("law.rs", include_str!("../../templates/law.rs.txt")),
    }
}

pub(super) fn execute(arguments: &New) -> Result<Verdict> {
    let (name, text) = start(arguments.kind);
    let file = arguments.file.clone().unwrap_or_else(|| PathBuf::from(name));
    let extension = Path::new(name).extension();
    ensure!(
        file.extension() == extension,
        "`{}` is given, expected a name like `{name}`",
        file.display()
    );
    write(&file, &text.replace("FILE", &file.display().to_string()))?;
    print(&format!("{}\n{}", next(arguments.kind, &file), written(&[file]).trim_start()))?;
    Ok(Verdict::Met)
}

/// Writes a file that does not exist yet, so that nobody's work is replaced.
fn write(file: &Path, text: &str) -> Result<()> {
    let name = file.display();
    let opened = OpenOptions::new().write(true).create_new(true).open(file);
    let mut opened =
        opened.with_context(|| format!("cannot write `{name}`, expected a path of a new file"))?;
    opened.write_all(text.as_bytes()).with_context(|| format!("cannot write `{name}`"))
}

/// What to do with the file.
fn next(kind: Kind, file: &Path) -> String {
    let file = file.display();
    match kind {
        Kind::Scenario => {
            format!("Next: percussion run {file} --out run && percussion view run\n")
        }
        Kind::Impact => {
            format!("Next: percussion compare {file} --out run && percussion view run\n")
        }
        Kind::Scene => format!("Next: percussion grains {file} --out run && percussion view run\n"),
        Kind::Law => format!("Next: follow the comment at the head of {file}\n"),
    }
}
