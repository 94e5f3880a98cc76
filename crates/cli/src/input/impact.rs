//! Impact problems, `{"mass_matrix": [[…]], "velocity": […], "contacts": […], "bilateral": [[…]]}`.

use std::path::Path;

use anyhow::{Context, ensure};
use nalgebra::{DMatrix, DVector};
use percussion_impact::{Contact, Mass, Problem};
use percussion_mechanism::{impacts::Impact, scenario::Base, view::ImpactStage};
use percussion_scenarios::fixtures;
use serde::{Deserialize, Serialize};

use super::{Kind, Object, misplaced};
use crate::{arguments::RobotOptions, output::warn};

/// Maximum number of entries of `velocity`, and of rows of contacts and of `bilateral`; matrices between them
/// stay below 128 MB.
const MOST: usize = 4000;

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct ImpactFile {
    /// The mass matrix by rows, symmetric and positive definite.
    mass_matrix: Vec<Vec<f64>>,
    /// The velocity before the impact.
    velocity: Vec<f64>,
    /// The contacts.
    contacts: Vec<Object<ContactFile>>,
    /// The rows of the joints; their velocity is zero before and after.
    #[serde(default)]
    bilateral: Vec<Vec<f64>>,
}

/// A contact of an impact.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct ContactFile {
    /// The row of the normal velocity, positive where the bodies separate.
    normal: Vec<f64>,
    /// The rows of the tangential velocities: none, one in the plane or two in space.
    #[serde(default)]
    tangents: Vec<Vec<f64>>,
    /// Coefficient of friction, at least 0; default 0.
    #[serde(default)]
    friction: f64,
    /// Coefficient of restitution, from 0 to 1; default 0.
    #[serde(default)]
    restitution: f64,
}

/// An impact with names for its velocities and contacts.
#[derive(Debug)]
pub(crate) struct Subject {
    /// Title, one line, if the impact has one.
    pub(crate) title: Option<String>,
    pub(crate) problem: Problem,
    /// A name for each velocity, with its unit if that is known.
    pub(crate) velocities: Vec<String>,
    /// A name for each contact.
    pub(crate) contacts: Vec<String>,
    /// The bodies, if the impact is given by bodies.
    pub(crate) stage: Option<ImpactStage>,
    /// The bodies and contacts from which the problem was built, if any.
    pub(crate) impact: Option<Box<Impact>>,
}

/// Reads an impact: that of a robot with its `options` at its initial contacts, the built-in impact called
/// `name`, that at the start of the built-in scenario `name`, or that in the file `name`. The file extension
/// selects TOML, with an impact or a scenario; other files are JSON, which can also come from standard input,
/// `-`.
///
/// # Errors
///
/// The error names the file and the field, the value found and the expected one.
pub(crate) fn impact(
    name: &str,
    options: &RobotOptions,
    fixed_base: bool,
) -> anyhow::Result<Subject> {
    super::check_options(name, options)?;
    if super::is_robot(name) {
        let base = fixed_base.then_some(Base::Fixed);
        let scenario = super::robot(name, options, base, super::Purpose::Impact)?;
        let impact = scenario.build().and_then(|setup| setup.impact());
        return Ok(impact.with_context(|| format!("`{name}`"))?.into());
    }
    ensure!(
        !fixed_base,
        "`--fixed-base` is for robots, expected a file named `*.urdf` instead of `{name}`"
    );
    if fixtures::IMPACTS.contains(&name) {
        return Ok(fixtures::problem(name)?.into());
    }
    if fixtures::scenarios().any(|known| known == name) {
        return Ok(fixtures::scenario(name)?.build()?.impact()?.into());
    }
    let path = Path::new(name);
    if name != "-" {
        let known = fixtures::IMPACTS.iter().copied().chain(fixtures::scenarios());
        super::check_file(path, "a JSON or TOML file", known)?;
    }
    let kinds = [Kind::Impact, Kind::Scenario, Kind::Matrices];
    if path.extension().is_some_and(|extension| extension == "toml") {
        let read = Impact::from_path(path).with_context(|| format!("`{name}`"));
        return Ok(read.map_err(|error| misplaced(name, &kinds, error))?.into());
    }
    let problem =
        super::document(path, problem).map_err(|error| misplaced(name, &kinds[2..], error))?;
    warn(&without_effect(&problem), name);
    Ok(problem.into())
}

/// Coefficients of friction that have no effect, for want of tangents.
fn without_effect(problem: &Problem) -> Vec<String> {
    let contacts = problem.contacts().iter().enumerate();
    let idle = contacts.filter(|(_, one)| one.tangents.is_empty() && one.friction > 0.0);
    let say = |(index, one): (usize, &Contact)| {
        format!(
            "`contacts[{index}].friction` is {} without effect, expected `tangents`: one in the plane, two in space",
            one.friction
        )
    };
    idle.map(say).collect()
}

impl From<Impact> for Subject {
    fn from(impact: Impact) -> Self {
        let velocities =
            impact.velocities.iter().map(|label| format!("{} ({})", label.name, label.unit));
        Self {
            title: Some(format!("{} ({})", impact.title, impact.name)),
            velocities: velocities.collect(),
            contacts: impact.contacts.clone(),
            problem: impact.problem.clone(),
            stage: Some(ImpactStage::new(&impact)),
            impact: Some(Box::new(impact)),
        }
    }
}

impl From<Problem> for Subject {
    fn from(problem: Problem) -> Self {
        Self {
            title: None,
            velocities: (0..problem.dimension()).map(|index| format!("v{index}")).collect(),
            contacts: (0..problem.contacts().len()).map(|index| index.to_string()).collect(),
            stage: None,
            impact: None,
            problem,
        }
    }
}

/// The file of a problem, as [`impact`] reads it.
pub(crate) fn impact_document(problem: &Problem) -> anyhow::Result<String> {
    let list = |vector: &DVector<f64>| vector.as_slice().to_vec();
    let rows = |matrix: &DMatrix<f64>| -> Vec<Vec<f64>> {
        matrix.row_iter().map(|row| row.iter().copied().collect()).collect()
    };
    let contact = |contact: &Contact| {
        Object(ContactFile {
            normal: list(&contact.normal),
            tangents: contact.tangents.iter().map(list).collect(),
            friction: contact.friction,
            restitution: contact.restitution,
        })
    };
    let file = ImpactFile {
        mass_matrix: rows(&problem.mass_matrix()),
        velocity: list(problem.velocity()),
        contacts: problem.contacts().iter().map(contact).collect(),
        bilateral: rows(problem.bilateral_jacobian()),
    };
    Ok(serde_json::to_string(&file)? + "\n")
}

fn problem(file: ImpactFile) -> anyhow::Result<Problem> {
    let n = file.velocity.len();
    let of_velocity = "entry of `velocity`";
    check_count("velocity", n, "entries")?;
    check_count("bilateral", file.bilateral.len(), "rows")?;
    let rows = file.contacts.iter().map(|contact| 1 + contact.0.tangents.len()).sum();
    check_count("contacts", rows, "normals and tangents")?;

    super::check_length("mass_matrix", &file.mass_matrix, n, of_velocity)?;
    let mass = super::matrix("mass_matrix", file.mass_matrix, n, of_velocity)?;
    let contacts = file.contacts.into_iter().enumerate();
    let contacts = contacts.map(|(index, Object(contact))| {
        let field = format!("contacts[{index}]");
        super::check_length(&format!("{field}.normal"), &contact.normal, n, of_velocity)?;
        ensure!(
            contact.normal.iter().any(|entry| *entry != 0.0),
            "`{field}.normal` is zero, expected a row with an entry that is not 0"
        );
        for (index, tangent) in contact.tangents.iter().enumerate() {
            super::check_length(&format!("{field}.tangents[{index}]"), tangent, n, of_velocity)?;
        }
        let tangents = contact.tangents.into_iter().map(DVector::from_vec).collect();
        Ok(Contact::new(DVector::from_vec(contact.normal))
            .with_friction(contact.friction, tangents)
            .with_restitution(contact.restitution))
    });
    let contacts = contacts.collect::<anyhow::Result<_>>()?;
    let bilateral = super::matrix("bilateral", file.bilateral, n, of_velocity)?;
    let velocity = DVector::from_vec(file.velocity);
    Ok(Problem::with_joints(Mass::Matrix(mass), velocity, contacts, bilateral)?)
}

fn check_count(field: &str, found: usize, what: &str) -> anyhow::Result<()> {
    ensure!(found <= MOST, "`{field}` has {found} {what}, expected at most {MOST}");
    Ok(())
}
