//! Kinds of files, determined from their content, so that errors about a file of another kind name the command that takes it.

use std::path::Path;

use anyhow::anyhow;
use percussion_mechanism::{document, impacts};
use serde_json::{Map, Value};

/// Size up to which a file is looked at (bytes).
const LOOKED_AT: usize = 16 << 20;

/// The kinds of files that commands take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Scenario,
    /// An impact of bodies (TOML).
    Impact,
    /// An impact as matrices (JSON).
    Matrices,
    Scene,
    Design,
    Lcp,
    Friction,
    Urdf,
    Mjcf,
}

impl Kind {
    /// The kind of a file; `None` if it is of no known kind or cannot be read.
    fn of(path: &Path) -> Option<Self> {
        let bytes = super::read(path).ok().filter(|bytes| bytes.len() <= LOOKED_AT)?;
        let text = String::from_utf8(bytes).ok()?;
        match text.trim_start_matches('\u{feff}').trim_start().chars().next()? {
            '<' => Self::of_xml(&text),
            '{' => Self::of_json(&text),
            _ => Self::of_toml(&text),
        }
    }

    fn of_xml(text: &str) -> Option<Self> {
        let own = [("<mujoco", Self::Mjcf), ("<robot", Self::Urdf)];
        own.into_iter().find(|(root, _)| text.contains(root)).map(|(_, kind)| kind)
    }

    fn of_json(text: &str) -> Option<Self> {
        let Ok(Value::Object(fields)) = serde_json::from_str(text) else { return None };
        let own =
            [("mass_matrix", Self::Matrices), ("delassus", Self::Friction), ("matrix", Self::Lcp)];
        own.into_iter().find(|(field, _)| fields.contains_key(*field)).map(|(_, kind)| kind)
    }

    fn of_toml(text: &str) -> Option<Self> {
        let fields: Map<String, Value> = document::parse(text, "file").ok()?;
        let own = [
            ("insert", Self::Scene),
            ("grains", Self::Scene),
            ("mechanism", Self::Design),
            ("variables", Self::Design),
        ];
        match own.into_iter().find(|(field, _)| fields.contains_key(*field)) {
            Some((_, kind)) => Some(kind),
            None => match impacts::Kind::of_toml_str(text).ok()? {
                impacts::Kind::Scenario => Some(Self::Scenario),
                impacts::Kind::Impact => Some(Self::Impact),
            },
        }
    }

    /// The kind as part of a sentence.
    const fn phrase(self) -> &'static str {
        match self {
            Self::Scenario => "a scenario",
            Self::Impact => "an impact",
            Self::Matrices => "an impact as matrices",
            Self::Scene => "a scene of grains",
            Self::Design => "a design",
            Self::Lcp => "a linear complementarity problem",
            Self::Friction => "a problem of contacts with friction",
            Self::Urdf => "a robot in URDF",
            Self::Mjcf => "a model in MJCF",
        }
    }

    /// The command that takes such a file, and the extension that it must have there, if any.
    const fn taker(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Scenario => ("run", None),
            Self::Impact => ("compare", Some("toml")),
            Self::Matrices => ("compare", None),
            Self::Scene => ("grains", None),
            Self::Design => ("design", None),
            Self::Lcp => ("solve lcp", None),
            Self::Friction => ("solve friction", None),
            Self::Urdf => ("run", Some("urdf")),
            Self::Mjcf => ("run", Some("xml")),
        }
    }
}

/// The error of reading the file `name` as one of the `expected` kinds: if its content is of another kind, it names that kind and
/// the command that takes it.
pub(crate) fn misplaced(name: &str, expected: &[Kind], error: anyhow::Error) -> anyhow::Error {
    let path = Path::new(name);
    let found = if name == "-" { None } else { Kind::of(path) };
    let Some(found) = found.filter(|found| !expected.contains(found)) else { return error };
    let wanted: Vec<&str> = expected.iter().map(|kind| kind.phrase()).collect();
    let (command, extension) = found.taker();
    let has = path.extension().is_some_and(|own| extension.is_some_and(|one| own == one));
    let under = match extension {
        Some(extension) if !has => format!(" under a name `*.{extension}`"),
        _ => String::new(),
    };
    anyhow!(
        "`{name}` is {}, expected {}; `percussion {command} {name}` takes it{under}",
        found.phrase(),
        wanted.join(" or "),
    )
}
