//! Linear complementarity problems, for every solver of them.

use nalgebra::{DMatrix, DVector};
use percussion_complementarity::lcp::{Method, Problem, Status, enumerate, lemke};
use percussion_verify::lcp as judge;
use serde::{Deserialize, Serialize};

use crate::{
    Case, Source, Style, Tally, fuzz,
    matrices::{self, Rows, flat},
};

/// Largest number of unknowns that are enumerated: 2⁷ bases.
const ENUMERATED: usize = 7;

/// `w = M z + q`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Lcp {
    /// `M` by rows.
    pub matrix: Rows,
    /// `q`.
    pub vector: Vec<f64>,
}

/// The target for libFuzzer.
pub fn target(data: &[u8]) {
    fuzz::<Lcp>(data);
}

impl Case for Lcp {
    const NAME: &'static str = "lcp";

    fn generate(source: &mut Source<'_>) -> Self {
        let n = 1 + source.below(8);
        let style = source.style();
        let mut matrix = match source.below(8) {
            0..=2 => {
                let columns = 1 + source.below(6);
                let jacobian = matrices::jacobian(source, n, columns);
                matrices::delassus(source, &jacobian)
            }
            3 => step(source),
            4 => dominant(source, n, style),
            5 => matrices::numbers(source, n, n, Style::Integer),
            6 => symmetric(source, n, style),
            _ => matrices::numbers(source, n, n, style),
        };
        let n = matrix.len();
        let style = source.style();
        let mut vector: Vec<f64> = (0..n).map(|_| source.number(style)).collect();
        match source.below(4) {
            0 => vector.iter_mut().for_each(|q| *q = -q.abs()),
            1 => {
                // A vector for which a solution is known: z and w with disjoint supports.
                let z: Vec<f64> = (0..n).map(|_| source.number(style).max(0.0)).collect();
                for (row, q) in matrix.iter().zip(&mut vector) {
                    let w = q.abs();
                    let product: f64 = row.iter().zip(&z).map(|(m, z)| m * z).sum();
                    *q = if source.chance(0.5) { w - product } else { -product };
                }
            }
            _ => {}
        }
        scale(source, &mut matrix, &mut vector);
        Self { matrix, vector }
    }

    fn check(&self, tally: &mut Tally) {
        let n = self.vector.len();
        let entries = flat(&self.matrix);
        let matrix = DMatrix::from_row_slice(n, n, &entries);
        let Ok(problem) = Problem::new(matrix, DVector::from_column_slice(&self.vector)) else {
            tally.count("problem", "Refused");
            return;
        };
        let mut solutions = Vec::new();
        for method in Method::all() {
            let tolerance = match method {
                Method::Lemke(settings) => settings.tolerance,
                Method::ProjectedGaussSeidel(settings) => settings.tolerance,
                Method::FischerBurmeister(settings) => settings.tolerance,
                _ => 1e-10,
            };
            match method.solve(&problem) {
                Ok(solution) => {
                    tally.count(method.name(), solution.report.status);
                    if solution.report.status == Status::Solved {
                        let z = solution.z.as_slice();
                        let verdict = judge::judge(&entries, &self.vector, z, tolerance);
                        // A problem may have no solution although another one within the tolerance has.
                        if judge::is_exact(&entries, &self.vector, z) {
                            solutions.push(z.to_vec());
                        }
                        tally.judge(method.name(), &verdict);
                    }
                }
                Err(_) => tally.count(method.name(), "Refused"),
            }
        }
        self.ray(&problem, &entries, tally);
        if n <= ENUMERATED {
            self.enumerated(&problem, &entries, &solutions, tally);
        }
    }

    fn smaller(&self) -> Vec<Self> {
        let n = self.vector.len();
        if n < 2 {
            return Vec::new();
        }
        let without = |k: usize| {
            let keep = |i: &usize| *i != k;
            let rows = (0..n).filter(keep);
            Self {
                matrix: rows
                    .clone()
                    .map(|i| rows.clone().map(|j| self.matrix[i][j]).collect())
                    .collect(),
                vector: rows.map(|i| self.vector[i]).collect(),
            }
        };
        (0..n).map(without).collect()
    }
}

impl Lcp {
    /// A secondary ray of Lemke's method is a half line of solutions of the problem with the covering vector `d`: its
    /// direction satisfies `z ≥ 0`, `w = M z + d z₀ ≥ 0`, `z·w = 0` and is not zero.
    fn ray(&self, problem: &Problem, entries: &[f64], tally: &mut Tally) {
        let n = self.vector.len();
        let mut workspace = lemke::Workspace::new(n);
        let mut z = DVector::zeros(n);
        let settings = lemke::Settings::default();
        let Ok(report) = lemke::solve(problem, &settings, &mut workspace, &mut z) else { return };
        if report.status == Status::Ray && self.semidefinite() {
            // For a semidefinite matrix a ray exists only where no solution does.
            let (matrix, vector) = (entries, &self.vector);
            let enumerated = enumerate::solve(problem, &enumerate::Settings::default());
            for vertex in enumerated.iter().flat_map(|set| &set.vertices) {
                if judge::judge(matrix, vector, vertex.z.as_slice(), 1e-10).holds() {
                    tally.count("lemke", "RayWithASolution");
                    break;
                }
            }
        }
    }

    /// Whether the matrix is symmetric with nonnegative principal minors of order two, as those of contacts are.
    fn semidefinite(&self) -> bool {
        let m = &self.matrix;
        let n = m.len();
        n <= ENUMERATED
            && (0..n).all(|i| {
                (0..n).all(|j| {
                    m[i][j].to_bits() == m[j][i].to_bits() && m[i][j] * m[i][j] <= m[i][i] * m[j][j]
                })
            })
    }

    /// Whether the matrix of the positive entries of `z` is singular up to `rounding`, with rows and columns in units in
    /// which their largest entries are about one.
    fn is_far_out(&self, z: &[f64], rounding: f64) -> bool {
        let support: Vec<usize> = (0..z.len()).filter(|&i| z[i] > 0.0).collect();
        let size = support.len();
        let mut basis = DMatrix::from_fn(size, size, |i, j| self.matrix[support[i]][support[j]]);
        for _ in 0..10 {
            for k in 0..size {
                let largest = basis.row(k).amax().sqrt();
                basis.row_mut(k).scale_mut(1.0 / largest);
                let largest = basis.column(k).amax().sqrt();
                basis.column_mut(k).scale_mut(1.0 / largest);
            }
        }
        if basis.iter().any(|entry| !entry.is_finite()) {
            return false;
        }
        let values = basis.singular_values();
        values.iter().any(|value| *value <= rounding * values.max())
    }

    fn enumerated(
        &self,
        problem: &Problem,
        entries: &[f64],
        solutions: &[Vec<f64>],
        tally: &mut Tally,
    ) {
        let settings = enumerate::Settings::default();
        let Ok(set) = enumerate::solve(problem, &settings) else {
            tally.count("enumerate", "Refused");
            return;
        };
        tally.count("enumerate", if set.vertices.is_empty() { "None" } else { "Some" });
        for vertex in &set.vertices {
            let verdict =
                judge::judge(entries, &self.vector, vertex.z.as_slice(), settings.tolerance);
            tally.judge("enumerate", &verdict);
        }
        // Far out rounding hides what no exact solution could have: `z_1 − z_3 ≥ 1` and `≤ −1` at `z` of 1e30.
        if set.has_none() && solutions.iter().any(|z| !self.is_far_out(z, settings.rank_tolerance))
        {
            tally.fail(
                "enumerate",
                "found no solution and says that there is none, but there is one",
            );
        }
        // A solution may be missing far out, but no other.
        let is_missing = set.vertices.is_empty() && set.unverified == 0 && !solutions.is_empty();
        if is_missing && solutions.iter().all(|z| self.is_far_out(z, settings.rank_tolerance)) {
            tally.count("enumerate", "MissedFarOut");
        } else if is_missing {
            tally.fail("enumerate", "found no solution, but there is one that is not far out");
        }
    }
}

/// The matrix of a time step with polyhedral friction: copositive.
fn step(source: &mut Source<'_>) -> Rows {
    let contacts = 1 + source.below(2);
    let columns = 1 + source.below(4);
    let tangents = matrices::jacobian(source, 2 * contacts, columns);
    // Normals first, then both directions of each tangent.
    let mut rows: Rows = tangents[..contacts].to_vec();
    for tangent in &tangents[contacts..] {
        rows.push(tangent.clone());
        rows.push(tangent.iter().map(|x| -x).collect());
    }
    let w = matrices::delassus(source, &rows);
    let n = 4 * contacts;
    let mut matrix = vec![vec![0.0; n]; n];
    for (i, row) in w.iter().enumerate() {
        matrix[i][..3 * contacts].copy_from_slice(row);
    }
    for k in 0..contacts {
        let slip = 3 * contacts + k;
        matrix[slip][k] = friction(source);
        for direction in [contacts + 2 * k, contacts + 2 * k + 1] {
            matrix[direction][slip] = 1.0;
            matrix[slip][direction] = -1.0;
        }
    }
    matrix
}

/// A coefficient of friction: zero in a third of the contacts, up to `1e8`.
pub fn friction(source: &mut Source<'_>) -> f64 {
    match source.below(6) {
        0 | 1 => 0.0,
        2 => source.between(0.0, 0.2),
        3 => source.between(0.0, 1.5),
        4 => source.pick(&[0.5, 1.0, 0.1, 1.0 / 3.0]),
        _ => 10.0_f64.powf(source.between(-2.0, 8.0)),
    }
}

fn dominant(source: &mut Source<'_>, n: usize, style: Style) -> Rows {
    let mut matrix = matrices::numbers(source, n, n, style);
    for (i, row) in matrix.iter_mut().enumerate() {
        row[i] = 0.0;
        row[i] = row.iter().map(|x| x.abs()).sum::<f64>() + source.unit();
    }
    matrix
}

fn symmetric(source: &mut Source<'_>, n: usize, style: Style) -> Rows {
    let matrix = matrices::numbers(source, n, n, style);
    (0..n).map(|i| (0..n).map(|j| matrix[i.min(j)][i.max(j)]).collect()).collect()
}

/// Units of rows and unknowns.
fn scale(source: &mut Source<'_>, matrix: &mut Rows, vector: &mut [f64]) {
    let n = vector.len();
    let decades = source.pick(&[0.0, 0.0, 0.0, 3.0, 12.0, 70.0]);
    let units = |source: &mut Source<'_>| -> Vec<f64> {
        let all = matrices::unit(source, decades);
        (0..n).map(|_| if source.chance(0.3) { source.power(decades) } else { all }).collect()
    };
    let (rows, columns) = (units(source), units(source));
    let same = source.chance(0.5);
    for i in 0..n {
        let row = rows[i];
        vector[i] *= row;
        for j in 0..n {
            matrix[i][j] *= row * if same { rows[j] } else { columns[j] };
        }
    }
}
