//! The contacts of one position in matrix form: [`ContactSet`].

use std::{mem, ops::Range};

use nalgebra::{DMatrix, Dyn, VecStorage};

use crate::{
    gap::ContactRows,
    system::{Dimension, System},
};

mod block_sparse;
mod contact;
mod filling;
mod operator;
mod products;
#[cfg(test)]
mod tests;

pub use block_sparse::BlockSparse;
pub use contact::{Contact, ContactSetError};

/// The part of the rows of one contact that belongs to one tree.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Part {
    contact: usize,
    tree: usize,
    /// The start of its rows in [`ContactSet::rows`]; each row has one entry per velocity of the tree.
    start: usize,
    /// Its number among the parts of its tree.
    slot: usize,
}

/// The content of the columns of a [`ContactSet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Columns {
    Nothing,
    /// `M⁻¹ Jᵀ`.
    Divided,
    /// `D^(−1/2) L⁻ᵀ Jᵀ`.
    Whitened,
}

/// The contacts of a system at one position, their Jacobian and their Delassus operator.
///
/// Contacts keep the order in which they are pushed. The set must be filled again at each position: call
/// [`clear`](Self::clear), push the contacts, divide by the mass matrix, and read the results. For an
/// [`Articulated`](crate::Articulated) system the methods with [`Kinematics`](crate::Kinematics)
/// ([`push_at`](Self::push_at), [`whiten`](Self::whiten)) give the same results as those for any [`System`] in less
/// time, because they read the rows without a lock.
///
/// The contact velocity `u = J v` stacks, contact by contact, the velocity of body 1 relative to body 2 along the
/// normal, tangent 1 and (in space) tangent 2. Impulses `p` in the same order change the velocity by `M⁻¹ Jᵀ p`, so
/// contacts are coupled by the Delassus operator
///
/// ```math
/// W = J M^{-1} J^\mathsf{T}, \qquad u = W p + u_f .
/// ```
///
/// The mass matrix couples only the velocities of one kinematic tree, and a row of `J` is zero except for the trees
/// `T` of its two bodies. Contacts are numbered separately within each tree. The rows of all first contacts are in
/// the same columns of one matrix, those of all second contacts in the next, and so on: rows of different trees do
/// not overlap. One solve, with as many columns as the maximum number of rows in one tree, then gives all of
/// `Z = M⁻¹ Jᵀ` from one factorization of the mass matrix, and
///
/// ```math
/// W_{ab} = \sum_T J_{aT} Z_{Tb}, \qquad\text{or}\qquad W_{ab} = \sum_T Z_{Ta}^\mathsf{T} Z_{Tb}
/// \quad\text{for}\quad Z = D^{-1/2} L^{-\mathsf{T}} J^\mathsf{T}, \; M = L^\mathsf{T} D L,
/// ```
///
/// where a block is nonzero only if the contacts `a` and `b` share a tree.
///
/// - **Needs** orthonormal frames and a positive definite mass matrix; otherwise `W` is not finite.
/// - **Does not** find contacts, and does not detect redundant ones: `W` is then singular.
/// - **Cost** one factorization; `n_v k` numbers and their solve for at most `k` rows in one tree; one product of
///   two rows for each entry of the blocks. Nothing is allocated after the largest sizes have been used once.
/// - **Deterministic**; `W` is symmetric to the last bit, and in the second form positive semidefinite up to the
///   rounding of its products. A permutation of the contacts permutes the second form to the last bit, and the first
///   up to rounding.
///
/// # Source
///
/// É. Delassus, "Mémoire sur la théorie des liaisons finies unilatérales", *Annales scientifiques de
/// l'École Normale Supérieure* 34 (1917) 95–179 (the operator).
/// A. R. Curtis, M. J. D. Powell, J. K. Reid, "On the estimation of sparse Jacobian matrices", *IMA
/// Journal of Applied Mathematics* 13 (1974) 117–119 (vectors without common entries share one).
/// R. Featherstone, *Rigid Body Dynamics Algorithms*, Springer 2008, section 6.5 (the factors).
///
/// # Example
///
/// Two equal balls of 2 kg, one at rest on the floor, the other on top of it. A normal impulse at the floor changes
/// the velocity of the lower ball by `1/m` per N·s. The impulse between the balls moves both, `2/m`, and acts on the
/// lower one in the opposite direction.
///
/// ```
/// use nalgebra::{DMatrix, Vector3};
/// use percussion_dynamics::{Body, ContactFrame, ContactSet, FreeBodies, MassProperties};
/// use percussion_dynamics::Contact;
///
/// let ball = Body::from_mass_properties(&MassProperties::solid_sphere(2.0, 0.5)?);
/// let system = FreeBodies::new(vec![ball.clone(), ball], Vector3::new(0.0, 0.0, -9.81))?;
/// let coordinates = [
///     0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, //
///     0.0, 0.0, 1.5, 1.0, 0.0, 0.0, 0.0,
/// ];
///
/// let up = ContactFrame::from_normal(&Vector3::z(), &Vector3::x())?;
/// let (floor, top) = (Vector3::zeros(), Vector3::z());
/// let mut contacts = ContactSet::for_system(&system);
/// contacts.push(&system, &coordinates, &Contact::new([Some(0), None], [floor, floor], up))?;
/// contacts.push(&system, &coordinates, &Contact::new([Some(1), Some(0)], [top, top], up))?;
///
/// let mut delassus = DMatrix::zeros(0, 0);
/// contacts.divide_by_mass(&system, &coordinates)?;
/// contacts.delassus(&mut delassus)?;
/// assert_eq!((delassus[(0, 0)], delassus[(3, 3)]), (0.5, 1.0));
/// assert_eq!((delassus[(0, 3)], delassus[(3, 0)]), (-0.5, -0.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ContactSet {
    coordinate_count: usize,
    velocity_count: usize,
    dimension: Dimension,
    /// Velocities of each tree, ascending and disjoint.
    trees: Vec<Range<usize>>,
    /// Tree of each body; `None` for a body that cannot move.
    tree_of: Vec<Option<usize>>,
    gaps: Vec<f64>,
    friction: Vec<f64>,
    restitution: Vec<f64>,
    /// Ordered by contact, then by tree.
    parts: Vec<Part>,
    rows: Vec<f64>,
    /// The number of parts of each tree.
    counts: Vec<usize>,
    /// The parts by tree, and the start of those of each tree, once there are columns.
    members: Vec<usize>,
    starts: Vec<usize>,
    /// The ranges where the left rows of the parts are not zero, and for each part their end and whether it has tangents.
    runs: Vec<Range<usize>>,
    run_ends: Vec<(usize, bool)>,
    /// Whole rows of one contact, zero between uses.
    whole: ContactRows,
    columns: DMatrix<f64>,
    state: Columns,
}

impl ContactSet {
    /// Creates an empty set for positions of `system`.
    #[must_use]
    pub fn for_system(system: &dyn System) -> Self {
        let of_body: Vec<_> = (0..system.body_count()).map(|b| system.tree_velocities(b)).collect();
        let (mut trees, mut tree_of) = trees(&of_body);
        let velocities = system.velocity_count();
        if trees.iter().map(Range::len).sum::<usize>() < velocities {
            // Gaps may depend on velocities that belong to no body, and the mass matrix may couple those to any
            // other.
            trees.clear();
            trees.push(0..velocities);
            tree_of = of_body.iter().map(|range| (!range.is_empty()).then_some(0)).collect();
        }
        Self {
            coordinate_count: system.coordinate_count(),
            velocity_count: system.velocity_count(),
            dimension: system.dimension(),
            counts: vec![0; trees.len()],
            trees,
            tree_of,
            gaps: Vec::new(),
            friction: Vec::new(),
            restitution: Vec::new(),
            parts: Vec::new(),
            rows: Vec::new(),
            members: Vec::new(),
            starts: Vec::new(),
            runs: Vec::new(),
            run_ends: Vec::new(),
            whole: ContactRows::for_system(system),
            columns: DMatrix::zeros(0, 0),
            state: Columns::Nothing,
        }
    }

    /// Removes all contacts and keeps the memory.
    pub fn clear(&mut self) {
        self.gaps.clear();
        self.friction.clear();
        self.restitution.clear();
        self.parts.clear();
        self.rows.clear();
        self.counts.fill(0);
        self.state = Columns::Nothing;
    }

    /// Number of contacts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.gaps.len()
    }

    /// The velocities of the trees in which contacts of the set have rows, ascending and disjoint.
    pub fn tree_velocities(&self) -> impl Iterator<Item = Range<usize>> {
        let used = |(tree, count): (&Range<usize>, &usize)| (*count > 0).then(|| tree.clone());
        self.trees.iter().zip(&self.counts).filter_map(used)
    }

    /// Whether there are no contacts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.gaps.is_empty()
    }

    /// Number of components of one contact: 2 in the plane, 3 in space.
    #[must_use]
    pub fn component_count(&self) -> usize {
        1 + self.dimension.tangent_count()
    }

    /// The gaps (m), one per contact.
    #[must_use]
    pub fn gaps(&self) -> &[f64] {
        &self.gaps
    }

    /// The friction coefficients, one per contact.
    #[must_use]
    pub fn friction(&self) -> &[f64] {
        &self.friction
    }

    /// The coefficients of restitution, one per contact.
    #[must_use]
    pub fn restitution(&self) -> &[f64] {
        &self.restitution
    }

    /// Resizes `jacobian` and writes the contact Jacobian `J` to it (one row per contact component, `n_v` columns).
    ///
    /// Rows of contact `i` start at `i` times [`component_count`](Self::component_count), in the order
    /// normal, tangent 1, tangent 2.
    pub fn contact_jacobian(&self, jacobian: &mut DMatrix<f64>) {
        reshape(jacobian, self.size(), self.velocity_count);
        jacobian.fill(0.0);
        for part in &self.parts {
            for (row, entries) in self.part_rows(part) {
                for (column, entry) in self.trees[part.tree].clone().zip(entries) {
                    jacobian[(row, column)] = *entry;
                }
            }
        }
    }

    /// Writes the contact velocity `u = J v` (m/s).
    ///
    /// # Errors
    ///
    /// [`ContactSetError::Length`].
    pub fn contact_velocity(
        &self,
        velocity: &[f64],
        contact_velocity: &mut [f64],
    ) -> Result<(), ContactSetError> {
        check_length("velocity", velocity.len(), self.velocity_count)?;
        check_length("contact velocity", contact_velocity.len(), self.size())?;
        contact_velocity.fill(0.0);
        for part in &self.parts {
            let velocity = &velocity[self.trees[part.tree].clone()];
            let sums = &mut contact_velocity[self.component_count() * part.contact..];
            self.add_velocity(&self.rows[part.start..], velocity, sums);
        }
        Ok(())
    }

    /// Writes the generalized impulse `Jᵀ p` (N·s, N·m·s) of the contact impulses `p` (N·s).
    ///
    /// # Errors
    ///
    /// [`ContactSetError::Length`].
    pub fn generalized_impulse(
        &self,
        impulse: &[f64],
        generalized_impulse: &mut [f64],
    ) -> Result<(), ContactSetError> {
        check_length("impulse", impulse.len(), self.size())?;
        check_length("generalized impulse", generalized_impulse.len(), self.velocity_count)?;
        generalized_impulse.fill(0.0);
        for part in &self.parts {
            let sums = &mut generalized_impulse[self.trees[part.tree].clone()];
            let impulse = &impulse[self.component_count() * part.contact..];
            self.add_impulse(&self.rows[part.start..], impulse, sums);
        }
        Ok(())
    }

    /// Number of contact components.
    fn size(&self) -> usize {
        self.len() * self.component_count()
    }

    /// The rows of a part with their numbers in the contact Jacobian.
    fn part_rows(&self, part: &Part) -> impl Iterator<Item = (usize, &[f64])> {
        let width = self.trees[part.tree].len();
        let rows = self.rows[part.start..].chunks_exact(width).take(self.component_count());
        rows.enumerate().map(move |(k, row)| (part.contact * self.component_count() + k, row))
    }

    fn check_coordinates(&self, coordinates: &[f64]) -> Result<(), ContactSetError> {
        check_length("coordinates", coordinates.len(), self.coordinate_count)
    }
}

/// The trees of a system, ascending, and the tree of each body, computed from the velocities of the trees.
///
/// Overlapping ranges are merged, because the velocities of trees may be interleaved.
fn trees(of_body: &[Range<usize>]) -> (Vec<Range<usize>>, Vec<Option<usize>>) {
    let mut ranges: Vec<_> = of_body.iter().filter(|range| !range.is_empty()).cloned().collect();
    ranges.sort_unstable_by_key(|range| range.start);
    let mut trees: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match trees.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => trees.push(range),
        }
    }
    let tree = |range: &Range<usize>| {
        let after = trees.partition_point(|tree| tree.start <= range.start);
        if range.is_empty() { None } else { after.checked_sub(1) }
    };
    let tree_of = of_body.iter().map(tree).collect();
    (trees, tree_of)
}

fn check_length(field: &'static str, found: usize, expected: usize) -> Result<(), ContactSetError> {
    if found == expected { Ok(()) } else { Err(ContactSetError::Length { field, expected, found }) }
}

/// Changes the shape of a matrix within its memory; the entries are lost.
fn reshape(matrix: &mut DMatrix<f64>, rows: usize, columns: usize) {
    if matrix.shape() == (rows, columns) {
        return;
    }
    let mut entries: Vec<f64> = mem::replace(matrix, DMatrix::zeros(0, 0)).data.into();
    entries.resize(rows * columns, 0.0);
    *matrix = DMatrix::from_data(VecStorage::new(Dyn(rows), Dyn(columns), entries));
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
