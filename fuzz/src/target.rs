//! The interface of the driver to every kind of case: [`Target`].

use serde_json::Value;

use crate::{
    Source,
    case::{Case, Tally, check},
    shrink,
};

/// A target with any kind of case, for the driver.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name.
    pub name: &'static str,
    /// Draws and checks the case of a seed and an index.
    pub run: fn(u64, u64) -> Tally,
    /// The case of a seed and an index.
    pub show: fn(u64, u64) -> Value,
    /// Checks a case that was written down.
    pub replay: fn(&Value) -> Result<Tally, serde_json::Error>,
    /// A smaller case with the same failure.
    pub shrink: fn(&Value, &str) -> Value,
}

impl Target {
    /// The target of a kind of case.
    #[must_use]
    pub const fn of<C: Case>() -> Self {
        Self {
            name: C::NAME,
            run: |seed, index| check(&C::generate(&mut Source::seeded(seed, C::NAME, index))),
            show: |seed, index| {
                let case = C::generate(&mut Source::seeded(seed, C::NAME, index));
                serde_json::to_value(case).unwrap_or(Value::Null)
            },
            replay: |value| Ok(check(&serde_json::from_value::<C>(value.clone())?)),
            shrink: |value, solver| shrink::shrink::<C>(value, solver),
        }
    }
}
