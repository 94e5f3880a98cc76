//! Steps on two threads beside steps on one, while the machine gives both threads a core.

use std::hint::black_box;

use percussion_benches::row::timed;
use rayon::{BroadcastContext, ThreadPool, ThreadPoolBuilder};

use super::Outcome;

/// Steps of one number of threads in a row: before the time counts, and then.
const IN_TURN: [usize; 2] = [5, 20];

/// Turns that count: seconds of them, as the machine may do other things for one.
const TURNS: usize = 40;

/// Products of a calculation that needs nothing but a core, some 1 ms.
const PRODUCTS: usize = 1_000_000;

/// A turn counts if two threads do this many times as many of them as one, before and after it.
const LEAST_GAIN: f64 = 1.9;

/// Most turns for each that counts.
const MOST_TURNS: usize = 4;

/// Steps in turns.
pub(crate) struct Turns {
    /// Mean times of a step of one thread and of two (s), of the turns that count.
    pub(crate) times: Vec<[f64; 2]>,
    /// Number of the others.
    left_out: usize,
}

impl Turns {
    /// Turns that count, whatever the machine did.
    pub(crate) const fn all(times: Vec<[f64; 2]>) -> Self {
        Self { times, left_out: 0 }
    }

    /// The end of the note of a row: how many turns do not count, if any.
    pub(crate) fn note(&self) -> String {
        let Self { times, left_out } = self;
        let all = times.len() + left_out;
        match left_out {
            0 => String::new(),
            _ => {
                format!("; {left_out} of {all} turns left out, in which other programs took a core")
            }
        }
    }
}

/// Pools of one thread and of two.
pub(crate) fn pools() -> Outcome<[ThreadPool; 2]> {
    let [one, two] = [1, 2].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build());
    Ok([one?, two?])
}

/// Times of steps of one thread and of two, in turns until [`TURNS`] of them count. `step` makes a step of the world of either
/// and returns its time.
///
/// Several steps are made in a row, and without a peer, whose long steps let the other core fall asleep: the system needs
/// some to give each thread a core of its own.
pub(crate) fn in_turns<W>(
    pools: &[ThreadPool; 2],
    [alone, shared]: [&mut W; 2],
    step: impl Fn(&ThreadPool, &mut W) -> Outcome<f64>,
) -> Outcome<Turns> {
    let [one, two] = pools;
    let steps = |pool, world: &mut W| {
        let mut sum = 0.0;
        for k in 0..IN_TURN[0] + IN_TURN[1] {
            let time = step(pool, world)?;
            sum += if k < IN_TURN[0] { 0.0 } else { time };
        }
        Outcome::Ok(sum / IN_TURN[1] as f64)
    };
    let mut turns = Turns::all(Vec::with_capacity(TURNS));
    let mut before = gain(pools);
    while turns.times.len() < TURNS {
        if turns.left_out == MOST_TURNS * TURNS {
            return Err("the machine has not two cores for this program".into());
        }
        let times = [steps(one, alone)?, steps(two, shared)?];
        let after = gain(pools);
        if before.min(after) < LEAST_GAIN {
            turns.left_out += 1;
        } else {
            turns.times.push(times);
        }
        before = after;
    }
    Ok(turns)
}

/// How many times as fast two threads are as one where they need nothing of each other, once both are awake.
fn gain(pools: &[ThreadPool; 2]) -> f64 {
    let [alone, shared] = pools.each_ref().map(|pool| pool.broadcast(products).iter().sum::<f64>());
    // Two threads do twice as much, in half of the sum of their times.
    4.0 * alone / shared
}

/// Time of the products (s).
fn products(_: BroadcastContext<'_>) -> f64 {
    timed(|| _ = (0..PRODUCTS).fold(1.0_f64, |product, _| black_box(product * 0.999_999)))
}
