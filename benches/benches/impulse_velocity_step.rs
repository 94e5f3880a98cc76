//! Time of a step at velocity level, compared with one of Stewart and Trinkle's scheme.
//!
//! Both make the step in which a ball hits a row of three, all on a table: seven contacts, by round cones in
//! one case and by eight friction directions in the other. Each motion is advanced to the step before by its
//! own scheme, so that memory is warm, and its step is judged before the timing starts.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use percussion_benches::residuals;
use percussion_integrators::{
    Simulation, State, impulse_velocity::ImpulseVelocity, stewart_trinkle::StewartTrinkle,
};
use percussion_mechanism::{
    mechanism::Mechanism,
    scenario::{Scenario, Setup},
};
use percussion_scenarios::fixtures;

const SCENARIO: &str = "stewart-trinkle/four-balls";

/// Contacts of the step.
const CONTACTS: usize = 7;

fn setup() -> (Scenario, Setup) {
    let scenario = fixtures::scenario(SCENARIO).expect("the scenario is embedded");
    let setup = scenario.build().expect("it is valid");
    (scenario, setup)
}

fn round_cones(state: Option<&State>) -> Simulation<ImpulseVelocity> {
    let (scenario, Setup { mechanism, .. }) = setup();
    let Mechanism { model, state: start, .. } = mechanism;
    let state = state.cloned().unwrap_or(start);
    let settings = scenario.impulse_velocity_settings();
    Simulation::<ImpulseVelocity>::new(model, settings, state).expect("the state is finite")
}

fn polygons(state: Option<&State>) -> Simulation<StewartTrinkle> {
    let (_, Setup { mechanism, settings, .. }) = setup();
    let Mechanism { model, state: start, .. } = mechanism;
    let state = state.cloned().unwrap_or(start);
    Simulation::<StewartTrinkle>::new(model, settings, state).expect("nothing penetrates")
}

fn impulse_velocity_step(criterion: &mut Criterion) {
    // Before and at the start of the first step with all contacts.
    let mut motion = round_cones(None);
    let mut before = motion.state().clone();
    let cones = loop {
        let start = motion.state().clone();
        let report = motion.step().expect("every step is solved");
        assert!(start.time < 1.0, "the ball misses the row");
        if report.contacts.len() >= CONTACTS {
            residuals::note("impulse-velocity-step/round-cones", report.relative_residual)
                .expect("the file can be written");
            eprintln!("{:?}", report.work);
            break before;
        }
        before = start;
    };
    let mut motion = polygons(None);
    let mut before = motion.state().clone();
    let corners = loop {
        let start = motion.state().clone();
        let report = motion.step().expect("every step is solved");
        assert!(start.time < 1.0, "the ball misses the row");
        if report.contacts.len() >= CONTACTS {
            eprintln!("{:?}", report.work);
            break before;
        }
        before = start;
    };
    let mut group = criterion.benchmark_group("impulse-velocity-step");
    let warm = || {
        let mut integrator = round_cones(Some(&cones));
        integrator.step().expect("it was solved before");
        integrator
    };
    group.bench_function("round-cones", |bencher| {
        bencher.iter_batched_ref(warm, |integrator| integrator.step(), BatchSize::SmallInput);
    });
    let warm = || {
        let mut integrator = polygons(Some(&corners));
        integrator.step().expect("it was solved before");
        integrator
    };
    group.bench_function("stewart-trinkle", |bencher| {
        bencher.iter_batched_ref(warm, |integrator| integrator.step(), BatchSize::SmallInput);
    });
    group.finish();
}

criterion_group!(benches, impulse_velocity_step);
criterion_main!(benches);
