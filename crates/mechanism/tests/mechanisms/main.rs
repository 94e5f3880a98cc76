//! Scenario files with boxes, hulls, joints and robots: closed forms, names and errors.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[cfg(feature = "mjcf")]
mod drives;
mod impacts;
#[cfg(feature = "mjcf")]
mod limits;
#[cfg(feature = "urdf")]
mod meshes;
mod motions;
mod redundant;
mod refusals;
#[cfg(feature = "urdf")]
mod robots;

use std::path::{Path, PathBuf};

use percussion_integrators::schemes::Name;
use percussion_mechanism::{scenario::Scenario, trajectory::Trajectory};

/// The methods that find contacts.
const FINDING: [Name; 3] = [Name::StewartTrinkle, Name::ImpulseVelocity, Name::MoreauJean];

/// The methods that find contacts of bodies without joints.
const WITHOUT_JOINTS: [Name; 4] =
    [Name::StewartTrinkle, Name::ImpulseVelocity, Name::MoreauJean, Name::Variational];

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/mechanisms").join(name)
}

fn read(name: &str) -> Scenario {
    Scenario::from_path(fixture(name)).unwrap()
}

/// The scenario by one method.
fn run(scenario: &Scenario, method: Name) -> Trajectory {
    let mut scenario = scenario.clone();
    scenario.integrator.method = method;
    scenario.simulate(&mut |_| ()).unwrap()
}

/// Sum of the normal impulses (N·s) of the contacts whose names begin with this text.
fn impulse(trajectory: &Trajectory, beginning: &str) -> f64 {
    let contacts = trajectory.reports.iter().flat_map(|step| &step.contacts);
    let own = contacts.filter(|one| trajectory.contact_names[one.contact].starts_with(beginning));
    own.map(|contact| contact.impulse.x).sum()
}
