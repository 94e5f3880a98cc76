//! Properties of sequences of reflections that follow from geometry and masses alone: bounds and uniqueness.
//!
//! For two contacts, the directions in the plane of `u` and `v` without approach form a wedge of the angle
//! `2γ` with `sin γ = ⟨u + v, u⟩ / ‖u + v‖`, so `⟨u, v⟩ = −cos 2γ`. Each reflection brings the momentum
//! closer to the middle of the wedge by `2γ`.
//!
//! If `γ = π/2m` with an integer `m`, the two reflections generate the symmetries of a regular `m`-gon. A
//! momentum that approaches both contacts is taken to its only image in the wedge by `m` reflections, in
//! either order: `⟨u, v⟩ = 0` for `m = 2` (theorem 2), `−½` for `m = 3` (theorem 3). If *all* pairs have this
//! property, for any number of contacts, the reflections generate a quotient of a Coxeter group. With
//! independent normals the set without approach is a fundamental domain of it: each orbit has one point in
//! it. Dependent normals form groups that are orthogonal to each other. Each group is independent or has
//! positive weights `c_i` with `Σ c_i u_i = 0`, because its products are not positive (equal normals count
//! once). In the second case no motion separates all contacts, a momentum without approach has
//! `⟨p, u_i⟩ = 0`, and reflections leave it unchanged. So each orbit has at *most* one point without
//! approach, and may have none: for three normals in a plane at 120° from each other the reflections never
//! end. Therefore there are never two outcomes; for the existence of one, independence is needed.

use std::f64::consts::PI;

use crate::Problem;

/// Two contacts that can move, with the angle between their normals in the kinetic metric.
///
/// # Example
///
/// ```
/// use nalgebra::{DMatrix, dvector};
/// use percussion_impact::{Contact, Mass, Problem, propagative};
///
/// let contacts = [dvector![-1.0, 1.0, 0.0], dvector![0.0, -1.0, 1.0]].map(Contact::new);
/// let mass = Mass::Matrix(DMatrix::identity(3, 3));
/// let cradle = Problem::new(mass, dvector![1.0, 0.0, 0.0], contacts.to_vec())?;
/// let pair = propagative::pairs(&cradle)[0];
/// assert!((pair.cosine + 0.5).abs() < 1e-15);
/// assert_eq!((pair.bound(), pair.reflections(1e-12)), (Some(6), Some(3)));
/// assert!(propagative::order_never_matters(&cradle, 1e-12));
/// # Ok::<(), percussion_impact::ProblemError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Pair {
    /// Indices of the contacts, the smaller first.
    pub contacts: [usize; 2],
    /// `⟨u, v⟩` of the unit normals (in `[−1, 1]`).
    pub cosine: f64,
}

impl Pair {
    /// `γ`, half the angle of the wedge without approach (rad, in `[0, π/2]`).
    #[must_use]
    pub fn half_wedge(&self) -> f64 {
        (1.0 + self.cosine).sqrt().atan2((1.0 - self.cosine).sqrt())
    }

    /// `⌈π/γ⌉`: some sequence ends within this number of reflections (theorem 1); `None` if the normals are
    /// opposite.
    ///
    /// This is about twice the necessary number: a shortest sequence has at most `⌈(π/γ − 1)/2⌉` reflections,
    /// and exactly that many for a momentum opposite to the middle of the wedge. The margin allows for
    /// rounding where `π/γ` is an integer.
    #[must_use]
    pub fn bound(&self) -> Option<usize> {
        let ratio = PI / self.half_wedge();
        // The value is exact if it fits in 32 bits; longer sequences are not feasible.
        let bound = (ratio * (1.0 - 1e-12)).ceil();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
        (bound <= f64::from(u32::MAX)).then_some(bound as usize)
    }

    /// `m` if `⟨u, v⟩ = −cos(π/m)` to `tolerance`: then the order of this pair never matters, and `m`
    /// reflections resolve any approach at both contacts. One for equal normals, two for orthogonal ones,
    /// three for `−½`.
    #[must_use]
    pub fn reflections(&self, tolerance: f64) -> Option<usize> {
        let m = (0.5 * PI / self.half_wedge()).round();
        let found = m <= f64::from(u32::MAX) && (self.cosine + (PI / m).cos()).abs() <= tolerance;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
        found.then_some(m as usize)
    }
}

/// All pairs of contacts that can move, in lexicographic order.
#[must_use]
pub fn pairs(problem: &Problem) -> Vec<Pair> {
    let w = problem.delassus();
    let rows: Vec<_> = (0..problem.contacts().len())
        .map(|contact| (contact, problem.rows(contact).start))
        .filter(|&(_, row)| w[(row, row)] > 0.0)
        .collect();
    let mut pairs = Vec::with_capacity(rows.len() * rows.len().saturating_sub(1) / 2);
    for (index, &(first, i)) in rows.iter().enumerate() {
        for &(second, j) in &rows[index + 1..] {
            let cosine = w[(i, j)] / w[(i, i)].sqrt() / w[(j, j)].sqrt();
            let contacts = [first, second];
            pairs.push(Pair { contacts, cosine: cosine.clamp(-1.0, 1.0) });
        }
    }
    pairs
}

/// Whether no velocity before the impact has two outcomes, because each pair of normals has
/// `⟨u, v⟩ = −cos(π/m)` with an integer `m`, to `tolerance` (≥ 0, such as `1e-12`).
///
/// The condition is sufficient, for contacts without friction. It does not imply that an outcome exists;
/// independent normals do. If it does not hold, [`Outcomes::indeterminacy`](super::Outcomes::indeterminacy)
/// measures the spread of the outcomes of one velocity.
#[must_use]
pub fn order_never_matters(problem: &Problem, tolerance: f64) -> bool {
    pairs(problem).iter().all(|pair| pair.reflections(tolerance).is_some())
}
