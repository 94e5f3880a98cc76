//! Joints of a body; several joints become a chain of links: [`Joint`].
//!
//! MuJoCo applies the joints of a body one after the other, each about its own anchor in the frame that
//! results from the joint before. Joint `k` is therefore the joint of a link at the anchor `p_k`, placed by
//! `p_k − p_{k−1}` in the link before, and the body is at `−p_n` in the last link. If the last anchor is the
//! origin of the body, the last link is the body.

use nalgebra::{Isometry3, Vector3};
use percussion_dynamics::Joint as Moving;

use super::{Error, compiler::Compiler, numbers::Attributes};

/// Motion that a joint allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Free,
    Ball,
    Slide,
    Hinge,
}

/// A joint in the frame of its body.
#[derive(Clone, Debug)]
pub(super) struct Joint {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) anchor: Vector3<f64>,
    pub(super) moving: Moving,
    /// The coordinate of MuJoCo at which the coordinate here is zero (rad or m).
    pub(super) reference: f64,
    /// Of what its actuators may do together (N, N·m).
    pub(super) force_range: [f64; 2],
    /// The largest angle by which a ball joint turns (rad); infinite without a limit.
    pub(super) largest_turn: f64,
    /// Differences from the file.
    pub(super) note: Option<&'static str>,
}

/// The joint of `own`, in the frames around it.
pub(super) fn joint(
    own: &Attributes<'_>,
    number: usize,
    frame: &Isometry3<f64>,
    compiler: &Compiler,
) -> Result<Joint, Error> {
    let name = own.text("name").map_or_else(|| format!("joint {number}"), str::to_owned);
    let kind = match own.element.name.as_str() {
        "freejoint" => "free",
        _ => own.word("type", &["free", "ball", "slide", "hinge"], "hinge")?,
    };
    let kind = match kind {
        "free" => Kind::Free,
        "ball" => Kind::Ball,
        "slide" => Kind::Slide,
        _ => Kind::Hinge,
    };
    let anchor = own.vector("pos")?.unwrap_or_else(Vector3::zeros);
    let anchor =
        if kind == Kind::Free { anchor } else { (frame * nalgebra::Point3::from(anchor)).coords };
    let axis = own.vector("axis")?.unwrap_or_else(Vector3::z);
    let is_scalar = matches!(kind, Kind::Slide | Kind::Hinge);
    if is_scalar && axis.norm() < 1e-14 {
        return Err(Error::value(own.element, "axis", "a direction that is not zero"));
    }
    let axis = frame.rotation * axis;
    let moving = match kind {
        Kind::Free => Moving::free(),
        Kind::Ball => Moving::spherical(),
        Kind::Slide => Moving::prismatic(axis),
        Kind::Hinge => Moving::revolute(axis),
    };
    let unit = |value: f64| if kind == Kind::Hinge { compiler.angle(value) } else { value };
    let reference = if is_scalar { unit(own.number("ref", 0.0)?) } else { 0.0 };
    let mut note = None;
    let moving = forces(own, moving, kind, compiler, reference, &mut note)?;
    let range = limits(own, kind, compiler, reference)?;
    let (moving, largest_turn) = match (kind, range) {
        (Kind::Slide | Kind::Hinge, Some(range)) => (moving.with_limits(&[range]), f64::INFINITY),
        (Kind::Ball, Some([_, most])) => (moving, most),
        _ => (moving, f64::INFINITY),
    };
    let force_range = force_range(own, compiler)?;
    Ok(Joint { name, kind, anchor, moving, reference, force_range, largest_turn, note })
}

fn force_range(own: &Attributes<'_>, compiler: &Compiler) -> Result<[f64; 2], Error> {
    let range = own.numbers("actuatorfrcrange", [2, 2])?;
    let is_limited = own.choice("actuatorfrclimited")?.unwrap_or(compiler.auto_limits);
    match range.filter(|_| is_limited) {
        None => Ok([f64::NEG_INFINITY, f64::INFINITY]),
        Some(range) if range[0] < range[1] => Ok([range[0], range[1]]),
        Some(_) => Err(own.refuse("actuatorfrcrange", "a lower below an upper end".to_owned())),
    }
}

/// Springs, dampers, armature and dry friction.
fn forces(
    own: &Attributes<'_>,
    moving: Moving,
    kind: Kind,
    compiler: &Compiler,
    reference: f64,
    note: &mut Option<&'static str>,
) -> Result<Moving, Error> {
    let n = moving.kind.velocity_count();
    let first = |name: &str| -> Result<f64, Error> {
        // Further coefficients would make the force a polynomial.
        let numbers = own.numbers(name, [1, 3])?.unwrap_or_else(|| vec![0.0]);
        if numbers[0] < 0.0 || numbers[1..].iter().any(|number| *number != 0.0) {
            let expected = "one number of at least 0, as springs and dampers are linear";
            return Err(Error::value(own.element, name, expected));
        }
        Ok(numbers[0])
    };
    let stiffness = if compiler.springs { first("stiffness")? } else { 0.0 };
    let damping = if compiler.dampers { first("damping")? } else { 0.0 };
    let armature = own.not_negative("armature", 0.0)?;
    let friction = own.not_negative("frictionloss", 0.0)?;
    let friction = if compiler.friction_loss { friction } else { 0.0 };
    let mut moving = moving.with_damping(&vec![damping; n]).with_armature(&vec![armature; n]);
    if matches!(kind, Kind::Slide | Kind::Hinge) || friction == 0.0 {
        moving = moving.with_friction(&vec![friction; n]);
    } else {
        // For a rotation in space the bound applies to the magnitude, not to three axes.
        *note = Some("dry friction of ball and free joints is not modeled");
    }
    if stiffness > 0.0 {
        match kind {
            Kind::Slide | Kind::Hinge => {
                let rest = own.number("springref", 0.0)?;
                let rest = if kind == Kind::Hinge { compiler.angle(rest) } else { rest };
                moving = moving.with_spring(&[stiffness], &[rest - reference]);
            }
            Kind::Ball => {
                moving = moving.with_spring(&[stiffness; 3], &[1.0, 0.0, 0.0, 0.0]);
            }
            Kind::Free => *note = Some("the spring of a free joint is not modeled"),
        }
    }
    Ok(moving)
}

/// The range of a joint with limits; of a ball joint, the second number is the largest angle.
fn limits(
    own: &Attributes<'_>,
    kind: Kind,
    compiler: &Compiler,
    reference: f64,
) -> Result<Option<[f64; 2]>, Error> {
    let range = own.numbers("range", [2, 2])?;
    let limited = own.choice("limited")?;
    let is_limited = limited.unwrap_or(compiler.auto_limits && range.is_some());
    let Some(range) = range.filter(|_| is_limited && compiler.limits) else { return Ok(None) };
    let unit = |v: f64| if kind == Kind::Slide { v } else { compiler.angle(v) };
    let [lower, upper] = [range[0], range[1]].map(|end| unit(end) - reference);
    match kind {
        Kind::Free => Ok(None),
        // MuJoCo does not accept equal limits; a range of zeros means no limit.
        _ if lower >= upper => {
            Err(Error::value(own.element, "range", "a lower below an upper limit"))
        }
        _ => Ok(Some([lower, upper])),
    }
}
