//! The condition of TREX over two of its angles: [`map`].
//!
//! Tail and right foot on the floor and orthogonal normals are three conditions on eleven variables, so that where they
//! are independent the stances that meet them form a family with eight parameters. The map shows a plane of it.

use std::f64::consts::{PI, TAU};

use percussion_mechanism::design::Design;
use percussion_record::{Figure, Map, Mark, Series};

use super::index;
use crate::{error::Error, experiments::drawing};

/// Angles of the right hip and the right knee (rad).
const REGION: [[f64; 2]; 2] = [[1.4, 3.1], [4.6, 6.2]];
/// Cells along either angle.
const CELLS: u32 = 48;

/// The product `⟨u, v⟩` over both angles of the right leg. The height and the angle of the tail put foot and tail on the
/// floor; all other variables are those of the initial stance.
pub(super) fn map(design: &Design, published: &[f64], found: &[f64]) -> Result<Figure, Error> {
    let cell = REGION.map(|[begin, end]| (end - begin) / f64::from(CELLS));
    let middle = |k: usize, at: u32| REGION[k][0] + (f64::from(at) + 0.5) * cell[k];
    let (mut cells, mut zeros) = (Vec::new(), Vec::new());
    for hip in (0..CELLS).map(|at| middle(0, at)) {
        let mut before: Option<[f64; 2]> = None;
        for knee in (0..CELLS).map(|at| middle(1, at)) {
            let Some(stance) = standing(design, hip, knee) else {
                before = None;
                continue;
            };
            let product = design.cosines_at(&stance)?[0];
            cells.push([hip, knee, product]);
            if let Some([angle, last]) = before.filter(|[_, last]| last * product < 0.0) {
                zeros.push([hip, angle + (knee - angle) * last / (last - product)]);
            }
            before = Some([knee, product]);
        }
    }
    let angles = ["phi_R", "gamma_R"].map(|name| index(design, name));
    let stance = |label: &str, values: &[f64]| Series {
        label: label.to_owned(),
        mark: Mark::Dots,
        points: vec![angles.map(|angle| values[angle])],
    };
    Ok(Figure {
        id: "objective".to_owned(),
        title: "Stances with one outcome form families".to_owned(),
        caption: "Product ⟨u, v⟩ of the unit normals of tail and right foot over the angles of the right leg, with both on \
                  the floor and all else as in the initial stance; where the tail does not reach the floor or the body is too low there is no color. \
                  On the curve of zeros every stance lands with one outcome. The other two stances also differ in variables \
                  that the map holds fixed, so that they need not lie on it."
            .to_owned(),
        x: drawing::axis("φ of the right hip", "rad"),
        y: drawing::axis("γ of the right knee", "rad"),
        equal_aspect: true,
        map: Some(Map { value: drawing::axis("⟨u, v⟩", ""), cell, cells }),
        series: vec![
            Series { label: "zeros".to_owned(), mark: Mark::Dots, points: zeros },
            stance("initial", &design.start()),
            stance("found", found),
            stance("optimized, Table I", published),
        ],
    })
}

/// The initial stance with other angles of the right leg, and the height and the angle of the tail with which the foot and
/// the tail touch the floor, if there are any in range.
fn standing(design: &Design, hip: f64, knee: f64) -> Option<Vec<f64>> {
    let mut stance = design.start();
    let at = |name| index(design, name);
    let value = |name| design.start()[index(design, name)];
    let (theta, r1, r2) = (value("theta"), value("r1"), value("r2"));
    let thigh = theta + hip + PI;
    let height = -value("l_u") * thigh.sin() - value("l_l") * (thigh + knee).sin();
    let tail = r1 * (r1 + r2) / (r1 - r2) - (r1 + r2);
    let angle = (-(height + (r1 + r2) * theta.sin()) / tail).asin();
    let lowest = design.variables[at("y")].lower.unwrap_or(0.0);
    if height < lowest || !angle.is_finite() {
        return None;
    }
    stance[at("y")] = height;
    stance[at("phi_R")] = hip;
    stance[at("gamma_R")] = knee;
    stance[at("phi_T")] = (angle - theta + PI).rem_euclid(TAU) - PI;
    Some(stance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    /// Every zero of the map is a stance with both contacts on the floor, and there are many.
    #[test]
    fn zeros_are_stances_on_the_floor_with_orthogonal_normals() {
        let design = fixtures::design("trex").unwrap();
        let figure = map(&design, &design.start(), &design.start()).unwrap();
        let zeros = &figure.series[0].points;
        assert!(zeros.len() > 10, "{}", zeros.len());
        for [hip, knee] in zeros {
            let stance = standing(&design, *hip, *knee).unwrap();
            let gaps = design.gaps_at(&stance).unwrap();
            assert!(gaps[..2].iter().all(|gap| gap.abs() < 1e-12), "{gaps:?}");
            let product = design.cosines_at(&stance).unwrap()[0];
            assert!(product.abs() < 2e-3, "{product}");
        }
    }
}
