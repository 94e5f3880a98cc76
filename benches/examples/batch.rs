//! Speed of a [`Batch`] of one robot on several threads, beside the same batch on one.
//!
//! `batch ROBOT [WORLDS] [STEPS] [THREADS]` drops this number of copies (64) of a robot file, each pushed in its own
//! way, and lets them fall for 300 steps. From there it makes the same steps (100) on one thread and on several (as many as there are
//! processors), in turn, 21 times, and prints the medians, the ratio of both, and its scatter. Different bits are an error.
#![expect(clippy::print_stdout, reason = "the table is the output of this program")]

use std::{env, error::Error, thread, time::Instant};

use percussion_integrators::{State, batch::Batch};
use percussion_mechanism::scenario::{Drive, Robot, Scenario};
use rayon::ThreadPoolBuilder;

const RUNS: usize = 21;
const FALL: usize = 300;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let file = arguments.first().ok_or("usage: batch ROBOT [WORLDS] [STEPS] [THREADS]")?;
    let number = |place: usize, default: usize| {
        arguments.get(place).map_or(Ok(default), |text| text.parse::<usize>())
    };
    let processors = thread::available_parallelism()?.get();
    let (worlds, steps, threads) = (number(1, 64)?, number(2, 100)?, number(3, processors)?);
    let mut robot = Robot::new(file);
    robot.drive = Drive::Limp;
    let setup = Scenario::of_robot_in(robot, None)?.build()?;
    let starts = (0..worlds).map(|world| pushed(&setup.mechanism.state, world));
    let model = &setup.mechanism.model;
    let mut fall = Batch::new(model, setup.scenario.stepping(), starts)?;
    fall.advance(FALL);
    let fallen = states(&fall);

    let mut ratios = Vec::with_capacity(RUNS);
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..RUNS {
        let mut last = [0.0; 2];
        let mut ends = Vec::new();
        for (place, threads) in [1, threads].into_iter().enumerate() {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
            let mut batch = Batch::new(model, setup.scenario.stepping(), fallen.clone())?;
            pool.install(|| batch.advance(2));
            let start = Instant::now();
            let done = pool.install(|| batch.advance(steps));
            last[place] = start.elapsed().as_secs_f64();
            times[place].push(last[place]);
            if let Some(failed) = done.iter().position(|done| done.steps < steps) {
                return Err(
                    format!("world {failed}: {:?}", batch.worlds()[failed].failure()).into()
                );
            }
            ends.push(states(&batch));
        }
        if ends[0] != ends[1] {
            return Err("the bits depend on the number of threads".into());
        }
        ratios.push(last[0] / last[1]);
    }
    let [one, several] = times.map(|times| sorted(times)[RUNS / 2] * 1e6 / (worlds * steps) as f64);
    let ratios = sorted(ratios);
    println!(
        "{worlds} worlds, {steps} steps: {one:.2} µs a step on one thread, {several:.2} µs on {threads}"
    );
    println!(
        "{:.2} times as fast ({:.2}–{:.2})",
        ratios[RUNS / 2],
        ratios[RUNS / 10],
        ratios[RUNS - 1 - RUNS / 10]
    );
    Ok(())
}

/// The start of a world, with a velocity of its own, as by a kick.
fn pushed(start: &State, world: usize) -> State {
    let mut state = start.clone();
    for (place, velocity) in state.velocity.iter_mut().enumerate() {
        *velocity += 0.5 * ((7 * world + 3 * place) as f64).sin();
    }
    state
}

fn states(batch: &Batch) -> Vec<State> {
    batch.worlds().iter().map(|world| world.state().clone()).collect()
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}
