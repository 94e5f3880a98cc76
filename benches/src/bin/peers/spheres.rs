//! Settled piles of spheres: 10⁴ beside rapier and on two threads, 10⁶ with its memory.

use std::fs;

use percussion_benches::{
    rapier::Pile,
    row::{Accuracy, Pairs, Reach, Row, Spread, timed},
    spheres::{judge, judge_world, settled, tiled},
};
use percussion_granular::World;
use rayon::ThreadPool;

use super::{
    Outcome, Task,
    threads::{Turns, in_turns, pools},
};

/// Steps of each in turns.
const ROUNDS: usize = 200;
/// Steps of a million spheres: before the time counts, and in turns.
const STEPS: [usize; 2] = [10, 20];
/// Copies of the pile of 10⁴ along either side that make 10⁶.
const ACROSS: u32 = 10;

const OVERLAP: &str = "largest overlap (diameters)";

pub(crate) fn tasks() -> Vec<Task> {
    let rows = |size: &str, rows: &[&str]| {
        rows.iter().map(|row| format!("spheres/{size}-{row}")).collect()
    };
    let few = rows("10000", &["rapier", "updates", "threads"]);
    let many = rows("1000000", &["updates", "memory", "threads"]);
    vec![
        Task::of_rows("spheres/10000", few, &[], |_| ten_thousand()),
        Task::of_rows("spheres/1000000", many, &[], |_| million()),
    ]
}

fn step(pool: &ThreadPool, world: &mut World) -> Outcome<f64> {
    let mut report = None;
    let time = timed(|| report = Some(pool.install(|| world.step())));
    report.transpose()?;
    Ok(time)
}

/// Rows of the contact updates a second on one thread, and of the gain by the second thread.
fn own_rows(
    size: &str,
    updates: f64,
    turns: &Turns,
    overlap: f64,
    reach: [Option<Reach>; 2],
) -> Outcome {
    let rates: Vec<f64> = turns.times.iter().map(|[one, _]| updates / one).collect();
    let gains: Vec<f64> = turns.times.iter().map(|[one, two]| one / two).collect();
    let accuracy = || Some(Accuracy { what: OVERLAP, ours: overlap, peer: None });
    let rate = Row {
        name: format!("spheres/{size}-updates"),
        unit: "updates/s",
        ours: Spread::of(&rates),
        accuracy: accuracy(),
        reach: reach[0],
        note: "contact updates in 10 sweeps a step on one core, the search included".to_owned(),
        ..Row::default()
    };
    rate.print()?;
    let gain = Row {
        name: format!("spheres/{size}-threads"),
        unit: "×",
        ours: Spread::of(&gains),
        accuracy: accuracy(),
        reach: reach[1],
        note: format!("as fast on two threads as on one, the same bits{}", turns.note()),
        ..Row::default()
    };
    Ok(gain.print()?)
}

fn ten_thousand() -> Outcome {
    let pools = pools()?;
    let world = settled();
    let mut peer = Pile::new(&world);
    (0..100).for_each(|_| peer.step());
    let mut alone = world;
    let report = alone.step()?;
    let mut pairs = Pairs::default();
    for _ in 0..ROUNDS {
        let own = step(&pools[0], &mut alone)?;
        pairs.add(own, timed(|| peer.step()));
    }
    let mut shared = alone.clone();
    let turns = in_turns(&pools, [&mut alone, &mut shared], step)?;
    if alone.grains().positions() != shared.grains().positions() {
        return Err("the bits depend on the number of threads".into());
    }
    let (positions, velocities) = peer.state();
    let theirs = judge(&positions, &velocities);
    let ours = judge_world(&alone);
    let row = Row {
        accuracy: Some(Accuracy { what: OVERLAP, ours: ours.overlap, peer: Some(theirs.overlap) }),
        note: format!(
            "a step on one thread; approach {:.1e} and {:.1e} m/s",
            ours.approach, theirs.approach
        ),
        ..Row::of_pairs("spheres/10000-rapier", "rapier", &pairs)
    };
    row.print()?;
    let updates = (report.candidates * report.sweeps) as f64;
    let reach = [None, Some(Reach::OursAtLeast(1.7))];
    own_rows("10000", updates, &turns, ours.overlap, reach)
}

/// Resident memory of this process (bytes), where the system tells it.
fn memory() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    Some(1024.0 * line.split_whitespace().nth(1)?.parse::<f64>().ok()?)
}

fn million() -> Outcome {
    let pools = pools()?;
    let tile = settled();
    let before = memory();
    let mut world = tiled(&tile, ACROSS);
    for _ in 0..STEPS[0] {
        step(&pools[1], &mut world)?;
    }
    let report = pools[1].install(|| world.step())?;
    let count = world.grains().len() as f64;
    let overlap = judge_world(&world).overlap;
    if let (Some(before), Some(after)) = (before, memory()) {
        let row = Row {
            name: "spheres/1000000-memory".to_owned(),
            unit: "B",
            ours: Some(Spread::exact((after - before) / count)),
            accuracy: Some(Accuracy { what: OVERLAP, ours: overlap, peer: None }),
            reach: Some(Reach::OursAtMost(600.0)),
            note: format!("a grain, of resident memory with {} candidates", report.candidates),
            ..Row::default()
        };
        row.print()?;
    }
    let mut times = Vec::new();
    for _ in 0..STEPS[1] {
        let one = step(&pools[0], &mut world)?;
        times.push([one, step(&pools[1], &mut world)?]);
    }
    let updates = (report.candidates * report.sweeps) as f64;
    let reach = [Some(Reach::OursAtLeast(28e6)), None];
    own_rows("1000000", updates, &Turns::all(times), overlap, reach)
}
