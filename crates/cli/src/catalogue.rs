//! Everything built in: names, titles, and the commands that take them.

use anyhow::Result;
use percussion_complementarity::friction;
use percussion_integrators::schemes;
use percussion_mechanism::{
    grains::{self, Scene},
    laws,
};
use percussion_scenarios::{experiments, fixtures};
use serde::Serialize;

use crate::arguments::Solver;

/// Things of one kind.
#[derive(Debug)]
pub(crate) struct Shelf {
    /// The key of the list in JSON.
    pub(crate) key: &'static str,
    /// The kind of one of them.
    pub(crate) kind: &'static str,
    /// The kind of all.
    pub(crate) plural: &'static str,
    /// The command that takes one of them, with `NAME` in place of its name.
    pub(crate) command: &'static str,
    pub(crate) entries: Vec<Entry>,
}

/// One of them.
#[derive(Debug, Serialize)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) title: String,
}

/// The built-in scene of grains that no file describes.
pub(crate) const CHANNEL: [&str; 2] = ["channel", "A dense stream of grains past an obstacle"];

/// All kinds, in the order of lists.
pub(crate) fn shelves() -> Result<[Shelf; 10]> {
    let scenarios = fixtures::scenarios()
        .map(|name| Ok(Entry::new(name, &fixtures::scenario(name)?.title)))
        .collect::<Result<_>>()?;
    let impacts = fixtures::IMPACTS
        .iter()
        .map(|name| Ok(Entry::new(name, &fixtures::impact(name)?.title)))
        .collect::<Result<_>>()?;
    let designs = fixtures::DESIGNS
        .iter()
        .map(|name| Ok(Entry::new(name, &fixtures::design(name)?.title)))
        .collect::<Result<_>>()?;
    let [channel, stream] = CHANNEL;
    let scenes = grains::BUILT_IN
        .iter()
        .map(|(name, text)| Ok(Entry::new(name, &Scene::from_toml_str(text)?.title)));
    let scenes =
        [Ok(Entry::new(channel, stream))].into_iter().chain(scenes).collect::<Result<_>>()?;
    let experiments = experiments().iter().map(|known| Entry::new(known.id, known.title));
    let laws = laws::Name::ALL.iter().map(|law| Entry::new(law.as_str(), law.summary()));
    let solvers = Solver::list().map(|(name, title)| Entry::new(name, title));
    let friction_laws =
        friction::Law::all().into_iter().map(|law| Entry::new(law.name(), law.summary()));
    let friction_solvers =
        friction::Method::all().into_iter().map(|one| Entry::new(one.name(), one.summary()));
    let schemes =
        schemes::Name::ALL.iter().map(|scheme| Entry::new(scheme.as_str(), scheme.summary()));
    let shelf = |[key, kind, plural, command]: [&'static str; 4], entries: Vec<Entry>| Shelf {
        key,
        kind,
        plural,
        command,
        entries,
    };
    Ok([
        shelf(["scenarios", "scenario", "scenarios", "percussion run NAME"], scenarios),
        shelf(["impacts", "impact", "impacts", "percussion compare NAME"], impacts),
        shelf(["designs", "design", "designs", "percussion design NAME"], designs),
        shelf(["scenes", "scene of grains", "scenes of grains", "percussion grains NAME"], scenes),
        shelf(
            ["experiments", "experiment", "experiments", "percussion reproduce NAME"],
            experiments.collect(),
        ),
        shelf(["laws", "law", "laws", "percussion impact FILE --law NAME"], laws.collect()),
        shelf(
            ["lcp_solvers", "solver", "solvers", "percussion solve lcp FILE --solver NAME"],
            solvers.collect(),
        ),
        shelf(
            [
                "friction_laws",
                "law of friction",
                "laws of friction",
                "percussion solve friction FILE --law NAME",
            ],
            friction_laws.collect(),
        ),
        shelf(
            [
                "friction_solvers",
                "solver",
                "solvers",
                "percussion solve friction FILE --solver NAME",
            ],
            friction_solvers.collect(),
        ),
        shelf(
            ["schemes", "scheme", "schemes", "percussion run FILE --integrator NAME"],
            schemes.collect(),
        ),
    ])
}

/// The kind of the first built-in thing called `name`, and the command that takes it; `None` if nothing has this name.
pub(crate) fn taker(name: &str) -> Option<(&'static str, String)> {
    let has = |shelf: &Shelf| shelf.entries.iter().any(|entry| entry.name == name);
    let shelf = shelves().ok()?.into_iter().find(has)?;
    Some((shelf.kind, shelf.command.replace("NAME", name)))
}

impl Entry {
    fn new(name: &str, title: &str) -> Self {
        Self { name: name.to_owned(), title: title.to_owned() }
    }
}
