//! Random problems whose solution is known by construction: impulses and velocities of chosen modes, and the free
//! velocity that follows from them.

use nalgebra::{DMatrix, DVector, Vector2, Vector3};
use percussion_complementarity::friction::{
    Law, Problem,
    derivative::{Direction, Edge, Mode, Place},
};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

/// A problem with a solution.
pub(super) struct Case {
    pub(super) problem: Problem,
    pub(super) impulses: Vec<Vector3<f64>>,
}

/// Random numbers.
pub(super) struct Draw(ChaCha8Rng);

/// Where the contacts of a case are.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Strictly inside of modes.
    Inside,
    /// Some at edges.
    Edges,
}

impl Draw {
    pub(super) fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// In [-1, 1).
    pub(super) fn signed(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Between both numbers.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * 0.5 * (self.signed() + 1.0)
    }

    fn below(&mut self, count: u64) -> u64 {
        self.0.next_u64() % count
    }

    pub(super) fn vector(&mut self) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.signed())
    }

    /// One to four contacts in space or in the plane, in any units; `None` where the draw is no valid problem.
    pub(super) fn case(&mut self) -> Option<Case> {
        let planar = self.below(3) == 0;
        self.build(planar, Kind::Inside)
    }

    pub(super) fn planar(&mut self) -> Option<Case> {
        self.build(true, Kind::Inside)
    }

    pub(super) fn edges(&mut self) -> Option<Case> {
        let planar = self.below(2) == 0;
        self.build(planar, Kind::Edges)
    }

    fn build(&mut self, planar: bool, kind: Kind) -> Option<Case> {
        let n = usize::try_from(1 + self.below(4)).expect("at most four");
        let law = if self.below(3) == 0 { Law::MaximumDissipation } else { Law::Coulomb };
        let units = [self.signed(), self.signed()].map(|power| 10.0_f64.powf(6.0 * power));
        let delassus = self.delassus(n, planar) * units[0];
        let friction: Vec<_> = (0..n)
            .map(|_| if self.below(6) == 0 { 0.0 } else { self.between(0.05, 1.2) })
            .collect();
        let (mut impulses, mut velocities) = (Vec::new(), Vec::new());
        for (contact, &friction) in friction.iter().enumerate() {
            let block = delassus.fixed_view::<3, 3>(3 * contact, 3 * contact);
            let coupling = Vector2::new(block[(0, 1)], block[(0, 2)]);
            let tilt = match law {
                Law::Coulomb => Vector2::zeros(),
                Law::MaximumDissipation => friction / block[(0, 0)] * coupling,
            };
            let (impulse, velocity) = self.contact(friction, &tilt, planar, kind);
            impulses.push(impulse * (units[1] * 3.0 / block.trace()));
            velocities.push(velocity * units[1]);
        }
        let free = super::stacked(&velocities) - &delassus * super::stacked(&impulses);
        let problem = Problem::from_dense(&delassus, free.as_slice(), &friction).ok()?;
        Some(Case { problem: problem.with_law(law), impulses })
    }

    /// `J Jᵀ` of random rows, those of each contact in units of their own.
    fn delassus(&mut self, n: usize, planar: bool) -> DMatrix<f64> {
        let columns = 3 * n + 2;
        let lengths: Vec<_> = (0..n).map(|_| 10.0_f64.powf(self.signed())).collect();
        let jacobian = DMatrix::from_fn(3 * n, columns, |row, _| lengths[row / 3] * self.signed());
        let mut delassus = &jacobian * jacobian.transpose();
        if planar {
            for contact in 0..n {
                let row = 3 * contact + 2;
                let own = delassus[(row, row)];
                delassus.row_mut(row).fill(0.0);
                delassus.column_mut(row).fill(0.0);
                delassus[(row, row)] = own;
            }
        }
        delassus
    }

    /// Impulse and velocity of one contact, of sizes about one.
    fn contact(
        &mut self,
        friction: f64,
        tilt: &Vector2<f64>,
        planar: bool,
        kind: Kind,
    ) -> (Vector3<f64>, Vector3<f64>) {
        let (push, slip) = (self.between(0.2, 1.5), self.between(0.2, 1.5));
        let angle = std::f64::consts::PI * self.signed();
        let e = if planar {
            Vector2::new(angle.signum(), 0.0)
        } else {
            Vector2::new(angle.cos(), angle.sin())
        };
        let with = |normal: f64, tangent: Vector2<f64>| Vector3::new(normal, tangent.x, tangent.y);
        let (closed, sliding) = (with(push, friction * push * e), with(0.0, -slip * (e + tilt)));
        let still = Vector3::zeros();
        let inside = self.between(0.0, 0.9);
        let choices = if kind == Kind::Edges { 5 } else { 3 };
        match self.below(choices) {
            0 => {
                let free = with(slip, self.signed() * e);
                (still, free)
            }
            1 if friction > 0.0 => (with(push, inside * friction * push * e), still),
            1 => (closed, still),
            2 => (closed, sliding),
            3 if friction > 0.0 => (closed, still),
            _ => (still, sliding),
        }
    }

    /// A change of all data: in the plane of a planar problem, symmetric, and of about their own size.
    pub(super) fn direction(&mut self, case: &Case) -> Direction {
        let problem = &case.problem;
        let n = problem.contact_count();
        let dense = problem.dense();
        let scale = problem.velocity_scale();
        let planar =
            (0..n).all(|i| case.impulses[i].z == 0.0 && problem.free_velocity()[i].z == 0.0);
        let own: Vec<_> = (0..3 * n).map(|row| dense[(row, row)].sqrt()).collect();
        // A step of one keeps the operator positive definite.
        let scaled = DMatrix::from_fn(3 * n, 3 * n, |i, j| dense[(i, j)] / (own[i] * own[j]));
        let most = scaled.symmetric_eigenvalues().min() / (3 * n) as f64;
        let mut delassus = DMatrix::from_fn(3 * n, 3 * n, |row, column| {
            let flat = planar && (row % 3 == 2 || column % 3 == 2);
            if flat { 0.0 } else { most * self.signed() * own[row] * own[column] }
        });
        delassus = delassus.symmetric_part();
        let free_velocity = (0..n)
            .map(|_| {
                let mut change = self.vector() * scale;
                if planar {
                    change.z = 0.0;
                }
                change
            })
            .collect();
        let friction = (0..n).map(|i| problem.contacts()[i].friction() * self.signed()).collect();
        Direction { free_velocity, delassus: Some(delassus), friction }
    }
}

/// The mode of a contact by the definitions, far from edges.
pub(super) fn mode(
    case: &Case,
    velocity: &DVector<f64>,
    impulse: &DVector<f64>,
    i: usize,
) -> Place {
    let (problem, row) = (&case.problem, 3 * i);
    let margin = 1e-9 * problem.velocity_scale();
    let (p, mass) = (impulse.fixed_rows::<3>(row), problem.inverse_masses()[i]);
    let slip = velocity[row + 1].hypot(velocity[row + 2]);
    let friction = problem.contacts()[i].friction();
    if p.norm() * mass <= margin {
        return Place::Inside(Mode::Open);
    }
    if friction == 0.0 {
        return Place::Inside(Mode::Frictionless);
    }
    let room = mass * (friction * p[0] - p[1].hypot(p[2]));
    match (slip > margin, room > margin) {
        (true, false) => Place::Inside(Mode::Sliding),
        (false, true) => Place::Inside(Mode::Sticking),
        _ => Place::At(Edge::Slipping),
    }
}
