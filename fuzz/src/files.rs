//! All file formats: documents with random damage, and random bytes. Each is either rejected with an error
//! message, or is a document that can be built, written and read again; nothing panics.
//!
//! The documents that only the command line reads (problems and impacts in JSON) are damaged by `cargo xtask soak`, which runs the
//! program.

use std::{fs, path::Path, sync::OnceLock};

use percussion_complementarity::friction::{document::Document, siconos};
use percussion_dynamics::System;
use percussion_granular::{
    World,
    checkpoint::{self, Checkpoint},
    scenes,
};
use percussion_mechanism::{
    design::Design, impacts::ImpactScenario, mjcf, scenario::Scenario, urdf,
};
use serde::{Deserialize, Serialize};

use crate::{Case, Source, Tally, fuzz};

/// The format as which a document is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Friction problem in JSON.
    Friction,
    /// Friction problem in the format of Siconos.
    Siconos,
    /// Scenario in TOML.
    Scenario,
    /// Impact in TOML.
    Impact,
    /// Design of a mechanism in TOML.
    Design,
    /// Robot.
    Urdf,
    /// Model of MuJoCo.
    Mjcf,
    /// Checkpoint of grains.
    Grains,
}

/// One document.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct File {
    /// Its format.
    pub format: Format,
    /// Its text.
    pub text: String,
    /// Its bytes, if it is not text.
    pub bytes: Vec<u8>,
}

/// The target for libFuzzer.
pub fn target(data: &[u8]) {
    fuzz::<File>(data);
}

const FRICTION: &str = r#"{"delassus": {"dense": [[2, 1, 0], [1, 3, 0], [0, 0, 4]]},
    "free_velocity": [-1, 2, 0], "friction": [0.5], "start": [1, 0, 0]}"#;
const BLOCKS: &str = r#"{"delassus": {"sparse": [{"row": 0, "column": 0, "block": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}]},
    "free_velocity": [-1, 2, 0], "friction": [0.5]}"#;
const SICONOS: &str = "3\n1\n0 3 3 3 3\n2 1 0 1 3 0 0 0 4\n-1 2 0\n0.5\n";

/// Replacements for a word.
const PIECES: [&str; 24] = [
    "",
    "null",
    "-1",
    "0",
    "-0.0",
    "1e308",
    "-1e999",
    "5e-324",
    "1e-200",
    "nan",
    "inf",
    "18446744073709551616",
    "4294967295",
    "\"\"",
    "[]",
    "{}",
    "[[[[[[[[",
    "<a><a>",
    "\u{feff}",
    "]",
    "\n",
    "= 1",
    "true",
    "1e9",
];

/// Valid documents.
fn seeds() -> &'static [(Format, String)] {
    static SEEDS: OnceLock<Vec<(Format, String)>> = OnceLock::new();
    SEEDS.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
        let mut seeds = vec![
            (Format::Friction, FRICTION.to_owned()),
            (Format::Friction, BLOCKS.to_owned()),
            (Format::Siconos, SICONOS.to_owned()),
        ];
        let folders =
            ["scenarios/fixtures", "mechanism/fixtures/mechanisms", "mechanism/fixtures/robots"];
        let mut folders = folders.map(|folder| root.join(folder)).to_vec();
        while let Some(folder) = folders.pop() {
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
            paths.sort();
            for path in paths {
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let Ok(text) = fs::read_to_string(&path) else { continue };
                let extension = path.extension().and_then(|extension| extension.to_str());
                let format = match extension {
                    Some("urdf") => Format::Urdf,
                    Some("xml") => Format::Mjcf,
                    Some("toml") if Scenario::from_toml_str(&text).is_ok() => Format::Scenario,
                    Some("toml") if ImpactScenario::from_toml_str(&text).is_ok() => Format::Impact,
                    Some("toml") if Design::from_toml_str(&text).is_ok() => Format::Design,
                    _ => continue,
                };
                seeds.push((format, text));
            }
        }
        seeds
    })
}

/// A valid checkpoint.
fn grains() -> &'static [u8] {
    static GRAINS: OnceLock<Vec<u8>> = OnceLock::new();
    GRAINS.get_or_init(|| {
        let world = scenes::column(0.1, 1, 2);
        let state = world.map(|world| world.state());
        state.map_or_else(
            |_| Vec::new(),
            |state| checkpoint::encode(&Checkpoint { note: "a note".to_owned(), state }),
        )
    })
}

impl Case for File {
    const NAME: &'static str = "files";

    fn generate(source: &mut Source<'_>) -> Self {
        if source.chance(0.15) {
            let bytes = damaged(source, grains());
            return Self { format: Format::Grains, text: String::new(), bytes };
        }
        let all = seeds();
        // Each format as often as the others.
        let formats = [
            Format::Friction,
            Format::Siconos,
            Format::Scenario,
            Format::Impact,
            Format::Design,
            Format::Urdf,
            Format::Mjcf,
        ];
        let format = source.pick(&formats);
        let own: Vec<&String> =
            all.iter().filter(|(of, _)| *of == format).map(|(_, text)| text).collect();
        let text = if own.is_empty() || source.chance(0.05) {
            let length = source.below(200);
            (0..length).map(|_| char::from((source.bits() & 0x7f) as u8)).collect()
        } else {
            let text = own[source.below(own.len())];
            String::from_utf8_lossy(&damaged(source, text.as_bytes())).into_owned()
        };
        Self { format, text, bytes: Vec::new() }
    }

    fn check(&self, tally: &mut Tally) {
        let name = format!("{:?}", self.format).to_lowercase();
        match self.read() {
            Ok(()) => tally.count(&name, "Valid"),
            Err(Refusal::Words(words)) if !words.trim().is_empty() => tally.count(&name, "Refused"),
            Err(Refusal::Words(_)) => tally.fail(&name, "rejected without a message"),
            Err(Refusal::Changed(how)) => tally.fail(&name, how),
        }
    }

    fn smaller(&self) -> Vec<Self> {
        let lines: Vec<&str> = self.text.lines().collect();
        let without = |k: usize| {
            let rest = lines.iter().enumerate().filter(|(i, _)| *i != k).map(|(_, line)| *line);
            Self { text: rest.collect::<Vec<_>>().join("\n"), ..self.clone() }
        };
        (0..lines.len().min(200)).map(without).collect()
    }
}

enum Refusal {
    /// Rejected with a message, as required.
    Words(String),
    /// A valid document that changes when it is written and read.
    Changed(String),
}

fn words(error: impl std::error::Error) -> Refusal {
    Refusal::Words(error.to_string())
}

fn same<T: PartialEq>(first: &T, second: Result<T, impl std::error::Error>) -> Result<(), Refusal> {
    match second {
        Ok(second) if second == *first => Ok(()),
        Ok(_) => Err(Refusal::Changed("another document after it was written and read".to_owned())),
        Err(error) => Err(Refusal::Changed(format!("refused after it was written: {error}"))),
    }
}

impl File {
    fn read(&self) -> Result<(), Refusal> {
        let text = &self.text;
        match self.format {
            Format::Friction => {
                let document: Document = text.parse().map_err(words)?;
                same(&document, document.to_string().parse())?;
                let problem = document.problem().map_err(words)?;
                document.start().map_err(words)?;
                same(&problem, Document::of(&problem).problem())
            }
            Format::Siconos => {
                let problem = siconos::read(text).map_err(words)?.problem;
                same(&problem, Document::of(&problem).problem())
            }
            Format::Scenario => {
                let scenario = Scenario::from_toml_str(text).map_err(words)?;
                let written = toml::to_string(&scenario).map_err(words)?;
                same(&scenario, Scenario::from_toml_str(&written))?;
                scenario.build().map(drop).map_err(words)
            }
            Format::Impact => {
                let impact = ImpactScenario::from_toml_str(text).map_err(words)?;
                let written = impact.to_toml_string().map_err(words)?;
                // Numbers that a file omits are NaN, which equals nothing, so the texts are compared.
                let again = ImpactScenario::from_toml_str(&written);
                same(&written, again.and_then(|impact| impact.to_toml_string()))?;
                impact.build().map(drop).map_err(words)
            }
            Format::Design => Design::from_toml_str(text).map(drop).map_err(words),
            Format::Urdf => {
                let robot = urdf::read_str(text, &urdf::Settings::default()).map_err(words)?;
                // Every accepted body that moves has mass.
                let (mass, moves) = (robot.total_mass(), robot.system.velocity_count() > 0);
                has_mass(mass, moves)
            }
            Format::Mjcf => {
                let model = mjcf::read_str(text, &mjcf::Settings::default()).map_err(words)?;
                let (mass, moves) = (model.system.mass(), model.system.velocity_count() > 0);
                // A rotor may move without other mass.
                let links = model.system.links();
                let rotors = links.iter().any(|link| link.joint.armature.iter().any(|a| *a > 0.0));
                has_mass(mass, moves && !rotors)
            }
            Format::Grains => {
                let read = checkpoint::decode(&self.bytes).map_err(words)?;
                if checkpoint::encode(&read) != self.bytes {
                    return Err(Refusal::Changed("other bytes after it was read".to_owned()));
                }
                World::from_state(read.state).map(drop).map_err(words)
            }
        }
    }
}

/// Returns an error if an accepted body moves without mass.
fn has_mass(mass: f64, moves: bool) -> Result<(), Refusal> {
    if mass.is_finite() && (mass > 0.0 || !moves) {
        return Ok(());
    }
    Err(Refusal::Changed(format!("accepted with a mass of {mass} kg")))
}

/// The document with up to four pieces removed, doubled, exchanged or with a bit flipped; sometimes unchanged.
fn damaged(source: &mut Source<'_>, document: &[u8]) -> Vec<u8> {
    let mut bytes = document.to_vec();
    for _ in 0..source.below(5) {
        let length = bytes.len();
        if length == 0 {
            break;
        }
        let from = source.below(length);
        let to = (from + 1 + source.below(12)).min(length);
        match source.below(6) {
            0 => drop(bytes.drain(from..to)),
            1 => {
                let piece = bytes[from..to].to_vec();
                bytes.splice(to..to, piece);
            }
            2 => bytes[from] ^= 1 << source.below(8),
            3 if source.chance(0.3) => bytes.truncate(from),
            _ => {
                // Replaces a whole word, after which the document is more often still readable.
                let belongs = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-._".contains(byte);
                let begin = bytes[..from].iter().rposition(|byte| !belongs(byte));
                let end = bytes[from..].iter().position(|byte| !belongs(byte));
                let word = begin.map_or(0, |at| at + 1)..end.map_or(length, |at| from + at);
                let piece = source.pick(&PIECES);
                bytes.splice(word, piece.bytes());
            }
        }
    }
    bytes
}
