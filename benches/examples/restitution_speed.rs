//! Two ratios of speed: sets with restitution beside those without, and ensembles on two threads beside one.
//!
//! Both sides of a ratio are measured in turn in one run, so that load and clock affect both alike; the median of several rounds
//! is printed. A processor that does other work than this lowers the ratio of threads.
//!
//! ```console
//! $ cargo run --release -p percussion-benches --example restitution_speed
//! ```

#![expect(clippy::print_stdout, reason = "it is what the example is for")]

use std::time::Instant;

use nalgebra::{DMatrix, DVector, Vector2, Vector3};
use percussion_dynamics::{
    PlanarBodies, PlanarBody,
    gap::{Plane, Sphere, SpherePlane},
};
use percussion_impact::{
    Mass, Problem,
    set_valued::{SetValuedRouth, Settings},
};
use percussion_integrators::{Contact, Model, State, ensemble};
use percussion_scenarios::fixtures;
use rayon::ThreadPoolBuilder;

const ROUNDS: usize = 9;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let impact = fixtures::problem("rocking-block")?;
    let law = SetValuedRouth::new(Settings { samples: 1 << 14, ..impact.set_valued });
    let [inelastic, half] = [0.0, 0.5].map(|e| with_restitution(&impact.problem, e));
    let (inelastic, half) = (inelastic?, half?);
    let one = ThreadPoolBuilder::new().num_threads(1).build()?;
    let two = ThreadPoolBuilder::new().num_threads(2).build()?;
    // Steps per second, by their mean number in a sample.
    let rate = |problem: &Problem| -> Result<[f64; 2], Failure> {
        let start = Instant::now();
        let set = one.install(|| law.post_impact_set(problem, (), |_| ()))?;
        let rate = f64::from(1_u16 << 14) / start.elapsed().as_secs_f64();
        Ok([rate, rate * set.statistics.mean_lcps()])
    };
    let (mut samples, mut steps, mut threads) = (Vec::new(), Vec::new(), Vec::new());
    let mut last = ([0.0; 2], [0.0; 2]);
    for _ in 0..ROUNDS {
        let (without, with) = (rate(&inelastic)?, rate(&half)?);
        samples.push(with[0] / without[0]);
        steps.push(with[1] / without[1]);
        last = (without, with);
    }
    println!(
        "rocking block, samples and steps per second: e = 0 {:.3?}, e = 0.5 {:.3?}",
        last.0, last.1
    );
    println!("e = 0.5 beside e = 0: {:.2} samples, {:.2} steps", median(samples), median(steps));

    let (model, start) = block()?;
    let settings =
        ensemble::Settings { members: 256, intervals: 10, ..ensemble::Settings::default() };
    let time = |pool: &rayon::ThreadPool| -> Result<f64, Failure> {
        let begin = Instant::now();
        let follow = || ensemble::run(&model, &|_| start.clone(), 1.0, &settings, &|_| ());
        let found = pool.install(follow)?;
        assert_eq!(found.members.len(), 256, "all members are followed");
        Ok(begin.elapsed().as_secs_f64())
    };
    let mut longest = 0.0_f64;
    for _ in 0..ROUNDS {
        let (by_one, by_two) = (time(&one)?, time(&two)?);
        longest = longest.max(by_one);
        threads.push(by_one / by_two);
    }
    let fastest = threads.iter().fold(0.0_f64, |a, b| a.max(*b));
    println!(
        "ensemble of 256 on one thread beside two: {:.2}, at best {fastest:.2}; up to {longest:.2} s",
        median(threads)
    );
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn with_restitution(problem: &Problem, restitution: f64) -> Result<Problem, Failure> {
    let contacts =
        problem.contacts().iter().map(|contact| contact.clone().with_restitution(restitution));
    let n = problem.dimension();
    let unit = |column: usize| DVector::from_fn(n, |row, _| f64::from(u8::from(row == column)));
    let columns: Vec<_> = (0..n).map(|column| problem.momentum(&unit(column))).collect();
    let mass = DMatrix::from_columns(&columns);
    Ok(Problem::new(Mass::Matrix(mass), problem.velocity().clone(), contacts.collect())?)
}

/// A block of 1 m × 2 m that falls flat from 1 cm.
fn block() -> Result<(Model, State), Failure> {
    let body = PlanarBody::new(1.0, 5.0 / 12.0);
    let block = PlanarBodies::new(vec![body], Vector2::new(0.0, -9.81))?;
    let floor = Plane::new(&Vector3::y(), &Vector3::zeros())?;
    let corner = |x: f64| -> Result<_, Failure> {
        let corner = Sphere::on_body(0, Vector3::new(x, -1.0, 0.0), 0.0);
        Ok(Contact::new(SpherePlane::new(corner, floor)?, 1.0))
    };
    let model = Model::new(Box::new(block), vec![corner(-0.5)?, corner(0.5)?])?;
    let start = State { time: 0.0, coordinates: vec![0.0, 1.01, 0.0], velocity: vec![0.0; 3] };
    Ok((model, start))
}
