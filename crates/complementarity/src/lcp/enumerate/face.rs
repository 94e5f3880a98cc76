//! Vertices and rays of the solutions that belong to one complementary basis.
//!
//! The solutions of basis `α` form the polyhedron of all `x ≥ 0` with `x_i = z_i` (`i ∈ α`),
//! `x_i = w_i` (`i ∉ α`). With the free entries of the [`Basis`] and a homogenizing coordinate
//! `s ≥ 0` it is the section `s = 1` of a pointed cone that starts as an orthant and is cut by one
//! `x_i ≥ 0` after the other (the double description method).
//!
//! # Source
//!
//! K. Fukuda, A. Prodon, "Double description method revisited", *Combinatorics and Computer
//! Science*, LNCS 1120 (1996) 91–111.

use super::basis::Basis;
use crate::lcp::Problem;

/// A generator `(x, s)` of the cone, `n + 1` entries: a vertex when `s > 0`, otherwise a ray.
pub(super) type Generator = Vec<f64>;

/// The generators of the polyhedron of `alpha`, whose factors are in `basis`; none when it is empty.
///
/// An entry of at most `tolerance` times the largest of its generator is zero.
pub(super) fn generators(
    problem: &Problem,
    alpha: u32,
    basis: &Basis,
    tolerance: f64,
) -> Vec<Generator> {
    let n = problem.dimension();
    let Some(particular) = generator(problem, alpha, basis, None, tolerance) else {
        return Vec::new();
    };
    let mut cone = vec![particular];
    for &free in basis.free() {
        cone.extend(generator(problem, alpha, basis, Some(free), tolerance));
    }
    let mut cut = 1 << n | basis.free().iter().fold(0, |set, i| set | 1 << i);
    for i in 0..n {
        if cut >> i & 1 == 0 {
            cone = cut_at(cone, i, cut, tolerance);
            cut |= 1 << i;
        }
    }
    if cone.iter().any(|generator| generator[n] > 0.0) { cone } else { Vec::new() }
}

/// The starting generator along one free entry, or (`None`) the particular solution.
///
/// `None` when the equations of the basis are inconsistent.
fn generator(
    problem: &Problem,
    alpha: u32,
    basis: &Basis,
    free: Option<usize>,
    tolerance: f64,
) -> Option<Generator> {
    let n = problem.dimension();
    let mut x = vec![0.0; n + 1];
    match free {
        Some(free) => x[free] = 1.0,
        None => x[n] = 1.0,
    }
    let s = x[n];
    let gap = basis.complete(problem, s, &mut x[..n]);
    let size = x.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    if !size.is_finite() || gap > tolerance * size {
        return None;
    }
    for i in (0..n).filter(|i| alpha >> i & 1 == 0) {
        let products = (0..n).filter(|j| alpha >> j & 1 == 1);
        let w: f64 = products.map(|j| problem.matrix()[(i, j)] * x[j]).sum();
        x[i] = w + s * problem.vector()[i];
    }
    tidy(&mut x, tolerance);
    Some(x)
}

/// The part of the cone with `x_i ≥ 0`; `cut` is the set of the coordinates already cut.
fn cut_at(cone: Vec<Generator>, i: usize, cut: u32, tolerance: f64) -> Vec<Generator> {
    if cone.iter().all(|generator| generator[i] >= 0.0) {
        return cone;
    }
    let zeros: Vec<u32> = cone.iter().map(|generator| zeros(generator) & cut).collect();
    let adjacent = |a: usize, b: usize| {
        let common = zeros[a] & zeros[b];
        (0..cone.len()).all(|c| c == a || c == b || zeros[c] & common != common)
    };
    let mut kept = Vec::new();
    for (a, positive) in cone.iter().enumerate() {
        if positive[i] >= 0.0 {
            kept.push(positive.clone());
        }
        for (b, negative) in cone.iter().enumerate() {
            if positive[i] > 0.0 && negative[i] < 0.0 && adjacent(a, b) {
                kept.push(crossing(positive, negative, i, tolerance));
            }
        }
    }
    kept
}

/// The generator on the segment between two others where `x_i = 0`.
fn crossing(positive: &Generator, negative: &Generator, i: usize, tolerance: f64) -> Generator {
    let (p, m) = (positive[i], -negative[i]);
    let mut x: Generator = positive.iter().zip(negative).map(|(a, b)| m * a + p * b).collect();
    x[i] = 0.0;
    tidy(&mut x, tolerance);
    x
}

/// Scales the largest entry to one and sets negligible ones to zero, but never `s`: it separates
/// vertices from rays and is exactly zero for rays.
fn tidy(x: &mut Generator, tolerance: f64) {
    let size = x.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let last = x.len() - 1;
    for (i, value) in x.iter_mut().enumerate() {
        *value /= size;
        if i != last && value.abs() <= tolerance {
            *value = 0.0;
        }
    }
}

fn zeros(generator: &Generator) -> u32 {
    generator.iter().rev().fold(0, |set, value| set << 1 | u32::from(*value == 0.0))
}
