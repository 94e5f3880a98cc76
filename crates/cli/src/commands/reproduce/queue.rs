//! Experiments on several threads, with their results in the order of the list: [`run`].
//!
//! Each thread takes the next experiment of the list when it has finished one; long ones are taken first. An experiment
//! does not depend on the others, and its own samples have the same bits on any number of threads, so that the results do not
//! depend on the number of threads either.
//!
//! Several experiments do not share the threads of one pool, where each would wait for those of the others: on two
//! processors this took 71 s where one thread for each takes 58 s, in the same order.

use std::{
    num::NonZero,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread::{available_parallelism, scope},
};

use percussion_scenarios::Experiment;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::output::Progress;

/// The experiment that takes nearly as long as all others together. It has half of the processors, while the others fill the
/// other half.
const LONGEST: &str = "granular/channel";

/// The experiments that take more than 4 s of processor time. They begin first, so that the threads end at about the same time.
const LONG: [&str; 13] = [
    LONGEST,
    "set-valued/disk-stack",
    "ensembles/biped",
    "set-valued/ramone",
    "robots/looped-biped",
    "granular/pile",
    "bulk/outlet",
    "bulk/repose",
    "bulk/silo",
    "bulk/shear",
    "bulk/internal-friction",
    "bulk/collapse",
    "ensembles/block",
];

/// Runs the experiments, at most one for each processor at a time, and shows their mean progress. Experiments that had
/// not begun when `is_over` became true have no result.
pub(super) fn run<T: Send>(
    selected: &[&'static Experiment],
    is_over: impl Fn() -> bool + Sync,
    run: impl Fn(&'static Experiment, &mut dyn FnMut(f64, &str)) -> T + Sync,
) -> Vec<Option<T>> {
    let count = selected.len();
    let order = order(selected);
    let next = AtomicUsize::new(0);
    let shares = Mutex::new(vec![0.0; count]);
    let results: Mutex<Vec<Option<T>>> = Mutex::new((0..count).map(|_| None).collect());
    let progress = Progress::new();
    let processors = available_parallelism().map_or(1, NonZero::get);
    let work = || {
        while !is_over() {
            let Some(&index) = order.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            let experiment = selected[index];
            let task = || {
                let mut show = |share: f64, what: &str| {
                    let mut shares = lock(&shares);
                    shares[index] = share;
                    progress.show(shares.iter().sum::<f64>() / count as f64, what);
                };
                let result = run(experiment, &mut show);
                show(1.0, experiment.title);
                result
            };
            let result = match own_threads(experiment.id, count, processors) {
                Some(pool) => pool.install(task),
                None => task(),
            };
            lock(&results)[index] = Some(result);
        }
    };
    scope(|scope| {
        for _ in 0..processors.min(count) {
            scope.spawn(work);
        }
    });
    progress.clear();
    results.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// The order in which experiments begin, by their places in the list; results keep that of the list.
fn order(selected: &[&'static Experiment]) -> Vec<usize> {
    let place = |index: &usize| LONG.iter().position(|id| *id == selected[*index].id);
    let mut order: Vec<usize> = (0..selected.len()).collect();
    order.sort_by_key(|index| place(index).unwrap_or(LONG.len()));
    order
}

/// The threads of an experiment that runs beside others, or `None` for one thread on each processor.
fn own_threads(id: &str, experiments: usize, processors: usize) -> Option<ThreadPool> {
    let threads = if id == LONGEST { (processors / 2).max(1) } else { 1 };
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    (experiments > 1).then(|| builder.build().ok()).flatten()
}

/// The content of a mutex; a thread that panicked ends the program anyway when the threads are joined.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use percussion_scenarios::experiments;

    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_list_however_long_each_takes() {
        let selected: Vec<&Experiment> = experiments().iter().collect();
        let ids = run(
            &selected,
            || false,
            |experiment, show| {
                show(0.5, experiment.title);
                // Those with longer names take longer, so that later ones finish before earlier ones.
                std::thread::sleep(Duration::from_micros(100 * experiment.id.len() as u64));
                experiment.id
            },
        );
        let expected: Vec<_> = selected.iter().map(|experiment| Some(experiment.id)).collect();
        assert_eq!(ids, expected);
    }

    #[test]
    fn nothing_begins_after_the_time_limit() {
        let begun = AtomicUsize::new(0);
        let selected: Vec<&Experiment> = experiments().iter().collect();
        let is_over = || begun.load(Ordering::Relaxed) >= 3;
        let found = run(&selected, is_over, |_, _| begun.fetch_add(1, Ordering::Relaxed));
        // Each thread may have begun one more before the third one was counted.
        let threads = available_parallelism().map_or(1, NonZero::get);
        let count = found.iter().flatten().count();
        assert!((3..3 + threads).contains(&count), "{count} with {threads} threads");
    }

    #[test]
    fn long_experiments_begin_first() {
        let selected: Vec<&Experiment> = experiments().iter().collect();
        let ids: Vec<&str> = order(&selected).into_iter().map(|index| selected[index].id).collect();
        assert_eq!(ids[..LONG.len()], LONG);
        assert_eq!(ids.len(), selected.len());
        let few: Vec<&Experiment> = selected.iter().copied().take(3).collect();
        assert_eq!(order(&few), [0, 1, 2], "none of them is long");
    }

    #[test]
    fn nothing_selected_gives_nothing() {
        assert_eq!(run(&[], || false, |experiment, _| experiment.id), Vec::<Option<&str>>::new());
    }
}
