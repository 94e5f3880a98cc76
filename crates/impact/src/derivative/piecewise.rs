//! The derivative of an outcome of any law whose impulses follow in pieces with fixed modes: [`Derivative`].
//!
//! Impulses at contacts depend on the data by the contact velocity `b = J w` that the joints leave of `v⁻`, the
//! operator `W`, the friction `μ` and the restitution `e`. A [`Script`] lists the pieces of an outcome: the one
//! problem of a law that resolves all contacts at once, the single impacts of a sequence, or what lies between two
//! events of a path. In a piece each contact has a mode, and its impulses `π` solve as many equations as there are
//! unknowns, such as
//!
//! | mode | equations |
//! | --- | --- |
//! | free | `π = 0` |
//! | stops; rebounds | `u_n⁺ = 0`; `u_n⁺ = −e u_n` |
//! | takes its increment, or returns | `π_n` is given, or `e` times the impulse of the compression |
//! | sticks | `u_t⁺ = 0` |
//! | slides along a direction `d` of the polygon | `π_t = μ π_n d` |
//! | slides across an edge of the polygon | no slip along the edge, `π_t` on it |
//! | slides in space by Routh's law | a differential equation instead, whose linearization is followed |
//! | a part of an interval of PLUS | the same for the end of the whole interval, `u + W π/τ`; slip that stops or turns determines the part `τ` |
//!
//! With `F(y, x) = 0` for the unknowns `y` and all that came before, `x`, the implicit function theorem gives
//! `dy = −(∂F/∂y)⁻¹ (∂F/∂x) dx`. One module does this for the equations of all laws; a law only states its modes. The
//! velocity after a piece is `u⁺ = u + W π`, and its change `du + dW π + W dπ` enters the next piece.
//!
//! - **Laws** [`Newton`](crate::newton::Newton), [`Poisson`](crate::poisson::Poisson),
//!   [`AnitescuPotra`](crate::anitescu_potra::AnitescuPotra), [`Propagative`](crate::propagative::Propagative),
//!   [`Routh`](crate::routh::Routh), [`Plus`](crate::plus::Plus) except in jams with little slip, one sample of
//!   [`SetValuedRouth`](crate::set_valued::SetValuedRouth) with its draws held, with or without restitution, and
//!   [`Sequential`](crate::sequential::Sequential) of one of these. Round cones have
//!   [a derivative of their own](super::Derivative).
//! - **States**: as long as all margins of the modes are positive, the outcome is differentiable. At an
//!   [edge](State::Edge) there is no derivative in directions that move the margin, but there are
//!   [one-sided](Derivative::one_sided) ones. Where equations are redundant, velocities have a derivative in directions
//!   that do not contradict them.
//! - **Neighborhood**: [`radius`](Derivative::radius) is exact for laws without stored energies: with `W`, `μ` and `e`
//!   held, impulses and margins are affine in `b`, so that the velocities with the same modes fill a polyhedron.
//!   [`Reach`] is the step along a direction, exact for these laws if the velocity alone changes, and otherwise an
//!   estimate of first order.
//! - **Undetermined** is the friction of a contact that cannot move along its normal. A law that uses it is refused.
//! - **PLUS** decides by `v_transition`, `v_capture` and `v_plastic`; where a speed passes one of them is an edge, and the outcome
//!   may jump. The order in which its search drops constraints is no edge: what it finds is judged as it is.
//! - **Does not** say that there is no other outcome, where a law has several.
//! - **Accuracy** round-off times [`Derivative::condition`] for each piece.
//! - **Cost** for each piece a singular value decomposition of `r + 1` rows, and `O(r² p)` for the columns of all `p = r +
//!   r (r + 1)/2 + 2 n` data.
//!
//! # Source
//!
//! The derivation is ours, in the book, chapter "Derivatives".
//! S. Scholtes, *Introduction to Piecewise Differentiable Equations*, Springer 2012 (selections of pieces, and one-sided derivatives).

mod arc;
mod columns;
mod dual;
mod equations;
mod fractions;
mod intervals;
mod margins;
#[cfg_attr(
    not(feature = "sets"),
    expect(dead_code, reason = "only samples of sets need all of it")
)]
mod modes;
mod rounds;
#[cfg(feature = "sets")]
mod sampled;
#[cfg_attr(
    not(feature = "sets"),
    expect(dead_code, reason = "only samples of sets need all of it")
)]
mod script;
mod sequences;
mod simultaneous;
mod single;
mod solve;
mod tape;
#[cfg(test)]
mod tests;

use nalgebra::{DMatrix, DVector};

pub use self::script::Script;
use self::{
    columns::Columns,
    tape::{Margin, ROUNDING, Tape},
};
use super::{
    Change, Direction, Error, Gradient, Reach, Settings, State, change::by_velocity, data::Data,
};
use crate::{Law, Outcome, Problem, Status, Trace};

/// Maximum number of rows of contacts.
pub const MOST_ROWS: usize = 60;

/// A law that states the pieces of its outcomes.
pub trait Piecewise: Law {
    /// The pieces of the outcome of `problem`.
    ///
    /// # Errors
    ///
    /// [`Error`] when there is no outcome, or when the law does not know its pieces.
    fn script(&self, problem: &Problem) -> Result<Script, Error>;
}

impl<L: Piecewise + ?Sized> Piecewise for Box<L> {
    fn script(&self, problem: &Problem) -> Result<Script, Error> {
        (**self).script(problem)
    }
}

/// The derivative of one outcome; see the [module](self).
///
/// # Example
///
/// A ball of 1 kg and radius 1 m slides at 1 m/s while it falls at 2 m/s on a floor with `μ = 0.05` and `e = 1/2`. It
/// still slides afterwards. By Poisson's law the floor returns half of the 2 N·s of the compression, and friction takes
/// `μ (1 + e) 2 = 0.15` m/s from the sliding of the center.
///
/// ```
/// use nalgebra::{DMatrix, dvector};
/// use percussion_impact::{
///     Contact, Mass, Problem,
///     derivative::{Direction, Settings, piecewise::Derivative},
///     poisson::Poisson,
/// };
///
/// let floor = Contact::new(dvector![0.0, 1.0, 0.0])
///     .with_friction(0.05, vec![dvector![1.0, 0.0, 1.0]])
///     .with_restitution(0.5);
/// let mass = Mass::Matrix(DMatrix::from_diagonal(&dvector![1.0, 1.0, 0.4]));
/// let problem = Problem::new(mass, dvector![1.0, -2.0, 0.0], vec![floor])?;
///
/// let derivative = Derivative::at(&Poisson::default(), &problem, &Settings::default())?;
/// let rougher = Direction { friction: Some(vec![1.0]), ..Direction::default() };
/// let change = derivative.forward(&rougher)?;
/// assert!((change.velocity - dvector![-3.0, 0.0, -7.5]).amax() < 1e-12);
/// // It rolls when the friction has grown by (1 − 0.15 · 7/2)/(3 · 7/2).
/// assert!((change.reach.step - 0.475 / 10.5).abs() < 1e-12);
/// // More restitution: 2 N·s of normal impulse per unit, and 0.05 of that in friction.
/// let gradient = derivative.backward(&dvector![1.0, 0.0, 0.0], &dvector![0.0, 0.0])?;
/// assert!((gradient.restitution[0] + 0.1).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Derivative {
    data: Data,
    columns: Columns,
    /// `dΛ` by all data (`r ×` their number).
    change: DMatrix<f64>,
    margins: Vec<Margin>,
    contradictions: Vec<nalgebra::RowDVector<f64>>,
    condition: f64,
    pieces: usize,
    is_affine: bool,
    /// Speed with which margins are compared (m/s), and the natural size of each datum.
    speed: f64,
    sizes: DVector<f64>,
    settings: Settings,
}

/// A derivative to one side of an edge.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OneSided {
    /// The changes for a unit of the direction.
    pub change: Change,
    /// Whether it is proven to be the derivative of an outcome: its modes hold strictly for small steps along the
    /// direction. Otherwise a margin remains zero to first order.
    pub proven: bool,
}

impl Derivative {
    /// The derivative of the outcome of `problem` by `law`.
    ///
    /// # Errors
    ///
    /// [`Error`] for an outcome that is not resolved or has reduced restitution, a problem with more than [`MOST_ROWS`]
    /// rows, a setting out of range, a law that does not state its pieces, equations without a derivative, and units in
    /// which it is beyond the range of doubles.
    pub fn at(
        law: &(impl Piecewise + ?Sized),
        problem: &Problem,
        settings: &Settings,
    ) -> Result<Self, Error> {
        let found = problem.contact_jacobian().nrows();
        if found > MOST_ROWS {
            return Err(Error::Rows { found, limit: MOST_ROWS });
        }
        if settings.edge.is_nan() || settings.edge < 0.0 {
            return Err(Error::Setting { name: "edge", value: settings.edge });
        }
        Self::of_script(&law.script(problem)?, problem, settings)
    }

    fn of_script(script: &Script, problem: &Problem, settings: &Settings) -> Result<Self, Error> {
        let mut tape = Tape::new(problem);
        tape.play(script)?;
        let speed = problem.borrow_free_contact_velocity().amax();
        let speed = if speed > 0.0 { speed } else { 1.0 };
        let sizes = sizes(problem, tape.columns, speed);
        let Tape { columns, impulse, d_impulse, margins, contradictions, .. } = tape;
        let slopes = margins.iter().flat_map(|margin| margin.slope.iter());
        let parts = slopes.chain(contradictions.iter().flat_map(|row| row.iter()));
        check_range("the derivative by all data", d_impulse.iter().chain(parts))?;
        if let Some(margin) =
            margins.iter().find(|m| m.value.is_nan() || m.value < -settings.edge * speed)
        {
            return Err(Error::Modes { contact: margin.contact, margin: margin.value });
        }
        Ok(Self {
            data: Data::new(problem, impulse),
            columns,
            change: d_impulse,
            margins,
            contradictions,
            condition: tape.condition,
            pieces: tape.pieces,
            is_affine: script.is_affine,
            speed,
            sizes,
            settings: *settings,
        })
    }

    /// Whether there is a derivative in every direction ([`State::Regular`]), or in directions that keep redundant rows
    /// consistent, or, at an edge, in those that do not move it.
    #[must_use]
    pub fn state(&self) -> State {
        if self.margins.iter().any(|margin| self.is_edge(margin)) {
            State::Edge
        } else if self.is_redundant() {
            State::Redundant
        } else {
            State::Regular
        }
    }

    /// Whether impulses are not unique, so that only velocities have a derivative.
    #[must_use]
    pub fn is_redundant(&self) -> bool {
        !self.contradictions.is_empty()
    }

    fn is_edge(&self, margin: &Margin) -> bool {
        margin.value <= self.settings.edge * self.speed
            && self.size_of(&margin.slope) > ROUNDING * self.speed
    }

    /// Size of a change by all data in their natural sizes.
    fn size_of(&self, slope: &nalgebra::RowDVector<f64>) -> f64 {
        slope.iter().zip(self.sizes.iter()).map(|(a, b)| (a * b).abs()).fold(0.0, f64::max)
    }

    /// The velocity after the impact, after refinement of the impulses (length `n_v`, m/s and rad/s).
    #[must_use]
    pub const fn velocity(&self) -> &DVector<f64> {
        self.data.velocity()
    }

    /// The impulses after refinement (length `r`, N·s).
    #[must_use]
    pub const fn impulses(&self) -> &DVector<f64> {
        &self.data.impulse
    }

    /// Largest condition of the equations of a piece (≥ 1), in units in which impulses are as velocities.
    #[must_use]
    pub const fn condition(&self) -> f64 {
        self.condition
    }

    /// Number of pieces of the outcome.
    #[must_use]
    pub const fn pieces(&self) -> usize {
        self.pieces
    }

    /// The largest `r` (m/s) such that the modes stay for every change of `v⁻` that changes the velocity of each contact
    /// before the impact by less than `r`, contacts being free to change independently of each other; infinite if no
    /// change leaves them.
    ///
    /// It is exact up to rounding where all margins are affine in the velocity. `None` at an edge, and for laws with stored
    /// energies.
    #[must_use]
    pub fn radius(&self) -> Option<f64> {
        if !self.is_affine {
            return None;
        }
        let problem = &self.data.problem;
        let mut radius = f64::INFINITY;
        for margin in &self.margins {
            let of = |contact: usize| {
                let squares = problem.rows(contact).map(|row| margin.slope[row].powi(2));
                squares.sum::<f64>().sqrt()
            };
            let slope: f64 = (0..self.columns.contacts).map(of).sum();
            if slope > ROUNDING {
                if self.is_edge(margin) {
                    return None;
                }
                radius = radius.min(margin.value / slope);
            }
        }
        Some(radius)
    }

    /// The change of the outcome along `direction`.
    ///
    /// # Errors
    ///
    /// [`Error`] with the reason if there is no derivative, and for a wrong size or an entry that is not finite.
    pub fn forward(&self, direction: &Direction) -> Result<Change, Error> {
        let (velocity, step) = self.loaded(direction)?;
        let size = step.component_div(&self.sizes).amax();
        for margin in self.margins.iter().filter(|margin| self.is_edge(margin)) {
            let rate = (&margin.slope * &step)[0];
            if rate.abs() > ROUNDING * self.size_of(&margin.slope) * size {
                return Err(Error::Edge { contact: margin.contact });
            }
        }
        self.change_along(direction, velocity, &step)
    }

    /// `dv⁺` with the impulses held, and the direction as a change of all data.
    fn loaded(&self, direction: &Direction) -> Result<(DVector<f64>, DVector<f64>), Error> {
        let loaded = self.data.load(direction)?;
        let (friction, restitution) = (&direction.friction, &direction.restitution);
        let step = self.columns.direction(
            &loaded.free,
            loaded.delassus.as_ref(),
            friction.as_deref(),
            restitution.as_deref(),
        );
        Ok((loaded.velocity, step))
    }

    fn change_along(
        &self,
        direction: &Direction,
        velocity: DVector<f64>,
        step: &DVector<f64>,
    ) -> Result<Change, Error> {
        let size = step.component_div(&self.sizes).amax();
        for row in &self.contradictions {
            let terms = row.iter().zip(step.iter()).map(|(a, b)| (a * b).abs()).fold(0.0, f64::max);
            if (row * step)[0].abs() > 1e-7 * terms.max(ROUNDING * self.speed * size) {
                return Err(Error::Contradiction);
            }
        }
        let impulses = &self.change * step;
        let velocity = velocity + self.data.problem.response() * &impulses;
        check_range("the derivative in this direction", velocity.iter().chain(&impulses))?;
        let mut reach = Reach::unlimited();
        for margin in &self.margins {
            let rate = (&margin.slope * step)[0];
            check_range("the derivative in this direction", [&rate])?;
            if rate < -ROUNDING * self.size_of(&margin.slope) * size {
                let length = margin.value.max(0.0) / -rate;
                if length < reach.step {
                    (reach.step, reach.contact) = (length, Some(margin.contact));
                }
            }
        }
        let only_velocity =
            Direction { velocity: direction.velocity.clone(), ..Direction::default() };
        reach.exact = self.is_affine && *direction == only_velocity;
        Ok(Change { velocity, impulses, reach })
    }

    /// The change of the outcome along `direction` for increasing steps only, which may exist at an edge.
    ///
    /// The modes are those of the outcome after a small step along the direction; they are confirmed by the margins at
    /// the outcome itself and by their rates.
    ///
    /// # Errors
    ///
    /// As [`forward`](Self::forward); [`Error::Jump`] where the outcome jumps in this direction, so that there is no
    /// derivative to this side.
    pub fn one_sided(
        &self,
        law: &(impl Piecewise + ?Sized),
        direction: &Direction,
    ) -> Result<OneSided, Error> {
        let (velocity, step) = self.loaded(direction)?;
        let size = step.component_div(&self.sizes).amax();
        if size == 0.0 {
            let change = self.change_along(direction, velocity, &step)?;
            return Ok(OneSided { change, proven: true });
        }
        let moved = self.data.moved(direction, PROBE / size)?;
        let side = Self::of_script(&law.script(&moved)?, &self.data.problem, &self.settings)?;
        let jump = (side.velocity() - self.velocity()).amax();
        if jump > 1e-7 * (self.velocity().amax() + self.data.problem.velocity().amax()) {
            return Err(Error::Jump { jump });
        }
        let mut proven = true;
        for margin in side.margins.iter().filter(|margin| side.is_edge(margin)) {
            let rate = (&margin.slope * &step)[0];
            let rounding = ROUNDING * side.size_of(&margin.slope) * size;
            if rate < -rounding {
                return Err(Error::Edge { contact: margin.contact });
            }
            proven &= rate > rounding;
        }
        Ok(OneSided { change: side.change_along(direction, velocity, &step)?, proven })
    }

    /// The change of the outcome with each velocity before the impact: `∂v⁺/∂v⁻` (`n_v × n_v`) and `∂Λ/∂v⁻` (`r × n_v`).
    ///
    /// # Errors
    ///
    /// As [`forward`](Self::forward).
    pub fn by_velocity(&self) -> Result<(DMatrix<f64>, DMatrix<f64>), Error> {
        by_velocity(&self.data, |direction| self.forward(direction))
    }

    /// The derivative of `g·v⁺ + h·Λ` for the weights `velocity` `g` (length `n_v`) and `impulses` `h` (length `r`). Where
    /// rows are redundant, it is that along directions that keep them consistent. With respect to a coefficient of
    /// restitution it is NaN where that is zero and the law has other pieces beyond, as `Routh` and `SetValuedRouth`.
    ///
    /// # Errors
    ///
    /// [`Error`] at an edge, for a wrong length or an entry that is not finite, and for a gradient that is not finite.
    pub fn backward(
        &self,
        velocity: &DVector<f64>,
        impulses: &DVector<f64>,
    ) -> Result<Gradient, Error> {
        self.data.check_weights(velocity, impulses)?;
        let weights = impulses + self.data.problem.response().tr_mul(velocity);
        let mut pulled = self.change.tr_mul(&weights);
        let first = self.columns.restitution(0);
        for margin in self.margins.iter().filter(|margin| self.is_edge(margin)) {
            let by_others = margin.slope.columns(0, first).into_owned();
            if self.size_of(&by_others) > ROUNDING * self.speed {
                return Err(Error::Edge { contact: margin.contact });
            }
            pulled[self.columns.restitution(margin.contact)] = f64::NAN;
        }
        let by_free = pulled.rows(0, self.columns.rows).into_owned();
        let by_delassus = self.columns.by_delassus(&pulled);
        let contacts = 0..self.columns.contacts;
        let friction = contacts.clone().map(|k| Some(pulled[self.columns.friction(k)]));
        let restitution = contacts.map(|k| pulled[self.columns.restitution(k)]);
        let both = (friction.collect(), restitution.collect());
        let gradient = self.data.gradient(velocity, &by_free, &by_delassus, both);
        let Gradient { velocity, mass, jacobian, joints, friction, .. } = &gradient;
        let joints = joints.iter().flat_map(|joints| joints.iter());
        let numbers = velocity.iter().chain(mass).chain(jacobian).chain(joints);
        check_range("the gradient", numbers.chain(friction.iter().flatten()))?;
        Ok(gradient)
    }
}

/// Part of the natural sizes of the data by which modes beyond an edge are looked for.
const PROBE: f64 = 1e-5;

/// Refuses numbers that are not finite.
fn check_range<'a>(
    what: &'static str,
    numbers: impl IntoIterator<Item = &'a f64>,
) -> Result<(), Error> {
    if numbers.into_iter().all(|number| number.is_finite()) {
        Ok(())
    } else {
        Err(Error::Range { what })
    }
}

/// The natural size of each datum.
fn sizes(problem: &Problem, columns: Columns, speed: f64) -> DVector<f64> {
    let w = problem.delassus();
    let mut sizes = DVector::from_element(columns.count(), 1.0);
    sizes.rows_mut(0, columns.rows).fill(speed);
    for i in 0..columns.rows {
        for j in i..columns.rows {
            let own = w[(i, i)].sqrt() * w[(j, j)].sqrt();
            sizes[columns.delassus(i, j)] = if own > 0.0 { own } else { 1.0 };
        }
    }
    sizes
}

/// The outcome of a law that came to its end with the restitution of the problem.
fn resolved(law: &(impl Law + ?Sized), problem: &Problem) -> Result<Outcome, Error> {
    let outcome = law.resolve(problem)?;
    let Trace { status, reduction, .. } = outcome.trace;
    if let Some(reduction) = reduction {
        return Err(Error::Reduced { factor: reduction.factor });
    }
    match status {
        Status::Resolved | Status::EnergyGained => Ok(outcome),
        status => Err(Error::Unresolved { status }),
    }
}
