//! Warnings about motions whose steps are too long for their contacts.

use percussion_mechanism::{scenario::Setup, trajectory::Trajectory};
use percussion_report::number::short;

use super::files::penetration_unit;
use crate::output::warn;

/// Overlap, as a part of the length of the model, of which a run warns.
const DEEP: f64 = 0.1;

/// Warns of overlaps that are no rounding of positions: a step in which bodies move by a part of their size.
pub(super) fn warn_of_overlaps(setup: &Setup, trajectory: &Trajectory, name: &str) {
    let Setup { mechanism, scenario, .. } = setup;
    let length = mechanism.model.scales(&mechanism.state, scenario.integrator.step_size).length;
    let deepest = trajectory.deepest_penetration();
    if penetration_unit(setup) == "m" && deepest > DEEP * length {
        let share = short(100.0 * deepest / length);
        warn(
            &[format!(
                "bodies overlap by up to {} m, {share} % of the size of the model, expected a smaller `--step-size`",
                short(deepest)
            )],
            name,
        );
    }
}

/// Warns of a body that is on one side of another at the start of a step, and on the other side at its end.
pub(super) fn warn_of_passing(setup: &Setup, trajectory: &Trajectory, name: &str) {
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
