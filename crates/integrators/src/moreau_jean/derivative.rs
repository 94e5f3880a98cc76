//! The derivative of a step with respect to a parameter: [`derivative()`].
//!
//! A step by [`MoreauJean`] has data that are smooth in the state, in masses, sizes and coefficients, and in the guess
//! `v'` at which forces and masses are evaluated: the velocity `v_f` without contacts, the operator `W`, and the
//! responses `M⁻¹ Jᵀ`. Its impulses `p` solve a contact problem and are smooth as long as no contact changes its mode.
//! With `F(s, x, p) = v_f + M⁻¹ Jᵀ p` for the parameter `s` and the guess `x`, a step ends at `v' = F(s, v', p(s, v'))`,
//! and
//!
//! ```math
//! \frac{dv'}{ds} = \Bigl(\frac{\partial F}{\partial s} + \frac{\partial F}{\partial x} \frac{dv'}{ds}\Bigr)_{p}
//!   + M^{-1} J^\mathsf{T} \Bigl(\frac{\partial p}{\partial s} + \frac{\partial p}{\partial x} \frac{dv'}{ds}\Bigr).
//! ```
//!
//! The change of `p` follows from those of `W`, `u_f` and `μ` by the implicit function theorem
//! ([`friction::derivative`](percussion_complementarity::friction::derivative)). The derivatives of the data are central
//! differences of smooth functions along `(1, dv'/ds)`. The equation is solved by inserting its right-hand side, which
//! contracts as the iteration of the step itself does; constant forces and masses take two passes.
//!
//! - **Needs** contacts with friction only: no friction in joints, no drives, no projection. Joints and loops are allowed.
//! - **Exists** where every contact opens, sticks or slides strictly, a contact with restitution that pushes strictly
//!   approaches or separates before the step, and the closed contacts at the prediction `q̄` do not change.
//! - **Valid** up to the [reach](StepDerivative::reach), to first order. It includes closed contacts that open at `q̄`,
//!   and does not include open contacts that close there.
//! - **Accuracy** about `1e-9` of the data per unit of `s`, if they change by their own size over a unit of `s`.
//! - **Cost** one step, and for each pass two evaluations of the data and one derivative of the contact problem.

use nalgebra::{DVector, Vector3};
use percussion_complementarity::friction::derivative::{
    Derivative, Mode, Place, Reach, State as Modes,
};

use super::{MoreauJean, Settings};
pub use crate::{
    family::{Cause, Family, FamilyError},
    step_derivative::{Error, StepDerivative},
};
use crate::{
    family::{members, quotient},
    step_derivative::{LevelScheme, Stepped, direction, first_zero, shorten},
    velocity_level::VelocityLevel,
};

impl LevelScheme for MoreauJean {
    fn level(&self) -> &VelocityLevel {
        &self.level
    }
}

impl Stepped<MoreauJean> {
    /// States the problem again for another guess of `v'`.
    fn restate(&mut self, guess: &DVector<f64>) -> Result<(), Error> {
        let s = self.s;
        let (motion, scheme) = self.simulation.parts();
        scheme.guess.copy_from(guess);
        let stated = scheme.fall(motion, true).and_then(|()| scheme.state(motion));
        stated.map_err(|source| Error::Step { s, source })
    }

    /// `v'` with other impulses.
    fn velocity(&mut self, impulses: &[Vector3<f64>]) -> DVector<f64> {
        let (motion, scheme) = self.simulation.parts();
        scheme.level.set_impulses(impulses);
        scheme.apply(motion);
        scheme.velocity.clone()
    }

    /// Gaps of the contacts at `q̄` beyond the tolerance (m).
    fn gaps(&self) -> Vec<f64> {
        let tolerance = self.scheme().gap_tolerance;
        self.scheme().level.gaps().into_iter().map(|gap| gap - tolerance).collect()
    }

    /// Normal velocities of the contacts before the step; zero where restitution does not act.
    fn approaches(&mut self, open: &[bool]) -> Vec<f64> {
        let contacts = self.contacts();
        let (motion, scheme) = self.simulation.parts();
        let mut speeds = scheme.level.approaches(&motion.state.velocity);
        for ((speed, contact), open) in speeds.iter_mut().zip(contacts).zip(open) {
            if *open || motion.contacts.as_slice()[contact].restitution == 0.0 {
                *speed = 0.0;
            }
        }
        speeds
    }

    /// `q ⊕ h v_θ`.
    fn end(&mut self, velocity: &DVector<f64>) -> Vec<f64> {
        let (motion, scheme) = self.simulation.parts();
        scheme.velocity.copy_from(velocity);
        scheme.advance(motion);
        scheme.coordinates.clone()
    }
}

/// The derivative of the first step of the motions of `family` at `s = 0`.
///
/// `family` gives a model and its start for a parameter; it is called at `0` and `±increment`. An increment of `1e-5`
/// times the size of the parameter is good for smooth data.
///
/// # Errors
///
/// See [`Error`].
///
/// # Example
///
/// A point of 2 kg lands at 4 m/s with `e = 1/2` while it moves at 3 m/s to the side, with `μ = 1/4`. In a step of 0.1 s
/// gravity adds 1 m/s to its fall, which restitution does not give back: it leaves at 2 m/s, after 7 m/s · 2 kg of normal
/// impulse. Friction takes `7 μ` from the side, so per unit of friction it moves 7 m/s slower and gets `7 h/2` = 0.35 m
/// less far.
///
/// ```
/// use nalgebra::{Vector2, Vector3};
/// use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
/// use percussion_dynamics::{PlanarBodies, PlanarBody};
/// use percussion_integrators::moreau_jean::{Settings, derivative::derivative};
/// use percussion_integrators::{Contact, Model, State};
///
/// let mut family = |s: f64| {
///     let point = PlanarBodies::new(vec![PlanarBody::new(2.0, 1.0)], Vector2::new(0.0, -10.0))?;
///     let floor = Plane::new(&Vector3::y(), &Vector3::zeros())?;
///     let gap = SpherePlane::new(Sphere::of_body(0, 0.0), floor)?;
///     let foot = Contact::new(gap, 0.25 + s).with_restitution(0.5);
///     let start = State { time: 0.0, coordinates: vec![0.0; 3], velocity: vec![3.0, -4.0, 0.0] };
///     Ok((Model::new(Box::new(point), vec![foot])?, start))
/// };
/// let settings = Settings { step_size: 0.1, ..Settings::default() };
/// let found = derivative(&mut family, &settings, 1e-5)?;
/// assert!((found.velocity[0] + 7.0).abs() < 1e-8 && (found.coordinates[0] + 0.35).abs() < 1e-8);
/// // Valid until friction stops the point, at μ = 3/7.
/// assert!((found.reach.step - (3.0 / 7.0 - 0.25)).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn derivative(
    family: &mut Family<'_>,
    settings: &Settings,
    increment: f64,
) -> Result<StepDerivative, Error> {
    let members = members(family, increment)?;
    if settings.projection {
        return Err(Error::Feature("the step ends with a projection"));
    }
    let [mut here, mut after, mut before] =
        Stepped::<MoreauJean>::members(members, settings, increment)?;
    let contacts = here.contacts();
    let start = here.scheme().velocity.clone();
    here.restate(&start)?;
    let solved = match here.problem() {
        None => None,
        Some(problem) => {
            Some(Derivative::at(&problem, &here.scheme().level.found().1, &Default::default())?)
        }
    };
    let impulses = solved.as_ref().map_or_else(Vec::new, Derivative::impulses);
    let velocity = here.velocity(&impulses);

    let mut rate = DVector::zeros(velocity.len());
    // The differences of velocities of this size have an error of about a rounding over the increment.
    let noise = 16.0 * f64::EPSILON * velocity.amax() / increment;
    let (mut converged, mut passes) = (false, 0);
    let (mut changes, mut reach) = (Vec::new(), Reach::unlimited());
    let mut change = f64::INFINITY;
    while !converged {
        if passes == settings.iteration_limit {
            return Err(Error::IterationLimit { limit: passes, change });
        }
        passes += 1;
        after.restate(&(&velocity + &rate * increment))?;
        before.restate(&(&velocity - &rate * increment))?;
        let mut next = (after.velocity(&impulses) - before.velocity(&impulses)) / (2.0 * increment);
        if let (Some(solved), Some(right), Some(left)) =
            (&solved, after.problem(), before.problem())
        {
            let found = solved.forward(&direction(&right, &left, 2.0 * increment))?;
            (changes, reach) = (found.impulses, found.reach);
            let moved: Vec<_> = impulses.iter().zip(&changes).map(|(p, dp)| p + dp).collect();
            next += here.velocity(&moved) - &velocity;
        }
        change = (&next - &rate).amax();
        converged = change <= 1e-10 * next.amax() + noise;
        rate = next;
    }
    reach.exact = false;
    reach.contact = reach.contact.map(|index| contacts[index]);
    if let Some(solved) = &solved {
        let closed = [before.gaps(), here.gaps(), after.gaps()];
        let [a, b, c] = &closed;
        shorten(&mut reach, first_zero(&contacts, [a, b, c], increment).unwrap_or(None));
        let open: Vec<_> =
            solved.places().iter().map(|place| *place == Place::Inside(Mode::Open)).collect();
        let sides = [&mut before, &mut here, &mut after].map(|side| side.approaches(&open));
        let [a, b, c] = &sides;
        let turns = first_zero(&contacts, [a, b, c], increment)
            .map_err(|(contact, velocity)| Error::Grazing { contact, velocity })?;
        shorten(&mut reach, turns);
    }
    let pairs = impulses.iter().copied().zip(changes);
    let found = contacts.iter().zip(pairs).map(|(&contact, (p, dp))| (contact, p, dp)).collect();
    let ends = [(&mut after, increment), (&mut before, -increment)]
        .map(|(side, s)| side.end(&(&velocity + &rate * s)));
    let coordinates = quotient(&ends[0], &ends[1], increment);
    let redundant = solved.is_some_and(|solved| solved.state() == Modes::Redundant);
    let velocity = rate.as_slice().to_vec();
    Ok(StepDerivative { coordinates, velocity, redundant, contacts: found, reach })
}
