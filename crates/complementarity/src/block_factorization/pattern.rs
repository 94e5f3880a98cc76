//! Order of elimination and the blocks that it fills: [`Pattern`].
//!
//! Rows that are coupled with the same others are eliminated together: they are the *pivots* of a [`Front`], a small dense matrix
//! of these rows and all later ones that they are coupled with, its *boundary*. What elimination adds to the boundary belongs to the
//! front of its first row, its parent. A front whose pivots are few becomes one with its parent, where the zeros that it stores then
//! take less time than the sum of two matrices.
//!
//! # Source
//!
//! I. S. Duff, J. K. Reid, "The multifrontal solution of indefinite sparse symmetric linear equations", *ACM Transactions on
//! Mathematical Software* 9 (1983) 302–325; J. W. H. Liu, "The role of elimination trees in sparse factorization", *SIAM Journal on
//! Matrix Analysis and Applications* 11 (1990) 134–172.

use std::{collections::BTreeMap, ops::Range};

use super::order::{minimum_degree, products};

/// Products of blocks that take as long as the sum of a front and its parent, beside one for each block of the boundary.
const OVERHEAD: usize = 16;

/// The fronts of a matrix with a symmetric pattern.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    /// The place of each row in the order of elimination.
    places: Vec<usize>,
    /// Children before parents.
    fronts: Vec<Front>,
    /// The front of each place.
    front_of: Vec<usize>,
    /// The places of the boundaries of all fronts, ascending in each; and where these are in the parent, pivots first.
    boundaries: Vec<usize>,
    in_parent: Vec<usize>,
    /// The children of all fronts.
    children: Vec<usize>,
    /// Numbers of the factors of all fronts, and the most that wait for a parent at a time.
    factors: usize,
    waiting: usize,
}

/// A dense matrix in the elimination.
#[derive(Clone, Debug)]
pub(super) struct Front {
    /// The places of the pivots.
    pub(super) pivots: Range<usize>,
    /// The range of its boundary in the lists of all.
    pub(super) boundary: Range<usize>,
    children: Range<usize>,
    /// Where its factors start, where the matrix of its boundary is computed and where that then waits.
    pub(super) factors: usize,
    pub(super) computed: usize,
    pub(super) kept: usize,
}

impl Pattern {
    /// The pattern of a matrix with these neighbors of each row, which must be symmetric; `None` if a factorization takes more
    /// than `limit` products of blocks.
    pub(crate) fn new(mut neighbors: Vec<Vec<usize>>, limit: usize) -> Option<Self> {
        for (row, of_row) in neighbors.iter_mut().enumerate() {
            of_row.push(row);
            of_row.sort_unstable();
            of_row.dedup();
        }
        let (groups, of_group) = grouped(&neighbors);
        let weights: Vec<usize> = groups.iter().map(Vec::len).collect();
        let order = minimum_degree(of_group.clone(), &weights, limit)?;
        let tree = Tree::new(&order, &of_group, &weights);
        Some(tree.pattern(&groups, neighbors.len()))
    }

    pub(crate) fn row_count(&self) -> usize {
        self.places.len()
    }

    pub(super) fn place_of(&self, row: usize) -> usize {
        self.places[row]
    }

    pub(super) fn fronts(&self) -> &[Front] {
        &self.fronts
    }

    pub(super) fn front_of(&self, place: usize) -> &Front {
        &self.fronts[self.front_of[place]]
    }

    pub(super) fn boundary(&self, front: &Front) -> &[usize] {
        &self.boundaries[front.boundary.clone()]
    }

    /// The index of each row of the boundary in the parent, whose pivots come first; ascending.
    pub(super) fn in_parent(&self, front: &Front) -> &[usize] {
        &self.in_parent[front.boundary.clone()]
    }

    pub(super) fn children(&self, front: &Front) -> impl Iterator<Item = &Front> {
        self.children[front.children.clone()].iter().map(|child| &self.fronts[*child])
    }

    /// Numbers of the factors.
    pub(super) const fn factor_size(&self) -> usize {
        self.factors
    }

    /// The most numbers that wait for a parent.
    pub(super) const fn waiting_size(&self) -> usize {
        self.waiting
    }

    /// The index of a row in a front, pivots first.
    pub(super) fn index_in(&self, front: &Front, place: usize) -> Option<usize> {
        if front.pivots.contains(&place) {
            return Some(place - front.pivots.start);
        }
        Some(front.pivots.len() + self.boundary(front).binary_search(&place).ok()?)
    }

    /// Adds a front, after its children.
    fn push(&mut self, pivots: Range<usize>, mut boundary: Vec<usize>, children: &[usize]) {
        boundary.sort_unstable();
        let start = self.boundaries.len();
        self.boundaries.append(&mut boundary);
        let first = self.children.len();
        self.children.extend(children);
        let end = |front: &Front| front.kept + 9 * front.boundary.len().pow(2);
        // Fronts that are not children of this one end below its first child.
        let computed = self.fronts.last().map_or(0, end);
        let kept = children.first().map_or(computed, |child| self.fronts[*child].kept);
        let front = Front {
            boundary: start..self.boundaries.len(),
            children: first..self.children.len(),
            factors: self.factors,
            computed,
            kept,
            pivots,
        };
        let size = front.boundary.len();
        self.factors += 9 * front.pivots.len() * (front.pivots.len() + 2 * size);
        self.waiting = self.waiting.max(computed + 9 * size.pow(2));
        self.front_of.resize(front.pivots.end, self.fronts.len());
        self.fronts.push(front);
        self.in_parent.resize(self.boundaries.len(), 0);
        for &child in children {
            let range = self.fronts[child].boundary.clone();
            for at in range {
                let front = &self.fronts[self.fronts.len() - 1];
                let index = self.index_in(front, self.boundaries[at]);
                debug_assert!(index.is_some(), "a front has the boundaries of its children");
                self.in_parent[at] = index.unwrap_or(0);
            }
        }
    }
}

/// The rows that are coupled with the same others and with each other, and the other groups that each is coupled with.
fn grouped(neighbors: &[Vec<usize>]) -> (Vec<Vec<usize>>, Vec<Vec<usize>>) {
    let mut numbers = BTreeMap::new();
    let (mut groups, mut of_row) = (Vec::<Vec<usize>>::new(), Vec::with_capacity(neighbors.len()));
    for (row, closed) in neighbors.iter().enumerate() {
        let number = *numbers.entry(closed).or_insert(groups.len());
        if number == groups.len() {
            groups.push(Vec::new());
        }
        groups[number].push(row);
        of_row.push(number);
    }
    let of_group = groups.iter().enumerate().map(|(number, rows)| {
        let mut others: Vec<_> = neighbors[rows[0]].iter().map(|row| of_row[*row]).collect();
        others.sort_unstable();
        others.dedup();
        others.retain(|other| *other != number);
        others
    });
    let of_group = of_group.collect();
    (groups, of_group)
}

/// The fronts of groups, by the last of their pivots in the order of elimination.
struct Tree {
    /// The groups of the pivots, none if the front is one with its parent, and the later places of its boundary.
    pivots: Vec<Vec<usize>>,
    boundaries: Vec<Vec<usize>>,
    children: Vec<Vec<usize>>,
    roots: Vec<usize>,
    /// The group at each place.
    order: Vec<usize>,
}

impl Tree {
    fn new(order: &[usize], neighbors: &[Vec<usize>], weights: &[usize]) -> Self {
        let n = order.len();
        let mut places = vec![0; n];
        for (place, group) in order.iter().enumerate() {
            places[*group] = place;
        }
        let mut tree = Self {
            pivots: order.iter().map(|group| vec![*group]).collect(),
            boundaries: Vec::with_capacity(n),
            children: vec![Vec::new(); n],
            roots: Vec::new(),
            order: order.to_vec(),
        };
        let rows = |groups: &[usize]| groups.iter().map(|group| weights[*group]).sum::<usize>();
        let (mut touched, mut sizes) = (vec![usize::MAX; n], Vec::with_capacity(n));
        for place in 0..n {
            let later = neighbors[order[place]].iter().map(|group| places[*group]);
            let mut boundary: Vec<usize> = later.collect();
            for child in &tree.children[place] {
                boundary.extend(&tree.boundaries[*child]);
            }
            boundary.retain(|later| {
                *later > place && std::mem::replace(&mut touched[*later], place) != place
            });
            sizes.push(boundary.iter().map(|later| weights[order[*later]]).sum());
            match boundary.iter().min() {
                Some(parent) => tree.children[*parent].push(place),
                None => tree.roots.push(place),
            }
            tree.boundaries.push(boundary);
            tree.absorb(place, &sizes, &rows);
        }
        tree
    }

    /// Makes children one with their parent, the one with the largest boundary first.
    fn absorb(&mut self, parent: usize, sizes: &[usize], rows: &impl Fn(&[usize]) -> usize) {
        let mut children = std::mem::take(&mut self.children[parent]);
        children.sort_by_key(|child| std::cmp::Reverse(sizes[*child]));
        for child in children {
            let own = [child, parent].map(|front| rows(&self.pivots[front]));
            let apart = products(own[0], sizes[child]) + products(own[1], sizes[parent]);
            let one = products(own[0] + own[1], sizes[parent]);
            if one <= apart + sizes[child].pow(2) + OVERHEAD {
                let mut pivots = std::mem::take(&mut self.pivots[child]);
                pivots.append(&mut self.pivots[parent]);
                self.pivots[parent] = pivots;
                let mut grandchildren = std::mem::take(&mut self.children[child]);
                self.children[parent].append(&mut grandchildren);
            } else {
                self.children[parent].push(child);
            }
        }
    }

    /// The pattern of `rows` rows in these groups.
    fn pattern(&self, groups: &[Vec<usize>], rows: usize) -> Pattern {
        let mut pattern = Pattern {
            places: vec![0; rows],
            fronts: Vec::new(),
            front_of: Vec::with_capacity(rows),
            boundaries: Vec::new(),
            in_parent: Vec::new(),
            children: Vec::new(),
            factors: 0,
            waiting: 0,
        };
        // Children come before their parents, and all fronts below one next to it.
        let (mut fronts, mut left) = (Vec::new(), self.roots.clone());
        while let Some(front) = left.pop() {
            fronts.push(front);
            left.extend(&self.children[front]);
        }
        fronts.reverse();
        let mut last = 0;
        let mut ranges = Vec::with_capacity(fronts.len());
        for &front in &fronts {
            let first = last;
            for row in self.pivots[front].iter().flat_map(|group| &groups[*group]) {
                pattern.places[*row] = last;
                last += 1;
            }
            ranges.push(first..last);
        }
        let mut numbers = vec![0; self.order.len()];
        for (number, (front, range)) in fronts.into_iter().zip(ranges).enumerate() {
            numbers[front] = number;
            let later = self.boundaries[front].iter().flat_map(|place| &groups[self.order[*place]]);
            let boundary = later.map(|row| pattern.places[*row]).collect();
            let mut children: Vec<_> =
                self.children[front].iter().map(|child| numbers[*child]).collect();
            children.sort_unstable();
            pattern.push(range, boundary, &children);
        }
        pattern
    }
}
