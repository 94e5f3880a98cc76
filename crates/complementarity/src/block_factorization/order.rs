//! Order of elimination: [`minimum_degree`].
//!
//! The next variable is one that is coupled with the fewest others, of equal ones the first. Its elimination couples all of these,
//! which is stored as one *element* with their list instead of all pairs. Variables of an element that have the same elements and
//! neighbors stay alike to the end and become one. The number of others is an upper bound, which counts those that two elements
//! share twice.
//!
//! # Source
//!
//! P. R. Amestoy, T. A. Davis, I. S. Duff, "An approximate minimum degree ordering algorithm", *SIAM Journal on Matrix Analysis and
//! Applications* 17 (1996) 886–905.

use std::collections::BTreeSet;

/// The order of the variables with these neighbors of each, which are symmetric and without the variable itself, and so many rows
/// of blocks of each; `None` if a factorization in that order takes more than `limit` products of blocks.
pub(super) fn minimum_degree(
    neighbors: Vec<Vec<usize>>,
    weights: &[usize],
    limit: usize,
) -> Option<Vec<usize>> {
    let mut graph = Graph::new(neighbors, weights);
    let (mut order, mut products) = (Vec::with_capacity(weights.len()), 0_usize);
    while let Some((_, pivot)) = graph.waiting.pop_first() {
        order.append(&mut graph.alike[pivot]);
        products = products.saturating_add(graph.eliminate(pivot));
        if products > limit {
            return None;
        }
    }
    Some(order)
}

/// The number of products of blocks for the elimination of `rows` rows that are coupled with one another and with `others`.
pub(super) const fn products(rows: usize, others: usize) -> usize {
    squares_below(others + rows).saturating_sub(squares_below(others))
}

/// `0² + 1² + … + (n - 1)²`.
const fn squares_below(n: usize) -> usize {
    n.saturating_mul(n.saturating_sub(1)).saturating_mul((2 * n).saturating_sub(1)) / 6
}

/// The variables that are not eliminated, and the elements.
struct Graph {
    /// The neighbors of each variable that share no element with it, ascending; some of these are eliminated.
    neighbors: Vec<Vec<usize>>,
    /// The elements of each variable, in the order of their elimination.
    elements: Vec<Vec<usize>>,
    /// The variables that an element couples; none if another element has all of these.
    coupled: Vec<Vec<usize>>,
    /// The rows of an element.
    sizes: Vec<usize>,
    /// The rows of a variable; zero if it is eliminated, or one with another.
    weights: Vec<usize>,
    /// The variables that are one with a variable.
    alike: Vec<Vec<usize>>,
    degrees: Vec<usize>,
    waiting: BTreeSet<(usize, usize)>,
    /// The rows that are left.
    rows: usize,
    /// The last pivot that is coupled with a variable, and the last one whose variables are in an element.
    touched: Vec<usize>,
    reached: Vec<usize>,
    /// The rows of an element beside those of the last element.
    outside: Vec<usize>,
}

impl Graph {
    fn new(neighbors: Vec<Vec<usize>>, weights: &[usize]) -> Self {
        let n = neighbors.len();
        let degrees: Vec<usize> = neighbors
            .iter()
            .map(|of_one| of_one.iter().map(|other| weights[*other]).sum())
            .collect();
        Self {
            neighbors,
            elements: vec![Vec::new(); n],
            coupled: vec![Vec::new(); n],
            sizes: vec![0; n],
            weights: weights.to_vec(),
            alike: (0..n).map(|variable| vec![variable]).collect(),
            waiting: degrees.iter().copied().zip(0..).collect(),
            degrees,
            rows: weights.iter().sum(),
            touched: vec![usize::MAX; n],
            reached: vec![usize::MAX; n],
            outside: vec![0; n],
        }
    }

    /// Eliminates a variable; returns the number of products of blocks.
    fn eliminate(&mut self, pivot: usize) -> usize {
        let rows = std::mem::take(&mut self.weights[pivot]);
        self.rows -= rows;
        let mut coupled = std::mem::take(&mut self.neighbors[pivot]);
        for element in std::mem::take(&mut self.elements[pivot]) {
            coupled.append(&mut self.coupled[element]);
        }
        coupled.retain(|&other| {
            self.weights[other] > 0 && std::mem::replace(&mut self.touched[other], pivot) != pivot
        });
        let size = coupled.iter().map(|other| self.weights[*other]).sum();
        self.sizes[pivot] = size;
        self.measure(pivot, &coupled);
        for &other in &coupled {
            self.update(pivot, other);
        }
        self.unite(&coupled);
        coupled.retain(|&other| self.weights[other] > 0);
        for &other in &coupled {
            self.waiting.insert((self.degrees[other], other));
        }
        self.coupled[pivot] = coupled;
        products(rows, size)
    }

    /// The rows of all elements of these variables that are not among them.
    fn measure(&mut self, pivot: usize, coupled: &[usize]) {
        for &other in coupled {
            for &element in &self.elements[other] {
                if std::mem::replace(&mut self.reached[element], pivot) != pivot {
                    self.outside[element] = self.sizes[element];
                }
                self.outside[element] -= self.weights[other];
            }
        }
    }

    /// Adds the element of `pivot` to a variable.
    fn update(&mut self, pivot: usize, variable: usize) {
        let Self { neighbors, elements, coupled, weights, touched, outside, degrees, .. } = self;
        self.waiting.remove(&(degrees[variable], variable));
        elements[variable].retain(|&element| {
            if outside[element] == 0 {
                coupled[element].clear();
            }
            !coupled[element].is_empty()
        });
        neighbors[variable].retain(|&other| weights[other] > 0 && touched[other] != pivot);
        let added = self.sizes[pivot] - weights[variable];
        let apart: usize = neighbors[variable].iter().map(|other| weights[*other]).sum();
        let beyond: usize = elements[variable].iter().map(|element| outside[*element]).sum();
        elements[variable].push(pivot);
        degrees[variable] = (added + apart + beyond)
            .min(degrees[variable] + added)
            .min(self.rows - weights[variable]);
    }

    /// Makes variables of the last element that have the same elements and neighbors one.
    fn unite(&mut self, coupled: &[usize]) {
        let Self { neighbors, elements, weights, alike, degrees, .. } = self;
        let key = |variable: usize| {
            let sum = neighbors[variable].iter().chain(&elements[variable]).sum::<usize>();
            (sum, neighbors[variable].len(), elements[variable].len(), variable)
        };
        let mut keys: Vec<_> = coupled.iter().map(|variable| key(*variable)).collect();
        keys.sort_unstable();
        for (place, &(sum, few, many, first)) in keys.iter().enumerate() {
            let others = keys[place + 1..].iter();
            for &(.., other) in others.take_while(|key| (key.0, key.1, key.2) == (sum, few, many)) {
                let are_alike = weights[first] > 0
                    && weights[other] > 0
                    && neighbors[first] == neighbors[other]
                    && elements[first] == elements[other];
                if are_alike {
                    degrees[first] = degrees[first].saturating_sub(weights[other]);
                    weights[first] += std::mem::take(&mut weights[other]);
                    let mut more = std::mem::take(&mut alike[other]);
                    alike[first].append(&mut more);
                }
            }
        }
    }
}
