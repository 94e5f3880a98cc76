//! Steps on two threads beside steps on one.

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::Outcome;

/// Steps of one number of threads in a row: before the time counts, and then.
const IN_TURN: [usize; 2] = [5, 20];

/// Pools of one thread and of two.
pub(crate) fn pools() -> Outcome<[ThreadPool; 2]> {
    let [one, two] = [1, 2].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build());
    Ok([one?, two?])
}

/// Mean times (s) of steps of one thread and of two, in turns until each has made `count` that count. `step` makes a step of
/// the world of either and returns its time.
///
/// Several steps are made in a row, and without a peer, whose long steps let the other core fall asleep: the system needs
/// some to give each thread a core of its own.
pub(crate) fn in_turns<W>(
    [one, two]: &[ThreadPool; 2],
    [alone, shared]: [&mut W; 2],
    count: usize,
    step: impl Fn(&ThreadPool, &mut W) -> Outcome<f64>,
) -> Outcome<Vec<[f64; 2]>> {
    let steps = |pool, world: &mut W| {
        let mut sum = 0.0;
        for k in 0..IN_TURN[0] + IN_TURN[1] {
            let time = step(pool, world)?;
            sum += if k < IN_TURN[0] { 0.0 } else { time };
        }
        Outcome::Ok(sum / IN_TURN[1] as f64)
    };
    (0..count / IN_TURN[1]).map(|_| Ok([steps(one, alone)?, steps(two, shared)?])).collect()
}
