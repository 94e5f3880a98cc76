//! Frictional contact problems: with round cones, for every solver of them and both laws, and with blocks.

mod blocks;

use nalgebra::DMatrix;
use percussion_complementarity::friction::{Law, Method, Problem, Status, mixed::Block};
use percussion_verify::friction as judge;
use serde::{Deserialize, Serialize};

use crate::{
    Case, Source, Tally, fuzz, lcp,
    matrices::{self, Rows, flat},
};

/// `u = W p + u_f`, three rows for each contact.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Friction {
    /// `W` by rows.
    pub delassus: Rows,
    /// `u_f`.
    pub free_velocity: Vec<f64>,
    /// Coefficients of friction; none in a problem with blocks.
    pub friction: Vec<f64>,
    /// Blocks in the order of the rows; none for round cones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Block>,
    /// Compliance of each row of a problem with blocks, or none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compliance: Vec<f64>,
}

/// A problem with blocks: joints, limits, bounded rows and contacts of any section.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Blocks(Friction);

/// The target `friction` for libFuzzer.
pub fn target(data: &[u8]) {
    fuzz::<Friction>(data);
}

/// The target `blocks` for libFuzzer.
pub fn target_of_blocks(data: &[u8]) {
    fuzz::<Blocks>(data);
}

impl Case for Blocks {
    const NAME: &'static str = "blocks";

    fn generate(source: &mut Source<'_>) -> Self {
        Self(blocks::generate(source))
    }

    fn check(&self, tally: &mut Tally) {
        self.0.check(tally);
    }

    fn smaller(&self) -> Vec<Self> {
        self.0.smaller().into_iter().map(Self).collect()
    }
}

impl Case for Friction {
    const NAME: &'static str = "friction";

    fn generate(source: &mut Source<'_>) -> Self {
        let contacts = source.pick(&[1, 1, 1, 2, 2, 3, 4]);
        let rows = 3 * contacts;
        let columns = source.pick(&[3, 6, 6, 12, 2, rows + 1]);
        let mut jacobian = matrices::jacobian(source, rows, columns);
        if source.chance(0.2) {
            // Contacts at the same place.
            for i in 3..rows {
                if source.chance(0.7) {
                    jacobian[i] = jacobian[i % 3].clone();
                }
            }
        }
        if source.chance(0.2) {
            // Weak coupling, as of spheres.
            for (i, row) in jacobian.iter_mut().enumerate() {
                row.iter_mut()
                    .enumerate()
                    .filter(|(j, _)| i % 3 != j % 3)
                    .for_each(|(_, x)| *x *= 1e-3);
            }
        }
        let decades = source.pick(&[0.0, 0.0, 0.0, 2.0, 6.0]);
        for contact in 0..contacts {
            let unit = matrices::unit(source, decades);
            jacobian[3 * contact..3 * contact + 3].iter_mut().flatten().for_each(|x| *x *= unit);
        }
        let mut delassus = matrices::delassus(source, &jacobian);
        let decades = source.pick(&[0.0, 0.0, 12.0, 150.0]);
        let unit = matrices::unit(source, decades);
        delassus.iter_mut().flatten().for_each(|w| *w *= unit);
        let style = source.style();
        let free_velocity = if source.chance(0.7) {
            // A velocity that bodies can have.
            let velocity: Rows = vec![(0..columns).map(|_| source.number(style)).collect()];
            matrices::product(&jacobian, &velocity).into_iter().map(|row| row[0]).collect()
        } else {
            (0..rows).map(|_| source.number(style)).collect::<Vec<f64>>()
        };
        let decades = source.pick(&[0.0, 0.0, 6.0, 100.0]);
        let speed = matrices::unit(source, decades);
        let friction = (0..contacts).map(|_| lcp::friction(source)).collect();
        Self {
            delassus,
            free_velocity: free_velocity.iter().map(|u| u * speed).collect(),
            friction,
            blocks: Vec::new(),
            compliance: Vec::new(),
        }
    }

    fn check(&self, tally: &mut Tally) {
        if !self.blocks.is_empty() {
            return blocks::check(self, tally);
        }
        let rows = self.free_velocity.len();
        let entries = flat(&self.delassus);
        let matrix = DMatrix::from_row_slice(rows, rows, &entries);
        let Ok(problem) = Problem::from_dense(&matrix, &self.free_velocity, &self.friction) else {
            tally.count("problem", "Refused");
            return;
        };
        let tangents = vec![2; self.friction.len()];
        let stated = judge::Problem {
            delassus: &entries,
            free_velocity: &self.free_velocity,
            tangents: &tangents,
            friction: &self.friction,
        };
        for method in Method::all() {
            for (law, name) in [
                (Law::Coulomb, judge::Law::Coulomb),
                (Law::MaximumDissipation, judge::Law::MaximumDissipation),
            ] {
                let tolerance = 1e-8;
                if !method.laws().contains(&law) {
                    continue;
                }
                let method = method.with_tolerance(tolerance);
                let label = format!("{}/{law:?}", method.name());
                match method.solve(&problem.by_law(law)) {
                    Ok(solution) => {
                        tally.count(&label, solution.report.status);
                        if solution.report.status == Status::Solved {
                            let impulse: Vec<f64> =
                                solution.impulses.iter().flat_map(|p| [p.x, p.y, p.z]).collect();
                            tally.judge(&label, &judge::judge(&stated, name, &impulse, tolerance));
                        }
                    }
                    Err(_) => tally.count(&label, "Refused"),
                }
            }
        }
    }

    fn smaller(&self) -> Vec<Self> {
        if !self.blocks.is_empty() {
            return blocks::smaller(self);
        }
        let contacts = self.friction.len();
        if contacts < 2 {
            return Vec::new();
        }
        let without = |k: usize| {
            let rows = (0..3 * contacts).filter(move |i| i / 3 != k);
            Self {
                delassus: rows
                    .clone()
                    .map(|i| rows.clone().map(|j| self.delassus[i][j]).collect())
                    .collect(),
                free_velocity: rows.map(|i| self.free_velocity[i]).collect(),
                friction: (0..contacts).filter(|&i| i != k).map(|i| self.friction[i]).collect(),
                blocks: Vec::new(),
                compliance: Vec::new(),
            }
        };
        (0..contacts).map(without).collect()
    }
}
