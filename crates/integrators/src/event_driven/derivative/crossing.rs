//! How the change of a state passes an event: an impact, or the end of a mode.

use nalgebra::{DMatrix, DVector};
use percussion_impact::{
    Coefficients, Impulse, Law, Mass, Outcome, Problem,
    derivative::{self, Derivative, Direction},
    maximum_dissipation::MaximumDissipation,
};

use super::{
    Error,
    phase::{Members, Rate, Varied, carried, held_velocities},
};
use crate::{
    event_driven::{
        geometry::Geometry,
        hold::{Grip, Hold},
        impact::shortest,
        report::Mode,
        smooth::moment_of,
    },
    model::State,
};

/// A contact grazes if it approaches more slowly than this part of the speed that its gap has by its other terms; a slip stops
/// without a derivative if it does more slowly than this part of the acceleration `L/T²`.
const GRAZING: f64 = 1e-6;

/// Accelerations on both sides of an event differ if they do by more than this part of `L/T²`: at an event at which forces are
/// continuous they differ by the tolerance of forces, `1e-8`.
const JUMP: f64 = 1e-6;

/// Times at which two contacts stop may differ by this part of their change.
const TOGETHER: f64 = 1e-6;

/// Forces and slips count as zero up to this many of their tolerances.
const TOLERANCES: f64 = 10.0;

/// The outcome of an impact may differ from that of the motion by this part of the speed.
const SAME: f64 = 1e-6;

/// Singular values of contacts at rest up to this one count as zero, relative to rows of a length of about 1.
const REDUNDANT: f64 = 1e-9;

/// An impact of the motion.
pub(super) struct Impact<'a> {
    /// The contacts that took part.
    pub(super) contacts: &'a [usize],
    /// Those that are closed and at rest before it, also beside the parameter: their restitution has nothing to act on.
    pub(super) resting: Vec<usize>,
    /// Whether it stands for infinitely many ones: an inelastic impact of one contact.
    pub(super) accumulates: bool,
}

/// What an impact depends on.
struct Data {
    coefficients: Vec<Coefficients>,
    mass: DMatrix<f64>,
    jacobian: DMatrix<f64>,
    joints: DMatrix<f64>,
}

impl Data {
    fn of(geometry: &mut Geometry<'_>, state: &State, impact: &Impact<'_>) -> Self {
        geometry.locate(&state.coordinates, impact.contacts);
        let (n, width) = (state.velocity.len(), geometry.components);
        let mut mass = DMatrix::zeros(n, n);
        geometry.model.system().mass_matrix(&state.coordinates, &mut mass);
        let mut jacobian = DMatrix::zeros(width * impact.contacts.len(), n);
        let mut coefficients = Vec::with_capacity(impact.contacts.len());
        for (k, &contact) in impact.contacts.iter().enumerate() {
            let rows = geometry.rows.rows(geometry.first_row(contact), width);
            jacobian.rows_mut(width * k, width).copy_from(&rows);
            let &crate::Contact { friction, restitution, .. } =
                &geometry.contacts.as_slice()[contact];
            let inelastic = impact.accumulates || impact.resting.contains(&contact);
            let restitution = if inelastic { 0.0 } else { restitution };
            coefficients.push(Coefficients { friction, restitution });
        }
        let joints = geometry.rows.rows(0, geometry.ties).into_owned();
        Self { coefficients, mass, jacobian, joints }
    }

    fn figures(&self, velocity: &[f64]) -> Vec<f64> {
        let coefficients = self.coefficients.iter().flat_map(|c| [c.friction, c.restitution]);
        let matrices = self.mass.iter().chain(&self.jacobian).chain(&self.joints).copied();
        coefficients.chain(velocity.iter().copied()).chain(matrices).collect()
    }

    /// The direction of an impact whose [figures](Self::figures) have these rates.
    fn direction(&self, rates: &[f64]) -> Direction {
        let (coefficients, rates) = rates.split_at(2 * self.coefficients.len());
        let n = self.mass.nrows();
        let (velocity, rates) = rates.split_at(n);
        let (mass, rates) = rates.split_at(n * n);
        let (jacobian, joints) = rates.split_at(self.jacobian.len());
        let each = |first: usize| coefficients.iter().skip(first).step_by(2).copied().collect();
        let rows = self.joints.nrows();
        Direction {
            velocity: Some(DVector::from_column_slice(velocity)),
            mass: Some(DMatrix::from_column_slice(n, n, mass)),
            jacobian: Some(DMatrix::from_column_slice(self.jacobian.nrows(), n, jacobian)),
            joints: (rows > 0).then(|| DMatrix::from_column_slice(rows, n, joints)),
            friction: Some(each(0)),
            restitution: Some(each(1)),
        }
    }

    fn problem(self, velocity: &[f64]) -> Result<Problem, percussion_impact::ProblemError> {
        let Self { coefficients, mass, jacobian, joints } = self;
        let velocity = DVector::from_column_slice(velocity);
        Problem::from_jacobian(Mass::Matrix(mass), velocity, &jacobian, &coefficients, joints)
    }
}

/// Distributes the impulses of contacts that are at rest after the impact, if all are then strictly in their cones.
///
/// Of redundant contacts only the sum of impulses is determined, and a solver may leave one of them at the edge of its cone. Impulses
/// of contacts at rest are solutions of the law wherever they are in their cones. Least squares distribute the normal impulses, and
/// then friction in proportion to them: least squares with the weights `√p_n`.
fn share(problem: &Problem, outcome: &mut Outcome, still: f64) {
    let velocity = problem.contact_velocity(&outcome.velocity);
    let rests = |contact: &usize| problem.rows(*contact).all(|row| velocity[row].abs() <= still);
    let resting: Vec<usize> = (0..problem.contacts().len()).filter(rests).collect();
    let rows: Vec<usize> = resting.iter().flat_map(|contact| problem.rows(*contact)).collect();
    if resting.len() < 2 {
        return;
    }
    let columns = problem.contact_jacobian().select_rows(&rows).transpose();
    let given = resting.iter().flat_map(|&contact| {
        let impulse = &outcome.impulses[contact];
        std::iter::once(impulse.normal).chain(impulse.tangent.iter().copied())
    });
    let momentum = &columns * DVector::from_iterator(rows.len(), given);
    let mut weights = DVector::from_element(rows.len(), 1.0);
    let mut shared = Vec::with_capacity(resting.len());
    for _ in 0..2 {
        let weighted = &columns * DMatrix::from_diagonal(&weights);
        let Ok(found) = weighted.svd(true, true).solve(&momentum, REDUNDANT) else { return };
        let found = found.component_mul(&weights);
        let mut first = 0;
        shared.clear();
        for &contact in &resting {
            let count = problem.rows(contact).len();
            let normal = found[first];
            weights.rows_mut(first, count).fill(normal.max(0.0).sqrt());
            let tangent = found.rows(first + 1, count - 1);
            let inside = tangent.norm() < problem.contacts()[contact].friction * normal;
            let tangent = tangent.as_slice().to_vec();
            shared.push((inside, Impulse { normal, tangent }));
            first += count;
        }
    }
    if shared.iter().all(|(inside, _)| *inside) {
        for (contact, (_, impulse)) in resting.into_iter().zip(shared) {
            outcome.impulses[contact] = impulse;
        }
    }
}

impl Members<'_> {
    /// Takes `varied`, which ends in the mode `before`, through an impact to the state `after`, at which the mode `next` begins.
    /// Returns the contact that is struck and the change of its time.
    pub(super) fn pass_impact(
        &mut self,
        law: &MaximumDissipation,
        impact: &mut Impact<'_>,
        (before, next): (&Hold, &Hold),
        varied: &mut Varied,
        after: &State,
    ) -> Result<(usize, f64), Error> {
        let time = varied.state.time;
        let of_impact = |source: derivative::Error| Error::Impact { time, source };
        let (contact, shift) = self.strike(impact, before, varied)?;
        let impact = &*impact;
        let rate = self.motion(before, &varied.state);
        varied.shift(&rate, shift);

        let coulomb =
            MaximumDissipation { tolerance: law.tolerance, ..MaximumDissipation::coulomb() };
        let law = if impact.accumulates { &coulomb } else { law };
        let still = self.settings.still;
        let data = Data::of(self.here(), &varied.state, impact);
        let rates = self.rate(varied, &mut |geometry, state| {
            Ok(Data::of(geometry, state, impact).figures(&state.velocity))
        })?;
        let direction = data.direction(&rates);
        let problem = data
            .problem(&varied.state.velocity)
            .map_err(|cause| Error::Contact { time, cause: cause.into() })?;
        let mut outcome = law.resolve(&problem).map_err(|error| of_impact(error.into()))?;
        let other = &outcome.velocity - DVector::from_column_slice(&after.velocity);
        let fastest = problem.velocity().amax();
        if !impact.accumulates && (other.amax().is_nan() || other.amax() > SAME * fastest) {
            return Err(Error::Event { time, found: "an outcome that the law does not repeat" });
        }
        share(&problem, &mut outcome, still);
        let solved = Derivative::at(law, &problem, &outcome, &derivative::Settings::default())
            .map_err(of_impact)?;
        let change = solved.forward(&direction).map_err(of_impact)?;
        varied.velocity = change.velocity.as_slice().to_vec();
        varied.state = after.clone();
        let rate = self.motion(next, after);
        varied.shift(&rate, -shift);
        Ok((contact, shift))
    }

    /// The contact that is struck, and the change of the time of this.
    fn strike(
        &mut self,
        impact: &mut Impact<'_>,
        before: &Hold,
        varied: &Varied,
    ) -> Result<(usize, f64), Error> {
        let (time, contacts) = (varied.state.time, impact.contacts);
        let closing = self.rate(varied, &mut |geometry, state| {
            geometry.locate(&state.coordinates, contacts);
            Ok(contacts.iter().map(|&contact| geometry.gaps[contact]).collect())
        })?;
        let zero = self.zero_gap(self.size(varied));
        let still = self.settings.still;
        let geometry = self.here();
        geometry.locate(&varied.state.coordinates, contacts);
        let held: Vec<_> = carried(before).collect();
        let mut struck = None;
        for (&contact, closing) in contacts.iter().zip(closing) {
            let speed = geometry.normal_speed(contact, &varied.state.velocity);
            let rests = closing.abs() <= zero && speed.abs() <= still;
            if held.contains(&contact) || rests {
                impact.resting.push(contact);
                continue;
            }
            let row = geometry.rows.row(geometry.first_row(contact));
            let terms = row.iter().zip(&varied.state.velocity).map(|(j, v)| (j * v).abs());
            if -speed <= GRAZING * terms.sum::<f64>() {
                return Err(Error::Grazes { contact, time, speed: -speed });
            }
            if struck.replace((contact, -closing / speed)).is_some() {
                return Err(Error::Event { time, found: "several contacts are struck at once" });
            }
        }
        struck.ok_or(Error::Event { time, found: "an impact of contacts that are closed before" })
    }

    /// Takes `varied` from the mode `before` to `next`, at the same velocity. Returns the contacts whose slip stopped and the change
    /// of the time of this.
    pub(super) fn pass_mode(
        &mut self,
        (before, next): (&Hold, &Hold),
        varied: &mut Varied,
        after: &State,
    ) -> Result<Vec<(usize, f64)>, Error> {
        let time = varied.state.time;
        let (left, right) = (self.motion(before, &varied.state), self.motion(next, after));
        let mut stopped = Vec::new();
        if self.jumps(&left, &right, &varied.state) {
            stopped = self.stops((before, next), varied, &left)?;
            let Some(&(_, shift)) = stopped.first() else {
                let found = "forces that jump although no contact is struck and no slip stops";
                return Err(Error::Event { time, found });
            };
            let largest = stopped.iter().fold(0.0, |a: f64, (_, shift)| a.max(shift.abs()));
            if stopped.iter().any(|(_, other)| (other - shift).abs() > TOGETHER * largest) {
                return Err(Error::Event { time, found: "several contacts that stop at once" });
            }
            varied.shift(&left, shift);
            varied.shift(&right, -shift);
        }
        varied.state = after.clone();
        if !stopped.is_empty() {
            self.rest(next, varied)?;
        }
        Ok(stopped)
    }

    /// Whether accelerations differ.
    fn jumps(&mut self, left: &Rate, right: &Rate, state: &State) -> bool {
        let scales = self.settings.scales;
        let units = scales.of_velocities(self.here().model.system(), &state.coordinates);
        let limit = JUMP / (scales.time * scales.time);
        let pairs = left.velocity.iter().zip(&right.velocity).zip(units);
        pairs.into_iter().any(|((a, b), unit)| (a - b).abs() > limit * unit)
    }

    /// The contacts whose slip stops at the end of the mode `before`, with the change of the time of this.
    fn stops(
        &mut self,
        (before, next): (&Hold, &Hold),
        varied: &Varied,
        rate: &Rate,
    ) -> Result<Vec<(usize, f64)>, Error> {
        let time = varied.state.time;
        let (scales, state) = (self.settings.scales, &varied.state);
        let zero = TOLERANCES * self.settings.velocity_tolerance;
        let geometry = self.here();
        let mut along = Vec::new();
        geometry.locate(&state.coordinates, &before.contacts());
        for (contact, grip) in &before.carried {
            let Grip::Slide([a, b]) = *grip else { continue };
            let [c, d] = geometry.slip(*contact, &state.velocity);
            let goes_on = next
                .grip(*contact)
                .is_some_and(|next| matches!(next, Grip::Slide([e, f]) if a * e + b * f > 0.0));
            if a.hypot(b) > 0.0 && (a * c + b * d).abs() <= zero && !goes_on {
                along.push((*contact, [a, b]));
            }
        }
        let contacts: Vec<_> = along.iter().map(|(contact, _)| *contact).collect();
        let bias = geometry.bias(&moment_of(state), &contacts);
        let mut slowing = Vec::new();
        for (contact, direction) in &along {
            let row = geometry.first_row(*contact);
            let of = |row: usize| geometry.speed(row, &rate.velocity) + bias[row];
            let tangents = (1..geometry.components).map(|k| direction[k - 1] * of(row + k));
            slowing.push(tangents.sum::<f64>());
        }
        let changes = self.rate(varied, &mut |geometry, state| {
            geometry.locate(&state.coordinates, &contacts);
            let slip = |&(contact, [a, b]): &(usize, [f64; 2])| {
                let [c, d] = geometry.slip(contact, &state.velocity);
                a * c + b * d
            };
            Ok(along.iter().map(slip).collect())
        })?;
        let mut stopped = Vec::new();
        for ((contact, change), slowing) in contacts.into_iter().zip(changes).zip(slowing) {
            if slowing >= -GRAZING * scales.acceleration() {
                return Err(Error::Grazes { contact, time, speed: 0.0 });
            }
            stopped.push((contact, -change / slowing));
        }
        Ok(stopped)
    }

    /// Removes what differences and tolerances leave of the change of held velocities.
    fn rest(&mut self, hold: &Hold, varied: &mut Varied) -> Result<(), Error> {
        let rates = self.held_rates(hold, varied)?;
        let geometry = self.here();
        geometry.locate(&varied.state.coordinates, &hold.contacts());
        let rows = hold.rows(geometry);
        if let Some(change) = shortest(geometry, &varied.state.coordinates, &rows, &-rates) {
            varied.velocity.iter_mut().zip(&change).for_each(|(v, change)| *v += change);
        }
        Ok(())
    }

    /// The rates of change of the held velocities.
    fn held_rates(&mut self, hold: &Hold, varied: &Varied) -> Result<DVector<f64>, Error> {
        let rates = self.rate(varied, &mut |geometry, state| {
            Ok(held_velocities(geometry, hold, state).as_slice().to_vec())
        })?;
        Ok(DVector::from_vec(rates))
    }

    /// Refuses a mode at its edge, and contacts that are closed here and not beside the parameter.
    pub(super) fn check_mode(
        &mut self,
        (hold, modes): (&Hold, &[Mode]),
        varied: &Varied,
    ) -> Result<(), Error> {
        let time = varied.state.time;
        let size = self.size(varied);
        let closed: Vec<_> = (0..modes.len()).filter(|c| modes[*c] != Mode::Open).collect();
        let gaps = self.rate(varied, &mut |geometry, state| {
            geometry.locate(&state.coordinates, &closed);
            Ok(closed.iter().map(|&contact| geometry.gaps[contact]).collect())
        })?;
        let zero = self.zero_gap(size);
        for (&contact, gap) in closed.iter().zip(gaps) {
            if gap.is_nan() || gap.abs() > zero {
                return Err(Error::Leaves { contact, time, rate: gap });
            }
        }
        let velocities = self.held_rates(hold, varied)?;
        if velocities.iter().any(|rate| rate.is_nan() || rate.abs() > self.zero_speed(size)) {
            let found = "closed contacts that move apart or slip beside the parameter";
            return Err(Error::Event { time, found });
        }
        let zero = TOLERANCES * self.settings.acceleration_tolerance;
        let still = self.settings.still;
        let geometry = self.here();
        let held = hold.solve(geometry, &moment_of(&varied.state), still);
        for (contact, grip) in &hold.carried {
            let force = &held.forces.as_slice()[geometry.components * contact..];
            let tangent = force[1..geometry.components].iter().fold(0.0_f64, |f, t| f.hypot(*t));
            let friction = geometry.contacts.as_slice()[*contact].friction;
            let margin = match grip {
                Grip::Stick => force[0].min(friction * force[0] - tangent),
                Grip::Slide(_) => force[0],
            };
            let row = geometry.rows.rows(geometry.first_row(*contact), 1).into_owned();
            let response = geometry.divide(&varied.state.coordinates, row.transpose());
            if margin * (row * response)[(0, 0)] <= zero {
                return Err(Error::Edge { contact: *contact, time });
            }
        }
        Ok(())
    }
}
