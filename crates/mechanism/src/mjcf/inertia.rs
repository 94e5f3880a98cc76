//! Mass, center and moments of bodies, from `inertial` or from geoms: [`Mass`].

use nalgebra::{Isometry3, Matrix3, Point3, SymmetricEigen, Vector3};
use percussion_dynamics::MassProperties;

use super::{Error, compiler::Compiler, numbers::Attributes};
use crate::xml::Element;

/// A volume or a surface of density 1: its size (m³, m²), center (m) and moments about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solid {
    pub(super) amount: f64,
    pub(super) center: Vector3<f64>,
    pub(super) moments: Matrix3<f64>,
}

impl Solid {
    /// From the integrals of `1`, `x` and `x xᵀ` about the point `origin`.
    pub(super) fn from_moments(
        amount: f64,
        first: Vector3<f64>,
        second: Matrix3<f64>,
        origin: Vector3<f64>,
    ) -> Self {
        let center = if amount > 0.0 { first / amount } else { Vector3::zeros() };
        let central = second - amount * center * center.transpose();
        let moments = Matrix3::from_diagonal_element(central.trace()) - central;
        Self { amount, center: center + origin, moments }
    }

    /// A solid with the moments `diagonal` about its center, per volume or area (m²).
    pub(super) fn about_center(amount: f64, diagonal: [f64; 3]) -> Self {
        let moments = Matrix3::from_diagonal(&(amount * Vector3::from(diagonal)));
        Self { amount, center: Vector3::zeros(), moments }
    }
}

/// Mass (kg), center (m) and moments about it (kg·m²) in the frame of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mass {
    pub(super) mass: f64,
    pub(super) center: Point3<f64>,
    pub(super) moments: Matrix3<f64>,
}

impl Mass {
    /// A solid of this mass at `placement` in the body.
    pub(super) fn of_solid(mass: f64, solid: &Solid, placement: &Isometry3<f64>) -> Self {
        let density = if solid.amount > 0.0 { mass / solid.amount } else { 0.0 };
        let turn = placement.rotation.to_rotation_matrix().into_inner();
        let moments = density * turn * solid.moments * turn.transpose();
        Self { mass, center: placement * Point3::from(solid.center), moments }
    }

    /// The mass of an `inertial` element; `placement` is the pose, in the body, of the frames around it.
    pub(super) fn of_element(
        element: &Element,
        placement: &Isometry3<f64>,
        compiler: &Compiler,
    ) -> Result<Self, Error> {
        let own = Attributes::own(element);
        if own.text("mass").is_none() {
            return Err(Error::missing(element, "mass", "a number of at least 0 (kg)"));
        }
        if own.text("pos").is_none() {
            return Err(Error::missing(element, "pos", "the center of mass (m)"));
        }
        let mass = own.not_negative("mass", 0.0)?;
        let diagonal = own.vector("diaginertia")?;
        let full = own.numbers("fullinertia", [6, 6])?;
        let tensor = match (diagonal, full) {
            (Some(_), Some(_)) => {
                let expected = "either `diaginertia` or `fullinertia`";
                return Err(Error::value(element, "fullinertia", expected));
            }
            (Some(moments), None) => Matrix3::from_diagonal(&moments),
            (None, Some(m)) => Matrix3::new(m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2]),
            (None, None) => Matrix3::zeros(),
        };
        let pose = placement * own.pose(compiler)?;
        let turn = pose.rotation.to_rotation_matrix().into_inner();
        let moments = turn * tensor * turn.transpose();
        Ok(Self { mass, center: pose.translation.vector.into(), moments })
    }

    /// The sum of all parts; `None` without mass and moments.
    pub(super) fn sum(parts: &[Self]) -> Option<Self> {
        let mass: f64 = parts.iter().map(|part| part.mass).sum();
        if mass <= 0.0 {
            return None;
        }
        let center: Vector3<f64> =
            parts.iter().map(|part| part.center.coords * (part.mass / mass)).sum();
        let about = |part: &Self| {
            let d = part.center.coords - center;
            part.moments
                + part.mass * (Matrix3::from_diagonal_element(d.norm_squared()) - d * d.transpose())
        };
        let moments: Matrix3<f64> = parts.iter().map(about).sum();
        Some(Self { mass, center: center.into(), moments })
    }

    /// The mass after the rules of `compiler`: at least the bounds, and with balanced moments.
    pub(super) fn bounded(mut self, compiler: &Compiler) -> Self {
        self.mass = self.mass.max(compiler.bound_mass);
        let sym = 0.5 * (self.moments + self.moments.transpose());
        self.moments = sym;
        if compiler.bound_inertia > 0.0 || compiler.balance_inertia {
            let SymmetricEigen { eigenvectors, mut eigenvalues } = SymmetricEigen::new(sym);
            eigenvalues.iter_mut().for_each(|value| *value = value.max(compiler.bound_inertia));
            let sum: f64 = eigenvalues.sum();
            if compiler.balance_inertia && eigenvalues.iter().any(|value| 2.0 * value > sum) {
                eigenvalues.fill(sum / 3.0);
            }
            self.moments =
                eigenvectors * Matrix3::from_diagonal(&eigenvalues) * eigenvectors.transpose();
            self.moments = 0.5 * (self.moments + self.moments.transpose());
        }
        self
    }

    /// The mass properties of a link; `None` without mass.
    pub(super) fn properties(&self, body: &Element) -> Result<Option<MassProperties>, Error> {
        if self.mass == 0.0 && self.moments.amax() == 0.0 {
            return Ok(None);
        }
        MassProperties::with_any_moments(self.mass, self.center.coords, self.moments)
            .map(Some)
            .map_err(|source| Error::inertia(body, source))
    }
}
