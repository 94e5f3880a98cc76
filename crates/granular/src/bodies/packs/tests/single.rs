//! One contact after another, which the packs are compared with: [`Single`] and its [`Push`].

use nalgebra::{Matrix3, Vector3};
use percussion_complementarity::friction::{
    Figures, Law,
    single::{self, coulomb, maximum_dissipation},
};

use crate::{
    bodies::{
        contact::{Motion, NO_BODY, Yielding},
        packs::assemble::SINGULAR,
        twist::Twist,
    },
    contact::{Account, larger},
};

/// A contact of two bodies or of a body and a boundary.
#[derive(Clone, Debug)]
pub(super) struct Single {
    pub(super) bodies: [u32; 2],
    pub(super) impulse: Vector3<f64>,
    friction: f64,
    frame: Matrix3<f64>,
    arms: [Vector3<f64>; 2],
    offset: Vector3<f64>,
    row: Vector3<f64>,
    inverse: [f64; 6],
    inverse_mass: f64,
    block: single::Contact,
    gap: f64,
    bias: f64,
    drive: Vector3<f64>,
}

/// What is known of a contact before it is set up.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub(super) bodies: [u32; 2],
    pub(super) normal: Vector3<f64>,
    pub(super) arms: [Vector3<f64>; 2],
    pub(super) gap: f64,
    pub(super) friction: f64,
    pub(super) drive: Vector3<f64>,
    /// Of the last step, in the world (N·s).
    pub(super) impulse: Vector3<f64>,
}

impl Single {
    pub(super) fn new(given: &Given, motions: &[Motion], step: f64) -> Self {
        let Given { bodies, ref normal, arms, gap, friction, drive, ref impulse } = *given;
        let frame = frame(normal);
        let mut block = Matrix3::zeros();
        for (body, arm) in bodies.into_iter().zip(&arms) {
            if body != NO_BODY {
                add_body(&mut block, &frame, arm, &motions[body as usize]);
            }
        }
        let block = single::Contact::new(&block, friction).unwrap();
        let (bias, inverse_mass) = (gap.max(0.0) / step, block.inverse_mass());
        let mut contact = Self {
            bodies,
            impulse: Vector3::zeros(),
            friction,
            frame,
            arms,
            offset: Vector3::x() * bias - frame * drive,
            row: block.block().row(0).transpose(),
            inverse: inverse(block.block(), inverse_mass),
            inverse_mass,
            block,
            gap,
            bias,
            drive,
        };
        let local = frame * impulse;
        if local.x > 0.0 {
            let (limit, length) = (friction * local.x, local.yz().norm());
            let scale = if length > limit { limit / length } else { 1.0 };
            contact.impulse = Vector3::new(local.x, scale * local.y, scale * local.z);
        }
        contact
    }

    pub(super) fn world_impulse(&self) -> Vector3<f64> {
        self.frame.tr_mul(&self.impulse)
    }

    pub(super) fn shifted_velocity(&self, motions: &[Motion]) -> Vector3<f64> {
        let twist = &motions[self.bodies[0] as usize].twist;
        let mut relative = twist.linear() + twist.angular().cross(&self.arms[0]);
        if self.bodies[1] != NO_BODY {
            let twist = &motions[self.bodies[1] as usize].twist;
            relative -= twist.linear() + twist.angular().cross(&self.arms[1]);
        }
        self.frame * relative + self.offset
    }

    fn push(&self, impulse: &Vector3<f64>, motions: &mut [Motion]) {
        if *impulse == Vector3::zeros() {
            return;
        }
        let impulse = self.frame.tr_mul(impulse);
        for (body, arm, impulse) in
            [(self.bodies[0], self.arms[0], impulse), (self.bodies[1], self.arms[1], -impulse)]
        {
            if body != NO_BODY {
                let Motion { twist, yielding } = &mut motions[body as usize];
                let (inverse_mass, inverse_inertia) = yields(yielding);
                let linear = twist.linear() + inverse_mass * impulse;
                let angular = twist.angular() + inverse_inertia * arm.cross(&impulse);
                *twist = Twist::new(linear, angular);
            }
        }
    }

    pub(super) fn warm_start(&self, motions: &mut [Motion]) {
        self.push(&self.impulse, motions);
    }

    /// Solves the contact with all others fixed, and returns the square of the change as a velocity (m/s)².
    pub(super) fn sweep(&mut self, law: Law, motions: &mut [Motion]) -> f64 {
        let velocity = self.shifted_velocity(motions);
        let sticking = self.sticking(&velocity);
        let limit = self.friction * sticking.x;
        let solved = if self.row.dot(&self.impulse) < velocity.x {
            Vector3::zeros()
        } else if sticking.x >= 0.0 && sticking.yz().norm_squared() <= limit * limit {
            sticking
        } else {
            self.sliding(law, &velocity)
        };
        let change = solved - self.impulse;
        self.impulse = solved;
        self.push(&change, motions);
        change.norm_squared() * self.inverse_mass * self.inverse_mass
    }

    fn sticking(&self, velocity: &Vector3<f64>) -> Vector3<f64> {
        let [nn, nt, no, tt, to, oo] = self.inverse;
        let (x, y, z) = (velocity.x, velocity.y, velocity.z);
        self.impulse
            - Vector3::new(
                nn * x + nt * y + no * z,
                nt * x + tt * y + to * z,
                no * x + to * y + oo * z,
            )
    }

    fn sliding(&self, law: Law, velocity: &Vector3<f64>) -> Vector3<f64> {
        let Self { block, impulse, .. } = self;
        let b = block.block() * impulse - velocity;
        match law {
            Law::Coulomb if self.inverse[0].is_nan() => coulomb::solve_near(block, &b, impulse),
            Law::Coulomb => coulomb::slide_near(block, &b, impulse),
            Law::MaximumDissipation => maximum_dissipation::solve_near(block, &b, Some(impulse)),
        }
    }

    pub(super) fn gap_after(&self, motions: &[Motion], step: f64) -> f64 {
        self.gap + step * (self.shifted_velocity(motions).x - self.bias)
    }

    pub(super) fn certify(&self, law: Law, motions: &[Motion], step: f64, account: &mut Account) {
        let shifted = self.shifted_velocity(motions);
        account.overlap = account.overlap.max(-self.gap_after(motions, step));
        let residual = Figures::of(law, &self.block, &self.impulse, &shifted).largest();
        account.residual = larger(account.residual, residual);
        if self.impulse.x > 0.0 {
            account.closed += 1;
            account.work += self.impulse.dot(&(shifted - Vector3::x() * self.bias));
        }
        if self.bodies[1] == NO_BODY {
            account.wall_impulse += self.world_impulse();
            account.wall_work += self.world_impulse().dot(&self.drive);
        }
    }
}

/// Adds `1/m − [a]× I⁻¹ [a]×` of a body, in the frame.
fn add_body(block: &mut Matrix3<f64>, frame: &Matrix3<f64>, arm: &Vector3<f64>, motion: &Motion) {
    let turns = [0, 1, 2].map(|row| arm.cross(&frame.row(row).transpose()));
    let (inverse_mass, inverse_inertia) = yields(&motion.yielding);
    for (i, turn) in turns.iter().enumerate() {
        let spin = inverse_inertia * turn;
        block[(i, i)] += inverse_mass;
        for (j, other) in turns.iter().enumerate().skip(i) {
            let entry = spin.dot(other);
            block[(i, j)] += entry;
            if j > i {
                block[(j, i)] += entry;
            }
        }
    }
}

fn frame(normal: &Vector3<f64>) -> Matrix3<f64> {
    let n = normal.normalize();
    let sign = 1.0_f64.copysign(n.z);
    let a = -1.0 / (sign + n.z);
    let b = n.x * n.y * a;
    let tangent = [1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x];
    let other = [b, sign + n.y * n.y * a, -n.y];
    Matrix3::from_rows(&[n.transpose(), tangent.into(), other.into()])
}

fn inverse(block: &Matrix3<f64>, mean: f64) -> [f64; 6] {
    let scale = 1.0 / mean;
    let entry = |i, j| block[(i, j)] * scale;
    let [nn, nt, no] = [entry(0, 0), entry(0, 1), entry(0, 2)];
    let [tt, to, oo] = [entry(1, 1), entry(1, 2), entry(2, 2)];
    let minors = [tt * oo - to * to, no * to - nt * oo, nt * to - no * tt];
    let determinant = nn * minors[0] + nt * minors[1] + no * minors[2];
    let factor = if determinant > SINGULAR { scale / determinant } else { f64::NAN };
    [minors[0], minors[1], minors[2], nn * oo - no * no, nt * no - nn * to, nn * tt - nt * nt]
        .map(|minor| minor * factor)
}

/// The push that removes the overlap of a contact.
#[derive(Clone, Debug)]
pub(super) struct Push {
    bodies: [u32; 2],
    normal: Vector3<f64>,
    turns: [Vector3<f64>; 2],
    shares: [f64; 2],
    tilts: [Vector3<f64>; 2],
    mass: f64,
    target: f64,
    push: f64,
}

impl Push {
    /// `gap` is that after the motion.
    pub(super) fn new(contact: &Single, gap: f64, part: f64, motions: &[Motion]) -> Self {
        let Single { bodies, frame, arms, row, .. } = contact;
        let normal: Vector3<f64> = frame.row(0).transpose();
        let mut push = Self {
            bodies: *bodies,
            normal,
            turns: [arms[0].cross(&normal), -arms[1].cross(&normal)],
            shares: [0.0; 2],
            tilts: [Vector3::zeros(); 2],
            mass: 1.0 / row.x,
            target: if gap < 0.0 { -part * gap } else { -gap },
            push: 0.0,
        };
        for (k, &body) in bodies.iter().enumerate() {
            if body != NO_BODY {
                let (inverse_mass, inverse_inertia) = yields(&motions[body as usize].yielding);
                push.shares[k] = inverse_mass;
                push.tilts[k] = inverse_inertia * push.turns[k];
            }
        }
        push
    }

    pub(super) fn sweep(&mut self, shifts: &mut [Twist]) {
        let [first, second] = self.bodies;
        let shift = &shifts[first as usize];
        let mut grown = self.normal.dot(&shift.linear()) + self.turns[0].dot(&shift.angular());
        if second != NO_BODY {
            let shift = &shifts[second as usize];
            grown += self.turns[1].dot(&shift.angular()) - self.normal.dot(&shift.linear());
        }
        let more = (self.push + self.mass * (self.target - grown)).max(0.0) - self.push;
        self.push += more;
        for (k, (body, normal)) in
            [(first, self.normal), (second, -self.normal)].into_iter().enumerate()
        {
            if body != NO_BODY {
                let shift = &mut shifts[body as usize];
                let linear = shift.linear() + (more * self.shares[k]) * normal;
                *shift = Twist::new(linear, shift.angular() + more * self.tilts[k]);
            }
        }
    }
}

/// Inverse mass and inverse inertia in the world.
fn yields(Yielding([inverse_mass, xx, xy, xz, yy, yz, zz, _]): &Yielding) -> (f64, Matrix3<f64>) {
    (*inverse_mass, Matrix3::new(*xx, *xy, *xz, *xy, *yy, *yz, *xz, *yz, *zz))
}
