//! Changed inputs of experiments: [`Perturbation`].

use std::borrow::Cow;

use serde::{Serialize, Serializer};
use toml::{Table, Value};

use crate::{error::Error, fault::Fault};

/// A change of all fields with certain names in the files of an experiment, or of what it computes.
#[derive(Debug)]
pub struct Perturbation {
    what: &'static str,
    fields: &'static [&'static str],
    change: Change,
    is_fault: bool,
    /// The fault of computed outcomes, in addition to the change of fields.
    outcomes: Option<Fault>,
}

/// The change of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Change {
    /// Every number in it is multiplied by a factor.
    Scale(f64),
    /// The same, but only for the first field with one of these names: one body of several.
    ScaleFirst(f64),
    /// The first number in the first of these fields that is not zero is multiplied by a factor.
    ScaleEntry(f64),
    /// The first two components are exchanged.
    Swap,
    /// The field is removed.
    Remove,
    /// A time-stepping scheme is replaced by another one.
    Scheme,
    /// A smaller number is replaced by this one.
    AtLeast(f64),
    /// A larger integer is replaced by this one.
    AtMost(i64),
    /// No field is changed.
    None,
}

impl Perturbation {
    /// Description of the change, such as `gravity +2 %`.
    #[must_use]
    pub const fn what(&self) -> &'static str {
        self.what
    }

    /// Whether the change is a fault of the computation, and not a change of the problem or of the step.
    #[must_use]
    pub const fn is_fault(&self) -> bool {
        self.is_fault
    }

    /// The fault of computed outcomes, if it is one.
    pub(crate) const fn outcomes(&self) -> Option<Fault> {
        self.outcomes
    }
}

impl Serialize for Perturbation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.what)
    }
}

const fn input(
    what: &'static str,
    fields: &'static [&'static str],
    change: Change,
) -> Perturbation {
    Perturbation { what, fields, change, is_fault: false, outcomes: None }
}

const fn fault(
    what: &'static str,
    fields: &'static [&'static str],
    change: Change,
) -> Perturbation {
    Perturbation { what, fields, change, is_fault: true, outcomes: None }
}

const fn wrong(what: &'static str, outcomes: Fault) -> Perturbation {
    Perturbation {
        what,
        fields: &[],
        change: Change::None,
        is_fault: true,
        outcomes: Some(outcomes),
    }
}

/// Fields that are lengths of bodies.
const SIZES: &[&str] = &[
    "radius",
    "radii",
    "length",
    "half_width",
    "half_height",
    "corner",
    "center",
    "arm",
    "pin",
    "height",
    "sphere_radius",
    "obstacle_radius",
    "drop",
];

/// All perturbations, from the smallest to the largest: changes of at most 10 %, steps four times as long, other schemes
/// and tangents, half and a tenth of the friction, and at the end faults.
const ALL: &[Perturbation] = &[
    input("gravity +2 %", &["gravity"], Change::Scale(1.02)),
    input(
        "speeds +2 %",
        &["velocity", "angular_velocity", "speed", "spin", "load"],
        Change::Scale(1.02),
    ),
    input("sizes +2 %", SIZES, Change::Scale(1.02)),
    input("angles +2 %", &["angle", "angles", "orientation"], Change::Scale(1.02)),
    input("stance +2 %", &["start", "published"], Change::Scale(1.02)),
    input("positions +5 %", &["position"], Change::Scale(1.05)),
    input("mass of a body +5 %", &["mass", "masses", "density"], Change::ScaleFirst(1.05)),
    input("inertia of a body +5 %", &["inertia"], Change::ScaleFirst(1.05)),
    input("component of a velocity +10 %", &["velocity"], Change::ScaleEntry(1.1)),
    input("friction +10 %", &["friction", "bound"], Change::Scale(1.1)),
    input("friction −10 %", &["friction", "bound"], Change::Scale(0.9)),
    input("restitution −10 %", &["restitution", "restitutions"], Change::Scale(0.9)),
    input(
        "stiffness +10 %",
        &["modulus", "stiffness", "stiffnesses", "hip_stiffness"],
        Change::Scale(1.1),
    ),
    input(
        "damping +10 %",
        &["dissipation", "damping", "damping_ratio", "hip_damping", "joint_damping"],
        Change::Scale(1.1),
    ),
    input(
        "step × 4",
        &["step_size", "rod_step_size", "step", "theta_max", "turns"],
        Change::Scale(4.0),
    ),
    input("another scheme", &["method"], Change::Scheme),
    input("tangents swapped", &["tangent"], Change::Swap),
    input("tangents not given", &["tangent"], Change::Remove),
    // What many grains do depends little on their friction, and is known to a few percent.
    input("friction halved", &["friction", "bound"], Change::Scale(0.5)),
    // How far columns run depends even less on it.
    input("friction a tenth", &["friction", "bound"], Change::Scale(0.1)),
    Perturbation {
        outcomes: Some(Fault::Solvers),
        ..fault("fault: tolerance of a solver 1e-3", &["tolerance"], Change::AtLeast(1e-3))
    },
    fault("fault: reference of an order too coarse", &["reference"], Change::AtMost(5)),
    fault("fault: a turn not twice the next", &["halved"], Change::ScaleEntry(2.0)),
    fault("fault: springs a thousandth as stiff", &["stiffnesses"], Change::Scale(1e-3)),
    wrong("fault: velocities off by 1e-3", Fault::Velocities),
    wrong("fault: impulses off by 1e-3", Fault::Impulses),
    wrong("fault: positions off by 1e-3", Fault::Positions),
    wrong("fault: one step for each sample", Fault::Steps),
    wrong("fault: last contact left out", Fault::Contacts),
    fault("fault: loaded dice", &["offset"], Change::AtLeast(0.6)),
];

/// All perturbations, from the smallest to the largest, faults last.
///
/// # Example
///
/// ```
/// let first = &percussion_scenarios::sensitivity::perturbations()[0];
/// assert_eq!(first.what(), "gravity +2 %");
/// ```
#[must_use]
pub const fn perturbations() -> &'static [Perturbation] {
    ALL
}

impl Perturbation {
    /// Returns the `text` of the file `name` with the change applied, or the unchanged text if it has none of
    /// the fields.
    ///
    /// Expected figures and the settings of what is played are not changed.
    pub(crate) fn apply<'t>(&self, name: &str, text: &'t str) -> Result<Cow<'t, str>, Error> {
        if self.fields.is_empty() {
            return Ok(Cow::Borrowed(text));
        }
        let refused = |message: String| {
            Error::from(percussion_mechanism::Error::Format { path: name.to_owned(), message })
        };
        let mut document: Table = text.parse().map_err(|error| refused(format!("{error}")))?;
        let mut changes = 0;
        self.change_table(&mut document, &mut changes);
        if changes == 0 {
            return Ok(Cow::Borrowed(text));
        }
        toml::to_string(&document).map(Cow::Owned).map_err(|error| refused(error.to_string()))
    }

    fn change_table(&self, table: &mut Table, changes: &mut usize) {
        let is_once = matches!(self.change, Change::ScaleFirst(_) | Change::ScaleEntry(_));
        if self.change == Change::Remove {
            let before = table.len();
            table.retain(|key, _| !self.fields.contains(&key));
            *changes += before - table.len();
        }
        for (key, value) in table {
            match key.as_str() {
                "expected" | "play" => (),
                _ if is_once && *changes > 0 => (),
                key if self.fields.contains(&key) => *changes += usize::from(self.change.of(value)),
                _ => self.change_parts(value, changes),
            }
        }
    }

    fn change_parts(&self, value: &mut Value, changes: &mut usize) {
        match value {
            Value::Table(table) => self.change_table(table, changes),
            Value::Array(list) => list.iter_mut().for_each(|part| self.change_parts(part, changes)),
            _ => (),
        }
    }
}

impl Change {
    /// Changes a value, and returns whether that was possible.
    fn of(self, value: &mut Value) -> bool {
        match (self, value) {
            (Self::Scale(factor) | Self::ScaleFirst(factor), value) => scale(value, factor),
            (Self::ScaleEntry(factor), Value::Array(list)) => {
                list.iter_mut().any(|entry| scale(entry, factor))
            }
            (Self::Swap, Value::Array(list)) if list.len() > 1 => {
                list.swap(0, 1);
                true
            }
            (Self::Scheme, Value::String(method)) => {
                let other = match method.as_str() {
                    "stewart-trinkle" => "impulse-velocity",
                    "impulse-velocity" => "moreau-jean",
                    "moreau-jean" => "impulse-velocity",
                    _ => return false,
                };
                other.clone_into(method);
                true
            }
            (Self::AtLeast(least), Value::Float(number)) if *number < least => {
                *number = least;
                true
            }
            (Self::AtMost(most), Value::Integer(number)) if *number > most => {
                *number = most;
                true
            }
            _ => false,
        }
    }
}

/// Multiplies every nonzero number in `value`, including the results of formulas, and returns whether there is one.
fn scale(value: &mut Value, factor: f64) -> bool {
    match value {
        Value::Float(number) if *number != 0.0 => *number *= factor,
        Value::Integer(number) if *number != 0 => *value = Value::Float(*number as f64 * factor),
        Value::String(formula) if formula.starts_with('=') => {
            *formula = format!("= {factor} * ({})", formula.trim_start_matches('='));
        }
        Value::Array(list) => {
            return list.iter_mut().fold(false, |any, part| scale(part, factor) | any);
        }
        Value::Table(table) => {
            return table.iter_mut().fold(false, |any, (_, part)| scale(part, factor) | any);
        }
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(what: &str) -> &'static Perturbation {
        ALL.iter().find(|one| one.what == what).unwrap()
    }

    fn applied(what: &str, text: &str) -> Table {
        named(what).apply("test", text).unwrap().parse().unwrap()
    }

    #[test]
    fn numbers_of_a_field_are_scaled_wherever_it_stands_but_not_what_is_expected() {
        let text = "friction = 0.5\n[[contacts]]\nfriction = 1\n[[expected]]\nfriction = 0.5\n";
        let changed = applied("friction +10 %", text);
        assert_eq!(changed["friction"].as_float(), Some(0.5 * 1.1));
        assert_eq!(changed["contacts"][0]["friction"].as_float(), Some(1.1));
        assert_eq!(changed["expected"][0]["friction"].as_float(), Some(0.5));
    }

    #[test]
    fn only_the_first_body_changes_its_mass() {
        let changed =
            applied("mass of a body +5 %", "[[bodies]]\nmass = 2.0\n[[bodies]]\nmass = 2.0\n");
        let mass = |body: usize| changed["bodies"][body]["mass"].as_float();
        assert_eq!((mass(0), mass(1)), (Some(2.1), Some(2.0)));
    }

    #[test]
    fn formulas_vectors_schemes_and_tolerances_change() {
        assert_eq!(
            applied("speeds +2 %", "velocity = ['= 2 * v', 0.0]")["velocity"][0].as_str(),
            Some("= 1.02 * ( 2 * v)")
        );
        let swapped = applied("tangents swapped", "tangent = [1.0, 0.0, 0.0]");
        assert_eq!(swapped["tangent"].as_array().unwrap()[1].as_float(), Some(1.0));
        let scheme = applied("another scheme", "[integrator]\nmethod = 'stewart-trinkle'");
        assert_eq!(scheme["integrator"]["method"].as_str(), Some("impulse-velocity"));
        let fault = applied("fault: tolerance of a solver 1e-3", "tolerance = 1e-10");
        assert_eq!(fault["tolerance"].as_float(), Some(1e-3));
    }

    #[test]
    fn a_file_without_the_field_stays_as_it_is() {
        let text = "# A comment.\nmass = 1.0\nvelocity = [0.0, 0.0]\nmethod = 'event-driven'\n";
        for what in ["gravity +2 %", "speeds +2 %", "another scheme"] {
            assert_eq!(named(what).apply("test", text).unwrap(), text, "{what}");
        }
    }
}
