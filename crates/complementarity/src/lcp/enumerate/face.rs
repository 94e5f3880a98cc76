//! Vertices and rays of the solutions that belong to one complementary basis.
//!
//! The solutions of basis `α` form the polyhedron of all `x ≥ 0` with `x_i = z_i` (`i ∈ α`),
//! `x_i = w_i` (`i ∉ α`). With the free entries of the [`Basis`] and a homogenizing coordinate
//! `s ≥ 0` it is the section `s = 1` of a pointed cone that starts as an orthant and is cut by one
//! `x_i ≥ 0` after another (the double description method).
//!
//! # Source
//!
//! K. Fukuda, A. Prodon, "Double description method revisited", *Combinatorics and Computer
//! Science*, LNCS 1120 (1996) 91–111.

use super::basis::{Basis, Equations};
use crate::lcp::Problem;

/// A generator `(x, s)` of the cone, `n + 1` entries: a vertex when `s > 0`, otherwise a ray.
pub(super) type Generator = Vec<f64>;

/// Double precision does not suffice to decide whether the basis has solutions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Undecided;

/// The generators of the polyhedron of `alpha`, whose factors are in `basis`; empty if the polyhedron is, and `None` if
/// the equations of the basis contradict one another.
///
/// An entry counts as zero if it is at most `tolerance` times the sum of the magnitudes of its terms.
///
/// # Errors
///
/// [`Undecided`] when the basis is too ill-conditioned or its numbers leave the range of doubles.
pub(super) fn generators(
    problem: &Problem,
    alpha: u32,
    basis: &Basis,
    tolerance: f64,
) -> Result<Option<Vec<Generator>>, Undecided> {
    let n = problem.dimension();
    let Some(particular) = generator(problem, alpha, basis, None, tolerance)? else {
        return Ok(None);
    };
    let mut cone = vec![particular];
    for &free in basis.free() {
        cone.extend(generator(problem, alpha, basis, Some(free), tolerance)?);
    }
    let mut cut = 1 << n | basis.free().iter().fold(0, |set, i| set | 1 << i);
    for i in 0..n {
        if cut >> i & 1 == 0 {
            cone = cut_at(cone, i, cut, tolerance)?;
            cut |= 1 << i;
        }
    }
    let is_empty = cone.iter().all(|generator| generator[n] <= 0.0);
    Ok(Some(if is_empty { Vec::new() } else { cone }))
}

/// The starting generator along one free entry, or (`None`) the particular solution.
///
/// `Ok(None)` when the equations of the basis are inconsistent.
fn generator(
    problem: &Problem,
    alpha: u32,
    basis: &Basis,
    free: Option<usize>,
    tolerance: f64,
) -> Result<Option<Generator>, Undecided> {
    let n = problem.dimension();
    let mut x = vec![0.0; n + 1];
    match free {
        Some(free) => x[free] = 1.0,
        None => x[n] = 1.0,
    }
    let s = x[n];
    match basis.complete(problem, s, &mut x[..n], tolerance) {
        Equations::Consistent => {}
        Equations::Inconsistent => return Ok(None),
        Equations::Undecided => return Err(Undecided),
    }
    for i in (0..n).filter(|i| alpha >> i & 1 == 0) {
        let products = (0..n).filter(|j| alpha >> j & 1 == 1);
        let own = s * problem.vector()[i];
        let (w, terms) = products
            .map(|j| problem.matrix()[(i, j)] * x[j])
            .fold((own, own.abs()), |(sum, terms), product| (sum + product, terms + product.abs()));
        x[i] = if w.abs() <= tolerance * terms { 0.0 } else { w };
    }
    scale(&mut x)?;
    Ok(Some(x))
}

/// The part of the cone with `x_i ≥ 0`; `cut` is the set of the coordinates already cut.
fn cut_at(
    cone: Vec<Generator>,
    i: usize,
    cut: u32,
    tolerance: f64,
) -> Result<Vec<Generator>, Undecided> {
    if cone.iter().all(|generator| generator[i] >= 0.0) {
        return Ok(cone);
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
                kept.push(crossing(positive, negative, i, tolerance)?);
            }
        }
    }
    Ok(kept)
}

/// The generator on the segment between two others where `x_i = 0`.
fn crossing(
    positive: &Generator,
    negative: &Generator,
    i: usize,
    tolerance: f64,
) -> Result<Generator, Undecided> {
    let (p, m) = (positive[i], -negative[i]);
    let sum = |(a, b): (&f64, &f64)| {
        let (a, b) = (m * a, p * b);
        if (a + b).abs() <= tolerance * (a.abs() + b.abs()) { 0.0 } else { a + b }
    };
    let mut x: Generator = positive.iter().zip(negative).map(sum).collect();
    x[i] = 0.0;
    scale(&mut x)?;
    Ok(x)
}

/// Scales the largest entry to one, unless entries that are not zero would vanish.
fn scale(x: &mut Generator) -> Result<(), Undecided> {
    let size = x.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    for value in x.iter_mut() {
        let scaled = *value / size;
        if !scaled.is_finite() || (scaled == 0.0 && *value != 0.0) {
            return Err(Undecided);
        }
        *value = scaled;
    }
    Ok(())
}

fn zeros(generator: &Generator) -> u32 {
    generator.iter().rev().fold(0, |set, value| set << 1 | u32::from(*value == 0.0))
}
