//! Materials of grains and walls, and how two of them touch: [`Materials`] and [`Interaction`].
//!
//! Rolling and spinning of grains are resisted by moments, whose laws are those of a contact with a product of sections.
//!
//! # Restitution
//!
//! Let `u` be the normal velocity of a contact at the beginning of a step, `u'` that at its end, `ξ` the gap and `δt` the
//! step. A contact that closes within the step although nothing pushes it, and approaches faster than
//! [`inelastic_below`](Materials::inelastic_below), gets Newton's law as a target velocity in place of the gap:
//!
//! ```math
//! 0 \le u' - e\,|u| \perp p_n \ge 0.
//! ```
//!
//! It turns back at the beginning of the step. All slower contacts are inelastic. One that opened before the step may
//! approach by what it opened, `0 ≤ u' + max(0, ξ)/δt + max(0, u) ⊥ p_n ≥ 0`: it collides in the next step.
//!
//! **Energy does not grow.** Steps of free fall change the sum of kinetic energy and energy in gravity, but not
//! `Ẽ = ½ v·M v − Σ m g·x + ½ δt Σ m g·v`, which differs from it by at most half a step of gravity's power. With
//! `v' = v + δt g + M⁻¹ Jᵀ p` and `x' = x + δt v'`,
//!
//! ```math
//! \tilde E' - \tilde E = \tfrac12 \sum_i p_i \cdot (u_i' + u_i)
//! ```
//!
//! for walls at rest and without removal of overlaps. Without friction every term is at most zero. Where `p_i > 0`, the sum
//! `u_i' + u_i` is `(e − 1)|u_i|` at a contact that bounces, `−max(0, ξ)/δt` at one that opened before, and
//! `−max(0, ξ)/δt + u_i ≤ 0` at any other. Friction at a single contact only takes energy, because normal and tangent of
//! spheres are uncoupled. With friction at several contacts that bounce at the same time there is no such bound: friction
//! then does work on velocities that other contacts have reversed.
//!
//! [Bodies](crate::bodies) of any shape have the law at each contact. A face that arrives flat has one at every corner, all with
//! the same target, so that it leaves flat with `e` times its speed; a face that arrives aslant strikes corner by corner. The
//! bound without friction holds for them as it stands. At a single contact normal and tangents are coupled, and friction may turn
//! the slip `u_t` around before `u' = e |u|` is met: then `p_t · u_t > 0`, and
//!
//! ```math
//! \Delta E = \tfrac12\bigl(p_n (u' + u) + p_t \cdot (u_t' + u_t)\bigr)
//! \le \tfrac12\, p_n \bigl(\mu \|u_t\| - (1 - e)\,|u|\bigr)
//! ```
//!
//! may be positive; it is not where the slip goes on or `e = 0`. Where two bodies, or a body and the walls, strike at a single
//! point and would gain, they have the largest restitution with which they do not. Several contacts of a pair that bounce in
//! the same step are not limited, because what one of them does alone says little about the face.
//!
//! - **Does not** pass an impact on within a step: contacts that touch at rest have `u = 0` and are inelastic. The first of
//!   three equal balls in a row that touch leaves Newton's cradle with `(−1/3, 2/3, 2/3)` of its speed, not `(0, 0, 1)`.
//!   Gaps that are longer than the way in a step bring back the sequence of single impacts.

use crate::settings::Error;

/// How two materials touch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interaction {
    /// Coefficient of friction, ≥ 0; default 0.
    pub friction: f64,
    /// Coefficient of restitution `e` of Newton's law, in `[0, 1]`; default 0.
    pub restitution: f64,
    /// Length `μ_ρ` (m, ≥ 0): the largest moment that resists rolling is this times the normal force; default 0.
    pub rolling: f64,
    /// Length `μ_τ` (m, ≥ 0): the largest moment that resists spinning about the normal is this times the normal force;
    /// default 0.
    pub spinning: f64,
}

/// A table of the [`Interaction`]s of materials, which are numbered from 0.
///
/// A [world](crate::World) without any material has the friction of its [`Settings`](crate::Settings) and
/// [`Wall`](crate::Wall)s, and inelastic contacts. With materials the table decides, by
/// [`Grain::material`](crate::Grain::material) and [`Wall::material`](crate::Wall::material).
///
/// # Example
///
/// A ball of 1 kg falls by 0.5 m onto a floor with a restitution of 0.8, and returns to 0.32 m.
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_granular::{Grain, Interaction, Materials, Settings, Wall, World};
///
/// let floor = Wall::plane(Vector3::zeros(), Vector3::z(), 0.0);
/// let mut world = World::new(Settings::default(), vec![floor])?;
/// world.set_materials(Materials::uniform(Interaction { restitution: 0.8, ..Interaction::default() }))?;
/// world.add(&Grain::at(Vector3::new(0.0, 0.0, 0.6), 0.1, 1.0))?;
/// let mut heights = Vec::new();
/// for _ in 0..600 {
///     world.step()?;
///     heights.push(world.grains().positions()[0].z - 0.1);
/// }
/// let returned = heights[350..].iter().copied().fold(0.0, f64::max);
/// assert!((returned - 0.64 * 0.5).abs() < 0.002);
/// # Ok::<(), percussion_granular::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Materials {
    /// Speed of approach (m/s, ≥ 0) below which contacts are inelastic; default 0.
    pub inelastic_below: f64,
    count: usize,
    /// Rows of all pairs.
    table: Vec<Interaction>,
}

/// Maximum number of materials.
pub(crate) const MOST_MATERIALS: usize = 256;

impl Materials {
    /// So many materials, at most 256, all pairs of which touch in the same way.
    #[must_use]
    pub fn new(count: usize, all: Interaction) -> Self {
        Self { inelastic_below: 0.0, count, table: vec![all; count * count] }
    }

    /// A single material.
    #[must_use]
    pub fn uniform(all: Interaction) -> Self {
        Self::new(1, all)
    }

    /// Sets how two materials touch, in either order.
    ///
    /// # Panics
    ///
    /// If there is no such material, here and below.
    pub fn set(&mut self, one: u8, other: u8, interaction: Interaction) {
        let [one, other] = [one, other].map(usize::from);
        assert!(one < self.count && other < self.count, "a material out of range");
        self.table[one * self.count + other] = interaction;
        self.table[other * self.count + one] = interaction;
    }

    /// How two materials touch.
    #[inline]
    #[must_use]
    pub fn between(&self, one: u8, other: u8) -> &Interaction {
        &self.table[usize::from(one) * self.count + usize::from(other)]
    }

    /// Number of materials.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The name, value and what was expected where there are materials and this is not one of them.
    pub(crate) fn fault(&self, material: u8) -> Option<(&'static str, f64, &'static str)> {
        let is_known = self.is_empty() || usize::from(material) < self.count;
        (!is_known).then(|| ("material", material.into(), "the number of a material of the table"))
    }

    /// The largest restitution.
    pub(crate) fn restitution(&self) -> f64 {
        self.table.iter().map(|pair| pair.restitution).fold(0.0, f64::max)
    }

    /// Whether some contacts bounce, because their restitution is above 0.
    #[must_use]
    pub fn bounce(&self) -> bool {
        self.restitution() > 0.0
    }

    /// Whether some contacts resist rolling or spinning.
    pub(crate) fn roll(&self) -> bool {
        self.table.iter().any(|pair| pair.rolling > 0.0 || pair.spinning > 0.0)
    }

    /// The only coefficient of friction of the table, if there is one.
    pub(crate) fn only_friction(&self) -> Option<f64> {
        let first = self.table.first()?.friction;
        self.table.iter().all(|pair| pair.friction.to_bits() == first.to_bits()).then_some(first)
    }

    /// The rows of the table, one after another.
    #[cfg(feature = "checkpoints")]
    pub(crate) fn table(&self) -> &[Interaction] {
        &self.table
    }

    /// The table with these rows, if their number is that of a square.
    #[cfg(feature = "checkpoints")]
    pub(crate) fn of_table(inelastic_below: f64, table: Vec<Interaction>) -> Option<Self> {
        let count = table.len().isqrt();
        (count * count == table.len()).then_some(Self { inelastic_below, count, table })
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let fault = |name, value, expected| Err(Error::Setting { name, value, expected });
        if self.count > MOST_MATERIALS {
            return fault("number of materials", self.count as f64, "at most 256");
        }
        if !(self.inelastic_below.is_finite() && self.inelastic_below >= 0.0) {
            return fault("inelastic_below", self.inelastic_below, "a finite number ≥ 0");
        }
        for Interaction { friction, restitution, rolling, spinning } in &self.table {
            if !(friction.is_finite() && *friction >= 0.0) {
                return fault("friction", *friction, "a finite number ≥ 0");
            }
            if !(0.0..=1.0).contains(restitution) {
                return fault("restitution", *restitution, "a number in [0, 1]");
            }
            for (name, length) in [("rolling", *rolling), ("spinning", *spinning)] {
                if !(length.is_finite() && length >= 0.0) {
                    return fault(name, length, "a finite length ≥ 0");
                }
            }
        }
        Ok(())
    }
}

/// The normal motion of a contact that may bounce.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Approach {
    /// At the beginning of the step (m).
    pub(crate) gap: f64,
    /// Normal velocity at the beginning of the step (m/s).
    pub(crate) before: f64,
    /// Normal velocity at its end without contact impulses (m/s).
    pub(crate) free: f64,
}

impl Approach {
    /// The shift of the normal velocity (m/s) in place of that of an inelastic contact.
    #[inline]
    pub(crate) fn bias(&self, inelastic: f64, restitution: f64, below: f64, step: f64) -> f64 {
        let Self { gap, before, free } = *self;
        if before > 0.0 {
            return inelastic + before;
        }
        let closes = gap.max(0.0) + step * free < 0.0;
        if closes && restitution > 0.0 && before < -below {
            return inelastic.min(restitution * before);
        }
        inelastic
    }
}
