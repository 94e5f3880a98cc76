//! The [`Mode`] of a contact, the [`Edge`] between modes, and how they are told from a solution.

use std::fmt;

use nalgebra::{Vector2, Vector3};

/// What a contact does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Mode {
    /// It separates, without impulse.
    Open,
    /// It pushes and does not slip.
    Sticking,
    /// It pushes and slips, with friction at its limit.
    Sliding,
    /// It pushes and has no friction, whether it slips or not.
    Frictionless,
}

/// The boundary between modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Edge {
    /// Open or sliding: it slips, and neither pushes nor separates.
    Opening,
    /// Open or closed without friction: it neither pushes nor separates.
    OpeningFrictionless,
    /// Sticking or sliding: no slip, with friction at its limit.
    Slipping,
    /// Open, sticking or sliding in any direction: it neither pushes nor separates nor slips, and has friction.
    Tip,
    /// No slip, with a limit of friction too small to tell sticking from sliding.
    Narrow,
    /// Maximum dissipation only: the contact does not approach without its own impulse and is about to jam.
    Jamming,
}

/// The name of the edge in files.
impl fmt::Display for Edge {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Opening => "opening",
            Self::OpeningFrictionless => "opening-frictionless",
            Self::Slipping => "slipping",
            Self::Tip => "tip",
            Self::Narrow => "narrow",
            Self::Jamming => "jamming",
        })
    }
}

/// Where a contact of a solution is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Place {
    /// Strictly inside of a mode.
    Inside(Mode),
    /// At an edge between modes.
    At(Edge),
}

/// A contact of the solution in scaled units: impulses times `√w`, velocities divided by `√w`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Local {
    pub(super) place: Place,
    /// Direction `e` of the friction impulse; zero if there is none.
    pub(super) direction: Vector2<f64>,
    /// Slip `s`.
    pub(super) slip: f64,
}

/// One contact as it is judged, in scaled units.
pub(super) struct Judged {
    pub(super) impulse: Vector3<f64>,
    pub(super) velocity: Vector3<f64>,
    pub(super) friction: f64,
    /// `k` of maximum dissipation; zero for Coulomb's law.
    pub(super) tilt: Vector2<f64>,
    /// For maximum dissipation, the normal part of `b = W_ii p − u`, which has to be positive.
    pub(super) approach: f64,
    /// Margins up to this are edges.
    pub(super) margin: f64,
}

impl Judged {
    pub(super) fn local(&self) -> Local {
        let Self { impulse, velocity, friction, tilt, margin, .. } = self;
        let (push, rub) = (impulse.norm(), impulse.yz());
        let (direction, slip) = sliding(tilt, &velocity.yz(), &rub);
        let slips = velocity.yz().norm() > *margin;
        let place = if push <= *margin {
            if velocity.x > *margin {
                Place::Inside(Mode::Open)
            } else if *friction <= 0.0 {
                Place::At(Edge::OpeningFrictionless)
            } else if !slips {
                Place::At(Edge::Tip)
            } else if tilt.norm() >= 1.0 {
                Place::At(Edge::Jamming)
            } else {
                Place::At(Edge::Opening)
            }
        } else if *friction <= 0.0 {
            Place::Inside(Mode::Frictionless)
        } else if self.approach <= *margin {
            Place::At(Edge::Jamming)
        } else if slips {
            Place::Inside(Mode::Sliding)
        } else if friction * impulse.x - rub.norm() > *margin {
            Place::Inside(Mode::Sticking)
        } else if friction * impulse.x <= *margin {
            Place::At(Edge::Narrow)
        } else {
            Place::At(Edge::Slipping)
        };
        match place {
            Place::At(Edge::Slipping) => Local { place, direction: rub.normalize(), slip: 0.0 },
            _ => Local { place, direction, slip },
        }
    }
}

/// The direction `e` of friction and the slip `s ≥ 0` with `u_t = −s (e + k)`; of two solutions the one nearer to the
/// tangential impulse. Zero without slip.
pub(super) fn sliding(
    tilt: &Vector2<f64>,
    velocity: &Vector2<f64>,
    impulse: &Vector2<f64>,
) -> (Vector2<f64>, f64) {
    let size = velocity.norm();
    if size <= 0.0 {
        return (Vector2::zeros(), 0.0);
    }
    let lead = 1.0 - tilt.norm_squared();
    let along = velocity.dot(tilt);
    let root = (along * along + lead * size * size).max(0.0).sqrt();
    // Neither root is computed by a difference that cancels.
    let sum = if along > 0.0 { along + root } else { along - root };
    let roots = [sum / lead, -size * size / sum];
    let candidates = roots.into_iter().filter(|s| s.is_finite() && *s > 0.0);
    let nearest = candidates
        .map(|s| (-velocity / s - tilt, s))
        .max_by(|(left, _), (right, _)| left.dot(impulse).total_cmp(&right.dot(impulse)));
    match nearest {
        Some((direction, slip)) if direction.norm() > 0.0 => (direction.normalize(), slip),
        _ => (-velocity / size, size),
    }
}

/// The vector turned by 90°.
pub(super) fn turned(vector: &Vector2<f64>) -> Vector2<f64> {
    Vector2::new(-vector.y, vector.x)
}

/// The mode of a contact and its direction of friction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chosen {
    pub(super) mode: Mode,
    pub(super) direction: Vector2<f64>,
}

/// The step along a direction after which the first contact leaves its mode.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reach {
    /// The step, in units of the direction (> 0); infinite if no contact leaves its mode.
    pub step: f64,
    /// The contact that leaves its mode first.
    pub contact: Option<usize>,
    /// The mode that it enters.
    pub mode: Option<Mode>,
    /// Whether the step is exact up to rounding. This holds if only the free velocity changes and no friction changes
    /// its direction, as in the plane: the solution is then affine along the direction. Otherwise the step is that of
    /// the tangent, an estimate.
    pub exact: bool,
}

impl Reach {
    /// No contact leaves its mode, exactly.
    #[must_use]
    pub const fn unlimited() -> Self {
        Self { step: f64::INFINITY, contact: None, mode: None, exact: true }
    }
}
