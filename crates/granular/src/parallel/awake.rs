//! Threads of rayon's pool that stay awake during a step: [`Step`].
//!
//! The phases of a step take tens of microseconds, and each ends when all threads have done their part. rayon lets a thread
//! that finds nothing to do sleep within a few of them. Waking it takes as long again, and on processors with few cores
//! Linux then often leaves it on the core of the thread that woke it, while another one is idle: in some runs
//! two threads were as slow as one.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

/// Rounds without anything to do after which a thread may sleep although the step goes on, about 0.2 ms.
const ROUNDS: usize = 500;

/// Rounds that a step waits at its end for threads to notice it, which takes one or two.
const PATIENCE: usize = 20;

/// Number of steps that are under way in this process.
static STEPS: AtomicUsize = AtomicUsize::new(0);

/// A step on the threads of the current pool, until it is dropped.
pub(super) struct Step(Arc<State>);

#[derive(Default)]
struct State {
    is_over: AtomicBool,
    /// Number of threads in [`stay_awake`].
    awake: AtomicUsize,
}

impl Step {
    /// Wakes the other threads of the pool, unless steps of several worlds at once keep them busy by themselves.
    pub(super) fn begin() -> Self {
        let step = Self(Arc::default());
        if STEPS.fetch_add(1, Ordering::Relaxed) == 0 {
            let (own, state) = (rayon::current_thread_index(), Arc::clone(&step.0));
            // Not in a scope, which would wait for a thread that is blocked until this step ends.
            rayon::spawn_broadcast(move |other| {
                if Some(other.index()) != own {
                    state.awake.fetch_add(1, Ordering::Relaxed);
                    state.stay_awake();
                    state.awake.fetch_sub(1, Ordering::Relaxed);
                }
            });
        }
        step
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Relaxed);
        STEPS.fetch_sub(1, Ordering::Relaxed);
        // A thread that did not notice it would find the next step from within this one, and that after it, deeper each time.
        // One that has other work of the pool is not waited for.
        for _ in 0..PATIENCE {
            if self.0.awake.load(Ordering::Relaxed) == 0 {
                break;
            }
            thread::yield_now();
        }
    }
}

impl State {
    /// Does what other threads of the pool have to do, until the step is over or there was nothing for a while.
    ///
    /// It ends at once where several worlds are stepped: the thread may be that of a step that waits for work of another
    /// thread, which would wait here for the first.
    fn stay_awake(&self) {
        let mut idle = 0;
        while idle < ROUNDS
            && !self.is_over.load(Ordering::Relaxed)
            && STEPS.load(Ordering::Relaxed) == 1
        {
            if rayon::yield_now() == Some(rayon::Yield::Executed) {
                idle = 0;
            } else {
                idle += 1;
                thread::yield_now();
            }
        }
    }
}
