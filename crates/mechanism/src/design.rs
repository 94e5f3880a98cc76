//! Mechanisms whose impact has one outcome, from a TOML file: [`Design`].
//!
//! A file has variables, and a mechanism whose numbers depend on them: coordinates, lengths, masses. Solving
//! it finds the values nearest to the start for which the chosen contacts touch at the same time and their
//! normals form the angles that a unique outcome requires. The method is described in
//! [`percussion_impact::design`], the reason in [`propagative`](percussion_impact::propagative).
//!
//! # Format
//!
//! Unknown fields are errors. Units are SI, angles in radians.
//!
//! | field | value |
//! | --- | --- |
//! | `name`, `title`, `source` | unique name, title of one line, origin of the parameters |
//! | `[[variables]]` | the numbers that may change, see [`Variable`] |
//! | `[[definitions]]` | `name` and `value`, an expression in variables and earlier definitions |
//! | `[mechanism]` | an impact in the format of [`impacts`](crate::impacts) without `name`, `title` and `source`, in which any number may be given as `"= expression"` |
//! | `touch` | names of the contacts of the mechanism that must touch |
//! | `[[conditions]]` | conditions on their normals, see [`Condition`]; default: all pairs are orthogonal |
//! | `[settings]` | tolerances and limits, see [`Settings`] |
//! | `[[expected]]` | figures to compare with, see [`Expected`] |
//!
//! Expressions consist of `+ − * / ^`, parentheses, `pi`, and `sqrt`, `sin`, `cos`, `tan`, `asin`, `acos`,
//! `atan`, `exp`, `ln`, `abs`.
//!
//! # Example
//!
//! A rod of 1 kg lies with one end on a floor. A foot at the distance `d` from its middle shall also touch
//! the floor. For a rod of length `l`, the contacts at the distances `a` and `d` from the middle, on
//! different sides, are coupled by `1/m − 12 a d/(m l²)`. Their normals are therefore orthogonal for
//! `d = l²/12 a`, which is one sixth of the length if the first contact is the end.
//!
//! ```
//! use percussion_impact::design::Status;
//! use percussion_mechanism::design::Design;
//!
//! let design = Design::from_toml_str(r#"
//!     name = "rod"
//!     title = "Where a rod needs its second foot"
//!     source = "center of percussion"
//!     touch = ["end", "foot"]
//!
//!     [[variables]]
//!     name = "d"
//!     start = 0.4
//!     lower = 0.0
//!     upper = 0.5
//!
//!     [[mechanism.bodies]]
//!     name = "rod"
//!     mass = 1.0
//!     inertia = "= 1/12"
//!
//!     [[mechanism.planes]]
//!     name = "floor"
//!     point = [0.0, 0.0]
//!     normal = [0.0, 1.0]
//!
//!     [[mechanism.contacts]]
//!     name = "end"
//!     disc = { body = "rod", center = [-0.5, 0.0] }
//!     on.plane = "floor"
//!     friction = 0.0
//!
//!     [[mechanism.contacts]]
//!     name = "foot"
//!     disc = { body = "rod", center = ["= d", 0.0] }
//!     on.plane = "floor"
//!     friction = 0.0
//! "#)?;
//! let designed = design.solve()?;
//! assert_eq!(designed.report.status, Status::Met);
//! assert!((designed.report.variables[0] - 1.0 / 6.0).abs() < 1e-9);
//! # Ok::<(), percussion_mechanism::Error>(())
//! ```

use std::path::Path;

use percussion_impact::{
    Mass, Problem,
    design::{self, Report, Settings},
};
use serde::{Deserialize, Serialize};

use crate::{
    Error, Expected, document,
    expression::{self, Expression},
    impacts::{GapsAndNormals, ImpactScenario},
    rules::{NOT_EMPTY, require},
};

mod template;
#[cfg(test)]
mod tests;

use template::Template;

/// A design as written in its file; the [module head](self) describes the format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Design {
    /// Unique name.
    pub name: String,
    /// Title, one line.
    pub title: String,
    /// Origin of the parameters.
    pub source: String,
    /// Names of the contacts that must touch.
    pub touch: Vec<String>,
    /// The variables.
    #[serde(default)]
    pub variables: Vec<Variable>,
    /// Names for expressions.
    #[serde(default)]
    pub definitions: Vec<Definition>,
    /// Conditions on the normals; default: all pairs are orthogonal.
    #[serde(default)]
    pub conditions: Vec<Condition>,
    /// Tolerances and limits.
    #[serde(default)]
    pub settings: Settings,
    /// The impact, with expressions.
    pub mechanism: toml::Table,
    /// Figures to compare with.
    #[serde(default)]
    pub expected: Vec<Expected>,
}

/// A number that the design may choose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    /// Name in expressions.
    pub name: String,
    /// Unit, shown in output; default none.
    #[serde(default)]
    pub unit: String,
    /// Start value of the search, within the bounds.
    pub start: f64,
    /// Least value; default none.
    pub lower: Option<f64>,
    /// Largest value; default none.
    pub upper: Option<f64>,
    /// Scale, positive: a change by one scale counts the same for every variable; default 1.
    #[serde(default = "one")]
    pub scale: f64,
}

const fn one() -> f64 {
    1.0
}

/// A name for an expression.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// Name in expressions.
    pub name: String,
    /// The expression, without `=` before it.
    pub value: String,
}

/// A condition on the normals of two contacts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// Names of two of the contacts that touch.
    pub contacts: [String; 2],
    /// `m` of `⟨u, v⟩ = −cos(π/m)`, at least 2: every impact is then resolved by `m` reflections, in either order.
    pub reflections: Option<u32>,
    /// `⟨u, v⟩` itself, in `(−1, 1)`, if not `reflections`.
    pub cosine: Option<f64>,
}

/// The result of [`Design::solve`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Designed {
    /// The status of the search and its final point.
    pub report: Report,
    /// The pairs of contacts of the conditions, by name.
    pub pairs: Vec<[String; 2]>,
    /// The required values of `⟨u, v⟩` for these pairs.
    pub wanted: Vec<f64>,
    /// Gaps of the contacts that need not touch, by name (m).
    pub others: Vec<(String, f64)>,
    /// Largest difference between a normal and the difference quotients of its gap. It compares the
    /// derivatives that the model gives with those of its gap functions.
    pub normal_error: f64,
    /// The impact at the final point, with the contacts that touch; at rest unless the file gives velocities.
    pub impact: ImpactScenario,
}

impl Design {
    /// Reads a design from TOML text and checks it.
    ///
    /// # Errors
    ///
    /// Every variant of [`Error`] that names a place in the file, and [`Error::TooLarge`].
    pub fn from_toml_str(text: &str) -> Result<Self, Error> {
        let design: Self = document::parse(text, "design")?;
        design.compile().map_err(|error| document::located(text, error))?;
        Ok(design)
    }

    /// Reads a design from a TOML file and checks it.
    ///
    /// # Errors
    ///
    /// [`Error::Read`] if it cannot be read, otherwise as [`from_toml_str`](Self::from_toml_str).
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::from_toml_str(&document::read(path.as_ref())?)
    }

    /// The impact for these values of the variables, with all its contacts, whether they touch or not.
    ///
    /// # Errors
    ///
    /// The errors of the file, and of the mechanism at these values.
    pub fn mechanism_at(&self, variables: &[f64]) -> Result<ImpactScenario, Error> {
        self.compile()?.impact(variables)
    }

    /// The values of the variables at the start.
    #[must_use]
    pub fn start(&self) -> Vec<f64> {
        self.variables.iter().map(|variable| variable.start).collect()
    }

    /// Finds the nearest point where the contacts touch and the conditions hold.
    ///
    /// # Errors
    ///
    /// The errors of the file, of a setting, and of the mechanism at the start. If no point is found, the
    /// report has the corresponding [`Status`](design::Status).
    pub fn solve(&self) -> Result<Designed, Error> {
        let compiled = self.compile()?;
        let variables: Vec<_> = self.variables.iter().map(Variable::of_solver).collect();
        let mut model = |values: &[f64]| posture(&compiled.impact(values)?, &compiled.touch);
        let report = design::solve(&mut model, &variables, &compiled.conditions, &self.settings)
            .map_err(|error| match error {
                design::Error::Model(error) => error,
                other => Error::Design(Box::new(other)),
            })?;
        let mut impact = compiled.impact(&report.variables)?;
        let mechanism = impact.mechanism()?;
        let GapsAndNormals { gaps, normals, .. } = impact.gaps_and_normals(&mechanism)?;
        let normal_error = impact.normal_error(&mechanism, &normals, &compiled.touch)?;
        let named = impact.contacts.iter().zip(gaps);
        let others = named.filter(|(contact, _)| !self.touch.contains(&contact.name));
        let others = others.map(|(contact, gap)| (contact.name.clone(), gap)).collect();
        impact.contacts.retain(|contact| self.touch.contains(&contact.name));
        let pair =
            |condition: &design::Condition| condition.contacts.map(|k| self.touch[k].clone());
        Ok(Designed {
            pairs: compiled.conditions.iter().map(pair).collect(),
            wanted: compiled.conditions.iter().map(|condition| condition.cosine).collect(),
            others,
            normal_error,
            impact,
            report,
        })
    }

    /// Gaps of the contacts that must touch, for these values of the variables (m).
    ///
    /// # Errors
    ///
    /// As [`mechanism_at`](Self::mechanism_at).
    pub fn gaps_at(&self, variables: &[f64]) -> Result<Vec<f64>, Error> {
        let compiled = self.compile()?;
        Ok(posture(&compiled.impact(variables)?, &compiled.touch)?.gaps)
    }

    /// The products `⟨u, v⟩` of the conditions, for these values of the variables.
    ///
    /// # Errors
    ///
    /// As [`mechanism_at`](Self::mechanism_at).
    pub fn cosines_at(&self, variables: &[f64]) -> Result<Vec<f64>, Error> {
        let compiled = self.compile()?;
        let posture = posture(&compiled.impact(variables)?, &compiled.touch)?;
        Ok(compiled.conditions.iter().map(|condition| posture.cosine(condition.contacts)).collect())
    }

    /// Checks the file and compiles its expressions.
    fn compile(&self) -> Result<Compiled, Error> {
        for (path, text) in [("name", &self.name), ("title", &self.title), ("source", &self.source)]
        {
            require(path, text, NOT_EMPTY, !text.trim().is_empty())?;
        }
        Expected::check_all(&self.expected)?;
        let mut names: Vec<&str> = Vec::new();
        let variables = self.variables.iter().enumerate();
        let variables = variables.map(|(i, one)| (format!("variables[{i}].name"), &one.name));
        let definitions = self.definitions.iter().enumerate();
        let definitions = definitions.map(|(i, one)| (format!("definitions[{i}].name"), &one.name));
        for (path, name) in variables.chain(definitions) {
            let rule = "a word of letters, digits and `_` that is neither a function nor `pi`";
            require(&path, name, rule, expression::is_name(name))?;
            if names.contains(&name.as_str()) {
                return Err(Error::DuplicateName { path, name: name.clone() });
            }
            names.push(name);
        }
        let mut definitions = Vec::with_capacity(self.definitions.len());
        for (i, definition) in self.definitions.iter().enumerate() {
            let known = &names[..self.variables.len() + i];
            let compiled = Expression::new(&definition.value, known);
            definitions.push(compiled.map_err(|message| Error::Format {
                path: format!("definitions[{i}].value"),
                message,
            })?);
        }
        let mut mechanism = self.mechanism.clone();
        for (field, text) in
            [("name", &self.name), ("title", &self.title), ("source", &self.source)]
        {
            let absent = mechanism.insert(field.to_owned(), text.clone().into()).is_none();
            require(&format!("mechanism.{field}"), text, "to be given outside only", absent)?;
        }
        let mechanism = Template::new(toml::Value::Table(mechanism), &names, "mechanism")?;
        let mut compiled = Compiled { definitions, mechanism, touch: vec![], conditions: vec![] };
        let start = compiled.impact(&self.start())?;
        for (i, name) in self.touch.iter().enumerate() {
            let path = format!("touch[{i}]");
            let known = start.contacts.iter().map(|contact| contact.name.as_str());
            let contact = index_of(&path, name, known)?;
            if compiled.touch.contains(&contact) {
                return Err(Error::DuplicateName { path, name: name.clone() });
            }
            compiled.touch.push(contact);
        }
        compiled.conditions = self.compile_conditions()?;
        Ok(compiled)
    }

    fn compile_conditions(&self) -> Result<Vec<design::Condition>, Error> {
        if self.conditions.is_empty() {
            return Ok(design::Condition::pairwise_orthogonal(self.touch.len()));
        }
        let condition = |(i, condition): (usize, &Condition)| {
            let mut contacts = [0; 2];
            for (place, name) in contacts.iter_mut().zip(&condition.contacts) {
                let known = self.touch.iter().map(String::as_str);
                *place = index_of(&format!("conditions[{i}].contacts"), name, known)?;
            }
            let path = format!("conditions[{i}].reflections");
            match (condition.reflections, condition.cosine) {
                (Some(m), None) => {
                    require(&path, &m, "an integer of at least 2", m >= 2)?;
                    Ok(design::Condition::reflections(contacts, m))
                }
                (None, Some(cosine)) => Ok(design::Condition { contacts, cosine }),
                (given, _) => {
                    let rule = "either `reflections` or `cosine`";
                    require(&path, &given, rule, false)?;
                    Ok(design::Condition { contacts, cosine: f64::NAN })
                }
            }
        };
        self.conditions.iter().enumerate().map(condition).collect()
    }
}

impl Variable {
    fn of_solver(&self) -> design::Variable {
        let lower = self.lower.unwrap_or(f64::NEG_INFINITY);
        let upper = self.upper.unwrap_or(f64::INFINITY);
        design::Variable::new(self.start, self.scale).within(lower, upper)
    }
}

/// A checked design with compiled expressions.
struct Compiled {
    definitions: Vec<Expression>,
    mechanism: Template,
    /// Indices of the contacts that touch.
    touch: Vec<usize>,
    conditions: Vec<design::Condition>,
}

impl Compiled {
    fn impact(&self, variables: &[f64]) -> Result<ImpactScenario, Error> {
        let mut values = variables.to_vec();
        for definition in &self.definitions {
            values.push(definition.value(&values));
        }
        let filled = self.mechanism.fill(&values);
        let impact: ImpactScenario =
            serde_path_to_error::deserialize(filled).map_err(|error| Error::Format {
                path: format!("mechanism.{}", error.path()),
                message: error.inner().message().replace("expected f64", "expected a number"),
            })?;
        impact.check()?;
        Ok(impact)
    }
}

/// Gaps of the contacts `touch`, and products of their normals in the kinetic metric.
fn posture(impact: &ImpactScenario, touch: &[usize]) -> Result<design::Posture, Error> {
    let all = impact.gaps_and_normals(&impact.mechanism()?)?;
    let gaps = touch.iter().map(|&k| all.gaps[k]).collect();
    let normals = touch.iter().map(|&k| percussion_impact::Contact::new(all.normals[k].clone()));
    let at_rest = nalgebra::DVector::zeros(all.mass_matrix.nrows());
    let problem = Problem::new(Mass::Matrix(all.mass_matrix), at_rest, normals.collect())?;
    Ok(design::Posture { gaps, products: problem.delassus().clone() })
}

fn index_of<'a>(
    path: &str,
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> Result<usize, Error> {
    let unknown = || Error::UnknownName {
        path: path.to_owned(),
        name: name.to_owned(),
        known: known.clone().collect::<Vec<_>>().join(", "),
    };
    known.clone().position(|known| known == name).ok_or_else(unknown)
}
