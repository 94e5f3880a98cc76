//! Restitution of the contacts of a pack, by the law of [`Materials`](crate::Materials): [`Rebound`].
//!
//! Each contact has its law by itself: a face that meets a plane has one at every corner. It shifts the normal velocity to
//! which the law of the contact applies, in place of the shift by the gap.
//!
//! Two bodies that strike each other at a single point, or a body and the walls, do not gain energy by that impact alone: where
//! friction turns the slip around and they would, the restitution is the largest of those below it, up to `2⁻³⁰` of it, with
//! which they do not. It is found by bisection of
//!
//! ```math
//! \tfrac12\, p \cdot (u' + u), \qquad u' = u_f + W p .
//! ```

use nalgebra::Vector3;

use percussion_complementarity::friction::{Law, single};

use super::{Group, Motion, NO_BODY, Packs, work::vector};
use crate::{materials::Approach, packs::lanes::LANES};

/// What decides how the contacts of a step bounce.
pub(in crate::bodies) struct Rebound<R, G> {
    /// The restitution of the contact with a number.
    pub(in crate::bodies) restitution: R,
    /// What its force has added to the velocity of the servo at a place in this step (m/s).
    pub(in crate::bodies) gain: G,
    /// Speed of approach (m/s) below which contacts are inelastic.
    pub(in crate::bodies) below: f64,
    /// What gravity has added to the velocities of bodies in this step (m/s).
    pub(in crate::bodies) kick: Vector3<f64>,
    pub(in crate::bodies) step: f64,
    pub(in crate::bodies) law: Law,
}

/// Number of bisections of a restitution.
const BISECTIONS: usize = 30;

/// A gain below this part of the sizes of impulse and velocities is rounding.
const ROUNDING: f64 = 1e-14;

/// A contact that bounces.
#[derive(Clone, Debug)]
pub(super) struct Struck {
    bodies: [u32; 2],
    at: usize,
    lane: usize,
    /// In the frame: the velocity before the step, and that at its end without contact impulses (m/s).
    before: Vector3<f64>,
    free: Vector3<f64>,
}

impl Packs {
    /// Lets contacts bounce. They are complete, and the motions are those without contact impulses.
    pub(in crate::bodies) fn bounce<R: Fn(u32) -> f64, G: Fn(u32) -> Vector3<f64>>(
        &mut self,
        motions: &[Motion],
        rebound: &Rebound<R, G>,
    ) {
        let kick = rebound.kick;
        self.servos.bounce(motions, rebound, |servo| kick - (rebound.gain)(servo));
        self.walls.bounce(motions, rebound, |_| kick);
        // Gravity moves both bodies alike.
        self.pairs.bounce(motions, rebound, |_| Vector3::zeros());
    }
}

impl Group {
    /// `gained` is the relative velocity that forces have added in this step, by the second body (m/s).
    fn bounce<R: Fn(u32) -> f64, G>(
        &mut self,
        motions: &[Motion],
        Rebound { restitution, below, step, law, .. }: &Rebound<R, G>,
        gained: impl Fn(u32) -> Vector3<f64>,
    ) {
        self.struck.clear();
        for at in 0..self.packs.len() {
            let (pack, beside) = (&mut self.packs[at], &mut self.besides[at]);
            // Behind the last contact this is the first again, with the same result.
            for lane in 0..LANES {
                let bodies = [pack.bodies[0][lane], pack.bodies[1][lane]];
                let surface = |k: usize| match bodies[k] {
                    NO_BODY => Vector3::zeros(),
                    body => {
                        let twist = &motions[body as usize].twist;
                        twist.linear() + twist.angular().cross(&vector(&pack.arms[k], lane))
                    }
                };
                let local = |world: &Vector3<f64>| {
                    Vector3::from_fn(|k, _| vector(&pack.frame[k], lane).dot(world))
                };
                let inelastic = beside.bias[lane];
                let still = vector(&pack.offset, lane) - Vector3::new(inelastic, 0.0, 0.0);
                let free = local(&(surface(0) - surface(1))) + still;
                let before = free - local(&gained(bodies[1]));
                let gap = beside.gap[lane];
                let approach = Approach { gap, before: before.x, free: free.x };
                let bias =
                    approach.bias(inelastic, restitution(pack.contacts[lane]), *below, *step);
                pack.offset[0][lane] = still.x + bias;
                beside.bias[lane] = bias;
                if bias < 0.0 && lane < usize::from(self.order.filled()[at]) {
                    self.struck.push(Struck { bodies, at, lane, before, free });
                }
            }
        }
        self.limit(*law);
    }

    /// Lets no single impact gain energy.
    fn limit(&mut self, law: Law) {
        self.struck.sort_unstable_by_key(|struck| (struck.bodies, struck.at, struck.lane));
        for alone in self.struck.chunk_by(|a, b| a.bodies == b.bodies) {
            let [Struck { at, lane, before, free, .. }] = alone else { continue };
            let (pack, beside) = (&mut self.packs[*at], &mut self.besides[*at]);
            let Ok(block) = pack.block(beside, *lane) else { continue };
            let gains = |bias: f64| {
                let shift = Vector3::new(bias, 0.0, 0.0);
                let b = -(free + shift);
                let impulse = single::solve(law, &block, &b).unwrap_or_default();
                let after = block.velocity(&b, &impulse) - shift;
                let size = impulse.norm() * (after.norm() + before.norm());
                impulse.dot(&(after + before)) > ROUNDING * size
            };
            let full = beside.bias[*lane];
            if pack.friction[*lane] == 0.0 || !gains(full) {
                continue;
            }
            let (mut least, mut most) = (0.0, 1.0);
            for _ in 0..BISECTIONS {
                let middle = 0.5 * (least + most);
                if gains(middle * full) {
                    most = middle;
                } else {
                    least = middle;
                }
            }
            let bias = least * full;
            let filled = usize::from(self.order.filled()[*at]);
            // Behind the last contact the first is repeated.
            let repeated = if *lane == 0 { filled..LANES } else { 0..0 };
            for lane in repeated.chain(*lane..*lane + 1) {
                pack.offset[0][lane] = (pack.offset[0][lane] - full) + bias;
                beside.bias[lane] = bias;
            }
        }
    }
}
