//! Random contact LCPs, all of which a reliable Lemke solver must solve.
//!
//! Every problem is copositive and comes from a mechanical step, so a solution exists. With
//! friction directions `D`, normals `J_n`, mass matrix `M` and velocity `v` the step problem has
//! unknowns `(β, c_n, λ)` and
//!
//! ```math
//! w = \begin{pmatrix} D M^{-1} D^T & D M^{-1} J_n^T & E \\ J_n M^{-1} D^T & J_n M^{-1} J_n^T & 0 \\ -E^T & \mathrm{diag}(\mu) & 0 \end{pmatrix} z + \begin{pmatrix} D v \\ J_n v \\ 0 \end{pmatrix}
//! ```
//!
//! # Source
//!
//! D. E. Stewart, J. C. Trinkle, *Int. J. Numer. Meth. Eng.* 39 (1996) 2673–2691, equation (29);
//! for [`Family::PlanarBlock`] the step LCP of M. Halm, M. Posa, "Set-valued rigid body dynamics for
//! simultaneous, inelastic, frictional impacts", *Int. J. Robotics Research* (2024).

use nalgebra::{DMatrix, DVector, Vector2, Vector3};
use percussion_complementarity::lcp::Problem;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A family of random problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// A planar block falling flat on two corners, one set-valued step; `n = 10`.
    PlanarBlock,
    /// The same block with a random velocity; `n = 10`.
    PlanarBlockRandom,
    /// One body, two random contacts, 8 directions; `n = 20`.
    TwoContacts,
    /// A box on four corners, 4 directions; `n = 24`.
    Box4,
    /// A box on four corners, 8 directions; `n = 40`.
    Box8,
    /// One body, seven contacts, 8 directions, strongly redundant; `n = 70`.
    SevenContacts,
    /// Four spheres on the ground, three touching pairs, 8 directions; `n = 70`.
    FourSpheres,
}

impl Family {
    /// All families, smallest first.
    #[must_use]
    pub const fn all() -> [Self; 7] {
        [
            Self::PlanarBlock,
            Self::PlanarBlockRandom,
            Self::TwoContacts,
            Self::Box4,
            Self::Box8,
            Self::SevenContacts,
            Self::FourSpheres,
        ]
    }

    /// Name for tables and bench filters.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PlanarBlock => "planar-block",
            Self::PlanarBlockRandom => "planar-block-random",
            Self::TwoContacts => "two-contacts",
            Self::Box4 => "box-4-directions",
            Self::Box8 => "box-8-directions",
            Self::SevenContacts => "seven-contacts",
            Self::FourSpheres => "four-spheres",
        }
    }

    /// Problem `index` of the sequence that `seed` starts; each can be generated without the others.
    ///
    /// # Panics
    ///
    /// Never: the entries are finite by construction.
    #[must_use]
    pub fn problem(self, seed: u64, index: u64) -> Problem {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(index);
        let (matrix, vector) = match self {
            Self::PlanarBlock => planar_block(&mut random, false),
            Self::PlanarBlockRandom => planar_block(&mut random, true),
            Self::TwoContacts => one_body(&scattered(&mut random, 2), 8, &mut random),
            Self::Box4 => one_body(&CORNERS, 4, &mut random),
            Self::Box8 => one_body(&CORNERS, 8, &mut random),
            Self::SevenContacts => one_body(&scattered(&mut random, 7), 8, &mut random),
            Self::FourSpheres => four_spheres(&mut random),
        };
        Problem::new(matrix, vector).expect("the entries are finite")
    }
}

/// Height of the ground contacts relative to the centre of mass (m).
const GROUND: f64 = -0.25;
const CORNERS: [Vector2<f64>; 4] = [
    Vector2::new(0.5, 0.5),
    Vector2::new(0.5, -0.5),
    Vector2::new(-0.5, 0.5),
    Vector2::new(-0.5, -0.5),
];

/// A standard normal number (Box–Muller).
fn normal(random: &mut ChaCha8Rng) -> f64 {
    let radius = (-2.0 * (1.0 - random.random::<f64>()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.random::<f64>()).cos()
}

fn scattered(random: &mut ChaCha8Rng, count: usize) -> Vec<Vector2<f64>> {
    (0..count).map(|_| Vector2::new(random.random(), random.random()).add_scalar(-0.5)).collect()
}

/// One step of the set-valued impact of a 0.4 × 1 block on its two lower corners, `μ = 1`.
fn planar_block(random: &mut ChaCha8Rng, random_velocity: bool) -> (DMatrix<f64>, DVector<f64>) {
    let (width, height, friction) = (0.4, 1.0, 1.0);
    let inertia = (width * width + height * height) / 12.0;
    let inverse_mass = DVector::from_vec(vec![1.0, 1.0, 1.0 / inertia]);
    let increments = [random.random::<f64>(), random.random::<f64>()];
    let velocity = if random_velocity {
        [normal(random), -normal(random).abs(), 2.0 * normal(random)]
    } else {
        [0.0, -1.0, 0.0]
    };
    let mut normals = DMatrix::zeros(2, 3);
    let mut tangents = DMatrix::zeros(4, 3);
    for (i, x) in [-width / 2.0, width / 2.0].into_iter().enumerate() {
        normals.row_mut(i).copy_from_slice(&[0.0, 1.0, x]);
        for (k, sign) in [1.0, -1.0].into_iter().enumerate() {
            tangents.row_mut(2 * i + k).copy_from_slice(&[sign, 0.0, sign * height / 2.0]);
        }
    }
    let step = step_problem(&tangents, &normals, &inverse_mass, &velocity, friction);
    // From the order (β, c_n, λ) to (s, λ_n, β, γ), with w_s = λ̄ − λ_n and w_n gaining s.
    let order = [4, 5, 0, 1, 2, 3, 6, 7];
    let mut matrix = DMatrix::zeros(10, 10);
    let mut vector = DVector::zeros(10);
    for (row, &from_row) in order.iter().enumerate() {
        vector[row + 2] = step.1[from_row];
        for (column, &from_column) in order.iter().enumerate() {
            matrix[(row + 2, column + 2)] = step.0[(from_row, from_column)];
        }
    }
    for i in 0..2 {
        vector[i] = increments[i];
        matrix[(i, 2 + i)] = -1.0;
        matrix[(2 + i, i)] = 1.0;
    }
    (matrix, vector)
}

/// A unit-mass body (inertia 1.25/12) that lands on ground contacts at `points`, `μ = 0.5`.
fn one_body(
    points: &[Vector2<f64>],
    directions: usize,
    random: &mut ChaCha8Rng,
) -> (DMatrix<f64>, DVector<f64>) {
    let inertia = 1.25 / 12.0;
    let inverse_mass = DVector::from_fn(6, |i, _| if i < 3 { 1.0 } else { 1.0 / inertia });
    let mut velocity = [0.0; 6].map(|_: f64| 0.5 * normal(random));
    velocity[2] -= 1.0;
    let mut rows = Rows::new(points.len(), directions, 6);
    for (i, point) in points.iter().enumerate() {
        let arm = Vector3::new(point.x, point.y, GROUND);
        rows.add(i, &Vector3::z(), 0, &arm, 1.0);
    }
    step_problem(&rows.tangents, &rows.normals, &inverse_mass, &velocity, 0.5)
}

/// Four spheres of radius ½ on the ground; each but the first also touches the one before it.
fn four_spheres(random: &mut ChaCha8Rng) -> (DMatrix<f64>, DVector<f64>) {
    let radius = 0.5;
    let mut inverse_mass = DVector::zeros(24);
    let mut velocity = [0.0; 24];
    for body in 0..4 {
        let mass = 0.5 + random.random::<f64>();
        inverse_mass.rows_mut(6 * body, 3).fill(1.0 / mass);
        inverse_mass.rows_mut(6 * body + 3, 3).fill(1.0 / (0.4 * mass * radius * radius));
        for entry in &mut velocity[6 * body..6 * (body + 1)] {
            *entry = 0.5 * normal(random);
        }
        velocity[6 * body + 2] -= 1.0;
    }
    let mut rows = Rows::new(7, 8, 24);
    for body in 0..4 {
        rows.add(body, &Vector3::z(), body, &Vector3::new(0.0, 0.0, -radius), 1.0);
    }
    for pair in 0..3 {
        let towards =
            Vector3::new(normal(random), normal(random), 0.1 * normal(random)).normalize();
        rows.add(4 + pair, &towards, pair, &(-radius * towards), 1.0);
        rows.add(4 + pair, &towards, pair + 1, &(radius * towards), -1.0);
    }
    step_problem(&rows.tangents, &rows.normals, &inverse_mass, &velocity, 0.5)
}

/// Normal and friction-direction rows of several contacts.
struct Rows {
    directions: usize,
    normals: DMatrix<f64>,
    tangents: DMatrix<f64>,
}

impl Rows {
    fn new(contacts: usize, directions: usize, velocities: usize) -> Self {
        Self {
            directions,
            normals: DMatrix::zeros(contacts, velocities),
            tangents: DMatrix::zeros(contacts * directions, velocities),
        }
    }

    /// Adds `sign` times the rows of the point of `body` at `arm` from its centre.
    fn add(
        &mut self,
        contact: usize,
        n: &Vector3<f64>,
        body: usize,
        arm: &Vector3<f64>,
        sign: f64,
    ) {
        let aside = if n.z.abs() > 0.9 { Vector3::x() } else { Vector3::z() };
        let tangent = n.cross(&aside).normalize();
        let other = n.cross(&tangent);
        add_point_row(&mut self.normals, contact, body, n, arm, sign);
        for k in 0..self.directions {
            #[expect(clippy::cast_precision_loss, reason = "a few directions")]
            let angle = std::f64::consts::TAU * k as f64 / self.directions as f64;
            let direction = angle.cos() * tangent + angle.sin() * other;
            let row = contact * self.directions + k;
            add_point_row(&mut self.tangents, row, body, &direction, arm, sign);
        }
    }
}

fn add_point_row(
    rows: &mut DMatrix<f64>,
    row: usize,
    body: usize,
    direction: &Vector3<f64>,
    arm: &Vector3<f64>,
    sign: f64,
) {
    let moment = arm.cross(direction);
    for axis in 0..3 {
        rows[(row, 6 * body + axis)] += sign * direction[axis];
        rows[(row, 6 * body + 3 + axis)] += sign * moment[axis];
    }
}

/// The step LCP in the order `(β, c_n, λ)`.
fn step_problem(
    tangents: &DMatrix<f64>,
    normals: &DMatrix<f64>,
    inverse_mass: &DVector<f64>,
    velocity: &[f64],
    friction: f64,
) -> (DMatrix<f64>, DVector<f64>) {
    let (contacts, betas) = (normals.nrows(), tangents.nrows());
    let directions = betas / contacts;
    let all = DMatrix::from_fn(betas + contacts, normals.ncols(), |i, j| {
        if i < betas { tangents[(i, j)] } else { normals[(i - betas, j)] }
    });
    let delassus = &all * DMatrix::from_diagonal(inverse_mass) * all.transpose();
    let size = betas + 2 * contacts;
    let mut matrix = DMatrix::zeros(size, size);
    matrix.view_mut((0, 0), delassus.shape()).copy_from(&delassus);
    for contact in 0..contacts {
        let slip = betas + contacts + contact;
        matrix[(slip, betas + contact)] = friction;
        for k in 0..directions {
            matrix[(contact * directions + k, slip)] = 1.0;
            matrix[(slip, contact * directions + k)] = -1.0;
        }
    }
    let mut vector = DVector::zeros(size);
    vector.rows_mut(0, betas + contacts).copy_from(&(all * DVector::from_column_slice(velocity)));
    (matrix, vector)
}
