//! The rocking block of Halm and Posa under compliant contacts: the two sweeps of their figure 12.
//!
//! The block of the impact `rocking-block` lands on its corners A (left) and B (right), each a spring with an
//! overcritical damper and Coulomb friction. A rigid model does not determine which corner receives its
//! impulse first. Here it is determined in [`Sweeps::stiffness`] by the ratio of the stiffnesses, and in
//! [`Sweeps::angle`] by a tilt of up to a hundredth of a degree at the same energy. Each [`Run`] ends when
//! the impact is over.
//!
//! # Results
//!
//! In both sweeps the corner that stopped last is at rest, and the other rises at a speed that grows with the
//! asymmetry. If impulses may grow at any relative rates, the outcomes are the two segments from rest to
//!
//! ```math
//! u_n = 0.7 \cdot \frac{w}{2}\, \frac{v_0}{I/m + l^2}\, w = 0.21\, v_0 = 0.0930\ \mathrm{m/s}, \qquad
//! w = 1\ \mathrm{m}, \quad l = \tfrac12 \sqrt5\ \mathrm{m},
//! ```
//!
//! Each segment ends where one impulse follows the other: the block keeps its angular momentum about the
//! corner that is hit first, and then about the other, where 0.7 of the spin remains. The stiffness sweep
//! covers 98.8 % of the segments (0.0919 m/s at a ratio of 10⁵). The angle sweep exceeds their end by 1.8 %
//! (0.0947 m/s), because the block continues to fall, by 0.2 mm, between its two impacts.
//!
//! # Source
//!
//! M. Halm, M. Posa, "Set-valued rigid-body dynamics for simultaneous, inelastic, frictional impacts",
//! *International Journal of Robotics Research* 43 (2024), section 5.4.1 and figure 12.

use nalgebra::{Vector2, Vector3};
use percussion_dynamics::{
    PlanarBodies, PlanarBody,
    compliant::{FrictionLaw, Law, NormalLaw},
    gap::{self, Plane, Sphere, SpherePlane},
};
use percussion_integrators::compliant::{
    Contact, Counters, Method, Model, Settings, Snapshot, State, Status, impact_is_over, integrate,
};
use percussion_mechanism::impacts::ImpactScenario;
use serde::{Deserialize, Serialize};

use crate::{embedded, error::Error, fixture, published_code::PublishedCode};

/// Parameters of both sweeps; [`published`](Self::published) returns those of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Sweeps {
    /// Acceleration of gravity, down (m/s²).
    pub gravity: f64,
    /// Damping ratio `ζ` of the whole mass on one corner, at least 0.
    pub damping_ratio: f64,
    /// Stiffness of the softer corner (N/m), positive.
    pub stiffness: f64,
    /// Slip velocity at and above which the full friction acts (m/s), positive.
    pub friction_width: f64,
    /// Relative tolerance of the integration; the others follow from it and from `friction_width`.
    pub relative_tolerance: f64,
    /// A corner has stopped when its approach velocity is below this value times its `m/k` (m/s per kg·m/N).
    pub approach: f64,
    /// Fraction of `m |v₀|` that each corner must have received.
    pub impulse: f64,
    /// Largest ratio of stiffnesses, at least 1.
    pub largest_ratio: f64,
    /// Largest tilt (degrees), at least 0 and below 45.
    pub largest_angle: f64,
    /// Number of runs in each sweep, at least 2.
    pub runs: usize,
}

/// The parameters of the experiment with the sweeps.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Published {
    pub(crate) impact: String,
    pub(crate) published_code: PublishedCode,
    /// Number of runs in each sweep at effort `quick`.
    pub(crate) quick_runs: usize,
    pub(crate) sweeps: Sweeps,
}

/// One landing.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Run {
    /// Stiffness of A and of B (N/m).
    pub stiffness: [f64; 2],
    /// Tilt at the start (rad): positive where A is the lower corner.
    pub angle: f64,
    /// Status of the run; [`Status::Stopped`] if the impact ended.
    pub status: Status,
    /// The state at its end, with the impulses of both corners.
    pub end: State,
    /// Contact velocities at the end (m/s): normal and tangent of A, of B.
    pub contact_velocity: [f64; 4],
    /// Fraction of the normal impulse of the corner hit first that acts before the second is hit.
    pub first_alone: f64,
    /// Steps and evaluations.
    pub counters: Counters,
}

/// The impact whose block is dropped.
const BLOCK: &str = "rocking-block";

impl Sweeps {
    /// The sweeps of the paper: 51 runs each.
    ///
    /// # Errors
    ///
    /// None for the embedded file; the errors of reading it otherwise.
    pub fn published() -> Result<Self, Error> {
        let text = include_str!("../fixtures/set-valued/rocking-block.toml");
        let fixture = fixture::read::<Published>("set-valued/rocking-block", text)?;
        Ok(fixture.parameters.sweeps)
    }

    /// Lands the flat block on corners whose stiffness ratio `k_A/k_B` runs from the inverse of the largest
    /// ratio to the largest ratio, in equal steps of its logarithm.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] if a parameter of the sweep is out of range; the errors of the model and of the motion.
    pub fn stiffness(&self) -> Result<Vec<Run>, Error> {
        self.stiffness_of(&embedded::impact(BLOCK)?)
    }

    /// [`stiffness`](Self::stiffness) of another block.
    pub(crate) fn stiffness_of(&self, block: &ImpactScenario) -> Result<Vec<Run>, Error> {
        let largest = self.largest_ratio.ln();
        self.sweep(block, |part| {
            let ratio = (part * largest).exp();
            ([self.stiffness * ratio.max(1.0), self.stiffness * (1.0 / ratio).max(1.0)], 0.0)
        })
    }

    /// Lands the block on equal corners at tilts from minus the largest angle to plus the largest angle. Each
    /// start is raised until the lower corner touches, and its speed is reduced so that the energy stays the
    /// same.
    ///
    /// # Errors
    ///
    /// As [`stiffness`](Self::stiffness).
    pub fn angle(&self) -> Result<Vec<Run>, Error> {
        self.angle_of(&embedded::impact(BLOCK)?)
    }

    /// [`angle`](Self::angle) of another block.
    pub(crate) fn angle_of(&self, block: &ImpactScenario) -> Result<Vec<Run>, Error> {
        let largest = self.largest_angle.to_radians();
        self.sweep(block, |part| ([self.stiffness; 2], part * largest))
    }

    fn sweep(
        &self,
        block: &ImpactScenario,
        run: impl Fn(f64) -> ([f64; 2], f64),
    ) -> Result<Vec<Run>, Error> {
        self.check()?;
        let last = (self.runs - 1) as f64;
        // Includes both ends exactly; the two halves are mirror images.
        let part = |index: usize| (2.0 * index as f64 - last) / last;
        (0..self.runs)
            .map(|index| {
                let (stiffness, angle) = run(part(index));
                self.land(block, stiffness, angle)
            })
            .collect()
    }

    fn check(&self) -> Result<(), Error> {
        for (name, value, accepted, expected) in [
            ("gravity", self.gravity, self.gravity.is_finite(), "a finite number"),
            ("approach", self.approach, self.approach >= 0.0, "a number of at least 0"),
            ("impulse", self.impulse, self.impulse >= 0.0, "a number of at least 0"),
            ("largest_ratio", self.largest_ratio, self.largest_ratio >= 1.0, "at least 1"),
            (
                "largest_angle",
                self.largest_angle,
                (0.0..45.0).contains(&self.largest_angle),
                "at least 0 and below 45 (degrees)",
            ),
            ("runs", self.runs as f64, self.runs >= 2, "at least 2"),
        ] {
            if !accepted {
                return Err(Error::Parameter { name, value, expected });
            }
        }
        Ok(())
    }

    /// One landing.
    fn land(&self, block: &ImpactScenario, stiffness: [f64; 2], angle: f64) -> Result<Run, Error> {
        let (model, mass) = self.model(block, stiffness)?;
        let (start, speed) = self.start(&model, block, angle)?;
        let settings = Settings {
            method: Method::Bdf,
            relative_tolerance: self.relative_tolerance,
            // The stiffest corner is compressed by v₀ m/c = 1e-7 m.
            displacement_tolerance: Some(1e-14),
            velocity_tolerance: Some(0.1 * self.friction_width),
            impulse_tolerance: Some(0.1 * self.friction_width * mass),
            smallest_step: Some(1e-20),
            ..Settings::default()
        };
        let approach = stiffness.map(|k| self.approach * mass / k);
        let impulse = [self.impulse * mass * speed; 2];
        let over = impact_is_over(&approach, &impulse);
        let (mut alone, mut contact_velocity) = (0.0, [0.0; 4]);
        let mut observe = |moment: &Snapshot<'_>| {
            let (a, b) = (moment.impulses[0], moment.impulses[2]);
            if a.min(b) <= 0.0 {
                alone = a.max(b);
            }
            contact_velocity.copy_from_slice(moment.contact_velocity);
        };
        let report = integrate(&model, &settings, &start, 1.0, Some(&over), &mut observe)?;
        let [a, _, b, _] = report.state.impulses[..] else {
            return Err(two_corners(report.state.impulses.len() / 2));
        };
        Ok(Run {
            stiffness,
            angle,
            status: report.status,
            end: report.state,
            contact_velocity,
            first_alone: alone / a.max(b),
            counters: report.counters,
        })
    }

    /// The block on two compliant corners, and its mass.
    fn model(&self, block: &ImpactScenario, stiffness: [f64; 2]) -> Result<(Model, f64), Error> {
        let ([body], [ground], [_, _]) =
            (&block.bodies[..], &block.planes[..], &block.contacts[..])
        else {
            return Err(two_corners(block.contacts.len()));
        };
        let mass = body.mass.unwrap_or_default();
        let free = vec![PlanarBody::new(mass, body.inertia.tensor().m33)];
        let system = PlanarBodies::new(free, Vector2::new(0.0, -self.gravity))?;
        let in_space = |v: &[f64]| Vector3::new(v[0], v[1], 0.0);
        let refused = |source: gap::Error| Error::Gap { contact: "corner".to_owned(), source };
        let floor = Plane::new(&in_space(&ground.normal), &in_space(&ground.point));
        let floor = floor.map_err(refused)?;
        let corner = |(contact, k): (&percussion_mechanism::impacts::Contact, f64)| {
            let law = Law::new(
                NormalLaw::with_damping_ratio(k, mass, self.damping_ratio)?,
                FrictionLaw::regularized_coulomb(contact.friction, self.friction_width)?,
            );
            let sphere = Sphere::on_body(0, contact.disc.center.into(), contact.disc.radius);
            Ok::<_, Error>(Contact::new(SpherePlane::new(sphere, floor).map_err(refused)?, law))
        };
        let contacts = block.contacts.iter().zip(stiffness).map(corner);
        Ok((Model::new(Box::new(system), contacts.collect::<Result<_, _>>()?)?, mass))
    }

    /// The initial state for a tilt, and the speed of the flat block.
    fn start(
        &self,
        model: &Model,
        block: &ImpactScenario,
        angle: f64,
    ) -> Result<(State, f64), Error> {
        let body = &block.bodies[0];
        let mut coordinates = body.coordinates.clone().unwrap_or_default();
        let mut velocity = body.velocity.clone().unwrap_or_default();
        let ([_, height, tilt], [_, fall, _]) = (&mut coordinates[..], &mut velocity[..]) else {
            return Err(two_corners(block.contacts.len()));
        };
        let speed = fall.abs();
        let lowest = |angle: f64| {
            let depth = |contact: &percussion_mechanism::impacts::Contact| {
                let [x, y, _] = contact.disc.center;
                -(x * angle.sin() + y * angle.cos())
            };
            block.contacts.iter().map(depth).fold(f64::NEG_INFINITY, f64::max)
        };
        let raised = lowest(angle) - lowest(0.0);
        *height += raised;
        *tilt = angle;
        *fall = -(speed * speed - 2.0 * self.gravity * raised).sqrt();
        Ok((model.state(coordinates, velocity)?, speed))
    }
}

fn two_corners(found: usize) -> Error {
    let (name, expected) = ("corners of the block", "2, on one plane");
    Error::Parameter { name, value: found as f64, expected }
}

#[cfg(test)]
mod tests {
    use percussion_impact::set_valued::{self, Sampler, Termination};

    use super::*;

    /// End of the segments of rigid outcomes (m/s).
    const SEGMENT: f64 = 0.21 * 0.442_944_691_807_002;

    /// All runs of both sweeps end. The corner velocities lie on the segments of outcomes of a rigid block,
    /// except for the rotation during the impact (1e-4 rad times 0.1 rad/s) and, in the sweep over the angle,
    /// for the speed gained by falling between the impacts.
    #[test]
    fn both_sweeps_end_on_the_segments_of_rigid_outcomes() {
        let sweeps = Sweeps::published().unwrap();
        let ends = |runs: &[Run], limit: f64| {
            assert_eq!(runs.len(), 51);
            for run in runs {
                assert_eq!(run.status, Status::Stopped);
                let [a, a_slip, b, b_slip] = run.contact_velocity;
                assert!(a.min(b).abs() < 2e-8, "{run:?}");
                assert!(a_slip.abs().max(b_slip.abs()) < 2e-5, "{run:?}");
                assert!(a.max(b) < limit, "{run:?}");
            }
            let last = runs[runs.len() - 1].contact_velocity[0];
            let first = runs[0].contact_velocity[2];
            (first, last, runs[25].contact_velocity)
        };
        let stiffness = sweeps.stiffness().unwrap();
        let (first, last, middle) = ends(&stiffness, SEGMENT);
        assert!(first > 0.985 * SEGMENT && last > 0.985 * SEGMENT, "{first} {last}");
        assert!(middle.iter().all(|u| u.abs() < 2e-9), "{middle:?}");
        // Between its impacts the block falls by another 1e-4 rad times its width, which adds
        // 9.81 · 1.7e-4 · 2 m²/s² to the square of its speed: 2 % of 0.443².
        let angle = sweeps.angle().unwrap();
        let (first, last, middle) = ends(&angle, 1.02 * SEGMENT);
        assert!(first > SEGMENT && last > SEGMENT, "{first} {last}");
        assert!(middle.iter().all(|u| u.abs() < 2e-9), "{middle:?}");
        // The paper: 99.9992 % at the largest angle.
        for run in [&angle[0], &angle[50]] {
            assert!((run.first_alone - 0.999_992).abs() < 5e-7, "{}", run.first_alone);
        }
    }

    /// The outcomes of the stiffness sweep lie in the hull of the outcomes of the rigid block at arbitrary
    /// rates, which is the triangle between rest and the two sequential outcomes, except for the rotation of
    /// 1e-4 rad during the impact.
    #[test]
    fn the_stiffness_sweep_ends_within_the_hull_of_the_rigid_outcomes() {
        let impact = embedded::problem("rocking-block").unwrap();
        let settings = set_valued::Settings { step: 1.0, ..set_valued::Settings::default() };
        let mut sampler = Sampler::new(&impact.problem, &settings).unwrap();
        let mut in_order = |first: [f64; 2], second: [f64; 2]| {
            sampler.restart(0);
            sampler.step(&first).unwrap();
            sampler.step(&second).unwrap();
            assert_eq!(sampler.termination(), Termination::Separated);
            let u = sampler.contact_velocity();
            [u[0], u[2]]
        };
        let [a_most, b_last] = in_order([1.0, 0.0], [0.0, 1.0]);
        let [a_last, b_most] = in_order([0.0, 1.0], [1.0, 0.0]);
        for (found, expected) in
            [(a_most, SEGMENT), (b_last, 0.0), (a_last, 0.0), (b_most, SEGMENT)]
        {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
        for run in Sweeps::published().unwrap().stiffness().unwrap() {
            let [a, _, b, _] = run.contact_velocity;
            assert!(a.min(b) > -2e-8 && a / a_most + b / b_most < 1.0, "{run:?}");
        }
    }

    #[test]
    fn parameters_out_of_range_are_refused_by_name() {
        let published = Sweeps::published().unwrap();
        for (expected, sweeps) in [
            ("gravity", Sweeps { gravity: f64::NAN, ..published }),
            ("approach", Sweeps { approach: -1.0, ..published }),
            ("impulse", Sweeps { impulse: f64::NAN, ..published }),
            ("largest_ratio", Sweeps { largest_ratio: 0.5, ..published }),
            ("largest_angle", Sweeps { largest_angle: 45.0, ..published }),
            ("runs", Sweeps { runs: 1, ..published }),
        ] {
            match sweeps.angle().unwrap_err() {
                Error::Parameter { name, .. } => assert_eq!(name, expected),
                other => panic!("{other}"),
            }
        }
        let soft = Sweeps { stiffness: 0.0, ..published };
        assert!(matches!(soft.stiffness(), Err(Error::Compliant(_))));
        let loose = Sweeps { relative_tolerance: 1.0, ..published };
        assert!(matches!(loose.stiffness(), Err(Error::CompliantMotion(_))));
    }
}
