//! The contacts of the last step with their impulses: [`Touch`].

use nalgebra::Vector3;

/// The partner of a grain in a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partner {
    /// The grain at this place in [`Grains`](crate::Grains).
    Grain(usize),
    /// The wall with this index.
    Wall(usize),
}

/// A contact of the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Touch {
    /// Place of the grain in [`Grains`](crate::Grains).
    pub grain: usize,
    /// The partner.
    pub partner: Partner,
    /// Unit vector from the partner to the grain.
    pub normal: Vector3<f64>,
    /// Gap at the beginning of the step (m, negative if they overlapped).
    pub gap: f64,
    /// Impulse on the grain (N·s); its part along the normal is ≥ 0.
    pub impulse: Vector3<f64>,
    /// Moment on the grain by resistance to rolling and spinning (N·m·s), zero without any.
    pub moment: Vector3<f64>,
}

/// The force of a contact of the last step that carries one, for averages.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Force {
    /// Mean over the step, on the grain (N).
    pub force: Vector3<f64>,
    /// Unit vector from the partner to the grain.
    pub normal: Vector3<f64>,
    /// From the center of the other grain, or from the wall, to the center of the grain (m).
    pub branch: Vector3<f64>,
    /// Index of the wall, or `None` for another grain.
    pub wall: Option<usize>,
}
