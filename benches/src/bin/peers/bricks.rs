//! A thousand settled bricks, beside rapier and on two threads.

use percussion_benches::{
    bricks::{HALF, judge, settled},
    rapier::Pile,
    row::{Accuracy, Pairs, Reach, Row, Spread, timed},
};
use percussion_granular::bodies::Bodies;
use rayon::ThreadPool;

use super::{
    Outcome, Task,
    threads::{in_turns, pools},
};

/// Steps of each in turns.
const ROUNDS: usize = 200;

pub(crate) fn task() -> Task {
    let rows = ["bricks/rapier", "bricks/threads"].map(str::to_owned);
    Task::of_rows("bricks", rows.into(), &[], |_| measure())
}

fn step(pool: &ThreadPool, pile: &mut Bodies) -> Outcome<f64> {
    let mut report = None;
    let time = timed(|| report = Some(pool.install(|| pile.step())));
    report.transpose()?;
    Ok(time)
}

fn measure() -> Outcome {
    let pools = pools()?;
    let pile = settled();
    let mut peer = Pile::bricks(&pile, HALF);
    (0..100).for_each(|_| peer.step());
    let mut alone = pile.clone();
    let mut pairs = Pairs::default();
    for _ in 0..ROUNDS {
        // Each after a step of its own, which brings its data back into the caches.
        step(&pools[0], &mut alone)?;
        let own = step(&pools[0], &mut alone)?;
        peer.step();
        pairs.add(own, timed(|| peer.step()));
    }
    let mut shared = alone.clone();
    let turns = in_turns(&pools, [&mut alone, &mut shared], step)?;
    let gains: Vec<f64> = turns.times.iter().map(|[one, two]| one / two).collect();
    if alone.bodies() != shared.bodies() {
        return Err("the bits depend on the number of threads".into());
    }
    let ours = judge(alone.bodies(), alone.boundaries());
    let theirs = judge(&peer.bodies(&pile), pile.boundaries());
    let accuracy = |peer| {
        Some(Accuracy { what: "largest overlap (shortest edges)", ours: ours.overlap, peer })
    };
    let row = Row {
        accuracy: accuracy(Some(theirs.overlap)),
        reach: Some(Reach::RatioAtMost(1.0)),
        note: format!(
            "a step on one thread; approach {:.1e} and {:.1e} m/s",
            ours.approach, theirs.approach
        ),
        ..Row::of_pairs("bricks/rapier", "rapier", &pairs)
    };
    row.print()?;
    let gain = Row {
        name: "bricks/threads".to_owned(),
        unit: "×",
        ours: Spread::of(&gains),
        accuracy: accuracy(None),
        reach: Some(Reach::OursAtLeast(1.7)),
        note: format!("as fast on two threads as on one, the same bits{}", turns.note()),
        ..Row::default()
    };
    Ok(gain.print()?)
}
