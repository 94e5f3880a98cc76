//! Joints that follow one another, as gears and rods make them: [`Coupling`].

use nalgebra::DMatrix;

use super::{EqualityConstraint, Error};
use crate::{articulated::Articulated, system::System};

/// One coordinate in a [`Coupling`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// Index of the coordinate among all coordinates of the system.
    pub coordinate: usize,
    /// Index of the velocity that is its rate, among all velocities.
    pub velocity: usize,
    /// Its factor `c_k`, not zero.
    pub factor: f64,
}

/// A linear equation between coordinates of joints, one row.
///
/// ```math
/// \varphi = \sum_k c_k\, q_k - d, \qquad \dot\varphi = \sum_k c_k\, v_k, \qquad \gamma = 0
/// ```
///
/// over coordinates `q_k` whose rates are velocities `v_k`: angles of revolute joints, displacements of prismatic ones,
/// and those of planar and free joints, but not quaternions. A joint that mimics another, `q_a = k q_b + c`, is
/// `q_a − k q_b − c = 0`.
///
/// The coupling is without loss: its multiplier `λ` acts on joint `k` with the force or torque `c_k λ`, and the power
/// `λ Σ c_k v_k` is zero.
///
/// # Example
///
/// A rack of 3 kg (displacement `s`) is driven by a pinion of radius 0.2 m (angle `θ`): `s − 0.2 θ = 0`.
///
/// ```
/// use nalgebra::{DMatrix, Vector3};
/// use percussion_dynamics::{
///     Articulated, Joint, Link, MassProperties,
///     constraint::{Coupling, EqualityConstraint, Term},
/// };
///
/// let rack = Link::new("rack", Joint::prismatic(Vector3::x())).with_mass(MassProperties::point(3.0)?);
/// let pinion = Link::new("pinion", Joint::revolute(Vector3::z()))
///     .with_mass(MassProperties::solid_sphere(1.0, 0.2)?);
/// let system = Articulated::new(vec![rack, pinion], Vector3::zeros())?;
///
/// let gear = Coupling::of_joints(&system, &[("rack", 1.0), ("pinion", -0.2)], 0.0)?;
/// let (mut value, mut jacobian) = ([0.0], DMatrix::zeros(1, 2));
/// gear.evaluate(&system, &[0.1, 0.6], &mut value, &mut jacobian, 0);
/// assert!((value[0] + 0.02).abs() < 1e-16); // the rack is 2 cm behind
/// assert_eq!(jacobian.as_slice(), [1.0, -0.2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Coupling {
    terms: Vec<Term>,
    offset: f64,
}

impl Coupling {
    /// The equation `Σ factor · coordinate = offset` (m or rad).
    ///
    /// # Errors
    ///
    /// [`Error::Factor`] for a factor that is zero or not finite, or an offset that is not finite; [`Error::NoTerms`];
    /// [`Error::RepeatedTerm`].
    pub fn new(terms: &[Term], offset: f64) -> Result<Self, Error> {
        if terms.is_empty() {
            return Err(Error::NoTerms);
        }
        for (index, term) in terms.iter().enumerate() {
            if !(term.factor.is_finite() && term.factor != 0.0) {
                return Err(Error::Factor { field: "factor", value: term.factor });
            }
            if terms[..index].iter().any(|other| other.velocity == term.velocity) {
                return Err(Error::RepeatedTerm { velocity: term.velocity });
            }
        }
        if !offset.is_finite() {
            return Err(Error::Factor { field: "offset", value: offset });
        }
        Ok(Self { terms: terms.to_vec(), offset })
    }

    /// The same between joints with one coordinate, each by the name of the link that it carries.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new), and [`Error::NotScalar`] for a link that does not exist or whose joint does not have
    /// exactly one coordinate.
    pub fn of_joints(
        system: &Articulated,
        joints: &[(&str, f64)],
        offset: f64,
    ) -> Result<Self, Error> {
        let term = |(term, &(name, factor)): (usize, &(&str, f64))| {
            let link = system.link_index(name).ok_or(Error::NotScalar { term })?;
            let (q, v) = (system.coordinates_of(link), system.velocities_of(link));
            if q.len() != 1 || v.len() != 1 {
                return Err(Error::NotScalar { term });
            }
            Ok(Term { coordinate: q.start, velocity: v.start, factor })
        };
        let terms: Vec<Term> = joints.iter().enumerate().map(term).collect::<Result<_, Error>>()?;
        Self::new(&terms, offset)
    }

    /// The coordinates with their factors.
    #[must_use]
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The value that the sum of the terms has (m or rad).
    #[must_use]
    pub fn offset(&self) -> f64 {
        self.offset
    }
}

impl EqualityConstraint for Coupling {
    fn row_count(&self, _system: &dyn System) -> usize {
        1
    }

    fn evaluate(
        &self,
        _system: &dyn System,
        coordinates: &[f64],
        value: &mut [f64],
        jacobian: &mut DMatrix<f64>,
        first_row: usize,
    ) {
        jacobian.row_mut(first_row).fill(0.0);
        let mut sum = -self.offset;
        for term in &self.terms {
            sum += term.factor * coordinates[term.coordinate];
            jacobian[(first_row, term.velocity)] = term.factor;
        }
        value[0] = sum;
    }

    /// Zero: the row is constant.
    fn bias(&self, _system: &dyn System, _: &[f64], _: &[f64], bias: &mut [f64]) {
        bias.fill(0.0);
    }

    fn check(&self, system: &dyn System) -> Result<(), Error> {
        let (coordinates, velocities) = (system.coordinate_count(), system.velocity_count());
        match self
            .terms
            .iter()
            .find(|term| term.coordinate >= coordinates || term.velocity >= velocities)
        {
            None => Ok(()),
            Some(&Term { coordinate, velocity, .. }) => {
                Err(Error::TermRange { coordinate, velocity, coordinates, velocities })
            }
        }
    }
}

#[cfg(test)]
#[cfg(feature = "loops")]
mod tests {
    use nalgebra::Vector3;

    use super::{
        super::set::{ConstraintSet, Settings},
        *,
    };
    use crate::{Joint, Link, MassProperties};

    fn rack_and_pinion(radius: f64, offset: f64) -> (Articulated, Coupling) {
        let rack = Link::new("rack", Joint::prismatic(Vector3::x()))
            .with_mass(MassProperties::point(3.0).unwrap());
        let pinion = Link::new("pinion", Joint::revolute(Vector3::z()))
            .with_mass(MassProperties::solid_sphere(1.0, 0.5).unwrap());
        let system = Articulated::new(vec![rack, pinion], Vector3::new(2.0, 0.0, 0.0)).unwrap();
        let gear = Coupling::of_joints(&system, &[("rack", 1.0), ("pinion", -radius)], offset);
        (system, gear.unwrap())
    }

    /// `3 kg` slide down with 2 m/s², and turn `I = 2/5 · 1 · 0.25 = 0.1 kg·m²` by `θ = s/r`:
    /// `(m + I/r²) s̈ = m g`.
    #[test]
    fn a_rack_drives_its_pinion() {
        let (system, gear) = rack_and_pinion(0.2, 0.0);
        let set = ConstraintSet::new(&system, vec![Box::new(gear)]).unwrap();
        let at = set.linearize(&system, &[0.0, 0.0], &Settings::default()).unwrap();
        let held = at.acceleration(&[0.0, 0.0], 0.0).unwrap();
        let expected = 3.0 * 2.0 / (3.0 + 0.1 / 0.04);
        assert!((held.acceleration[0] - expected).abs() < 1e-14, "{:?}", held.acceleration);
        assert!((held.acceleration[1] - expected / 0.2).abs() < 1e-13);
        // A blow of 1 N·s on the rack: the momentum that the rack keeps and what the gear takes from it add up to it.
        let mut v = [1.0 / 3.0, 0.0];
        at.project_velocity(&mut v).unwrap();
        let (gear_takes, pinion_gets) = (1.0 - 3.0 * v[0], 0.1 * v[1]);
        assert!((v[0] - 0.2 * v[1]).abs() < 1e-15);
        assert!((pinion_gets - 0.2 * gear_takes).abs() < 1e-15);
    }

    #[test]
    fn positions_are_brought_to_the_offset() {
        let (system, gear) = rack_and_pinion(0.2, 0.3);
        let set = ConstraintSet::new(&system, vec![Box::new(gear)]).unwrap();
        let mut q = [1.0, -2.0];
        set.project_position(&system, &mut q, &Settings::default()).unwrap();
        assert!((q[0] - 0.2 * q[1] - 0.3).abs() < 1e-12, "{q:?}");
    }

    #[test]
    fn couplings_that_mean_nothing_are_refused() {
        let (system, _) = rack_and_pinion(0.2, 0.0);
        let term = |velocity, factor| Term { coordinate: velocity, velocity, factor };
        assert_eq!(Coupling::new(&[], 0.0), Err(Error::NoTerms));
        let zero = Coupling::new(&[term(0, 0.0)], 0.0).unwrap_err();
        assert_eq!(zero, Error::Factor { field: "factor", value: 0.0 });
        let endless = Coupling::new(&[term(0, 1.0)], f64::INFINITY).unwrap_err();
        assert_eq!(endless, Error::Factor { field: "offset", value: f64::INFINITY });
        let twice = Coupling::new(&[term(1, 1.0), term(1, 2.0)], 0.0);
        assert_eq!(twice, Err(Error::RepeatedTerm { velocity: 1 }));
        let far = Coupling::new(&[term(2, 1.0)], 0.0).unwrap();
        assert!(matches!(far.check(&system), Err(Error::TermRange { velocity: 2, .. })));
        let unknown = Coupling::of_joints(&system, &[("belt", 1.0)], 0.0).unwrap_err();
        assert_eq!(unknown, Error::NotScalar { term: 0 });
    }
}
