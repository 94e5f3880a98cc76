//! The state of an articulated system and everything computed from it: [`Kinematics`].

use std::sync::Arc;

use nalgebra::{DMatrix, Isometry3, Vector3};

use super::{
    CentroidalMomentum, ShapeError,
    geometry::{Plane, Space},
    mass_matrix::Part,
    tree::{Scratch, Tree},
};
use crate::{AddedMass, lagrangian::Derivatives, system::Dimension, vectors::vectorized};

/// Positions and motions of all links of an [`Articulated`](super::Articulated) system at one state,
/// and the algorithms that use them.
///
/// Created by [`Articulated::kinematics`](super::Articulated::kinematics) at neutral coordinates and at rest, and
/// moved by [`update`](Self::update). No method allocates. The forces are those of inertia and gravity; springs,
/// dampers and actuation are added by [`Articulated::add_joint_forces`](super::Articulated::add_joint_forces).
///
/// The columns of Jacobians correspond to the velocities. Vectors are in world axes. The rows are `x, y, z` for
/// points, and `x, y, z` followed by the three angular components for frames and momenta. In the plane they are
/// `x, y`, and `x, y` followed by the component about `z`.
///
/// # Panics
///
/// All methods with a link number panic if there is no such link.
///
/// # Example
///
/// A point of 2 kg on a massless arm of 3 m: `M = m l² = 18`. In the horizontal position the moment of its weight is
/// `m g l = 58.86 N·m`.
///
/// ```
/// use nalgebra::{DMatrix, Vector3};
/// use percussion_dynamics::{Articulated, Joint, Link, MassProperties};
///
/// let bob = MassProperties::point(2.0)?.translated(&Vector3::new(3.0, 0.0, 0.0));
/// let arm = Link::new("arm", Joint::revolute(Vector3::z())).with_mass(bob);
/// let pendulum = Articulated::new(vec![arm], Vector3::new(0.0, -9.81, 0.0))?;
///
/// let mut kinematics = pendulum.kinematics();
/// kinematics.update(&[0.0], &[1.0])?;
/// let (mut mass_matrix, mut bias) = (DMatrix::zeros(1, 1), [0.0]);
/// kinematics.mass_matrix(&mut mass_matrix)?;
/// kinematics.bias(&mut bias)?;
/// assert_eq!(mass_matrix[(0, 0)], 18.0);
/// assert!((bias[0] - 58.86).abs() < 1e-13);
/// // The bob is drawn to the pin at v²/l = 3 m/s².
/// let pull = kinematics.point_bias(0, &Vector3::new(3.0, 0.0, 0.0));
/// assert_eq!(pull, Vector3::new(-3.0, 0.0, 0.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Kinematics {
    state: State,
    coordinates: Vec<f64>,
    velocity: Vec<f64>,
    /// Whether the frames and motions are those of `coordinates` and `velocity`.
    is_placed: bool,
    is_run: bool,
    /// The poses of links at `coordinates` that were asked for.
    poses: Vec<Option<Isometry3<f64>>>,
}

#[derive(Clone, Debug)]
enum State {
    Plane(Arc<Tree<Plane>>, Scratch<Plane>),
    Space(Arc<Tree<Space>>, Scratch<Space>),
}

/// Evaluates an expression for the plane or for space, with the vectors of the processor in what is inlined.
macro_rules! with_vectors {
    ($kinematics:expr, |$tree:ident, $scratch:ident| $body:expr) => {
        vectorized(
            #[inline(always)]
            || with!($kinematics, |$tree, $scratch| $body),
        )
    };
}

/// Evaluates an expression for the plane or for space.
macro_rules! with {
    ($kinematics:expr, |$tree:ident, $scratch:ident| $body:expr) => {
        match $kinematics {
            State::Plane($tree, $scratch) => $body,
            State::Space($tree, $scratch) => $body,
        }
    };
}

mod kept;

impl Kinematics {
    pub(super) fn plane(tree: Tree<Plane>, neutral: &[f64]) -> Self {
        let scratch = tree.scratch();
        Self::at_rest(State::Plane(Arc::new(tree), scratch), neutral)
    }

    pub(super) fn space(tree: Tree<Space>, neutral: &[f64]) -> Self {
        let scratch = tree.scratch();
        Self::at_rest(State::Space(Arc::new(tree), scratch), neutral)
    }

    fn at_rest(state: State, neutral: &[f64]) -> Self {
        let links = with!(&state, |_tree, scratch| scratch.frames.len());
        let velocity = vec![0.0; with!(&state, |tree, _scratch| tree.velocity_count())];
        let coordinates = neutral.to_vec();
        let mut new = Self {
            state,
            coordinates,
            velocity: velocity.clone(),
            is_placed: false,
            is_run: false,
            poses: vec![None; links],
        };
        new.place(neutral);
        new.weigh();
        new.run(&velocity);
        new
    }

    /// Whether the system is in the plane or in space.
    #[must_use]
    pub fn dimension(&self) -> Dimension {
        match &self.state {
            State::Plane(..) => Dimension::Plane,
            State::Space(..) => Dimension::Space,
        }
    }

    /// Moves to the given coordinates and velocity; quaternions are normalized.
    ///
    /// # Errors
    ///
    /// [`ShapeError`]; the state is then unchanged.
    pub fn update(&mut self, coordinates: &[f64], velocity: &[f64]) -> Result<(), ShapeError> {
        check("coordinates", coordinates.len(), self.coordinates.len())?;
        check("velocity", velocity.len(), self.velocity.len())?;
        self.place(coordinates);
        self.weigh();
        self.run(velocity);
        Ok(())
    }

    /// Writes the mass matrix `M(q)` (`n_v × n_v`).
    ///
    /// # Errors
    ///
    /// [`ShapeError`].
    pub fn mass_matrix(&mut self, mass_matrix: &mut DMatrix<f64>) -> Result<(), ShapeError> {
        let n = self.velocity.len();
        check_matrix("mass matrix", mass_matrix, n, n)?;
        with!(&mut self.state, |tree, scratch| tree.mass_matrix(scratch, mass_matrix));
        Ok(())
    }

    /// Replaces `columns` (`n_v × k`) by `M⁻¹ columns`. The factors are kept until the next update.
    ///
    /// If the mass matrix is singular, the result is meaningless and may not be finite.
    ///
    /// # Errors
    ///
    /// [`ShapeError`].
    pub fn apply_inverse_mass(&mut self, columns: &mut DMatrix<f64>) -> Result<(), ShapeError> {
        check_matrix("columns", columns, self.velocity.len(), columns.ncols())?;
        self.divide_by_sum(None, columns, Part::Inverse);
        Ok(())
    }

    /// Divides `columns` by the sum of the mass matrix and what is added to it, if that has only entries of velocities of which one
    /// carries the other; otherwise it returns `false` and changes nothing.
    pub(super) fn divide_by_sum(
        &mut self,
        added: Option<&AddedMass>,
        columns: &mut DMatrix<f64>,
        part: Part,
    ) -> bool {
        with_vectors!(&mut self.state, |tree, scratch| {
            let can = tree.factor_sum(scratch, added);
            if can {
                tree.divide(scratch, columns.as_mut_slice(), part);
            }
            can
        })
    }

    /// Replaces `columns` (`n_v × k`) by `Y = D^(−1/2) L⁻ᵀ columns` where `M = Lᵀ D L`, so that
    /// `YᵀY = columnsᵀ M⁻¹ columns`. If `columns` is the transpose of a contact Jacobian, this is the Delassus
    /// operator at half the cost, symmetric by construction.
    ///
    /// # Errors
    ///
    /// [`ShapeError`].
    pub fn whiten(&mut self, columns: &mut DMatrix<f64>) -> Result<(), ShapeError> {
        check_matrix("columns", columns, self.velocity.len(), columns.ncols())?;
        self.divide_by_sum(None, columns, Part::Whitening);
        Ok(())
    }

    /// Writes the bias `h(q, v)` of `M v̇ + h = τ` (length `n_v`; N, N·m): Coriolis and gyroscopic forces
    /// and the weight.
    ///
    /// # Errors
    ///
    /// [`ShapeError`].
    pub fn bias(&mut self, forces: &mut [f64]) -> Result<(), ShapeError> {
        check("forces", forces.len(), self.velocity.len())?;
        with_vectors!(&mut self.state, |tree, scratch| tree.bias(scratch, forces));
        Ok(())
    }

    /// Writes the joint forces `τ = M v̇ + h` (length `n_v`; N, N·m) that cause the acceleration `v̇`.
    ///
    /// # Errors
    ///
    /// [`ShapeError`].
    pub fn inverse_dynamics(
        &mut self,
        acceleration: &[f64],
        forces: &mut [f64],
    ) -> Result<(), ShapeError> {
        check("acceleration", acceleration.len(), self.velocity.len())?;
        check("forces", forces.len(), self.velocity.len())?;
        with_vectors!(&mut self.state, |tree, scratch| tree.inverse_dynamics(
            scratch,
            acceleration,
            forces
        ));
        Ok(())
    }

    /// Writes the acceleration `v̇ = M⁻¹ (τ − h)` (length `n_v`; m/s², rad/s²) caused by the joint forces
    /// `τ`, in `O(n_v)` operations.
    ///
    /// # Errors
    ///
    /// [`ShapeError`].
    pub fn forward_dynamics(
        &mut self,
        forces: &[f64],
        acceleration: &mut [f64],
    ) -> Result<(), ShapeError> {
        check("forces", forces.len(), self.velocity.len())?;
        check("acceleration", acceleration.len(), self.velocity.len())?;
        with!(&mut self.state, |tree, scratch| tree.forward_dynamics(
            scratch,
            forces,
            acceleration
        ));
        Ok(())
    }

    /// Total mass, center of mass and momentum about it.
    #[must_use]
    pub fn centroidal_momentum(&self) -> CentroidalMomentum {
        with!(&self.state, |tree, scratch| tree.centroidal_momentum(scratch))
    }

    /// Writes the matrix `A` (`6 × n_v`, in the plane `3 × n_v`) of the centroidal momentum `A v`.
    ///
    /// # Errors
    ///
    /// [`ShapeError`].
    pub fn centroidal_matrix(&mut self, matrix: &mut DMatrix<f64>) -> Result<(), ShapeError> {
        check_matrix("centroidal matrix", matrix, self.frame_rows(), self.velocity.len())?;
        with!(&mut self.state, |tree, scratch| tree.centroidal_matrix(scratch, matrix));
        Ok(())
    }

    /// Kinetic energy (J), that of armatures included.
    #[must_use]
    pub fn kinetic_energy(&self) -> f64 {
        with_vectors!(&self.state, |tree, scratch| tree.kinetic_energy(scratch, &self.velocity))
    }

    /// Potential energy of gravity (J), zero with all mass at the origin of the world.
    #[must_use]
    pub fn gravity_energy(&self) -> f64 {
        with!(&self.state, |tree, scratch| tree.gravity_energy(scratch))
    }

    /// Pose of the frame of `link` in the world.
    #[must_use]
    pub fn pose(&self, link: usize) -> Isometry3<f64> {
        with!(&self.state, |tree, scratch| tree.pose(scratch, link))
    }

    /// Adds `directionᵀ J_point` to `row` (length `n_v`), where `J_point v` is the velocity of the point
    /// of `link` that is now at `point` in the world (m).
    ///
    /// # Errors
    ///
    /// [`ShapeError`].
    pub fn add_point_row(
        &self,
        link: usize,
        point: &Vector3<f64>,
        direction: &Vector3<f64>,
        row: &mut [f64],
    ) -> Result<(), ShapeError> {
        check("row", row.len(), self.velocity.len())?;
        self.point_row(link, point, direction, row);
        Ok(())
    }

    /// Writes `J_point` (`3 × n_v`, in the plane `2 × n_v`) of the point of `link` now at `point` (m).
    ///
    /// # Errors
    ///
    /// [`ShapeError`].
    pub fn point_jacobian(
        &self,
        link: usize,
        point: &Vector3<f64>,
        jacobian: &mut DMatrix<f64>,
    ) -> Result<(), ShapeError> {
        let rows = match self.dimension() {
            Dimension::Plane => 2,
            Dimension::Space => 3,
        };
        check_matrix("point Jacobian", jacobian, rows, self.velocity.len())?;
        with!(&self.state, |tree, scratch| tree.point_jacobian(scratch, link, point, jacobian));
        Ok(())
    }

    /// Writes the Jacobian of the frame of `link` (`6 × n_v`, in the plane `3 × n_v`): the velocity of its
    /// origin, then its angular velocity.
    ///
    /// # Errors
    ///
    /// [`ShapeError`].
    pub fn frame_jacobian(
        &self,
        link: usize,
        jacobian: &mut DMatrix<f64>,
    ) -> Result<(), ShapeError> {
        check_matrix("frame Jacobian", jacobian, self.frame_rows(), self.velocity.len())?;
        with!(&self.state, |tree, scratch| tree.frame_jacobian(scratch, link, jacobian));
        Ok(())
    }

    /// Velocity of the point of `link` now at `point` (m/s).
    #[must_use]
    pub fn point_velocity(&self, link: usize, point: &Vector3<f64>) -> Vector3<f64> {
        with!(&self.state, |tree, scratch| tree.point_velocity(scratch, link, point))
    }

    /// Angular velocity of `link` (rad/s).
    #[must_use]
    pub fn angular_velocity(&self, link: usize) -> Vector3<f64> {
        with!(&self.state, |tree, scratch| tree.angular_velocity(scratch, link))
    }

    /// `J̇ v` of [`point_jacobian`](Self::point_jacobian): the acceleration (m/s²) of the point of `link`
    /// now at `point` while the velocities stay constant.
    #[must_use]
    pub fn point_bias(&self, link: usize, point: &Vector3<f64>) -> Vector3<f64> {
        with!(&self.state, |tree, scratch| tree.point_bias(scratch, link, point))
    }

    /// `J̇ v` of the angular rows of [`frame_jacobian`](Self::frame_jacobian) (rad/s²).
    #[must_use]
    pub fn angular_bias(&self, link: usize) -> Vector3<f64> {
        with!(&self.state, |tree, scratch| tree.angular_bias(scratch, link))
    }

    /// `p`, and `ṗ` of inertia and gravity, at `velocity`.
    pub(super) fn momentum(&mut self, velocity: &[f64], momentum: &mut [f64], rate: &mut [f64]) {
        self.run(velocity);
        with!(&mut self.state, |tree, scratch| tree.momentum(scratch, velocity, momentum, rate));
    }

    /// The derivatives of these at `velocity`.
    pub(super) fn momentum_derivatives(&mut self, velocity: &[f64], derivatives: &mut Derivatives) {
        self.run(velocity);
        with!(&mut self.state, |tree, scratch| {
            tree.momentum_derivatives(scratch, velocity, derivatives);
        });
    }

    pub(super) fn point_row(
        &self,
        link: usize,
        point: &Vector3<f64>,
        direction: &Vector3<f64>,
        row: &mut [f64],
    ) {
        with!(&self.state, |tree, scratch| tree
            .add_point_row(scratch, link, point, direction, row));
    }

    /// Rows of up to three directions, one after another.
    pub(super) fn point_rows(
        &self,
        of: (usize, &Vector3<f64>),
        along: (&[Vector3<f64>], f64),
        rows: &mut [f64],
    ) {
        with!(&self.state, |tree, scratch| tree.add_point_rows(scratch, of, along, rows));
    }

    /// The last velocity whose pivot is at most the fraction `smallest` of the terms of its entry of the mass
    /// matrix, or NaN, together with that fraction.
    pub(super) fn singular_velocity(&mut self, smallest: f64) -> Option<(usize, f64)> {
        with!(&mut self.state, |tree, scratch| {
            let pivots =
                (0..tree.velocity_count()).rev().map(|k| (k, tree.relative_pivot(scratch, k)));
            pivots.into_iter().find(|(_, fraction)| fraction.is_nan() || *fraction <= smallest)
        })
    }

    fn frame_rows(&self) -> usize {
        match self.dimension() {
            Dimension::Plane => 3,
            Dimension::Space => 6,
        }
    }
}

pub(super) fn check(field: &'static str, found: usize, expected: usize) -> Result<(), ShapeError> {
    if found == expected {
        Ok(())
    } else {
        Err(ShapeError { field, expected: [expected, 1], found: [found, 1] })
    }
}

fn check_matrix(
    field: &'static str,
    matrix: &DMatrix<f64>,
    rows: usize,
    columns: usize,
) -> Result<(), ShapeError> {
    let (expected, found) = ([rows, columns], [matrix.nrows(), matrix.ncols()]);
    if found == expected { Ok(()) } else { Err(ShapeError { field, expected, found }) }
}
