//! Decides whether the friction cone of a [`Problem`] is pointed, in which direction, and by how much.
//!
//! The friction cone is the set of all joint effects of the contacts: the sums of impulses from the cones
//! `‖Λ_t‖ ≤ μ Λ_n`, mapped to changes of velocity. It is *pointed* when impulses cannot cancel, so that there
//! are a direction `r` and a constant `c > 0` with
//!
//! ```math
//! r \cdot J^\mathsf{T} \Lambda \;\ge\; c \sum_i \Lambda_{n,i}, \qquad r^\mathsf{T} M r = 1, \qquad G r = 0.
//! ```
//!
//! Then every impulse drives the bodies on along `r`, by no more than the energy allows, and the samples of
//! [`set_valued`](crate::set_valued) end; [`guarantee`](crate::guarantee) bounds when. A cone that is not
//! pointed jams: some impulses, not all zero, cancel.
//!
//! The minimum of the left side is on an edge of the cones. Let `a_j` be the edges (unit normal impulse,
//! friction along one of the directions) and `b_j = M⁻¹ Jᵀ a_j / s_j` their effects, in coordinates with
//! `rᵀMr = ‖y‖²` and relative to their size `s_j`. Then these are linear programs except for `‖y‖ ≤ 1`:
//!
//! ```math
//! \min_{x \ge 0,\, \sum x = 1} \|B x\|_\infty, \qquad\qquad
//! \max_{\|y\| \le 1} \min_j\, s_j\, b_j \cdot y .
//! ```
//!
//! The first is zero if and only if the cone is not pointed, and `x` is the proof. The second is solved first
//! with a box in place of the ball, and then again with the half spaces `y_k · y ≤ ‖y_k‖` at every answer
//! `y_k` and halfway between the best direction and it (Kelley's cutting planes, stabilized). Each program
//! gives an upper bound of `c`, and each direction `y_k/‖y_k‖` proves a lower bound of `c`.
//!
//! Joints hold throughout: the effect of an impulse is its effect on the bodies in their joints, and joint
//! impulses may help two contacts to cancel. The result does not depend on units, on the coordinates, on the
//! order of contacts or on the sign of tangents.
//!
//! - **Needs** no special structure: planar and spatial contacts, joints, redundant contacts and any friction
//!   are accepted.
//! - **Guarantees** every result it returns: directions and jams are checked on the problem itself,
//!   independently of the solver. If neither can be proved, the result is [`FrictionCone::Undecided`].
//! - **In space** the cones are the inscribed pyramids that the laws use. If they jam, so do the disks;
//!   [`Pointed::disk_constant`] states whether the direction is valid for the disks as well.
//! - **Cost** a linear program with one variable per edge and two rows per velocity, and up to
//!   [`Settings::programs`] with one variable per velocity and one row per edge. For two contacts in the
//!   plane one is enough. For 6 velocities and 4 contacts in space they take some 40 ms and give the constant
//!   to `1e-6`; for 30 velocities and 16 contacts a second, with the constant known to about 1 %.
//! - **Deterministic**: single-threaded, fixed order.
//!
//! # Source
//!
//! M. Halm, M. Posa, "Set-valued rigid-body dynamics for simultaneous, inelastic, frictional impacts",
//! *International Journal of Robotics Research* 43 (2024), assumption 2 and lemma 6, where the norms
//! are Euclidean; the metric of kinetic energy makes `c` independent of units and coordinates.
//! J. E. Kelley, "The cutting-plane method for solving convex programs", *Journal of the Society for
//! Industrial and Applied Mathematics* 8 (1960) 703–712; W. Ben-Ameur, J. Neto, "Acceleration of
//! cutting-plane and column generation algorithms", *Networks* 49 (2007) 3–17 (points half way).

use nalgebra::DVector;

use crate::{Problem, readable::readable};

pub(crate) mod generators;
mod programs;
#[cfg(test)]
mod tests;

use generators::Generators;

/// Settings of [`analyze`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Directions of friction of a contact with two tangents (even, 4 to 360, default 8).
    pub directions: usize,
    /// Relative gap at which the improvement of the direction stops: at most this fraction of `c` remains to
    /// be gained (in `[0, 1)`, default `1e-6`).
    pub gap: f64,
    /// Maximum number of linear programs for the direction (≥ 1, default 100). The constant found is proved
    /// for any number; more programs can only increase it.
    pub programs: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { directions: 8, gap: 1e-6, programs: 100 }
    }
}

/// Result of [`analyze`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FrictionCone {
    /// Impulses cannot cancel.
    Pointed(Pointed),
    /// Impulses can cancel.
    Jammed(Jam),
    /// Neither could be proved in double precision. The largest margin `min_j b_j · y` over all directions
    /// lies between these bounds (dimensionless).
    Undecided {
        /// Margin of the best direction found; not positive, or not distinguishable from rounding.
        lower: f64,
        /// Resultant of the best weights found; larger than rounding.
        upper: f64,
    },
}

/// Proof that a friction cone is pointed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Pointed {
    /// `r` (length `n_v`), with `rᵀMr = 1` and `G r = 0`: a velocity per `√J`. Zero without contacts.
    pub direction: DVector<f64>,
    /// `c` of the pyramids (kg^−½, > 0): a normal impulse of 1 N·s at any contact pushes along `r` by at
    /// least this much. Infinite without contacts.
    pub constant: f64,
    /// Upper bound of `c` over all directions (kg^−½), up to the accuracy of the last linear program.
    pub constant_bound: f64,
    /// `c` of the disks with the same direction (kg^−½): equal in the plane, smaller in space. Not positive
    /// when this direction does not prove that their cone is pointed.
    pub disk_constant: f64,
}

/// Proof that a friction cone is not pointed: impulses in the cones that cancel.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Jam {
    /// Impulses at the rows of `J` (length `r`, N·s), with normal parts that sum to 1 N·s.
    pub impulse: DVector<f64>,
}

impl Jam {
    /// Checks the proof using the problem alone. Returns the joint effect of the impulses, relative to the
    /// effect that their normal parts with full friction could have one by one and without joints
    /// (dimensionless, in the metric of kinetic energy).
    ///
    /// Rounding of a jam leaves about `n_v² κ eps`, with the condition number `κ` of the mass matrix
    /// scaled to a unit diagonal. Infinite when an impulse pulls, when one leaves its cone by more
    /// than `1e-12` of it (sums of up to 360 edges round by `1e-13`), or when all are zero; NaN when
    /// the number of rows is wrong.
    #[must_use]
    pub fn resultant(&self, problem: &Problem) -> f64 {
        if self.impulse.len() != problem.contact_jacobian().nrows() {
            return f64::NAN;
        }
        let sizes = problem.free_row_sizes();
        let mut one_by_one = 0.0;
        for (k, contact) in problem.contacts().iter().enumerate() {
            let (percussion, size) =
                (self.impulse.rows_range(problem.rows(k)), sizes.rows_range(problem.rows(k)));
            let (normal, tangential) = (percussion[0], percussion.rows_range(1..).norm());
            if normal < 0.0 || tangential > contact.friction * normal * (1.0 + 1e-12) {
                return f64::INFINITY;
            }
            one_by_one += normal * (size[0] + contact.friction * size.rows_range(1..).sum());
        }
        if self.impulse.amax() == 0.0 {
            return f64::INFINITY;
        }
        let together = problem.response() * &self.impulse;
        let together = (2.0 * problem.kinetic_energy(&together)).max(0.0).sqrt();
        if together == 0.0 { 0.0 } else { together / one_by_one }
    }
}

/// Reasons why [`analyze`] could not start or could not finish.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting is outside its documented range.
    #[error("setting `{name}` is {}, expected {expected}", readable(*.value))]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Its range.
        expected: &'static str,
    },
    /// Friction times a tangent overflows.
    #[error("friction of contacts[{contact}] times its tangents overflows")]
    Overflow {
        /// Index of the contact.
        contact: usize,
    },
    /// A linear program failed; only rounding can cause this.
    #[error("linear program of the friction cone: {0}")]
    Program(String),
}

impl From<good_lp::ResolutionError> for Error {
    fn from(error: good_lp::ResolutionError) -> Self {
        Self::Program(error.to_string())
    }
}

/// Determines whether the friction cone of `problem` is pointed; see the [module](self).
///
/// # Errors
///
/// See [`Error`].
///
/// # Example
///
/// A particle of 4 kg lies on the ground with `μ = 3/4`. In the upward direction, `r = (0, 1/2)`, every
/// impulse pushes with its normal part: `c = 1/√4`. Between two such grounds, one of them upside down, it is
/// stuck.
///
/// ```
/// use nalgebra::{dmatrix, dvector};
/// use percussion_impact::{Contact, Mass, Problem, friction_cone::{FrictionCone, Settings, analyze}};
///
/// let friction = |contact: Contact| contact.with_friction(0.75, vec![dvector![1.0, 0.0]]);
/// let ground = friction(Contact::new(dvector![0.0, 1.0]));
/// let ceiling = friction(Contact::new(dvector![0.0, -1.0]));
/// let mass = || Mass::Matrix(dmatrix![4.0, 0.0; 0.0, 4.0]);
///
/// let lying = Problem::new(mass(), dvector![0.0, -1.0], vec![ground.clone()])?;
/// let FrictionCone::Pointed(pointed) = analyze(&lying, &Settings::default())? else { panic!() };
/// assert!((pointed.direction - dvector![0.0, 0.5]).amax() < 1e-6);
/// assert!((pointed.constant - 0.5).abs() < 1e-6);
///
/// let stuck = Problem::new(mass(), dvector![0.0, -1.0], vec![ground, ceiling])?;
/// let FrictionCone::Jammed(jam) = analyze(&stuck, &Settings::default())? else { panic!() };
/// assert!(jam.resultant(&stuck) < 1e-15);
/// assert!((jam.impulse[0] - 0.5).abs() < 1e-15 && (jam.impulse[2] - 0.5).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn analyze(problem: &Problem, settings: &Settings) -> Result<FrictionCone, Error> {
    check(settings)?;
    let generators = Generators::new(problem, settings.directions)?;
    if generators.sizes.is_empty() {
        return Ok(FrictionCone::Pointed(Pointed {
            direction: DVector::zeros(problem.dimension()),
            constant: f64::INFINITY,
            constant_bound: f64::INFINITY,
            disk_constant: f64::INFINITY,
        }));
    }
    let weights = programs::weakest_sum(&generators.responses)?;
    let upper = (&generators.responses * &weights).norm();
    if upper <= generators.rounding {
        return Ok(FrictionCone::Jammed(jam(problem, &generators, &weights)));
    }
    let (coordinates, bound) = improve(&generators, settings)?;
    let lower = generators.responses.tr_mul(&coordinates).min();
    if lower <= generators.rounding {
        return Ok(FrictionCone::Undecided { lower, upper });
    }
    let direction = &generators.basis * coordinates;
    let (constant, disk_constant) = constants(problem, &direction, settings.directions);
    Ok(FrictionCone::Pointed(Pointed {
        direction,
        constant,
        constant_bound: bound.max(constant),
        disk_constant,
    }))
}

fn check(settings: &Settings) -> Result<(), Error> {
    let refuse = |name, value, expected| Err(Error::Setting { name, value, expected });
    let Settings { directions, gap, programs } = *settings;
    if directions % 2 == 1 || !(4..=360).contains(&directions) {
        return refuse("directions", directions as f64, "an even number from 4 to 360");
    }
    if !(0.0..1.0).contains(&gap) {
        return refuse("gap", gap, "a number in [0, 1)");
    }
    if programs == 0 {
        return refuse("programs", 0.0, "at least 1");
    }
    Ok(())
}

/// The impulses that correspond to weights of the edges.
fn jam(problem: &Problem, generators: &Generators, weights: &DVector<f64>) -> Jam {
    let mut impulse = &generators.percussions * weights.component_div(&generators.sizes);
    let normals = (0..problem.contacts().len()).map(|k| impulse[problem.rows(k).start]);
    let total: f64 = normals.sum();
    impulse /= total;
    Jam { impulse }
}

/// Coordinates `y` (length `d`, `‖y‖ = 1`) of the direction with the largest `c` found, and an upper bound of
/// `c` (kg^−½).
fn improve(generators: &Generators, settings: &Settings) -> Result<(DVector<f64>, f64), Error> {
    let smallest = generators.sizes.min();
    let parts = generators.sizes.map(|size| smallest / size);
    let constant =
        |y: &DVector<f64>| generators.responses.tr_mul(y).component_mul(&generators.sizes).min();
    let mut best = DVector::zeros(generators.responses.nrows());
    let mut lower = f64::NEG_INFINITY;
    let mut upper = f64::INFINITY;
    let mut cuts = Vec::new();
    for _ in 0..settings.programs {
        let (point, gain) = programs::best_direction(&generators.responses, &parts, &cuts)?;
        upper = upper.min(gain * smallest);
        // The cut halfway to the best direction is effective; the cut at the answer itself prevents the same
        // answer from being found again.
        for point in [(&point + &best) / 2.0, point] {
            let norm = point.norm();
            if norm > 0.0 {
                let direction = point / norm;
                let value = constant(&direction);
                if value > lower {
                    lower = value;
                    best.copy_from(&direction);
                }
                cuts.push(direction);
            }
        }
        if upper - lower <= settings.gap * upper || cuts.is_empty() {
            break;
        }
    }
    #[cfg(feature = "tracing")]
    tracing::debug!(cuts = cuts.len(), lower, upper, "direction of the friction cone");
    Ok((best, upper))
}

/// The constants `c` that `direction` proves for the pyramids and for the disks, from the contact
/// velocity of that direction alone.
fn constants(problem: &Problem, direction: &DVector<f64>, directions: usize) -> (f64, f64) {
    let push = problem.movable_contact_velocity(direction);
    let norm = (2.0 * problem.kinetic_energy(direction)).sqrt();
    let mut smallest = (f64::INFINITY, f64::INFINITY);
    for (k, contact) in problem.contacts().iter().enumerate() {
        let push = push.rows_range(problem.rows(k));
        let tangents = push.rows_range(1..);
        for edge in generators::edges(contact.tangents.len(), contact.friction, directions) {
            let along: f64 = edge.iter().zip(tangents.iter()).map(|(a, b)| a * b).sum();
            smallest.0 = smallest.0.min(push[0] + along);
        }
        smallest.1 = smallest.1.min(push[0] - contact.friction * tangents.norm());
    }
    (smallest.0 / norm, smallest.1 / norm)
}
