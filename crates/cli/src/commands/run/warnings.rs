//! Warnings about steps that are too long for the contacts of a motion, and about robots that nothing can touch.

use percussion_mechanism::{scenario::Setup, trajectory::Trajectory};
use percussion_report::number::short;

use crate::output::warn;

/// Overlap, as a part of the length of the model, of which a run warns.
const DEEP: f64 = 0.1;

/// Warns of overlaps at the ends of steps, and of bodies that pass through others within a step.
pub(super) fn warn_of_long_steps(setup: &Setup, trajectory: &Trajectory, name: &str) {
    warn_of_overlaps(setup, trajectory, name);
    warn_of_passing(setup, trajectory, name);
}

/// Warns of overlaps that are no rounding of positions: a step in which bodies move by a part of their size.
fn warn_of_overlaps(setup: &Setup, trajectory: &Trajectory, name: &str) {
    let Setup { mechanism, scenario, .. } = setup;
    let Some(overlap) = trajectory.deepest_overlap(setup) else { return };
    let length = mechanism.model.scales(&mechanism.state, scenario.integrator.step_size).length;
    if overlap.depth > DEEP * length || overlap.depth > overlap.thickness {
        let [one, two] = &overlap.between;
        let [depth, time] = [overlap.depth, overlap.time].map(short);
        warn(
            &[format!(
                "`{one}` overlaps `{two}` by {depth} m at {time} s, expected a smaller `--step-size`"
            )],
            name,
        );
    }
}

/// Warns of a robot whose links have no collision shapes.
pub(super) fn warn_of_no_shapes(setup: &Setup, name: &str) {
    let Setup { mechanism, scenario, .. } = setup;
    let has_shapes = mechanism.surfaces.as_ref().is_some_and(|surfaces| {
        surfaces.scene().colliders().iter().any(|collider| collider.body().is_some())
    });
    if scenario.robot.is_some() && !has_shapes {
        warn(
            &["no link has a collision shape, so that nothing touches the robot".to_owned()],
            name,
        );
    }
}

/// Warns of a body that is on one side of another at the start of a step, and on the other side at its end.
fn warn_of_passing(setup: &Setup, trajectory: &Trajectory, name: &str) {
    let Some(passing) = trajectory.first_passing(setup) else { return };
    let [one, two] = &passing.between;
    let [time, way, thickness] = [passing.time, passing.way, passing.thickness].map(short);
    warn(
        &[format!(
            "`{one}` passes through `{two}` in the step at {time} s, which moves it by {way} m, more than the {thickness} m that both are thick, expected a smaller `--step-size`"
        )],
        name,
    );
}
