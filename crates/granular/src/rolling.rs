//! Resistance of contacts to rolling and spinning: [`Turn`], the moment of one contact.
//!
//! With the angular velocity `ω` of one body relative to the other, the impulse `p_n` along the normal, and the lengths
//! `μ_ρ` and `μ_τ` (m) of [`Interaction`](crate::Interaction), the moment `L` (N·m·s) has a part across the normal, which
//! resists rolling, and one along it, which resists spinning. Each has a bound of its own, and opposes what is left of its motion:
//!
//! ```math
//! \|L_\rho\| \le \mu_\rho\, p_n,\quad L_\rho = -\mu_\rho\, p_n\,\omega_\rho/\|\omega_\rho\| \text{ where } \omega_\rho \ne 0;
//! \qquad |L_\tau| \le \mu_\tau\, p_n,\quad L_\tau = -\mu_\tau\, p_n\,\mathrm{sign}\,\omega_\tau \text{ where } \omega_\tau \ne 0.
//! ```
//!
//! The block of spheres is `W = 1/I_1 + 1/I_2` times the identity, so that both parts are projections. A sweep solves the
//! sliding block of a contact and then its moment. The residual is that of `y = L/μ` against `μ ω`, by which moments are
//! impulses and angular velocities velocities.
//!
//! - **Needs** more sweeps than sliding alone: where neither slides nor rolls, the two blocks of a contact of a ball and a wall
//!   leave 5/7 of an error in each sweep.
//!
//! # Source
//!
//! The product of a disc, an interval and a disc is the section of `percussion_complementarity::friction::mixed` for rolling
//! contacts, with its law.

use nalgebra::Vector3;

use crate::{
    contact::{Account, Law, larger},
    grains::Motion,
    materials::Interaction,
};

/// The moment of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Turn {
    /// On body 1 (N·m·s).
    pub(crate) moment: Vector3<f64>,
    /// `1/r` of both bodies (1/m), 0 of a wall.
    pub(crate) inverse_radii: [f64; 2],
    /// `μ_ρ` and `μ_τ` (m).
    pub(crate) bounds: [f64; 2],
}

impl Turn {
    /// The moment of the last step within the bounds of the current impulse.
    pub(crate) fn new(
        moment: &Vector3<f64>,
        inverse_radii: [f64; 2],
        interaction: &Interaction,
        law: &Law,
    ) -> Self {
        let bounds = [interaction.rolling, interaction.spinning];
        let mut turn = Self { moment: Vector3::zeros(), inverse_radii, bounds };
        turn.moment = turn.bounded(moment, law);
        turn
    }

    /// The moment within its bounds that is next to this one, part by part.
    #[inline]
    fn bounded(&self, moment: &Vector3<f64>, Law { normal, impulse, .. }: &Law) -> Vector3<f64> {
        let along = impulse.dot(normal);
        bounded(moment, normal, self.bounds.map(|bound| bound * along))
    }

    /// `W` (1/(kg·m²)) and what a moment adds to the spins of both bodies (1/(kg·m)).
    #[inline]
    fn yields(&self, spin_yields: [f64; 2]) -> (f64, [f64; 2]) {
        let [i, j] = self.inverse_radii;
        let [a, b] = [spin_yields[0] * i, spin_yields[1] * j];
        (a * i + b * j, [a, b])
    }

    /// The square of a change of the moment as a velocity (m/s)².
    #[inline]
    fn natural(&self, change: &Vector3<f64>, normal: &Vector3<f64>, yields: f64) -> f64 {
        natural(change, normal, self.bounds) * yields * yields
    }

    /// Solves the moment between two grains, and returns the square of its natural map before (m/s)².
    pub(crate) fn sweep(&mut self, law: &Law, grains: [u32; 2], motions: &mut [Motion]) -> f64 {
        let [a, b] = grains.map(|grain| motions[grain as usize]);
        let (yields, shares) = self.yields([a.spin_yield, b.spin_yield]);
        let stick = self.moment - self.velocity([&a.spin, &b.spin]) / yields;
        let solved = self.bounded(&stick, law);
        let change = solved - self.moment;
        self.moment = solved;
        self.turn(&change, grains, shares, motions);
        self.natural(&change, &law.normal, yields)
    }

    /// Angular velocity of a grain relative to another (rad/s).
    #[inline]
    fn velocity(&self, [a, b]: [&Vector3<f64>; 2]) -> Vector3<f64> {
        self.inverse_radii[0] * a - self.inverse_radii[1] * b
    }

    fn turn(
        &self,
        change: &Vector3<f64>,
        [a, b]: [u32; 2],
        shares: [f64; 2],
        motions: &mut [Motion],
    ) {
        motions[a as usize].spin += shares[0] * change;
        motions[b as usize].spin -= shares[1] * change;
    }

    /// Applies the moment carried over between two grains.
    pub(crate) fn warm_start(&self, grains: [u32; 2], motions: &mut [Motion]) {
        let yields = grains.map(|grain| motions[grain as usize].spin_yield);
        let (_, shares) = self.yields(yields);
        self.turn(&self.moment, grains, shares, motions);
    }

    /// Adds residual and work of a moment between two grains to the account.
    pub(crate) fn certify(
        &self,
        law: &Law,
        grains: [u32; 2],
        motions: &[Motion],
        account: &mut Account,
    ) {
        let [a, b] = grains.map(|grain| &motions[grain as usize]);
        let (yields, _) = self.yields([a.spin_yield, b.spin_yield]);
        self.judge(law, &self.velocity([&a.spin, &b.spin]), yields, account);
    }

    fn judge(&self, law: &Law, velocity: &Vector3<f64>, yields: f64, account: &mut Account) {
        let solved = self.bounded(&(self.moment - velocity / yields), law);
        let wrong = self.natural(&(self.moment - solved), &law.normal, yields).sqrt();
        account.residual = larger(account.residual, wrong);
        account.work += self.moment.dot(velocity);
    }
}

/// The moment within these limits of rolling and spinning (N·m·s) that is next to this one, part by part.
#[inline]
pub(crate) fn bounded(
    moment: &Vector3<f64>,
    normal: &Vector3<f64>,
    [rolling, spinning]: [f64; 2],
) -> Vector3<f64> {
    let spin = moment.dot(normal);
    let mut roll = moment - spin * normal;
    let squared = roll.norm_squared();
    if squared > rolling * rolling {
        roll *= rolling / squared.sqrt();
    }
    let spin = if spin < 0.0 - spinning {
        0.0 - spinning
    } else if spinning < spin {
        spinning
    } else {
        spin
    };
    roll + spin * normal
}

/// The square of a moment times its lengths for rolling and spinning (N·m²·s)².
#[inline]
pub(crate) fn natural(
    moment: &Vector3<f64>,
    normal: &Vector3<f64>,
    [rolling, spinning]: [f64; 2],
) -> f64 {
    let spin = moment.dot(normal);
    let roll = (moment - spin * normal).norm_squared();
    roll * rolling * rolling + spin * spin * spinning * spinning
}

/// The moment of a contact with a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WallTurn {
    pub(crate) turn: Turn,
    /// Angular velocity of the wall (rad/s).
    pub(crate) drive: Vector3<f64>,
    pub(crate) grain: u32,
}

impl WallTurn {
    /// As for [`Turn`], here and below.
    pub(crate) fn sweep(&mut self, law: &Law, motions: &mut [Motion]) -> f64 {
        let motion = &mut motions[self.grain as usize];
        let turn = &mut self.turn;
        let (yields, shares) = turn.yields([motion.spin_yield, 0.0]);
        let velocity = turn.inverse_radii[0] * motion.spin - self.drive;
        let solved = turn.bounded(&(turn.moment - velocity / yields), law);
        let change = solved - turn.moment;
        turn.moment = solved;
        motion.spin += shares[0] * change;
        turn.natural(&change, &law.normal, yields)
    }

    pub(crate) fn warm_start(&self, motions: &mut [Motion]) {
        let motion = &mut motions[self.grain as usize];
        let (_, shares) = self.turn.yields([motion.spin_yield, 0.0]);
        motion.spin += shares[0] * self.turn.moment;
    }

    pub(crate) fn certify(&self, law: &Law, motions: &[Motion], account: &mut Account) {
        let motion = &motions[self.grain as usize];
        let (yields, _) = self.turn.yields([motion.spin_yield, 0.0]);
        let velocity = self.turn.inverse_radii[0] * motion.spin - self.drive;
        self.turn.judge(law, &velocity, yields, account);
        account.wall_work += self.turn.moment.dot(&self.drive);
    }
}
