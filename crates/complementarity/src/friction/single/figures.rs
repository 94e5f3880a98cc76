//! The figures that judge one contact: approach, adhesion, cone, complementarity and slip, all in velocities.

use nalgebra::Vector3;

use super::Contact;
use crate::friction::{Law, cone::length};

/// The distances of an impulse from each part of the law (m/s, each ≥ 0 and zero exactly where that part
/// holds); see the head of the module.
///
/// With `w = tr(W_ii)/3`, which turns impulses into velocities, the contact with impulse `p` and velocity `u` has
///
/// | figure | value (m/s) |
/// | --- | --- |
/// | [`approach`](Figures::approach) | `max(0, −u_N)` |
/// | [`adhesion`](Figures::adhesion) | `w max(0, −p_N)` |
/// | [`cone`](Figures::cone) | `w max(0, ‖p_T‖ − μ p_N⁺)` |
/// | [`complementarity`](Figures::complementarity) | `min(w ‖p‖, u_N⁺)`; for maximum dissipation also `min(w ‖p‖, (u − W_ii p)_N⁺)` |
/// | [`slip`](Figures::slip) | `‖w p_T − Π(w p_T − u_T)‖` (Coulomb) |
///
/// where `Π` projects on the disk of radius `μ w p_N⁺`. The `slip` of maximum dissipation is defined below.
///
/// **What small figures guarantee.** Let all be at most `ε`. Then the contact approaches with at most `ε`,
/// pulls with at most `ε/w` and leaves its cone by at most `ε/w` along the tangents, for any `μ`. Either
/// `‖p‖ ≤ ε/w` or `|u_N| ≤ ε`, so that `|p_N u_N| ≤ ε max(‖p‖, |u_N|/w)`. There is also a friction impulse `d`
/// within `ε/w` of `p_T`, in the disk of radius `μ p_N⁺`, with which the contact sticks or slides. If it
/// sticks, `‖u_T‖ ≤ ε`. If it slides, `d` is on the boundary and `u_T` is within `ε` of a negative multiple of
/// `d`, or is anything if the disk is a point. (If the projection changes nothing, `u_T` is the distance.
/// Otherwise `w p_T − u_T − w d` is a positive multiple of `d`.) Conversely, if these statements hold for an
/// `ε`, no figure is above `3 ε`: projections do not enlarge distances, and `w d` is the projection of
/// `w d + c d`. The figures are zero exactly at the solutions.
///
/// **Why not the natural map of De Saxcé's cone?** With `û = u + μ‖u_T‖ n` the law is `K_μ* ∋ û ⊥ p ∈ K_μ`. The
/// distance of `û` from `K_μ*` is `max(0, −u_N)/√(1 + μ²)`: for `μ = 10⁸` an approach of 1 m/s is a distance of
/// only 10⁻⁸ m/s. The rounding `δ` of the slip of a sticking contact adds `μ δ` to `û`, so that no answer is
/// accurate enough. Separate projections of normal and tangents, as those of Alart and Curnier, have neither
/// fault.
///
/// **Maximum dissipation.** The tangential impulse `y` of a contact that stays closed minimizes a convex energy
/// with the gradient `u_T` over `‖y‖ + k·y ≤ μ b_n/W_nn`, `k = μ a/W_nn`, where `a` couples normal and
/// tangents. The conditions of Karush, Kuhn and Tucker are sufficient here: `u_T = −s (e + k)` on the boundary,
/// with `e = y/‖y‖` and `s ≥ 0`, and `u_T = 0` inside. So `ũ_T = u_T + s k` is opposite to the friction and has
/// the length `s`, which makes `s` a root of
///
/// ```math
/// (1 - k^2)\, s^2 - 2\, (u_T \cdot k)\, s - \|u_T\|^2 = 0,\qquad s \ge 0 ,
/// ```
///
/// and turns the condition into Coulomb's with `ũ_T` in place of `u_T`. For `‖k‖ < 1` there is one root.
/// Otherwise the figure is the least of these:
///
/// - the distances for both roots, if they put the friction on the boundary;
/// - sticking: `‖u_T‖`;
/// - sliding: `max(w |μ p_N⁺ − ‖p_T‖|, min_{s≥0} ‖u_T + s (e + k)‖)`;
/// - no impulse: `w max(‖p_T‖, μ p_N⁺)`, and if the contact does not open by itself, the distance of `−u_T`
///   from the normals of the apex.
///
/// The last one concerns `b_n = 0`. The impulses that keep the contact closed are then a sector,
/// `‖y‖ + k·y ≤ 0`, whose apex is the zero impulse. It is the minimum exactly if `−u_T` is a multiple
/// `s (e + k)` with `s ≥ 0` and any `‖e‖ ≤ 1`. These form a cone around `k` with the sine `1/‖k‖`. Otherwise
/// the contact jams: an impulse in the sector dissipates energy. If `P d = 0` for a direction `d` of the sector
/// with `u_T·d < 0`, every longer impulse dissipates more, and there is no minimum. A contact that opens by
/// itself, `(u − W_ii p)_N > 0`, has no impulse. Blocks that are indefinite because of noise are judged by the
/// same conditions, which are then necessary for a minimum but not sufficient.
///
/// `slip` is `w ‖p − x*‖` with the [closed form](super::maximum_dissipation): in a regular block the minimum
/// exists, is unique, and is what the closed form finds. The closed form may lose more than six digits if the
/// block is nearly singular (`det P ≤ 10⁻⁶ W_tt W_oo`), and may lose the length of an impulse if the boundary is
/// thin (`‖k‖ > 0.95`). In these cases `slip` is the larger one of this distance and the distance by the
/// conditions above.
///
/// # Source
///
/// P. Alart, A. Curnier, "A mixed formulation for frictional contact problems prone to Newton like solution methods", *Computer Methods in
/// Applied Mechanics and Engineering* 92 (1991) 353–375 (the map); T. Preclik, S. Eibl, U. Rüde, 2017, section 3.2 (maximum
/// dissipation). The figures and the bounds between them are derived above.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Figures {
    /// Velocity with which the contact approaches.
    pub approach: f64,
    /// Impulse that pulls, times `w`.
    pub adhesion: f64,
    /// Tangential impulse beyond `μ p_N`, times `w`.
    pub cone: f64,
    /// The smaller of impulse times `w` and separation velocity.
    pub complementarity: f64,
    /// Distance from sticking, and from sliding against the friction at its limit.
    pub slip: f64,
}

impl Figures {
    /// The figures of one contact with `impulse` (N·s) and `velocity` (m/s) under `law`; infinite if an entry
    /// is not finite.
    ///
    /// # Example
    ///
    /// No impulse and an approach of 1 m/s: friction of `10⁸` does not hide the approach.
    ///
    /// ```
    /// use nalgebra::{Matrix3, Vector3, vector};
    /// use percussion_complementarity::friction::{Figures, Law, single::Contact};
    ///
    /// let contact = Contact::new(&Matrix3::identity(), 1e8)?;
    /// let figures = Figures::of(Law::Coulomb, &contact, &Vector3::zeros(), &vector![-1.0, 0.5, 0.1]);
    /// assert_eq!((figures.approach, figures.slip, figures.largest()), (1.0, 0.0, 1.0));
    /// # Ok::<(), percussion_complementarity::friction::single::Error>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn of(
        law: Law,
        contact: &Contact,
        impulse: &Vector3<f64>,
        velocity: &Vector3<f64>,
    ) -> Self {
        let (friction, inverse_mass) = (contact.friction(), contact.inverse_mass());
        if law == Law::Coulomb {
            return Self::of_coulomb(friction, inverse_mass, impulse, velocity);
        }
        let Some(mut figures) = Self::without_slip(friction, inverse_mass, impulse, velocity)
        else {
            return Self::INFINITE;
        };
        let push = impulse * inverse_mass;
        let whole = length(push.x, length(push.y, push.z));
        let own = contact.block() * impulse;
        figures.complementarity =
            figures.complementarity.max(whole.min((velocity.x - own.x).max(0.0)));
        let distance = contact.distance_from_dissipative(impulse, &(own - velocity));
        if !distance.is_finite() {
            return Self::INFINITE;
        }
        figures.slip = if contact.is_doubtful() {
            let limit = friction * push.x.max(0.0);
            let (friction, slip) = ([push.y, push.z], [velocity.y, velocity.z]);
            let opens = own.x - velocity.x < 0.0;
            distance.max(dissipative_slip(contact.tilt(), friction, slip, limit, opens))
        } else {
            distance
        };
        figures
    }

    /// The figures by Coulomb's law, for callers without a [`Contact`]: of the block they depend on the `inverse_mass`
    /// `tr(W_ii)/3` (kg⁻¹) alone.
    #[inline]
    #[must_use]
    pub fn of_coulomb(
        friction: f64,
        inverse_mass: f64,
        impulse: &Vector3<f64>,
        velocity: &Vector3<f64>,
    ) -> Self {
        let Some(mut figures) = Self::without_slip(friction, inverse_mass, impulse, velocity)
        else {
            return Self::INFINITE;
        };
        let push = impulse * inverse_mass;
        let limit = friction * push.x.max(0.0);
        figures.slip = off_disk([push.y, push.z], [velocity.y, velocity.z], limit);
        figures
    }

    /// The figures but the slip, unless an entry is not finite.
    #[inline(always)]
    fn without_slip(
        friction: f64,
        inverse_mass: f64,
        impulse: &Vector3<f64>,
        velocity: &Vector3<f64>,
    ) -> Option<Self> {
        let push = impulse * inverse_mass;
        let limit = friction * push.x.max(0.0);
        let tangential = length(push.y, push.z);
        let whole = length(push.x, tangential);
        let finite = [whole, velocity.x, velocity.y, velocity.z].iter().all(|x| x.is_finite());
        finite.then(|| Self {
            approach: (-velocity.x).max(0.0),
            adhesion: (-push.x).max(0.0),
            cone: (tangential - limit).max(0.0),
            complementarity: whole.min(velocity.x.max(0.0)),
            slip: 0.0,
        })
    }

    /// The figures of values that are not finite.
    const INFINITE: Self = Self {
        approach: f64::INFINITY,
        adhesion: f64::INFINITY,
        cone: f64::INFINITY,
        complementarity: f64::INFINITY,
        slip: f64::INFINITY,
    };

    /// The largest figure.
    #[inline]
    #[must_use]
    pub const fn largest(&self) -> f64 {
        self.approach.max(self.adhesion).max(self.cone).max(self.complementarity).max(self.slip)
    }

    /// The larger figures of two contacts.
    #[must_use]
    pub const fn max(&self, other: &Self) -> Self {
        Self {
            approach: self.approach.max(other.approach),
            adhesion: self.adhesion.max(other.adhesion),
            cone: self.cone.max(other.cone),
            complementarity: self.complementarity.max(other.complementarity),
            slip: self.slip.max(other.slip),
        }
    }

    /// All figures multiplied by a number ≥ 0, for instance to convert units.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        Self {
            approach: factor * self.approach,
            adhesion: factor * self.adhesion,
            cone: factor * self.cone,
            complementarity: factor * self.complementarity,
            slip: factor * self.slip,
        }
    }
}

/// `‖p − Π(p − u)‖`, where `Π` projects on the disk of radius `limit`.
#[inline]
pub(in crate::friction) fn off_disk(p: [f64; 2], u: [f64; 2], limit: f64) -> f64 {
    let slip = length(u[0], u[1]);
    if slip < FAINT * (p[0].abs() + p[1].abs()) {
        return off_disk_faint(p, u, limit);
    }
    let trial = [p[0] - u[0], p[1] - u[1]];
    let size = length(trial[0], trial[1]);
    if size <= limit {
        return slip;
    }
    let scale = limit / size;
    length(p[0] - scale * trial[0], p[1] - scale * trial[1])
}

/// A slip below this fraction of the friction is lost in differences: at this size their relative rounding is
/// up to `10⁻¹¹`.
const FAINT: f64 = 1e-5;

/// [`off_disk`] for a short `u`, split into parts along and across `p`. With `p − u = (r − a) e − c e_⊥` of
/// length `h`, `r − limit` is the only difference of numbers of the size of `p`.
#[cold]
fn off_disk_faint(p: [f64; 2], u: [f64; 2], limit: f64) -> f64 {
    let r = length(p[0], p[1]);
    let e = [p[0] / r, p[1] / r];
    let (a, c) = (u[0] * e[0] + u[1] * e[1], u[1] * e[0] - u[0] * e[1]);
    let h = length(r - a, c);
    // h − (r − a), without cancellation.
    let bend = c / (h + (r - a)) * c;
    if (r - limit) + (bend - a) <= 0.0 {
        return length(u[0], u[1]);
    }
    let part = limit / h;
    length((r - limit) + part * bend, part * c)
}

/// The slip of maximum dissipation with `k = μ a/W_nn`; `opens` if `b_n < 0`.
fn dissipative_slip(k: [f64; 2], p: [f64; 2], u: [f64; 2], limit: f64, opens: bool) -> f64 {
    let (slip, size) = (length(u[0], u[1]), length(p[0], p[1]));
    if slip == 0.0 {
        return (size - limit).max(0.0);
    }
    // The roots s for a slip of unit length.
    let along = u[0] / slip * k[0] + u[1] / slip * k[1];
    let lead = 1.0 - k[0] * k[0] - k[1] * k[1];
    let root = (along * along + lead).max(0.0).sqrt();
    let with = |s: f64| {
        let s = s * slip;
        if !(s >= 0.0 && s.is_finite()) {
            return f64::INFINITY;
        }
        let modified = [u[0] + s * k[0], u[1] + s * k[1]];
        // Inside the cone the slip is zero, and u_T may be (1 + ‖k‖) times as long as ũ_T.
        let inside = length(p[0] - modified[0], p[1] - modified[1]) <= limit;
        if inside { slip } else { off_disk(p, modified, limit) }
    };
    // Slip outside the normals of the apex has no root.
    let real = along * along + lead >= 0.0;
    // Neither root is computed by a difference that cancels.
    let sum = if along > 0.0 { along + root } else { along - root };
    if lead > 0.0 {
        return with(if along > 0.0 { sum / lead } else { -1.0 / sum });
    }
    let outward = [p[0] + size * k[0], p[1] + size * k[1]];
    let slide = (limit - size).abs().max(off_ray(u, outward));
    let jams = if opens { 0.0 } else { off_normals(k, u) };
    let nothing = size.max(limit).max(jams);
    let roots = if real { with(sum / lead).min(with(-1.0 / sum)) } else { f64::INFINITY };
    roots.min(slip).min(slide).min(nothing)
}

/// `min ‖u + s (e + k)‖` over `s ≥ 0` and `‖e‖ ≤ 1`, for `‖k‖ ≥ 1`: the distance of `−u` from a cone around `k` with the sine `1/‖k‖`.
fn off_normals(k: [f64; 2], u: [f64; 2]) -> f64 {
    let size = length(k[0], k[1]);
    let axis = [k[0] / size, k[1] / size];
    let along = -(u[0] * axis[0] + u[1] * axis[1]);
    let across = (u[0] * axis[1] - u[1] * axis[0]).abs();
    let sine = (1.0 / size).min(1.0);
    let cosine = ((1.0 - sine) * (1.0 + sine)).sqrt();
    if along * cosine + across * sine <= 0.0 {
        return length(along, across);
    }
    (across * cosine - along * sine).max(0.0)
}

/// `min_{s ≥ 0} ‖u + s ν‖`.
#[inline]
fn off_ray([u, v]: [f64; 2], [t, o]: [f64; 2]) -> f64 {
    // Not a number for a ray without a direction, and the comparison is then false.
    let size = length(t, o);
    let (t, o) = (t / size, o / size);
    if u * t + v * o < 0.0 { (u * o - v * t).abs() } else { length(u, v) }
}

#[cfg(test)]
mod tests;
