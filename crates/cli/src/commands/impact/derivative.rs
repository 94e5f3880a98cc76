//! The derivative of an outcome, for `impact --derivative`.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use nalgebra::DVector;
use percussion_impact::{
    Problem,
    derivative::{Change, Direction, Error, Settings, State},
    laws::differentiable::DifferentiableLaw,
};
use percussion_mechanism::laws::Name;
use percussion_report::{Table, number::short};
use serde::Serialize;

use super::words::size;
use crate::{
    input::Subject,
    laws::hinted,
    output::{clean, name_of},
};

/// Maximum number of velocities of the printed table.
const MOST_COLUMNS: usize = 12;

/// The derivative of an outcome, or why there is none.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Derivative {
    Known(Box<Known>),
    Missing { error: String },
}

#[derive(Debug, Serialize)]
pub(super) struct Known {
    state: State,
    /// Number of pieces of the outcome with fixed modes; null for a law that resolves all contacts at once with round cones.
    pieces: Option<usize>,
    /// Condition of the equations; null at an edge.
    condition: Option<f64>,
    /// All modes stay for changes of `v⁻` that change each contact velocity by less than this (m/s); null where that is not known.
    radius: Option<f64>,
    columns: Vec<Column>,
}

/// The change of the outcome for each unit of one datum.
#[derive(Debug, Serialize)]
struct Column {
    /// `velocity` (before the impact), `friction` or `restitution`.
    of: &'static str,
    /// Index of the entry of the velocity, or of the contact.
    index: usize,
    #[serde(flatten)]
    content: Content,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Content {
    Change {
        /// Of the velocity after the impact.
        velocity: Vec<f64>,
        /// Of the impulses at the rows of all contacts (N·s).
        impulses: Vec<f64>,
        /// The change of the datum up to which no mode changes, to first order; null if no change does.
        reach: Option<f64>,
    },
    Missing {
        error: String,
    },
}

/// The derivative of the outcome by the law called `name`, with these settings.
///
/// # Errors
///
/// When the law is none of impacts, or does not have the settings.
pub(super) fn of(
    name: Name,
    given: Vec<(String, String)>,
    subject: &Subject,
) -> Result<Derivative> {
    let Name::Impact(law) = name else {
        bail!("`--derivative` is given with `--law {name}`, expected a law of impact");
    };
    let problem = &subject.problem;
    let sampling = subject.impact.as_ref().map(|impact| &impact.set_valued);
    let law = DifferentiableLaw::new(law, given, sampling).map_err(hinted)?;
    let derivative = match law.derivative(problem, &Settings::default()) {
        Ok(derivative) => derivative,
        Err(error) => return Ok(Derivative::Missing { error: error.to_string() }),
    };
    let columns = data(problem).map(|(of, index, direction)| {
        let content = Content::new(derivative.forward(&direction));
        Column { of, index, content }
    });
    Ok(Derivative::Known(Box::new(Known {
        state: derivative.state(),
        pieces: derivative.pieces(),
        condition: derivative.condition(),
        radius: derivative.radius(),
        columns: columns.collect(),
    })))
}

/// Each datum that a user changes: its kind, its index, and a unit of it.
fn data(problem: &Problem) -> impl Iterator<Item = (&'static str, usize, Direction)> {
    let (n, contacts) = (problem.dimension(), problem.contacts());
    let unit = |length: usize, index: usize| {
        DVector::from_fn(length, |k, _| f64::from(u8::from(k == index)))
    };
    let velocities = (0..n).map(move |index| {
        let velocity = Some(unit(n, index));
        ("velocity", index, Direction { velocity, ..Direction::default() })
    });
    let of_contact = move |index: usize| Some(unit(contacts.len(), index).as_slice().to_vec());
    let rough = contacts.iter().enumerate().filter(|(_, contact)| !contact.tangents.is_empty());
    let frictions = rough.map(move |(index, _)| {
        let friction = of_contact(index);
        ("friction", index, Direction { friction, ..Direction::default() })
    });
    let restitutions = (0..contacts.len()).map(move |index| {
        let restitution = of_contact(index);
        ("restitution", index, Direction { restitution, ..Direction::default() })
    });
    velocities.chain(frictions).chain(restitutions)
}

impl Content {
    fn new(change: Result<Change, Error>) -> Self {
        match change {
            Ok(Change { velocity, impulses, reach, .. }) => Self::Change {
                velocity: velocity.as_slice().to_vec(),
                impulses: impulses.as_slice().to_vec(),
                reach: reach.step.is_finite().then_some(reach.step),
            },
            Err(error) => Self::Missing { error: error.to_string() },
        }
    }
}

/// The printed text.
pub(super) fn text(subject: &Subject, what: &str, derivative: &Derivative) -> String {
    let known = match derivative {
        Derivative::Known(known) => known,
        Derivative::Missing { error } => return format!("\nno {what}: {error}\n"),
    };
    let mut head = format!("\n{what}: {}", name_of(&known.state));
    if let Some(pieces) = known.pieces.filter(|pieces| *pieces > 1) {
        head += &format!(", {pieces} pieces");
    }
    if let Some(radius) = known.radius.filter(|radius| radius.is_finite()) {
        head +=
            &format!(", holds for changes of all contact velocities below {} m/s", short(radius));
    }
    if subject.velocities.len() > MOST_COLUMNS {
        return head + "\nthe table is too wide to print, see `--json`\n";
    }
    let mut text = format!("{head}\n\n{}", table(subject, known));
    text += "change of the velocity after the impact for each unit\n";
    let missing = known.columns.iter().filter_map(|column| match &column.content {
        Content::Missing { error } => Some(error.as_str()),
        Content::Change { .. } => None,
    });
    let missing: BTreeSet<&str> = missing.collect();
    text.extend(missing.iter().map(|error| format!("none: {error}\n")));
    text
}

fn table(subject: &Subject, known: &Known) -> Table {
    let names = subject.velocities.iter().map(String::as_str);
    let header = std::iter::once("of").chain(names).chain(["holds up to"]);
    let columns = format!("<{}>", ">".repeat(subject.velocities.len()));
    let mut table = Table::new(&columns, header.map(str::to_owned).collect::<Vec<_>>());
    for Column { of, index, content } in &known.columns {
        let datum = match *of {
            "velocity" => subject.velocities[*index].clone(),
            of => format!("{of} of {}", subject.contacts[*index]),
        };
        let cells: Vec<String> = match content {
            Content::Change { velocity, reach, .. } => {
                let size = size(velocity.iter().copied());
                let changes = velocity.iter().map(|change| clean(*change, size));
                changes.chain([reach.map_or_else(|| "any".to_owned(), short)]).collect()
            }
            Content::Missing { .. } => {
                vec!["none".to_owned(); subject.velocities.len() + 1]
            }
        };
        table.push(std::iter::once(datum).chain(cells));
    }
    table
}
