//! Friction that depends on the direction.

use nalgebra::DVector;

use super::Contact;

impl Contact {
    /// Returns the contact with friction of the half axes `axes` (each ≥ 0, dimensionless) along two tangents, in space: a wheel, a
    /// skate, a brushed surface.
    ///
    /// The tangential impulse lies in the ellipse `(Λ₁/μ₁)² + (Λ₂/μ₂)² ≤ Λ_n²`, and a slip `t` is opposed by
    /// `−Λ_n A² t/‖A t‖` with `A = diag(μ₁, μ₂)`: the impulse of the ellipse that takes most energy from it.
    ///
    /// With tangents scaled by `s_i = μ_i/μ`, `μ` the larger of both, the ellipse is the disc of radius `μ`, so that every law
    /// of this crate has such friction, as a polygon where it has polygons. [`Impulse::tangent`](crate::Impulse::tangent) then has `Λ_i/s_i`. A tangent whose half
    /// axis is zero is left out.
    ///
    /// # Example
    ///
    /// A wheel of 1 kg is dropped at 2 m/s while it slides at 3 m/s in both directions; it holds with 0.5 across and with 0.1
    /// along its rim. The friction impulse is `−2 A² t/‖A t‖` with the slip `t` after the impact.
    ///
    /// ```
    /// use nalgebra::{DMatrix, dvector};
    /// use percussion_impact::{Contact, Law, Mass, Problem, maximum_dissipation::MaximumDissipation};
    ///
    /// let tangents = [dvector![1.0, 0.0, 0.0], dvector![0.0, 1.0, 0.0]];
    /// let wheel = Contact::new(dvector![0.0, 0.0, 1.0]).with_elliptic_friction([0.5, 0.1], tangents);
    /// let mass = Mass::Matrix(DMatrix::identity(3, 3));
    /// let problem = Problem::new(mass, dvector![3.0, 3.0, -2.0], vec![wheel])?;
    /// let after = MaximumDissipation::default().resolve(&problem)?.velocity;
    /// let slip: [f64; 2] = [0.5 * after[0], 0.1 * after[1]];
    /// let size = slip[0].hypot(slip[1]);
    /// assert!((after[0] - 3.0 + 2.0 * 0.5 * slip[0] / size).abs() < 1e-7);
    /// assert!((after[1] - 3.0 + 2.0 * 0.1 * slip[1] / size).abs() < 1e-7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_elliptic_friction(self, axes: [f64; 2], tangents: [DVector<f64>; 2]) -> Self {
        // A half axis that is not a number is refused as the coefficient.
        let largest = if axes[0] >= axes[1] { axes[0] } else { axes[1] };
        let largest =
            if axes.iter().any(|axis| axis.is_nan() || *axis < 0.0) { f64::NAN } else { largest };
        let scaled = |(tangent, axis): (DVector<f64>, f64)| {
            (axis != 0.0).then(|| {
                if axis.to_bits() == largest.to_bits() {
                    tangent
                } else {
                    tangent * (axis / largest)
                }
            })
        };
        let tangents = tangents.into_iter().zip(axes).filter_map(scaled).collect();
        self.with_friction(largest, tangents)
    }
}
