//! The sets of impulses: [`Block`], [`Set`] and the friction [`Section`] of a contact.

use std::fmt;

/// Consecutive rows of a [problem](super::Problem) with one set of impulses.
///
/// In JSON `{"kind", "rows", "bound" | "section", "length"}`, see the [format](super).
///
/// # Example
///
/// ```
/// use percussion_complementarity::friction::mixed::{Block, Section};
///
/// let loops = Block::bilateral(5);
/// let dry = Block::bound(0.02); // N·m·s
/// let wheel = Block::contact(Section::Ellipse([0.9, 0.1]));
/// assert_eq!([loops.rows, dry.rows, wheel.rows], [5, 1, 3]);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "json::Stated", into = "json::Stated"))]
pub struct Block {
    /// Number of rows (≥ 1). A contact has one row for its normal and one for each tangential component.
    pub rows: usize,
    /// Length in m by which a velocity of rows that are not a contact's is multiplied before it is compared with
    /// other velocities (> 0, default 1). State the lever arm where rows are in rad/s. A contact takes the half
    /// axes of its moments instead.
    pub length: f64,
    /// The impulses that are allowed.
    pub set: Set,
}

/// The impulses `λ` that a [`Block`] allows, and with them its law.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Set {
    /// All impulses; `u = 0`.
    Bilateral,
    /// `0 ≤ λ ⊥ u ≥ 0` in every row.
    Unilateral,
    /// `l ≤ λ ≤ u` in every row: a positive velocity has the impulse `l`, a negative one `u`, between them the
    /// velocity is zero.
    Interval {
        /// Least impulse (finite).
        lower: f64,
        /// Largest impulse (finite, at least `lower`).
        upper: f64,
    },
    /// A contact: `λ_t ∈ λ_n F`, `0 ≤ λ_n ⊥ u_n ≥ 0` and `−u_t` normal to `λ_n F` at `λ_t`.
    Contact(Section),
}

/// The section `F` of a friction cone: the tangential impulses that are allowed with `λ_n = 1`.
///
/// Half axes are ≥ 0. A half axis of zero allows no impulse along its component.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Section {
    /// Disc of radius `μ`, with 2 tangents in space, 1 in the plane, or none.
    Disc(f64),
    /// Ellipse with half axes `μ₁`, `μ₂` along the two tangents: wheels, skates, brushed surfaces.
    Ellipse([f64; 2]),
    /// Polygon spanned by these points, which need neither unit length nor an order; it contains 0.
    Polygon(Vec<[f64; 2]>),
    /// Ellipsoid of two tangents and the moment about the normal, `[μ₁, μ₂, μ_τ]` with `μ_τ` in m: a soft
    /// finger.
    Spin([f64; 3]),
    /// `[μ, μ_τ, μ_ρ]` with `μ_τ`, `μ_ρ` in m: two tangents in a disc, the moment about the normal in an interval
    /// and the two rolling moments in a disc, each by itself.
    Rolling([f64; 3]),
    /// `[μ₁, μ₂, μ_τ, μ_ρ₁, μ_ρ₂]`: one ellipsoid of all five components. A ball that rolls must then slip by
    /// about `(5/7) (μ_ρ/(μ R))²` of its speed; [`Rolling`](Self::Rolling) does not have this defect.
    JointEllipsoid([f64; 5]),
}

/// The reason why a [`Block`] is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The number of rows does not fit the set.
    #[error("`rows` is {found}, expected {expected}")]
    Rows {
        /// Rows found.
        found: usize,
        /// The expected value or range.
        expected: &'static str,
    },
    /// A number is outside its range.
    #[error("`{field}` is {value}, expected {expected}")]
    Value {
        /// The field.
        field: String,
        /// Its value.
        value: f64,
        /// Its range.
        expected: &'static str,
    },
    /// A polygon does not contain the origin.
    #[error("`section.polygon` does not contain (0, 0), expected directions on all sides")]
    Origin,
    /// A field is missing, or belongs to another kind of block.
    #[error("`{field}` is {found}, expected {expected}")]
    Field {
        /// The field.
        field: &'static str,
        /// `given` or `missing`.
        found: &'static str,
        /// The expected value or range.
        expected: &'static str,
    },
}

impl Block {
    /// `rows` bilateral rows.
    #[must_use]
    pub const fn bilateral(rows: usize) -> Self {
        Self { rows, length: 1.0, set: Set::Bilateral }
    }

    /// `rows` unilateral rows.
    #[must_use]
    pub const fn unilateral(rows: usize) -> Self {
        Self { rows, length: 1.0, set: Set::Unilateral }
    }

    /// One row with `lower ≤ λ ≤ upper`.
    #[must_use]
    pub const fn interval(lower: f64, upper: f64) -> Self {
        Self { rows: 1, length: 1.0, set: Set::Interval { lower, upper } }
    }

    /// One row with `|λ| ≤ bound`, as dry friction in a joint has it.
    #[must_use]
    pub const fn bound(bound: f64) -> Self {
        Self::interval(-bound, bound)
    }

    /// A contact with all components of its section; a disc has two tangents.
    #[must_use]
    pub const fn contact(section: Section) -> Self {
        Self { rows: section.components() + 1, length: 1.0, set: Set::Contact(section) }
    }

    /// A contact in the plane: normal and one tangent.
    #[must_use]
    pub const fn planar(friction: f64) -> Self {
        Self { rows: 2, length: 1.0, set: Set::Contact(Section::Disc(friction)) }
    }

    /// The same block with another length.
    #[must_use]
    pub fn with_length(self, length: f64) -> Self {
        Self { length, ..self }
    }

    /// The kind in files: `bilateral`, `unilateral`, `interval` or `contact`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self.set {
            Set::Bilateral => "bilateral",
            Set::Unilateral => "unilateral",
            Set::Interval { .. } => "interval",
            Set::Contact(_) => "contact",
        }
    }

    /// What the velocity of each row is multiplied by to be compared with others (m).
    pub(super) fn lengths(&self) -> Vec<f64> {
        match &self.set {
            Set::Contact(section) => section.lengths(self.rows),
            _ => vec![self.length; self.rows],
        }
    }

    /// Checks sizes and numbers.
    pub(super) fn check(&self) -> Result<(), Error> {
        let wrong = |field: &str, value, expected| {
            Err(Error::Value { field: field.to_owned(), value, expected })
        };
        if !(self.length > 0.0 && self.length.is_finite()) {
            return wrong("length", self.length, "a positive number");
        }
        let section = match &self.set {
            Set::Bilateral | Set::Unilateral | Set::Interval { .. } if self.rows == 0 => {
                return Err(Error::Rows { found: 0, expected: "a positive number" });
            }
            Set::Bilateral | Set::Unilateral => return Ok(()),
            Set::Interval { lower, upper } => {
                for (field, value) in [("bound[0]", *lower), ("bound[1]", *upper)] {
                    if !value.is_finite() {
                        return wrong(field, value, "a finite number");
                    }
                }
                if lower > upper {
                    return wrong("bound[1]", *upper, "a number that is not below bound[0]");
                }
                return Ok(());
            }
            Set::Contact(section) => section,
        };
        section.check_rows(self.rows)?;
        for (place, &value) in section.numbers().iter().enumerate() {
            let field = match section {
                Section::Disc(_) => "section.disc".to_owned(),
                Section::Polygon(_) => format!("section.polygon[{}][{}]", place / 2, place % 2),
                _ => format!("section.{section}[{place}]"),
            };
            if matches!(section, Section::Polygon(_)) {
                if !value.is_finite() {
                    return Err(Error::Value { field, value, expected: "a finite number" });
                }
            } else if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::Value { field, value, expected: "a finite number ≥ 0" });
            }
        }
        if let Section::Polygon(points) = section
            && !super::polygon::Polygon::new(points).contains_origin()
        {
            return Err(Error::Origin);
        }
        Ok(())
    }
}

/// The section's name in files.
impl fmt::Display for Section {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Disc(_) => "disc",
            Self::Ellipse(_) => "ellipse",
            Self::Polygon(_) => "polygon",
            Self::Spin(_) => "spin",
            Self::Rolling(_) => "rolling",
            Self::JointEllipsoid(_) => "joint-ellipsoid",
        })
    }
}

impl Section {
    /// Number of tangential components; a disc may also have 1 or 0.
    #[must_use]
    pub const fn components(&self) -> usize {
        match self {
            Self::Disc(_) | Self::Ellipse(_) | Self::Polygon(_) => 2,
            Self::Spin(_) => 3,
            Self::Rolling(_) | Self::JointEllipsoid(_) => 5,
        }
    }

    /// Whether no direction in the tangent plane differs from another one.
    #[must_use]
    pub fn is_isotropic(&self) -> bool {
        let equal = |a: f64, b: f64| a.to_bits() == b.to_bits();
        match *self {
            Self::Disc(_) | Self::Rolling(_) => true,
            Self::Ellipse([first, second]) | Self::Spin([first, second, _]) => equal(first, second),
            Self::JointEllipsoid([first, second, _, third, fourth]) => {
                equal(first, second) && equal(third, fourth)
            }
            Self::Polygon(_) => false,
        }
    }

    /// Checks its numbers.
    ///
    /// # Errors
    ///
    /// [`Error::Value`], [`Error::Origin`].
    pub fn check(&self) -> Result<(), Error> {
        Block::contact(self.clone()).check()
    }

    fn check_rows(&self, found: usize) -> Result<(), Error> {
        let expected = match self {
            Self::Disc(_) if (1..=3).contains(&found) => return Ok(()),
            Self::Disc(_) => "3, or 2 in the plane, or 1 without tangents",
            Self::Ellipse(_) | Self::Polygon(_) => "3",
            Self::Spin(_) => "4",
            Self::Rolling(_) | Self::JointEllipsoid(_) => "6",
        };
        if found == self.components() + 1 { Ok(()) } else { Err(Error::Rows { found, expected }) }
    }

    fn numbers(&self) -> Vec<f64> {
        match self {
            Self::Disc(friction) => vec![*friction],
            Self::Ellipse(axes) => axes.to_vec(),
            Self::Polygon(points) => points.iter().flatten().copied().collect(),
            Self::Spin(axes) | Self::Rolling(axes) => axes.to_vec(),
            Self::JointEllipsoid(axes) => axes.to_vec(),
        }
    }

    /// The half axes of all tangential components of a contact with `rows` rows, and the first components of the
    /// factors of the product. Not for polygons.
    pub(super) fn axes(&self, rows: usize) -> (Vec<f64>, &'static [usize]) {
        match self {
            Self::Disc(friction) => (vec![*friction; rows - 1], &[0]),
            Self::Ellipse(axes) => (axes.to_vec(), &[0]),
            Self::Spin(axes) => (axes.to_vec(), &[0]),
            &Self::Rolling([slide, spin, roll]) => {
                (vec![slide, slide, spin, roll, roll], &[0, 2, 3])
            }
            Self::JointEllipsoid(axes) => (axes.to_vec(), &[0]),
            Self::Polygon(_) => (vec![1.0; 2], &[0]),
        }
    }

    /// The lengths of all rows of a contact, the normal included: 1, and the half axes of moments.
    pub(super) fn lengths(&self, rows: usize) -> Vec<f64> {
        let (axes, _) = self.axes(rows);
        let length = |row| if row < 3 { 1.0 } else { axes[row - 1] };
        (0..rows).map(length).collect()
    }
}

#[cfg(feature = "serde")]
mod json {
    //! Blocks in files.

    use serde::{Deserialize, Serialize};

    use super::{Block, Error, Section, Set};

    #[derive(Clone, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct Stated {
        /// The law of the block.
        kind: Kind,
        /// Number of its rows, at least 1.
        rows: usize,
        /// Bound of the impulses, only of an interval (N·s, N·m·s).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bound: Option<Bound>,
        /// Section of the friction cone, only of a contact, and required there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section: Option<Section>,
        /// Length by which its velocities are multiplied to be compared with those of contacts, positive, of all but
        /// contacts; by default 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        length: Option<f64>,
    }

    /// The kind of a block.
    #[derive(Clone, Copy, Serialize, Deserialize, PartialEq)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        /// The velocities vanish.
        Bilateral,
        /// Impulses of at least 0, each beside a velocity of at least 0.
        Unilateral,
        /// Impulses within a bound, at whose ends the rows move.
        Interval,
        /// A contact with friction: the normal row, then the tangential ones.
        Contact,
    }

    /// The bound of an interval.
    #[derive(Clone, Copy, Serialize, Deserialize)]
    #[serde(untagged)]
    enum Bound {
        /// The same on both sides.
        Symmetric(f64),
        /// The smallest and the largest impulse.
        Both([f64; 2]),
    }

    fn absent(field: &'static str, given: bool, of: &'static str) -> Result<(), Error> {
        if given { Err(Error::Field { field, found: "given", expected: of }) } else { Ok(()) }
    }

    impl TryFrom<Stated> for Block {
        type Error = Error;

        fn try_from(stated: Stated) -> Result<Self, Error> {
            let missing = |field, expected| Error::Field { field, found: "missing", expected };
            if stated.kind != Kind::Interval {
                absent("bound", stated.bound.is_some(), "a block of kind `interval` with it")?;
            }
            if stated.kind != Kind::Contact {
                absent("section", stated.section.is_some(), "a block of kind `contact` with it")?;
            } else {
                absent("length", stated.length.is_some(), "no length: a contact has its own")?;
            }
            let set = match stated.kind {
                Kind::Bilateral => Set::Bilateral,
                Kind::Unilateral => Set::Unilateral,
                Kind::Interval => match stated.bound {
                    None => return Err(missing("bound", "a number or [lower, upper]")),
                    Some(Bound::Symmetric(bound)) if bound.is_nan() || bound < 0.0 => {
                        let expected = "a finite number ≥ 0, or [lower, upper]";
                        return Err(Error::Value { field: "bound".into(), value: bound, expected });
                    }
                    Some(Bound::Symmetric(bound)) => Set::Interval { lower: -bound, upper: bound },
                    Some(Bound::Both([lower, upper])) => Set::Interval { lower, upper },
                },
                Kind::Contact => Set::Contact(
                    stated.section.ok_or_else(|| missing("section", "the section of its cone"))?,
                ),
            };
            let block = Self { rows: stated.rows, length: stated.length.unwrap_or(1.0), set };
            block.check()?;
            Ok(block)
        }
    }

    impl From<Block> for Stated {
        fn from(block: Block) -> Self {
            let length = (block.length.to_bits() != 1.0_f64.to_bits()).then_some(block.length);
            let base = Self {
                kind: Kind::Bilateral,
                rows: block.rows,
                bound: None,
                section: None,
                length,
            };
            match block.set {
                Set::Bilateral => base,
                Set::Unilateral => Self { kind: Kind::Unilateral, ..base },
                Set::Interval { lower, upper } => {
                    let symmetric = (-lower).to_bits() == upper.to_bits();
                    let bound = if symmetric {
                        Bound::Symmetric(upper)
                    } else {
                        Bound::Both([lower, upper])
                    };
                    Self { kind: Kind::Interval, bound: Some(bound), ..base }
                }
                Set::Contact(section) => {
                    Self { kind: Kind::Contact, section: Some(section), length: None, ..base }
                }
            }
        }
    }
}
