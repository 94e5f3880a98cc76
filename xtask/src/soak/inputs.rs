//! Documents with random damage, read by the program itself; each gives a result or an error message.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, ensure};

use super::trial::{Random, Trial};
use crate::shell;

const LCP: &str =
    r#"{"matrix": [[2, 1, 0], [1, 2, -0.5], [0, 0.5, 1e-3]], "vector": [-1, -4, 0.25]}"#;
const FRICTION: &str = r#"{"delassus": {"dense": [[2, 1, 0], [1, 3, 0], [0, 0, 4]]},
    "free_velocity": [-1, 2, 0], "friction": [0.5]}"#;
const IMPACT: &str = r#"{"mass_matrix": [[1, 0, 0], [0, 1, 0], [0, 0, 0.4]], "velocity": [1, -2, 0],
    "contacts": [{"normal": [0, 1, 0], "tangents": [[1, 0, 1]], "friction": 0.5, "restitution": 0.5}],
    "bilateral": [[0, 0, 1]]}"#;
const SICONOS: &str = "3\n1\n0 3 3 3 3\n2 1 0 1 3 0 0 0 4\n-1 2 0\n0.5\n";
const ROBOT: &str = r#"<robot name="arm"><link name="base"/><link name="rod">
    <inertial><origin xyz="0 0 0.5"/><mass value="2"/>
    <inertia ixx="0.1667" iyy="0.1667" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><mesh filename="rod.stl" scale="1 1 1"/></geometry></collision></link>
    <joint name="pin" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"#;
const MESH: &str = "solid rod\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n\
    endloop\nendfacet\nfacet normal 1 0 0\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\nendfacet\n\
    endsolid rod\n";

/// Replacements for a piece of a document.
const PIECES: [&str; 20] = [
    "",
    "null",
    "-1",
    "0",
    "-0.0",
    "1e308",
    "-1e999",
    "5e-324",
    "nan",
    "99999999999999999999",
    "\"\"",
    "[]",
    "{}",
    "[[[[[[[[[[[[[[[[",
    "<a><a><a><a>",
    "\0",
    "\u{feff}",
    "%",
    "]",
    "\n",
];

/// Number of documents that a trial reads.
const DOCUMENTS: usize = 60;

pub(super) fn run(trial: &mut Trial) -> anyhow::Result<()> {
    let fixtures = fixtures()?;
    for _ in 0..DOCUMENTS {
        let choice = trial.random.below(7);
        let seeded = usize::try_from(trial.random.next() % fixtures.len().max(1) as u64)?;
        let piped = match choice {
            0 => Some((&["solve", "lcp", "-", "--json"][..], LCP)),
            1 => Some((&["solve", "friction", "-", "--json"][..], FRICTION)),
            2 => Some((&["impact", "-", "--json"][..], IMPACT)),
            _ => None,
        };
        if let Some((arguments, document)) = piped {
            let bytes = damaged(document.as_bytes(), &mut trial.random);
            read(trial, arguments, &bytes)?;
            continue;
        }
        let (name, document) = match choice {
            3 => ("robot.urdf", ROBOT.to_owned()),
            4 => ("problem.dat", SICONOS.to_owned()),
            5 => ("rod.stl", MESH.to_owned()),
            _ => ("scenario.toml", fixtures[seeded].clone()),
        };
        let path = trial.path(name);
        fs::write(trial.path("robot.urdf"), ROBOT)?;
        fs::write(trial.path("rod.stl"), MESH)?;
        fs::write(&path, damaged(document.as_bytes(), &mut trial.random))?;
        let path = if choice == 5 { trial.path("robot.urdf") } else { path };
        let path = path.display().to_string();
        let words: &[&str] = if choice == 4 { &["solve", "friction"] } else { &["inspect"] };
        read(trial, &[words, &[path.as_str(), "--json"]].concat(), b"")?;
    }
    Ok(())
}

/// Runs the program on a document; it must end in time, without a panic, and with a message if it rejects the document.
fn read(trial: &Trial, arguments: &[&str], input: &[u8]) -> anyhow::Result<()> {
    fs::write(trial.path("input"), input)?;
    let mut command = Command::new(trial.program());
    command.args(arguments).stdin(fs::File::open(trial.path("input"))?);
    let output = trial.output(&mut command).with_context(|| format!("{arguments:?}"))?;
    let code = output.status.code();
    ensure!(matches!(code, Some(0..=2)), "{arguments:?} ended with {:?}", output.status);
    let refused = code == Some(2) && !output.stderr.starts_with(b"error: ");
    ensure!(!refused, "{arguments:?} refused without the reason: {output:?}");
    Ok(())
}

/// The texts of all fixtures in TOML.
fn fixtures() -> anyhow::Result<Vec<String>> {
    let mut folders: Vec<PathBuf> = ["scenarios/fixtures", "mechanism/fixtures/mechanisms"]
        .map(|folder| shell::root().join("crates").join(folder))
        .to_vec();
    let mut texts = Vec::new();
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
        let mut paths: Vec<PathBuf> =
            entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
        paths.sort();
        for path in paths {
            if path.is_dir() {
                folders.push(path);
            } else if is_toml(&path) {
                texts.push(fs::read_to_string(&path)?);
            }
        }
    }
    ensure!(!texts.is_empty(), "there are no fixtures");
    Ok(texts)
}

fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
}

/// The document with up to four pieces removed, doubled or exchanged, or with a bit flipped.
fn damaged(document: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = document.to_vec();
    for _ in 0..=random.below(4) {
        let length = bytes.len();
        if length == 0 {
            break;
        }
        let at = |random: &mut Random, limit: usize| {
            usize::try_from(random.below(limit as u64)).unwrap_or_default()
        };
        let from = at(random, length);
        let to = (from + 1 + at(random, 12)).min(length);
        match random.below(6) {
            0 => drop(bytes.drain(from..to)),
            1 => {
                let piece = bytes[from..to].to_vec();
                bytes.splice(to..to, piece);
            }
            2 => bytes[from] ^= 1 << random.below(8),
            3 => bytes.truncate(from),
            _ => {
                // Replaces a whole word, after which the document is more often still readable.
                let belongs = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-._".contains(byte);
                let begin = bytes[..from].iter().rposition(|byte| !belongs(byte));
                let end = bytes[from..].iter().position(|byte| !belongs(byte));
                let word = begin.map_or(0, |at| at + 1)..end.map_or(length, |at| from + at);
                let piece = PIECES[at(random, PIECES.len())];
                bytes.splice(word, piece.bytes());
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_document_can_be_damaged() {
        let mut random = Random::new(1);
        for document in ["", "x", LCP, MESH] {
            for _ in 0..1000 {
                let bytes = damaged(document.as_bytes(), &mut random);
                assert!(bytes.len() <= document.len() + 200, "{} bytes", bytes.len());
            }
        }
    }
}
