//! How far the modes stay: along a direction ([`Reach`]), and in every direction ([`radius`]).
//!
//! For the radius, the unknowns of a contact that slides are `p_n`, the angle `θ` of its friction times the length
//! `ℓ = μ p_n + s`, and `s`; those of the other contacts are their impulses. Let `F(x) + b = 0` be the equations of the
//! modes with the derivative `K` at the solution. With the norm `‖x‖`, the largest Euclidean norm of a contact's
//! unknowns, products and sines have bounded second differences, and within `‖x − x*‖ ≤ ρ`
//!
//! ```math
//! \|K^{-1} (F'(x) - K)\| \le L \rho, \qquad
//! L = \max_i \sum_j \frac{(\sqrt2\,\mu_j + 1)\, \|(K^{-1} W)_{ij}\| + (\sqrt2 + 1)\, \|(K^{-1})_{ij}\|}{\ell_j}
//! ```
//!
//! with the sum over the contacts that slide. If `β = max_i Σ_j ‖(K⁻¹)_ij‖`, `L ρ ≤ 1` and `‖db‖ ≤ r = (ρ − L ρ²/2)/β`,
//! the iteration `x ↦ x* − K⁻¹ (db + F(x) − F(x*) − K (x − x*))` maps the ball of radius `ρ` into itself and contracts
//! there. So there is one solution in the ball, and its modes are strict if `ρ` is smaller than what each margin needs.

use nalgebra::{DMatrix, DVector, Vector3};

use super::{
    Mode, Reach,
    modes::Chosen,
    piece::slip_change,
    point::{Load, Point, part},
};

/// Rotations of a friction direction up to this, relative to the size of the change, are rounding.
const STRAIGHT: f64 = 1e-12;

/// The reach of the changes of impulses and velocities; contacts that are at an edge of their mode are left out.
pub(super) fn reach(
    point: &Point,
    modes: &[Chosen],
    load: &Load,
    (impulse, velocity): (&DVector<f64>, &DVector<f64>),
) -> Reach {
    let mut reach = Reach { exact: !load.changes_law, ..Reach::unlimited() };
    let size = impulse.amax().max(velocity.amax());
    for (contact, chosen) in modes.iter().enumerate() {
        let (p, dp) = (part(&point.impulse, contact), part(impulse, contact));
        let (u, du) = (part(&point.velocity, contact), part(velocity, contact));
        let friction = point.friction[contact];
        let mut leaves = |step: f64, mode: Mode| {
            if step < reach.step {
                (reach.step, reach.contact, reach.mode) = (step, Some(contact), Some(mode));
            }
        };
        match chosen.mode {
            Mode::Open => leaves(zero_of(u.x, du.x), Mode::Sticking),
            Mode::Frictionless => {
                leaves(zero_of(p.x, dp.x), Mode::Open);
                if load.friction[contact] != 0.0 {
                    let slip = slip_change(point, load, contact, &chosen.direction, &du);
                    leaves(zero_of(point.locals[contact].slip, slip), Mode::Sticking);
                }
            }
            Mode::Sticking => {
                let more = friction * dp.x + load.friction[contact] * p.x;
                leaves(cone_of(friction * p.x, more, &p, &dp), Mode::Sliding);
            }
            Mode::Sliding => {
                leaves(zero_of(p.x, dp.x), Mode::Open);
                let slip = slip_change(point, load, contact, &chosen.direction, &du);
                leaves(zero_of(point.locals[contact].slip, slip), Mode::Sticking);
                let e = chosen.direction;
                let off = |t: nalgebra::Vector2<f64>| (e.x * t.y - e.y * t.x).abs();
                let tilted = off(du.yz() + slip * point.tilt(contact));
                reach.exact &= off(dp.yz()).max(tilted) <= STRAIGHT * size;
            }
        }
    }
    reach
}

/// The step after which `value` is zero.
fn zero_of(value: f64, rate: f64) -> f64 {
    if value > 0.0 && rate < 0.0 { -value / rate } else { f64::INFINITY }
}

/// The step after which `‖p_t + t dp_t‖ = limit + t more`, for an impulse within its limit.
fn cone_of(limit: f64, more: f64, p: &Vector3<f64>, dp: &Vector3<f64>) -> f64 {
    let a = dp.yz().norm_squared() - more * more;
    let b = p.yz().dot(&dp.yz()) - limit * more;
    let c = p.yz().norm_squared() - limit * limit;
    if c >= 0.0 {
        return f64::INFINITY;
    }
    // a t² + 2 b t + c = 0 with c < 0: the least positive root, without cancellation. With b + root ≤ 0 there is none.
    let square = b * b - a * c;
    let sum = b + square.max(0.0).sqrt();
    if square >= 0.0 && sum > 0.0 { -c / sum } else { f64::INFINITY }
}

/// See the head of the module and [`Derivative::radius`](super::Derivative::radius).
pub(super) fn radius(point: &Point) -> Option<f64> {
    let n = point.count();
    let modes = point.base();
    let lengths: Vec<f64> =
        (0..n).map(|i| point.friction[i] * point.impulse[3 * i] + point.locals[i].slip).collect();
    let inverse = equations(point, &modes, &lengths).try_inverse()?;
    let through = &inverse * kept(&modes, point.delassus.clone());
    let norm =
        |matrix: &DMatrix<f64>, i: usize, j: usize| matrix.fixed_view::<3, 3>(3 * i, 3 * j).norm();
    let own = kept(&modes, DMatrix::identity(3 * n, 3 * n));
    let from_rows = &inverse * own;
    let (mut gain, mut curvature) = (0.0_f64, 0.0_f64);
    for i in 0..n {
        let by_free = (0..n).map(|j| norm(&from_rows, i, j) / point.roots[j]);
        gain = gain.max(by_free.sum());
        let sliding = (0..n).filter(|&j| modes[j].mode == Mode::Sliding);
        let bends = sliding.map(|j| {
            let by_impulse = (2.0_f64.sqrt() * point.friction[j] + 1.0) * norm(&through, i, j);
            (by_impulse + (2.0_f64.sqrt() + 1.0) * norm(&inverse, i, j)) / lengths[j]
        });
        curvature = curvature.max(bends.sum());
    }
    let mut ball = if curvature > 0.0 { 1.0 / curvature } else { f64::INFINITY };
    let mut open = f64::INFINITY;
    for (contact, chosen) in modes.iter().enumerate() {
        let needed = margin(point, &modes, contact, chosen.mode, gain);
        if chosen.mode == Mode::Open && gain <= 0.0 {
            open = open.min(point.velocity[3 * contact] * point.roots[contact]);
        } else {
            ball = ball.min(needed);
        }
    }
    Some(if gain > 0.0 { (ball - 0.5 * curvature * ball * ball) / gain } else { open })
}

/// Largest change of a contact's impulse when its unknowns change by one.
fn impulse_change(point: &Point, contact: usize, mode: Mode) -> f64 {
    let friction = point.friction[contact];
    match mode {
        Mode::Open => 0.0,
        Mode::Sticking | Mode::Frictionless => 1.0,
        Mode::Sliding => (1.0 + friction * friction).sqrt() + 1.0,
    }
}

/// The largest change of the unknowns with which a contact certainly keeps its mode.
fn margin(point: &Point, modes: &[Chosen], contact: usize, mode: Mode, gain: f64) -> f64 {
    let (p, friction) = (part(&point.impulse, contact), point.friction[contact]);
    let row_norm = |other: usize| {
        point.delassus.view((3 * contact, 3 * other), (1, 3)).norm()
            * impulse_change(point, other, modes[other].mode)
    };
    let own = match mode {
        Mode::Open => {
            let rates = (0..modes.len()).map(row_norm).sum::<f64>();
            return point.velocity[3 * contact] / (rates + 1.0 / (gain * point.roots[contact]));
        }
        Mode::Frictionless => return p.x,
        Mode::Sticking => (friction * p.x - p.yz().norm()) / (1.0 + friction * friction).sqrt(),
        Mode::Sliding => p.x.min(point.locals[contact].slip),
    };
    if point.is_dissipative() { own.min(point.approach(contact) / row_norm(contact)) } else { own }
}

/// `matrix` without the rows that are no equation of the unknowns.
fn kept(modes: &[Chosen], mut matrix: DMatrix<f64>) -> DMatrix<f64> {
    for (contact, chosen) in modes.iter().enumerate() {
        let first = match chosen.mode {
            Mode::Open => 0,
            Mode::Frictionless => 1,
            Mode::Sticking | Mode::Sliding => 3,
        };
        (first..3).for_each(|row| matrix.row_mut(3 * contact + row).fill(0.0));
    }
    matrix
}

/// The derivative `K` of the equations with respect to the unknowns.
fn equations(point: &Point, modes: &[Chosen], lengths: &[f64]) -> DMatrix<f64> {
    let size = 3 * modes.len();
    let (mut impulses, mut own) = (DMatrix::zeros(size, size), DMatrix::zeros(size, size));
    for (contact, chosen) in modes.iter().enumerate() {
        let at = 3 * contact;
        let [t, o] = [chosen.direction.x, chosen.direction.y];
        match chosen.mode {
            Mode::Open => (0..3).for_each(|row| own[(at + row, at + row)] = 1.0),
            Mode::Frictionless => {
                impulses[(at, at)] = 1.0;
                (1..3).for_each(|row| own[(at + row, at + row)] = 1.0);
            }
            Mode::Sticking => (0..3).for_each(|row| impulses[(at + row, at + row)] = 1.0),
            Mode::Sliding => {
                let (friction, tilt) = (point.friction[contact], point.tilt(contact));
                let rub = friction * point.impulse[at] / lengths[contact];
                let turn = point.locals[contact].slip / lengths[contact];
                impulses[(at, at)] = 1.0;
                for (row, (e, across)) in [(t, -o), (o, t)].into_iter().enumerate() {
                    impulses[(at + 1 + row, at)] = friction * e;
                    impulses[(at + 1 + row, at + 1)] = rub * across;
                    own[(at + 1 + row, at + 1)] = turn * across;
                    own[(at + 1 + row, at + 2)] = e + tilt[row];
                }
            }
        }
    }
    kept(modes, &point.delassus * impulses) + own
}
