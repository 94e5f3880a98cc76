//! The pieces of an outcome: which equations hold in each, and what ends it.

use nalgebra::DVector;

use crate::plus::Limits;

/// An outcome as a sequence of pieces with fixed modes; made by [`Piecewise::script`](super::Piecewise::script).
#[derive(Clone, Debug, Default)]
pub struct Script {
    pub(super) items: Vec<Item>,
    /// Whether impulses are affine in the free velocity as long as the modes stay.
    pub(super) is_affine: bool,
}

impl Script {
    /// A script whose pieces are affine in the free velocity.
    pub(super) const fn affine() -> Self {
        Self { items: Vec::new(), is_affine: true }
    }

    pub(super) fn piece(&mut self, piece: Piece) {
        self.items.push(Item::Piece(Box::new(piece)));
    }

    pub(super) fn check(&mut self, check: Check) {
        self.items.push(Item::Check(check));
    }
}

#[derive(Clone, Debug)]
pub(super) enum Item {
    /// An impact of its own begins: speeds of restitution refer to here, and nothing is stored.
    Begin,
    /// A step of a path begins.
    BeginStep,
    /// A round of compression and expansion begins, with what each contact returns in the next one. Contacts now owe what they
    /// have to return of the round before.
    BeginRound(Vec<Returns>),
    Piece(Box<Piece>),
    Arc(Arc),
    Check(Check),
    /// The impulses become `part` times those so far, plus `1 − part` times those of the piece from the beginning.
    Blend {
        part: f64,
        piece: Box<Piece>,
    },
}

/// The coefficient of restitution of a contact in a round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Returns {
    /// This constant.
    Constant(f64),
    /// That of the contact.
    Own,
    /// `1 − (1 − e) a/v` with the speed `a` of its approach and this speed `v`. `e` is that of the contact, unless it is given.
    Falling { speed: f64, least: Option<f64> },
}

/// What holds between pieces, for velocities of contacts.
#[derive(Clone, Copy, Debug)]
pub(super) enum Check {
    /// The first contact approaches faster than the second, each speed times its weight.
    Faster {
        contacts: [usize; 2],
        weights: [f64; 2],
    },
    /// The same, each speed divided by `√W_nn`.
    FasterInEnergy {
        contacts: [usize; 2],
    },
    Approaches(usize),
    /// Slower than this speed (m/s).
    ApproachesBelow(usize, f64),
    /// At least this fast (m/s).
    ApproachesAbove(usize, f64),
    Separates(usize),
    /// Restitution is zero, and the law has other pieces beyond that.
    Inelastic(usize),
}

/// Impulses at the contacts that solve one set of equations.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) normals: Vec<Normal>,
    pub(super) tangents: Vec<Tangent>,
    pub(super) end: End,
    /// Whether each contact stores energy, gives it back, or does neither.
    pub(super) stores: Vec<Store>,
    /// The impulses as the law found them (length `r`, N·s).
    pub(super) impulse: DVector<f64>,
    /// The part of the step that the law found.
    pub(super) length: f64,
    /// The length in the units in which impulses are as speeds: `1/√W_nn` where it is a normal impulse, otherwise 1.
    pub(super) unit_of_length: f64,
}

impl Piece {
    /// A piece in which no contact takes part, without an event.
    pub(super) fn of_none(contacts: usize, impulse: DVector<f64>) -> Self {
        Self {
            normals: vec![Normal::Absent; contacts],
            tangents: vec![Tangent::None; contacts],
            end: End::Whole,
            stores: vec![Store::Nothing; contacts],
            impulse,
            length: 0.0,
            unit_of_length: 1.0,
        }
    }
}

/// An arc of the path of a contact with two tangents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Arc {
    pub(super) contact: usize,
    pub(super) store: Store,
    /// As of a piece; a tangent that comes to rest stands for the slip.
    pub(super) end: End,
}

/// The equation of a normal impulse `π_n` of a piece.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Normal {
    /// It takes no part: `π_n = 0`, whatever its velocity.
    Absent,
    /// It separates: `π_n = 0`.
    Free,
    /// It separates faster than by `−e u_n` with the velocity at the beginning of the impact: `π_n = 0`.
    FreeBeyond,
    /// `u_n⁺ = 0`.
    Stops,
    /// `u_n⁺ = 0`, with `π_n` below this increment.
    StopsWithin(f64),
    /// `u_n⁺ = 0` along a path, with `π_n` below this rate times the length of the piece.
    Held(f64),
    /// `u_n⁺ = −e u_n` with the velocity at the beginning of the impact.
    Rebounds,
    /// `u_n⁺ = −u_n` with the velocity at the beginning of the piece.
    Mirrors,
    /// `π_n` is this increment (N·s).
    Full(f64),
    /// `π_n` is `e` times the impulse of the compression, and the contact separates.
    Returns,
    /// `u_n⁺ = 0`, with more than `e` times the impulse of the compression.
    ReturnsAndStops,
    /// `π_n` is this rate (N·s) times the length of the piece.
    Pushes(f64),
    /// `u_n = 0` at the end of the whole interval, of which the piece is a part as large as its length.
    StopsByWhole,
    /// `π_n = 0`, and the contact separates at the end of the whole interval.
    FreeByWhole,
    /// The part of what the contact owes in the round.
    Owed,
    /// The part of the impulse that would stop it alone, because friction presses it down.
    Jams,
}

impl Normal {
    /// Whether it belongs to an interval, of which the piece is a part.
    pub(super) const fn is_of_interval(self) -> bool {
        matches!(self, Self::StopsByWhole | Self::FreeByWhole | Self::Owed | Self::Jams)
    }
}

/// The equations of tangential impulses `π_t` of a piece.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Tangent {
    /// `π_t = 0`.
    None,
    /// `π_t = 0`, since `μ = 0` and there is no slip that friction would oppose.
    Smooth,
    /// `u_t⁺ = 0`; friction is in the polygon of so many directions (2 in the plane).
    Sticks(usize),
    /// `u_t⁺ = 0`; friction is in the disk.
    SticksRound,
    /// `π_t = μ π_n d` with the direction of this index, of so many.
    Vertex(usize, usize),
    /// Between the direction of this index and the next one, across which there is no slip.
    Edge(usize, usize),
    /// `u_t = 0` at the end of the whole interval; friction is in the disk. At the beginning there is little slip.
    RollsByWhole(Limits),
    /// `‖π_t‖ = μ π_n` against the slip at the end of the whole interval. At the beginning there is little slip.
    SlipsByWhole(Limits),
    /// `π_t = −μ π_n u_t/‖u_t‖` with the slip at the beginning.
    Opposes(Limits),
    /// `‖π_t‖ = μ π_n` against the slip at the end, of which there is none at the beginning.
    Restarts,
}

/// What determines the length of a piece of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum End {
    /// The piece has no length.
    Whole,
    /// A row of `J` comes to rest.
    Row(usize),
    /// The stored energy of a contact is used up.
    Emptied(usize),
    /// `u_n⁺ = −e u_n` with the velocity at the beginning of the impact.
    Rebound(usize),
    /// The impulse of the expansion is `e` times that of the compression.
    Returned(usize),
    /// The slip of a contact along a vector stops.
    Stop { contact: usize, vector: [f64; 2] },
    /// Two directions of friction oppose the slip of a contact alike: their indices, and the number of directions.
    Turn { contact: usize, from: usize, to: usize, of: usize },
    /// The step is complete.
    Step,
    /// The interval is complete: the length is 1.
    Complete,
    /// The slip of a contact is closest to rest.
    Closest(usize),
    /// The slip of a contact has turned by the largest angle.
    Turned(usize, Limits),
}

/// Use of energy and impulse by a contact during a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Store {
    Nothing,
    Compresses,
    Expands,
}
