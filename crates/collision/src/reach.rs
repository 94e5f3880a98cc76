//! How far a search looks: [`Reach`].

use crate::collider::Collider;

/// How far contacts are searched for: those with a gap of at most the proximity and the reaches of both bodies together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach<'a> {
    pub(crate) proximity: f64,
    /// Reach of each body (m, ≥ 0), or empty for none.
    pub(crate) of_bodies: &'a [f64],
}

impl Reach<'_> {
    /// Reach of the body of a collider (m).
    pub(crate) fn of(&self, collider: &Collider) -> f64 {
        collider.body().map_or(0.0, |body| self.of_body(body))
    }

    /// Reach of a body (m).
    pub(crate) fn of_body(&self, body: usize) -> f64 {
        self.of_bodies.get(body).copied().unwrap_or(0.0)
    }
}
