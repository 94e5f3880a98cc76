//! `percussion inspect`.

mod robot;
mod scenario;

use anyhow::Result;
use nalgebra::DMatrix;
use percussion_dynamics::{ContactSet, Dimension, System};
use percussion_report::{Table, number::short};
use serde::Serialize;

use crate::{
    arguments::Inspect,
    input,
    output::{Verdict, answer},
};

/// Largest mass matrix whose eigenvalues are computed; this size takes about a second.
const MOST_VELOCITIES: usize = 1000;

/// Most rows of a Delassus operator whose eigenvalues are computed; this size takes some seconds.
const MOST_COMPONENTS: usize = 1500;

/// The output of `inspect --json`.
#[derive(Debug, Serialize)]
struct Inspection {
    kind: Kind,
    name: String,
    dimension: &'static str,
    /// Number of coordinates.
    coordinates: usize,
    /// Number of velocities.
    degrees_of_freedom: usize,
    /// Total mass (kg).
    total_mass: f64,
    /// Properties of the mass matrix; `None` without degrees of freedom or with too many.
    mass_matrix: Option<MassMatrix>,
    bodies: Vec<BodyRow>,
    joints: Vec<JointRow>,
    /// Those of the file of a robot.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    actuators: Vec<ActuatorRow>,
    touching: Touching,
    warnings: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Robot,
    Scenario,
}

/// Measures of how close the mass matrix is to singular at the inspected position.
#[derive(Clone, Copy, Debug, Serialize)]
struct MassMatrix {
    /// Smallest eigenvalue (kg or kg·m²).
    smallest_eigenvalue: f64,
    /// Largest eigenvalue (kg or kg·m²).
    largest_eigenvalue: f64,
    /// The quotient of the two, which depends on the units; `None` if the matrix is singular.
    condition: Option<f64>,
    /// The condition number of the matrix scaled to a unit diagonal, which does not depend on the units.
    scaled_condition: Option<f64>,
}

#[derive(Debug, Serialize)]
struct BodyRow {
    name: String,
    /// Mass (kg).
    mass: f64,
}

#[derive(Debug, Serialize)]
struct JointRow {
    name: String,
    kind: &'static str,
    /// Parent link; `None` for the world.
    parent: Option<String>,
    child: String,
    degrees_of_freedom: usize,
    /// Limits (m or rad) for each degree of freedom; `None` if there is no limit.
    limits: Vec<[Option<f64>; 2]>,
}

#[derive(Debug, Serialize)]
struct ActuatorRow {
    name: String,
    /// The joints that it moves.
    joints: Vec<String>,
    /// Whether it acts here.
    is_modeled: bool,
}

/// The features within the proximity.
#[derive(Debug, Serialize)]
struct Touching {
    /// Largest gap that counts as touching (m).
    proximity: f64,
    features: Vec<FeatureRow>,
    /// Number of components of all contact velocities, of a limit one.
    components: usize,
    /// Number of independent components; `None` if the mass matrix is singular or if there are too many.
    rank: Option<usize>,
}

#[derive(Debug, Serialize)]
struct FeatureRow {
    name: String,
    /// Body 1 and body 2.
    between: [String; 2],
    /// Gap (m).
    gap: f64,
    /// Friction coefficient; `None` if no file gives one.
    friction: Option<f64>,
}

pub(super) fn execute(arguments: &Inspect) -> Result<Verdict> {
    let inspection = match input::is_robot(&arguments.file) {
        true => robot::inspect(arguments)?,
        false => scenario::inspect(arguments)?,
    };
    answer(arguments.json, &inspection, || text(&inspection))?;
    Ok(Verdict::Met)
}

fn dimension(system: &dyn System) -> &'static str {
    match system.dimension() {
        Dimension::Plane => "plane",
        Dimension::Space => "space",
    }
}

impl MassMatrix {
    fn of(system: &dyn System, coordinates: &[f64], warnings: &mut Vec<String>) -> Option<Self> {
        let n = system.velocity_count();
        if n > MOST_VELOCITIES {
            warnings.push(format!(
                "the mass matrix of {n} degrees of freedom is not examined, because it has more than \
                 {MOST_VELOCITIES}"
            ));
            return None;
        }
        let mut matrix = DMatrix::zeros(n, n);
        system.mass_matrix(coordinates, &mut matrix);
        let scaled = DMatrix::from_fn(n, n, |i, j| {
            matrix[(i, j)] / (matrix[(i, i)].sqrt() * matrix[(j, j)].sqrt())
        });
        let extremes = |matrix: DMatrix<f64>| {
            let values = matrix.symmetric_eigenvalues();
            (values.min(), values.max())
        };
        if n == 0 {
            return None;
        }
        let (smallest_eigenvalue, largest_eigenvalue) = extremes(matrix);
        // If a velocity moves no mass, the scaled matrix is undefined.
        let is_defined = scaled.iter().all(|entry| entry.is_finite());
        let (low, high) = if is_defined { extremes(scaled) } else { (0.0, 1.0) };
        let condition = |low: f64, high: f64| (low > 0.0).then(|| high / low);
        let matrix = Self {
            smallest_eigenvalue,
            largest_eigenvalue,
            condition: condition(smallest_eigenvalue, largest_eigenvalue),
            scaled_condition: condition(low, high),
        };
        warnings.extend(matrix.warning());
        Some(matrix)
    }

    /// Returns a warning if the matrix is singular, or so close to singular that solving with it preserves
    /// less than half of the digits.
    fn warning(&self) -> Option<String> {
        match self.scaled_condition {
            Some(condition) if condition * f64::EPSILON.sqrt() <= 1.0 => None,
            Some(condition) => Some(format!(
                "the mass matrix is nearly singular, with the condition number {} when scaled",
                short(condition)
            )),
            None => Some("the mass matrix is singular at this position".to_owned()),
        }
    }
}

/// Components of contact velocities, and how many of them are independent, if that is examined: the rank of the Delassus
/// operator of `contacts`. A contact whose tangents move nothing is a limit, and has its normal only.
///
/// The eigenvalues are known to the rounding of the product and of the solve with the mass matrix.
fn rank(
    contacts: &mut ContactSet,
    system: &dyn System,
    coordinates: &[f64],
    mass_matrix: Option<&MassMatrix>,
) -> Result<(usize, Option<usize>)> {
    let all = contacts.len() * contacts.component_count();
    if all == 0 {
        return Ok((0, Some(0)));
    }
    let condition = mass_matrix.and_then(|matrix| matrix.scaled_condition);
    let Some(condition) = condition.filter(|_| all <= MOST_COMPONENTS) else {
        return Ok((all, None));
    };
    let mut delassus = DMatrix::zeros(0, 0);
    contacts.divide_by_mass(system, coordinates)?;
    contacts.delassus(&mut delassus)?;
    let rounding = f64::EPSILON * condition * delassus.nrows() as f64;
    let diagonal = delassus.diagonal();
    let of_contact = |contact: &[f64]| {
        if contact[1..].iter().all(|entry| *entry == 0.0) { 1 } else { contact.len() }
    };
    let components = diagonal.as_slice().chunks(contacts.component_count()).map(of_contact).sum();
    let values = delassus.symmetric_eigenvalues();
    let least = rounding * values.max();
    Ok((components, Some(values.iter().filter(|value| **value > least).count())))
}

impl Touching {
    fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let overlapping = self.features.iter().filter(|feature| feature.gap < -self.proximity);
        let (count, depth) = overlapping
            .fold((0, 0.0_f64), |(count, depth), feature| (count + 1, depth.max(-feature.gap)));
        if count > 0 {
            let depth = short(depth);
            warnings
                .push(format!("{count} of the touching features overlap, by {depth} m at most"));
        }
        let components = self.components;
        if components > MOST_COMPONENTS {
            warnings.push(format!(
                "the number of independent components is not examined, because there are {components} components, more \
                 than {MOST_COMPONENTS}"
            ));
        }
        if let Some(rank) = self.rank.filter(|rank| *rank < components) {
            warnings.push(format!(
                "the touching features are redundant: {rank} of {components} components are \
                 independent, so that impulses are not unique"
            ));
        }
        warnings
    }
}

fn text(inspection: &Inspection) -> String {
    let mut text = format!("{} ({})\n", inspection.name, inspection.dimension);
    let mut table = Table::new("<><", ["quantity", "value", "unit"]);
    let counts = [
        ("bodies", inspection.bodies.len()),
        ("joints", inspection.joints.len()),
        ("coordinates", inspection.coordinates),
        ("degrees of freedom", inspection.degrees_of_freedom),
    ];
    for (quantity, count) in counts {
        table.push([quantity.to_owned(), count.to_string(), String::new()]);
    }
    table.push(["total mass".to_owned(), short(inspection.total_mass), "kg".to_owned()]);
    if let Some(matrix) = inspection.mass_matrix {
        let or_singular = |value: Option<f64>| value.map_or_else(|| "singular".to_owned(), short);
        table.push(["condition of the mass matrix", &or_singular(matrix.condition), ""]);
        table.push(["the same, scaled", &or_singular(matrix.scaled_condition), ""]);
    }
    table.push(["touching features", &inspection.touching.features.len().to_string(), ""]);
    text += &format!("\n{table}");

    let mut bodies = Table::new("<>", ["body", "mass (kg)"]);
    for body in &inspection.bodies {
        bodies.push([body.name.clone(), short(body.mass)]);
    }
    text += &format!("\n{bodies}");
    if !inspection.joints.is_empty() {
        text += &format!("\n{}", joint_table(&inspection.joints));
    }
    if !inspection.actuators.is_empty() {
        let mut actuators = Table::new("<<<", ["actuator", "joints", "modeled"]);
        for ActuatorRow { name, joints, is_modeled } in &inspection.actuators {
            let word = if *is_modeled { "yes" } else { "no" };
            actuators.push([name.clone(), joints.join(", "), word.to_owned()]);
        }
        text += &format!("\n{actuators}");
    }
    if !inspection.touching.features.is_empty() {
        let mut features = Table::new("<>>", ["touching", "gap (m)", "friction"]);
        for feature in &inspection.touching.features {
            let friction = feature.friction.map_or_else(|| "unknown".to_owned(), short);
            features.push([feature.name.clone(), short(feature.gap), friction]);
        }
        text += &format!("\n{features}");
    }
    for warning in &inspection.warnings {
        text += &format!("\nwarning: {warning}");
    }
    if !inspection.warnings.is_empty() {
        text.push('\n');
    }
    text
}

fn joint_table(joints: &[JointRow]) -> Table {
    let mut table = Table::new("<<<<", ["joint", "kind", "from – to", "limits (m, rad)"]);
    for joint in joints {
        let parent = joint.parent.as_deref().unwrap_or("world");
        let limit = |end: Option<f64>, open: &str| end.map_or_else(|| open.to_owned(), short);
        let limits: Vec<String> = joint
            .limits
            .iter()
            .map(|[low, high]| format!("{} … {}", limit(*low, "−∞"), limit(*high, "∞")))
            .collect();
        table.push([
            joint.name.clone(),
            joint.kind.to_owned(),
            format!("{parent} – {}", joint.child),
            limits.join(", "),
        ]);
    }
    table
}
