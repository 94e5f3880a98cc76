//! Halm and Posa's criterion for the end of a compliant impact.
//!
//! # Source
//!
//! M. Halm, M. Posa, "Set-valued rigid body dynamics for simultaneous, inelastic, frictional impacts",
//! *International Journal of Robotics Research* 2024, section 5.4.1.

use super::Snapshot;

/// Stop function for [`integrate`](super::integrate). An impact has ended when no touching contact approaches
/// faster than its entry of `approach` (m/s, one positive number for each contact) and each contact has
/// received at least its entry of `impulse` (N·s) along the normal.
///
/// The contacts have then been compressed, one after the other or at once; with damping above critical, their
/// velocities have almost vanished by then. If a list is too short, the remaining contacts have no condition.
pub fn impact_is_over<'a>(
    approach: &'a [f64],
    impulse: &'a [f64],
) -> impl Fn(&Snapshot<'_>) -> f64 + 'a {
    move |moment| {
        let components = moment.impulses.len() / moment.gaps.len().max(1);
        let mut margin = f64::INFINITY;
        for (index, touching) in moment.touching.iter().enumerate() {
            if let (true, Some(accepted)) = (touching, approach.get(index)) {
                margin = margin.min(moment.contact_velocity[components * index] + accepted);
            }
            if let Some(wanted) = impulse.get(index) {
                margin = margin.min(moment.impulses[components * index] - wanted);
            }
        }
        margin
    }
}
