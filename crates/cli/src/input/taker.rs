//! The command that takes a built-in name.

use percussion_complementarity::friction;
use percussion_integrators::schemes;
use percussion_mechanism::{grains, laws};
use percussion_scenarios::{experiments, fixtures};

use crate::arguments::Solver;

/// The kind of the built-in thing called `name`, and a command that takes it; `None` if nothing has this name.
pub(crate) fn taker(name: &str) -> Option<(&'static str, String)> {
    let is = |mut names: Box<dyn Iterator<Item = &str>>| names.any(|known| known == name);
    let taken = if fixtures::scenarios().any(|known| known == name) {
        ("scenario", format!("run {name}"))
    } else if fixtures::IMPACTS.contains(&name) {
        ("impact", format!("compare {name}"))
    } else if fixtures::DESIGNS.contains(&name) {
        ("design", format!("design {name}"))
    } else if experiments().iter().any(|known| known.id == name) {
        ("experiment", format!("reproduce {name}"))
    } else if grains::BUILT_IN.iter().any(|(known, _)| *known == name) || name == "channel" {
        ("scene of grains", format!("grains {name}"))
    } else if laws::Name::ALL.iter().any(|known| known.as_str() == name) {
        ("law", format!("impact NAME --law {name}"))
    } else if is(Box::new(schemes::Name::ALL.into_iter().map(schemes::Name::as_str))) {
        ("scheme", format!("run NAME --integrator {name}"))
    } else if is(Box::new(friction::Method::all().into_iter().map(|one| one.name()))) {
        ("solver", format!("solve friction FILE --solver {name}"))
    } else if is(Box::new(Solver::list().map(|(known, _)| known))) {
        ("solver", format!("solve lcp FILE --solver {name}"))
    } else if is(Box::new(friction::Law::all().into_iter().map(|law| law.name()))) {
        ("law of friction", format!("solve friction FILE --law {name}"))
    } else {
        return None;
    };
    Some((taken.0, format!("percussion {}", taken.1)))
}
