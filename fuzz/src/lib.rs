//! Fuzz targets of percussion: random problems for every solver, law and scheme, judged by `percussion-verify`.
//!
//! A target is a [`Case`] that can be drawn from a [`Source`], checked, reduced and written as JSON.
//! libFuzzer calls the function `target` of its module with bytes; the `driver` draws cases from a seed.

mod case;
mod clock;
pub mod files;
pub mod friction;
pub mod impact;
pub mod lcp;
pub mod matrices;
pub mod motion;
mod shrink;
mod source;
mod target;

pub use case::{Case, Tally, check, fuzz};
pub use clock::Clock;
pub use source::{Source, Style};
pub use target::Target;

/// Every target.
pub const TARGETS: &[Target] = &[
    Target::of::<lcp::Lcp>(),
    Target::of::<friction::Friction>(),
    Target::of::<friction::Blocks>(),
    Target::of::<impact::Impact>(),
    Target::of::<motion::Motion>(),
    Target::of::<files::File>(),
];
