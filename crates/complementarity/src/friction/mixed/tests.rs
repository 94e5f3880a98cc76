//! Closed forms of one problem, invariances and statuses.

mod inputs;

use nalgebra::{DMatrix, DVector, dmatrix};

use super::*;
use crate::friction::{
    Method, Status,
    mixed::settings::{Bilateral, Steps},
};

fn solved(problem: &Problem) -> Solution {
    let solution = problem.solve(&Settings::default()).unwrap();
    assert_eq!(solution.report.status, Status::Solved, "{:?}", solution.report);
    solution
}

fn identity(rows: usize, free: &[f64], section: Section) -> Problem {
    let block = Block { rows, ..Block::contact(section) };
    Problem::new(DMatrix::identity(rows, rows), free.to_vec(), vec![block]).unwrap()
}

/// A seeded operator of `rows` rows on `columns` coordinates.
fn operator(rows: usize, columns: usize, seed: u64) -> (DMatrix<f64>, DMatrix<f64>) {
    use rand::{Rng, SeedableRng};
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let jacobian = DMatrix::from_fn(rows, columns, |_, _| {
        (random.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    });
    (&jacobian * jacobian.transpose(), jacobian)
}

#[test]
fn a_sliding_block_feels_the_friction_of_its_ellipse() {
    // −λ_n A² t/‖A t‖ for the slip t, exactly.
    let axes: [f64; 2] = [0.9, 0.2];
    for degrees in [0.0_f64, 3.0, 30.0, 60.0, 89.0, 90.0, 200.0, 315.0] {
        let t = [degrees.to_radians().cos(), degrees.to_radians().sin()];
        let length = (axes[0] * t[0]).hypot(axes[1] * t[1]);
        let friction = [0, 1].map(|i| -2.0 * axes[i] * axes[i] * t[i] / length);
        let free = [-2.0, 3.0 * t[0] - friction[0], 3.0 * t[1] - friction[1]];
        let solution = solved(&identity(3, &free, Section::Ellipse(axes)));
        for i in 0..2 {
            assert!((solution.impulses[i + 1] - friction[i]).abs() < 1e-12, "{degrees}");
            assert!((solution.velocities[i + 1] - 3.0 * t[i]).abs() < 1e-12, "{degrees}");
        }
    }
}

#[test]
fn an_ellipse_of_equal_axes_is_the_disc() {
    let (delassus, jacobian) = operator(6, 7, 1);
    let free: Vec<f64> =
        (jacobian * DVector::from_fn(7, |i, _| (i as f64).sin())).iter().copied().collect();
    let problem = |section: [Section; 2]| {
        let blocks = section.map(Block::contact).to_vec();
        Problem::new(delassus.clone(), free.clone(), blocks).unwrap()
    };
    let ellipse = problem([Section::Ellipse([0.4; 2]), Section::Ellipse([0.7; 2])]);
    let disc = problem([Section::Disc(0.4), Section::Disc(0.7)]);
    let (first, second) = (solved(&ellipse), solved(&disc));
    for (a, b) in first.velocities.iter().zip(&second.velocities) {
        assert!((a - b).abs() < 1e-14 * disc.velocity_scale(), "{a} {b}");
    }
    // The disc by the solvers of discs.
    let method = Method::default().with_tolerance(1e-12);
    let mut impulses = vec![0.0; 6];
    method.solve_blocks_from(&disc, &mut impulses).unwrap();
    let plain = method.solve(&disc.discs().unwrap()).unwrap();
    let same = impulses.iter().zip(plain.impulses.iter().flatten());
    assert!(same.clone().all(|(a, b)| a.to_bits() == b.to_bits()), "{impulses:?}");
    for (a, b) in disc.velocities(&impulses).iter().zip(&second.velocities) {
        assert!((a - b).abs() < 1e-10 * disc.velocity_scale(), "{a} {b}");
    }
    // Both residuals are one.
    for (index, trial) in [[0.3; 6], [1.0, -0.2, 0.1, 0.5, 0.6, -0.7]].iter().enumerate() {
        let vectors: Vec<_> = trial.chunks(3).map(nalgebra::Vector3::from_column_slice).collect();
        let known = disc.discs().unwrap().relative_residual(&vectors);
        assert!((disc.relative_residual(trial) - known).abs() < 1e-14, "{index}");
        assert!((ellipse.relative_residual(trial) - known).abs() < 1e-14, "{index}");
    }
}

#[test]
fn turned_tangents_and_swapped_axes_change_nothing() {
    let (delassus, _) = operator(3, 6, 2);
    let free = [-1.0, 2.0, 0.7];
    let turn = dmatrix![1.0, 0.0, 0.0; 0.0, 0.0, 1.0; 0.0, -1.0, 0.0];
    let turned: Vec<f64> = (&turn * DVector::from_column_slice(&free)).iter().copied().collect();
    let problem = |matrix: DMatrix<f64>, free: &[f64], axes| {
        Problem::new(matrix, free.to_vec(), vec![Block::contact(Section::Ellipse(axes))]).unwrap()
    };
    let first = solved(&problem(delassus.clone(), &free, [0.3, 0.1]));
    let second = solved(&problem(&turn * delassus * turn.transpose(), &turned, [0.1, 0.3]));
    let back = turn.transpose() * DVector::from_vec(second.impulses);
    for (a, b) in first.impulses.iter().zip(back.iter()) {
        assert!((a - b).abs() < 1e-13, "{a} {b}");
    }
}

#[test]
fn polygons_tend_to_the_disc() {
    // The power of a regular polygon misses that of the disc by at most (π²/2) k⁻², the direction by π/k.
    let (free, mut errors) = ([-1.0, 3.0, 1.234], Vec::new());
    let disc = solved(&identity(3, &free, Section::Disc(0.5)));
    for k in [8, 16, 32, 64, 128] {
        let corner = |i: usize| {
            let angle = std::f64::consts::TAU * i as f64 / k as f64;
            [0.5 * angle.cos(), 0.5 * angle.sin()]
        };
        let polygon = Section::Polygon((0..k).map(corner).collect());
        let solution = solved(&identity(3, &free, polygon));
        let angle = |s: &Solution| s.impulses[2].atan2(s.impulses[1]);
        let turned = (angle(&solution) - angle(&disc)).abs() * k as f64;
        assert!(turned < 3.2, "{k} {turned}");
        let support = |u: &[f64]| {
            (0..k).map(|i| -(corner(i)[0] * u[1] + corner(i)[1] * u[2])).fold(0.0, f64::max)
        };
        let slip = disc.velocities[1].hypot(disc.velocities[2]);
        let lost = (1.0 - support(&disc.velocities) / (0.5 * slip)) * (k * k) as f64;
        assert!((-1e-9..=4.94).contains(&lost), "{k} {lost}");
        errors.push(turned / k as f64);
    }
    assert!(errors[4] < 0.05, "{errors:?}");
}

#[test]
fn a_wheel_creeps_as_its_section_says() {
    // Rolling along t₂ at 1 m/s under the side load s μ₁ λ_n, balanced by friction of the steady slip:
    // t₁/t₂ = (μ₂/μ₁) s/√(1 − s²) for the ellipse, none for a rectangle or for μ₂ = 0.
    let (mu, s): ([f64; 2], f64) = ([0.8, 0.08], 0.5);
    let expected = mu[1] / mu[0] * s / (1.0 - s * s).sqrt();
    assert!((expected.atan().to_degrees() - 3.3).abs() < 0.01);
    let rectangle = vec![[0.8, 0.08], [-0.8, 0.08], [-0.8, -0.08], [0.8, -0.08]];
    for (section, creep) in [
        (Section::Ellipse(mu), expected),
        (Section::Ellipse([0.8, 0.0]), 0.0),
        (Section::Polygon(rectangle), 0.0),
    ] {
        // The side velocity follows the balance; the forward one is held by a large mass.
        let delassus = DMatrix::from_diagonal(&DVector::from_vec(vec![1.0, 1.0, 1e-6]));
        let mut u = [0.0, 1.0];
        for _ in 0..200 {
            let free = vec![-1.0, u[0] + s * mu[0], 1.0];
            let problem =
                Problem::new(delassus.clone(), free, vec![Block::contact(section.clone())])
                    .unwrap();
            let solution = solved(&problem);
            u = [solution.velocities[1], solution.velocities[2]];
        }
        assert!((u[0] / u[1] - creep).abs() < 1e-6, "{section} {}", u[0] / u[1]);
    }
}

#[test]
fn a_spinning_soft_finger_slows_by_its_moment() {
    // m = 2, I = 0.01, λ_n = m g h: the spin falls by μ_τ m g h/I.
    let (mass, inertia, push, reach) = (2.0, 0.01, 0.5, 0.004);
    let delassus = DMatrix::from_diagonal(&DVector::from_vec(vec![
        1.0 / mass,
        1.0 / mass,
        1.0 / mass,
        1.0 / inertia,
    ]));
    let free = vec![-push / mass, 0.0, 0.0, 7.0];
    let block = vec![Block::contact(Section::Spin([0.5, 0.5, reach]))];
    let solution = solved(&Problem::new(delassus, free, block).unwrap());
    assert!((solution.velocities[3] - (7.0 - reach * push / inertia)).abs() < 1e-12);
    assert!((solution.impulses[3] + reach * push).abs() < 1e-15);
}

/// A solid ball of radius `R` and mass 1 on the ground: normal, slips, spin and rolling about the tangents.
fn ball(radius: f64, push: f64, speed: f64, section: Section) -> Problem {
    let inertia = 0.4 * radius * radius;
    // Coordinates v_x, v_y, v_z, ω_x, ω_y, ω_z; the ground touches at −R e_z.
    let jacobian = dmatrix![
        0.0, 0.0, 1.0, 0.0, 0.0, 0.0;
        1.0, 0.0, 0.0, 0.0, -radius, 0.0;
        0.0, 1.0, 0.0, radius, 0.0, 0.0;
        0.0, 0.0, 0.0, 0.0, 0.0, 1.0;
        0.0, 0.0, 0.0, 1.0, 0.0, 0.0;
        0.0, 0.0, 0.0, 0.0, 1.0, 0.0
    ];
    let inverse = DMatrix::from_diagonal(&DVector::from_vec(vec![
        1.0,
        1.0,
        1.0,
        1.0 / inertia,
        1.0 / inertia,
        1.0 / inertia,
    ]));
    let free = &jacobian * DVector::from_vec(vec![speed, 0.0, -push, 0.0, speed / radius, 0.0]);
    let delassus = &jacobian * inverse * jacobian.transpose();
    Problem::new(delassus, free.as_slice().to_vec(), vec![Block::contact(section)]).unwrap()
}

#[test]
fn a_rolling_ball_slows_without_slip_by_the_product_and_slips_by_the_joint_ellipsoid() {
    let (radius, push, mu, rolling) = (0.1, 0.02, 0.5, 0.004);
    let solution = solved(&ball(radius, push, 1.0, Section::Rolling([mu, 0.001, rolling])));
    // a = (5/7) μ_ρ g/R with g h = push.
    let slowed = 5.0 / 7.0 * rolling * push / radius;
    let omega = solution.velocities[5];
    assert!((omega * radius - (1.0 - slowed)).abs() < 1e-13, "{}", omega * radius);
    assert!(solution.velocities[1].abs() < 1e-14, "no slip");
    let joint = Section::JointEllipsoid([mu, mu, 0.001, rolling, rolling]);
    let solution = solved(&ball(radius, push, 1.0, joint.clone()));
    assert!(solution.velocities[1].abs() < 0.01 * 5.0 / 7.0, "as the slip begins");
    // Steady slip: the friction that slows v as ω R.
    let (mut v, mut omega) = (1.0, 1.0 / radius);
    for _ in 0..400 {
        let problem = ball(radius, push, 1.0, joint.clone());
        let mut free = problem.free_velocity().to_vec();
        (free[1], free[5]) = (v - omega * radius, omega);
        let problem =
            Problem::new(problem.delassus().clone(), free, problem.blocks().to_vec()).unwrap();
        let p = solved(&problem).impulses;
        v += p[1];
        omega += (p[5] - radius * p[1]) / (0.4 * radius * radius);
        // The same speed again.
        (v, omega) = (v / omega / radius, 1.0 / radius);
    }
    let slip = (v - omega * radius).abs() / (omega * radius);
    let expected = 5.0 / 7.0 * (rolling / (mu * radius)).powi(2);
    assert!((slip / expected - 1.0).abs() < 0.02, "{slip} {expected}");
}

#[test]
fn dry_friction_holds_a_joint_up_to_its_bound() {
    for (push, speed) in
        [(0.5, 0.0), (0.999_999_999, 0.0), (1.000_000_001, 2e-9), (1.5, 1.0), (-1.5, -1.0)]
    {
        let problem =
            Problem::new(dmatrix![2.0], vec![2.0 * push], vec![Block::bound(1.0)]).unwrap();
        let solution = solved(&problem);
        assert!((solution.velocities[0] - speed).abs() < 1e-15, "{push}");
        assert!(solution.impulses[0].abs() <= 1.0);
    }
}

#[test]
fn bounds_are_met_to_the_last_bit() {
    for bound in [0.5, 0.1, 0.3, 1.0 / 3.0, 7.1] {
        for compliance in [0.5, 0.7, 3.3] {
            let (matrix, free) = (DMatrix::from_element(1, 1, compliance), vec![10.0 * compliance]);
            let problem = Problem::new(matrix, free, vec![Block::bound(bound)]).unwrap();
            assert_eq!(solved(&problem).impulses[0].to_bits(), (-bound).to_bits());
        }
    }
}

#[test]
fn a_limit_takes_what_its_motor_pushes() {
    // One joint: a motor that wants 3 rad/s with at most 2 N·m·s against a limit.
    let delassus = dmatrix![1.0, -1.0; -1.0, 1.0];
    let blocks = vec![Block::bound(2.0), Block::unilateral(1)];
    let solution = solved(&Problem::new(delassus, vec![-3.0, 0.0], blocks).unwrap());
    assert!(
        (solution.impulses[0] - 2.0).abs() < 1e-12 && (solution.impulses[1] - 2.0).abs() < 1e-12
    );
}

#[test]
fn redundant_bilateral_rows_change_no_velocity_and_share_their_impulse() {
    for seed in 0..40 {
        // Three joints rows, friction of a joint, a limit and a contact; then copies of the joint rows.
        let (_, jacobian) = operator(8, 9, seed);
        let copies = DMatrix::from_fn(11, 9, |i, j| {
            let row = if i < 3 { i } else { i.saturating_sub(3) };
            jacobian[(row, j)] * if i == 1 { 3.0 } else { 1.0 }
        });
        let state = DVector::from_fn(9, |i, _| ((i + 1) as f64 * (seed as f64 + 0.3)).sin());
        let others = || {
            vec![
                Block::bound(0.2),
                Block::unilateral(1),
                Block::contact(Section::Ellipse([0.1, 0.05])),
            ]
        };
        let problem = |jacobian: &DMatrix<f64>, rows| {
            let blocks = [vec![Block::bilateral(rows)], others()].concat();
            let free = (jacobian * &state).as_slice().to_vec();
            Problem::new(jacobian * jacobian.transpose(), free, blocks).unwrap()
        };
        let (plain, more) = (problem(&jacobian, 3), problem(&copies, 6));
        let sharp = Settings { tolerance: 1e-12, ..Settings::default() };
        let first = plain.solve(&sharp).unwrap();
        let second = more.solve(&sharp).unwrap();
        let kept = Settings { bilateral: Bilateral::Keep, ..sharp };
        let third = more.solve(&kept).unwrap();
        assert_eq!(third.report.status, Status::Solved, "{seed}");
        for row in 0..5 {
            let scale = 1e-10 * plain.velocity_scale();
            let (a, b) = (first.velocities[3 + row], second.velocities[6 + row]);
            assert!((a - b).abs() < scale, "{seed} {row} {a} {b}");
            assert!((a - third.velocities[6 + row]).abs() < scale, "{seed} {row} {a}");
        }
        assert!(second.velocities[..6].iter().all(|u| u.abs() < 1e-13), "to round-off");
        // Rows 0 and 3 share their impulse. Row 1 is three times row 4: each gives half of the momentum.
        assert!((second.impulses[0] - second.impulses[3]).abs() < 1e-12, "{seed}");
        assert!((3.0 * second.impulses[1] - second.impulses[4]).abs() < 1e-12, "{seed}");
    }
}

#[test]
fn what_contradicts_itself_is_infeasible_with_a_proof() {
    let welds =
        Problem::new(dmatrix![1.0, 1.0; 1.0, 1.0], vec![1.0, 2.0], vec![Block::bilateral(2)]);
    let walls = Problem::new(
        dmatrix![1.0, -1.0; -1.0, 1.0],
        vec![-2.0, 1.0],
        vec![Block::unilateral(1), Block::contact(Section::Disc(0.0))]
            .into_iter()
            .map(|b| Block { rows: 1, ..b })
            .collect(),
    );
    // A limit of a joint that a weld holds.
    let held = Problem::new(
        dmatrix![1.0, 1.0; 1.0, 1.0],
        vec![0.0, -1.0],
        vec![Block::bilateral(1), Block::unilateral(1)],
    );
    let still = Problem::new(dmatrix![0.0], vec![-1.0], vec![Block::unilateral(1)]);
    for problem in [welds, walls, held, still] {
        let problem = problem.unwrap();
        for steps in [Steps::Combined, Steps::Sweeps, Steps::AlternatingDirections] {
            let settings = Settings { steps, max_iterations: 500, ..Settings::default() };
            let report = problem.solve(&settings).unwrap().report;
            assert_eq!(report.status, Status::Infeasible, "{problem:?}");
        }
        assert!(Infeasibility::find(&problem).is_some());
    }
    let held =
        Problem::new(dmatrix![1.0, 1.0; 1.0, 1.0], vec![1.0, 1.0], vec![Block::bilateral(2)]);
    assert_eq!(Infeasibility::find(&held.unwrap()), None);
}

/// Fuzzing found it: a definite operator in rows of far units has a solution, whatever the size of its impulses.
#[test]
fn rows_of_far_units_are_no_proof() {
    let coupled = |c: f64| {
        let (small, large) = (1e-6, 1e9);
        let w = dmatrix![small * small, c * small * large; c * small * large, large * large];
        let blocks = vec![Block::bilateral(1), Block::unilateral(1)];
        Problem::new(w, vec![1.0, 0.0], blocks).unwrap()
    };
    // `λ_1 = c/((1 − c²) s l)` and `λ_0 = −(1 + c s l λ_1)/s²` solve it.
    let solvable = coupled(0.9);
    let push = 0.9 / (0.19 * 1e3);
    let velocity = solvable.velocities(&[-(1.0 + 900.0 * push) / 1e-12, push]);
    assert!(velocity[0].abs() < 1e-14 && velocity[1].abs() < 16.0, "{velocity:?}");
    let weights = [-1.0, 1e-15 / 0.9];
    assert_eq!(Infeasibility::of(&solvable, &weights), None);
    assert_eq!(Infeasibility::find(&solvable), None);
    assert_ne!(solvable.solve(&Settings::default()).unwrap().report.status, Status::Infeasible);
    // Where the rows are the same, the unilateral row separates whatever the other takes.
    let dependent = coupled(-1.0);
    let proof = Infeasibility::of(&dependent, &[-1.0, -1e-15]);
    assert_eq!(proof, None, "a weight of a unilateral row is not negative");
    assert!(Infeasibility::of(&coupled(1.0), &[-1.0, 1e-15]).is_some());
}

#[test]
fn compliance_is_a_spring_of_its_row() {
    let rigid = Problem::new(dmatrix![0.5], vec![-1.0], vec![Block::unilateral(1)]).unwrap();
    let soft = rigid.clone().with_compliance(vec![1.5]).unwrap();
    assert!((solved(&rigid).impulses[0] - 2.0).abs() < 1e-14);
    assert!((solved(&soft).impulses[0] - 0.5).abs() < 1e-14);
    assert_eq!(soft.clone().with_compliance(vec![0.0]).unwrap(), rigid);
    assert_eq!(soft.delassus(), rigid.delassus());
}

#[test]
fn units_change_nothing() {
    let (delassus, jacobian) = operator(9, 8, 5);
    let free: Vec<f64> = (jacobian * DVector::from_element(8, 0.7)).iter().copied().collect();
    let problem = |mass: f64, speed: f64| {
        let bound = 0.1 * speed / mass;
        let blocks = vec![
            Block::bilateral(1),
            Block::bound(bound),
            Block::contact(Section::Polygon(vec![
                [0.5, 0.1],
                [-0.5, -0.1],
                [-0.2, 0.3],
                [0.2, -0.3],
            ])),
            Block::contact(Section::Spin([0.5, 0.3, 0.1])),
        ];
        let free = free.iter().map(|u| u * speed).collect();
        Problem::new(&delassus * mass, free, blocks).unwrap()
    };
    let plain = solved(&problem(1.0, 1.0));
    for (mass, speed) in [(1e12, 1.0), (1e-12, 1e12), (1e150, 1e-150), (1e-160, 1e100)] {
        let solution = solved(&problem(mass, speed));
        for (a, b) in plain.impulses.iter().zip(&solution.impulses) {
            assert!(
                (a - b * mass / speed).abs() < 1e-8 * (1.0 + a.abs()),
                "{mass} {speed} {a} {b}"
            );
        }
    }
}

#[test]
fn steps_of_robots_are_solved_to_full_precision() {
    let mut worst = 0;
    for seed in 0..60 {
        // 6 joint rows, 6 with dry friction, 2 limits, 6 contacts of mixed sections: 34 to 60 rows on 18 coordinates.
        let mut blocks = vec![Block::bilateral(6)];
        blocks.extend((0..6).map(|i| Block::bound(0.02 * f64::from(i))));
        blocks.push(Block::unilateral(2));
        for i in 0..6 {
            blocks.push(Block::contact(match (i + seed) % 6 {
                0 => Section::Ellipse([0.6, 0.2]),
                1 => Section::Spin([0.5, 0.5, 0.05]),
                2 => Section::Rolling([0.7, 0.02, 0.01]),
                3 => Section::Polygon(vec![[0.5, 0.1], [-0.5, -0.1], [0.1, -0.4], [-0.1, 0.4]]),
                _ => Section::Disc(0.4),
            }));
        }
        let rows = blocks.iter().map(|block| block.rows).sum();
        let (delassus, jacobian) = operator(rows, 18, seed);
        let free =
            &jacobian * DVector::from_fn(18, |i, _| ((i + 2) as f64 * (seed as f64 + 0.1)).sin());
        let problem = Problem::new(delassus, free.as_slice().to_vec(), blocks).unwrap();
        let solution = problem.solve(&Settings::default()).unwrap();
        assert_eq!(solution.report.status, Status::Solved, "{seed} {:?}", solution.report);
        worst = worst.max(solution.report.iterations);
    }
    assert!(worst < 3000, "{worst}");
}

#[test]
fn impulses_that_cancel_beyond_all_digits_are_no_answer() {
    let problem =
        Problem::new(dmatrix![1.0, 1.0; 1.0, 1.0], vec![0.0; 2], vec![Block::bilateral(2)])
            .unwrap();
    assert!(problem.residual(&[1e10, -1e10]) <= 0.0);
    assert!(problem.residual(&[1e40, -1e40]).is_infinite());
}

#[test]
fn polygons_on_a_line_keep_their_ends_whatever_the_sign_of_zero() {
    let line =
        Section::Polygon(vec![[0.0, -0.1], [0.0, 0.7], [-0.0, 0.1], [-0.0, -0.7], [0.0, 0.0]]);
    let solution = solved(&identity(3, &[-1.0, 0.3, 2.0], line));
    assert!((solution.impulses[2] + 0.7).abs() < 1e-14 && solution.impulses[1] == 0.0);
}

/// Impulses that overflow or underflow solve nothing.
#[test]
fn impulses_that_are_no_numbers_are_not_solved() {
    for (entry, speed) in [(1e-300, 1e300_f64), (1e300, -1e-300)] {
        let blocks = vec![Block::bilateral(1), Block::contact(Section::Disc(0.5))];
        let free = vec![speed, -speed.abs(), 0.0, 0.0];
        let problem = Problem::new(DMatrix::identity(4, 4) * entry, free, blocks).unwrap();
        let solution = problem.solve(&Settings::default()).unwrap();
        assert_ne!(solution.report.status, Status::Solved, "{solution:?}");
        assert_eq!(solution.impulses, [0.0; 4]);
        assert!(solution.report.relative_residual > 0.1, "{solution:?}");
    }
}

/// A step of a hand that holds a block at rest: contacts, limits and dry friction of its joints hold it redundantly, up to a
/// velocity of 10⁻⁸ of the scale that none of them can hold. Without proximal points it takes 1791 iterations.
#[cfg(feature = "json")]
#[test]
fn contacts_that_press_until_one_slips_are_solved_in_few_steps() {
    let text = include_str!("tests/hand-at-rest.json");
    let document: crate::friction::document::Document = text.parse().unwrap();
    let problem = document.blocks_problem().unwrap();
    let mut impulses = document.blocks_start().unwrap();
    let settings = Settings { tolerance: 1e-8, ..Settings::default() };
    let report = problem.solve_from(&settings, &mut impulses).unwrap();
    assert_eq!(report.status, Status::Solved);
    assert!(report.iterations <= 40, "{report:?}");
    assert!(problem.relative_residual(&impulses) <= 1e-8);
}

/// Impulses of a step before, in units that make them small in absolute terms, are no answer once nothing moves.
#[test]
fn without_free_velocity_the_start_is_no_answer() {
    let section = Section::Disc(0.5);
    let blocks = vec![Block::contact(section), Block::bilateral(1), Block::interval(-1.0, 1.0)];
    let problem = Problem::new(DMatrix::identity(5, 5), vec![0.0; 5], blocks).unwrap();
    let mut impulses = [5e-13, 1e-13, 0.0, 2e-13, -3e-13];
    let report = problem.solve_from(&Settings::default(), &mut impulses).unwrap();
    assert_eq!((report.status, report.residual, impulses), (Status::Solved, 0.0, [0.0; 5]));
}
