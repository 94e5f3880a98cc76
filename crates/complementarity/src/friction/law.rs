//! The friction [`Law`] that a [problem](super::Problem) states.

use std::fmt;

/// Friction law of all contacts of a [problem](super::Problem).
///
/// Both laws require `u_N ≥ 0`, `p_N ≥ 0`, `p_N u_N = 0` and `‖p_T‖ ≤ μ p_N`. They differ in the tangential
/// impulse of a sliding contact. They agree where normal and tangents are uncoupled and the tangents have equal
/// compliance, as for spheres.
///
/// # Source
///
/// T. Preclik, S. Eibl, U. Rüde, "The maximum dissipation principle in rigid-body dynamics with purely
/// inelastic impacts", 2017, sections 2 and 3.
///
/// # Example
///
/// ```
/// use percussion_complementarity::friction::Law;
///
/// assert_eq!(Law::default().to_string(), "coulomb");
/// assert_eq!(Law::all().map(Law::name), ["coulomb", "maximum-dissipation"]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Law {
    /// Friction is opposite to the slip after the impulse.
    #[default]
    Coulomb,
    /// The impulse of each contact minimizes the kinetic energy, with those of the others given.
    MaximumDissipation,
}

impl Law {
    /// Every law.
    #[must_use]
    pub const fn all() -> [Self; 2] {
        [Self::Coulomb, Self::MaximumDissipation]
    }

    /// The law's name on the command line and in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Coulomb => "coulomb",
            Self::MaximumDissipation => "maximum-dissipation",
        }
    }

    /// A short description for lists.
    #[must_use]
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Coulomb => "Friction is opposite to the slip that is left",
            Self::MaximumDissipation => "Each contact's impulse leaves the least kinetic energy",
        }
    }
}

/// The law's [name](Law::name).
impl fmt::Display for Law {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// The names of several laws, separated by commas.
pub(super) fn names(laws: &[Law]) -> String {
    laws.iter().copied().map(Law::name).collect::<Vec<_>>().join(", ")
}
