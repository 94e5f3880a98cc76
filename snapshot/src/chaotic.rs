//! Results that round-off changes visibly, in one list.
//!
//! A result is listed if it differs in the 8 stored digits after a relative change of the inputs by `1e-12`.
//! This was tested on every number of the fixtures and on masses, velocities and lever arms of the seeded
//! problems. Figures that then agree in 3 digits are stored with 3 digits; other figures and counters are
//! omitted, so that only their status is stored and whether the residual is within its bound.

/// Significant digits of a listed figure that is stored.
pub const DIGITS: usize = 3;

use Kept::{Statuses, ThreeDigits};

/// The stored part of a listed result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Figures with [`DIGITS`] digits, and no counters.
    ThreeDigits,
    /// Neither figures nor counters.
    Statuses,
}

/// One entry of the list: for quantities whose snapshot and path match all three texts.
struct Listed {
    /// Beginning of the names of the snapshots.
    name: &'static str,
    /// End of the names.
    by: &'static str,
    /// Text in the paths of the quantities.
    path: &'static str,
    kept: Kept,
    /// Reason why they are chaotic.
    #[cfg_attr(not(test), expect(dead_code, reason = "for readers of the list"))]
    reason: &'static str,
}

const TIE: &str =
    "two contacts approach at the same speed, and round-off decides which is hit first";
const TAIL: &str = "infinitely many impacts end where the tolerance says";
const EDGE: &str = "outcomes at the edge between two modes or solutions, which round-off decides";
const ADAPTIVE: &str = "steps chosen by estimates of the error around contacts that open and close";
const RESIDUAL: &str = "the residual at which iterations stop";
const SWEEPS: &str = "when iterations meet a tolerance, and what is left of the error then";
const REDUNDANT: &str = "redundant contacts: many impulses move the bodies alike";
const GRAZE: &str = "contacts that touch exactly are closed or open by round-off";
const CONE: &str = "the best of many directions that are as good up to round-off";

const GRAINS: &str = "many grains, whose contacts amplify round-off";

/// Earlier entries take precedence.
const LIST: [Listed; 53] = [
    of("bulk-", "", "", Statuses, GRAINS),
    of("billiards-by-propagative", "", "", Statuses, TIE),
    of("billiards-by-sequential-plus", "", "", Statuses, TIE),
    of("disk-stack-oblique-by-sequential", "", "", Statuses, TIE),
    of("ball-row-by-sequential-anitescu-potra", "", "stages", Statuses, TAIL),
    of("ball-row-by-sequential-anitescu-potra", "", "certificate.approach", Statuses, TAIL),
    of("brick-flat-by-set-valued-routh", "", "mode [", Statuses, EDGE),
    of("disk-stack-1-kg-by-set-valued-routh", "", "fallbacks", Statuses, EDGE),
    of("", "-by-compliant", "", ThreeDigits, ADAPTIVE),
    of("event-driven-", "", "energy that the account leaves over", ThreeDigits, ADAPTIVE),
    of("maximum-dissipation-", "", "relative residual", Statuses, RESIDUAL),
    of("maximum-dissipation-convergence", "", "card-house: sweeps or steps", Statuses, SWEEPS),
    of("maximum-dissipation-stack", "", "", ThreeDigits, REDUNDANT),
    of("plus-ball-row", "", "row A", ThreeDigits, ADAPTIVE),
    of("plus-brick-corner", "", "compliant", ThreeDigits, ADAPTIVE),
    of("propagative-integrators", "", "power of the stiffness", ThreeDigits, ADAPTIVE),
    of("robots-", "", "largest", Statuses, RESIDUAL),
    of("robots-", "", "farthest", Statuses, RESIDUAL),
    of("robots-", "", "fastest", Statuses, RESIDUAL),
    of("robots-", "", "deepest", Statuses, RESIDUAL),
    of("robots-", "", "", ThreeDigits, REDUNDANT),
    of("set-valued-ramone", "", "least push c of the friction cone", Statuses, CONE),
    of("set-valued-ramone", "", "proved bound of the mean", Statuses, CONE),
    of("set-valued-rocking-block", "", "compliant corners", ThreeDigits, ADAPTIVE),
    of("maximum-dissipation-card-house-by-", "", "impulse of", Statuses, REDUNDANT),
    of("maximum-dissipation-card-house-by-", "", "work.", Statuses, REDUNDANT),
    of(
        "maximum-dissipation-card-house-by-impulse-velocity",
        "",
        "contacts of all steps",
        Statuses,
        REDUNDANT,
    ),
    of(
        "maximum-dissipation-block-on-slope-by-stewart-trinkle",
        "",
        "work.pivots",
        Statuses,
        REDUNDANT,
    ),
    of("maximum-dissipation-block-on-slope-by-moreau-jean", "", "", ThreeDigits, GRAZE),
    of("maximum-dissipation-card-house-by-moreau-jean", "", "", ThreeDigits, GRAZE),
    of("stewart-trinkle-four-balls-by-moreau-jean", "", "", ThreeDigits, GRAZE),
    of("stewart-trinkle-two-balls-direct-by-moreau-jean", "", "", ThreeDigits, GRAZE),
    of("stewart-trinkle-rod-on-table-by-moreau-jean", "", "impulse of", ThreeDigits, REDUNDANT),
    of("stewart-trinkle-rod-on-table-by-event-driven", "", "counters.", Statuses, ADAPTIVE),
    of("", "", "work.sweeps", Statuses, SWEEPS),
    of("box-", "-by-lemke", "iterations", Statuses, REDUNDANT),
    of("box-", "-by-lemke", ".z", Statuses, REDUNDANT),
    of("box-", "-by-lemke", ".w.norm", Statuses, REDUNDANT),
    of("box-4-", "-by-lemke", ".w[2", Statuses, REDUNDANT),
    of("", "-by-fischer-burmeister", "iterations", Statuses, SWEEPS),
    of("", "-by-fischer-burmeister", ".z", Statuses, REDUNDANT),
    of("", "-by-fischer-burmeister", ".w.norm", Statuses, REDUNDANT),
    of("two-contacts-by-fischer-burmeister", "", ".w[19]", Statuses, REDUNDANT),
    of("", "-by-fischer-burmeister", ".w", ThreeDigits, SWEEPS),
    of("stack-", "", "impulse[", Statuses, REDUNDANT),
    of("stack-", "", "iterations", Statuses, SWEEPS),
    of("stack-", "", "work", Statuses, SWEEPS),
    of("stack-by-interior-point", "", "residual", Statuses, SWEEPS),
    of("", "-by-interior-point", "residual", Statuses, SWEEPS),
    of("card-house-by-interior-point", "", "impulse[", Statuses, REDUNDANT),
    of("", "-by-interior-point", "", ThreeDigits, SWEEPS),
    of("card-house-by-projected-gradient", "", "work", Statuses, SWEEPS),
    of("", "-by-projected-gradient", "", ThreeDigits, SWEEPS),
];

const fn of(
    name: &'static str,
    by: &'static str,
    path: &'static str,
    kept: Kept,
    reason: &'static str,
) -> Listed {
    Listed { name, by, path, kept, reason }
}

/// The stored part of the quantity `path` of the snapshot `name`, if it is listed.
#[must_use]
pub fn kept(name: &str, path: &str) -> Option<Kept> {
    LIST.iter()
        .find(|listed| {
            name.starts_with(listed.name) && name.ends_with(listed.by) && path.contains(listed.path)
        })
        .map(|listed| listed.kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_has_a_reason() {
        assert!(LIST.iter().all(|listed| !listed.reason.is_empty()), "a reason is missing");
    }
}
