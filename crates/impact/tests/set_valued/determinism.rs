//! The same bits for any number of threads, sample by sample, and no allocation on the way.

use std::ops::ControlFlow;

use percussion_impact::{
    Status,
    set_valued::{Draws, Sampler, SetValuedRouth, Settings, Solutions},
};
use rayon::ThreadPoolBuilder;

use super::{ball, bouncing_ball, bouncing_block, rocking_block, settings, velocities};
use nalgebra::dvector;

/// More than a wave of chunks, and a last chunk that is not full.
const SAMPLES: u64 = 10_000;

#[test]
fn the_bits_do_not_depend_on_the_number_of_threads() {
    for (draws, bounces) in
        [(Draws::Random, false), (Draws::Sobol, false), (Draws::Random, true), (Draws::Sobol, true)]
    {
        let settings = Settings { draws, ..settings(0.3, 10, SAMPLES) };
        let mut sets = [1, 2, 4].map(|threads| {
            let pool =
                ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
            let problem = if bounces { bouncing_block(0.5) } else { rocking_block() };
            pool.install(|| velocities(&problem, settings))
        });
        assert_eq!(sets[0].summary.0.len() as u64, SAMPLES);
        assert_eq!(sets[0], sets[1]);
        assert_eq!(sets[0], sets[2]);
        sets[0].summary.0.dedup_by(|a, b| a.0 == b.0);
        assert_eq!(sets[0].summary.0.len() as u64, SAMPLES, "no sample comes twice");
    }
}

#[test]
fn a_sample_is_the_same_alone_and_in_the_set() {
    let problem = rocking_block();
    let set = velocities(&problem, settings(0.3, 10, 600));
    let law = SetValuedRouth::new(settings(0.3, 10, 1));
    for index in [0, 1, 299, 599] {
        let path = law.sample(&problem, index).expect("settings are right");
        let last = path.steps.last().expect("the block approaches");
        let (same, velocity) = &set.summary.0[usize::try_from(index).expect("small")];
        assert_eq!((*same, velocity), (index, &last.velocity));
        let total: f64 = path.steps.iter().map(|step| step.impulse[0] + step.impulse[2]).sum();
        let fallen = problem.velocity()[1];
        assert!((last.velocity[1] - fallen - total).abs() < 1e-14, "1 kg takes all percussions");
        assert!(
            path.steps.iter().all(|step| step.increments.iter().all(|x| *x > 0.0 && *x <= 0.3))
        );
    }
}

#[test]
fn a_draw_among_one_solution_is_that_solution_for_any_number_of_threads() {
    let one = velocities(&rocking_block(), settings(0.3, 10, 700));
    let drawn = Settings { solutions: Solutions::Drawn, ..settings(0.3, 10, 700) };
    let sets = [1, 2].map(|threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
        pool.install(|| velocities(&rocking_block(), drawn))
    });
    assert_eq!(sets[0], sets[1]);
    let choices = sets[0].statistics.choices;
    let last_steps = sets[0].statistics.samples - sets[0].statistics.terminated;
    assert_eq!((choices.several, choices.covered), (0, 0), "a step of the block has one velocity");
    assert_eq!(choices.enumerated, sets[0].statistics.total_lcps() + last_steps);
    assert_eq!(one.statistics.choices.enumerated, 0);
    for ((_, one), (_, drawn)) in one.summary.0.iter().zip(&sets[0].summary.0) {
        assert!((one - drawn).amax() < 1e-10, "{one} {drawn}");
    }
}

#[test]
fn another_seed_gives_other_samples() {
    for draws in [Draws::Random, Draws::Sobol] {
        let law = |seed| SetValuedRouth::new(Settings { draws, seed, ..settings(0.3, 10, 1) });
        let sample = |seed| law(seed).sample(&rocking_block(), 5).expect("settings are right");
        assert_ne!(sample(1).steps[0].increments, sample(2).steps[0].increments);
    }
}

#[test]
fn progress_is_told_to_the_end() {
    let told = std::cell::RefCell::new(Vec::new());
    let law = SetValuedRouth::new(settings(0.3, 10, SAMPLES));
    let progress = |done| told.borrow_mut().push(done);
    law.post_impact_set(&rocking_block(), (), progress).expect("settings are right");
    let told = told.into_inner();
    assert!(told.is_sorted() && told.last() == Some(&SAMPLES), "{told:?}");
}

/// A set that is ended early is that of fewer samples, and says so.
#[test]
fn a_set_ends_after_the_samples_that_are_wanted() {
    let law = |samples| SetValuedRouth::new(settings(0.3, 10, samples));
    let problem = rocking_block();
    let watch = |_done| ControlFlow::Break(());
    let cut = law(20_000).post_impact_set_while(&problem, (), watch).expect("settings are right");
    let short = law(2048).post_impact_set(&problem, (), |_| ()).expect("settings are right");
    assert_eq!(cut.statistics, short.statistics);
    assert_eq!(law(20_000).status(&problem, &cut.statistics), Status::Limit);
    assert_eq!(law(2048).status(&problem, &short.statistics), Status::Resolved);
}

/// In the plane, and in space where Lemke's method itself solves the steps.
#[test]
fn a_sampler_that_is_made_allocates_nothing() {
    let velocity = dvector![2.0, 1.0, -1.0, 1.0, 0.5, 0.0];
    for problem in
        [rocking_block(), ball(velocity.clone()), bouncing_block(0.5), bouncing_ball(velocity)]
    {
        for draws in [Draws::Random, Draws::Sobol] {
            let settings = Settings { draws, ..settings(0.3, 10, 1) };
            let mut sampler = Sampler::new(&problem, &settings).expect("settings are right");
            let count = allocation_counter::measure(|| (0..100).for_each(|i| sampler.run(i)));
            assert_eq!(count.count_total, 0, "{draws:?}, {} rows", sampler.impulse().len());
        }
    }
}
