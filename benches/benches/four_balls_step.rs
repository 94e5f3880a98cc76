//! Time of the step in which a ball hits a row of three, all on a table.
//!
//! It is the largest step of the published experiment: seven contacts with eight friction directions,
//! an LCP of size 70 for each outer iteration. The motion is advanced to the step before it, so that
//! memory is warm, and is solved and judged once before the clock starts.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use percussion_benches::residuals;
use percussion_integrators::{
    Polygons, Simulation, State, StepReport, Work, stewart_trinkle::StewartTrinkle,
};
use percussion_mechanism::{mechanism::Mechanism, scenario::Setup};
use percussion_scenarios::fixtures;

const SCENARIO: &str = "stewart-trinkle/four-balls";
const BENCH: &str = "four-balls-step/collision";

/// Seven contacts with a normal impulse, eight tangential ones and a slack each.
const LARGEST: usize = 70;

/// A motion of the four balls that starts at `state`, or as published.
fn motion(state: Option<&State>) -> Simulation<StewartTrinkle> {
    let scenario = fixtures::scenario(SCENARIO).expect("the scenario is embedded");
    let Setup { mechanism, settings, .. } = scenario.build().expect("it is valid");
    let Mechanism { model, state: start, .. } = mechanism;
    let state = state.cloned().unwrap_or(start);
    Simulation::<StewartTrinkle>::new(model, settings, state)
        .expect("no state of the motion penetrates")
}

fn step(integrator: &mut Simulation<StewartTrinkle>) -> StepReport {
    integrator.step().expect("every step of the motion is solved")
}

fn polygons(report: &StepReport) -> Polygons {
    let Work::Polygons(work) = report.work else { panic!("the scheme has polygons") };
    work
}

/// The state two steps before the end of the first step with all seven contacts, and its report.
fn collision() -> (State, StepReport) {
    let mut integrator = motion(None);
    let mut before = [integrator.state().clone(), integrator.state().clone()];
    while integrator.state().time < 1.0 {
        let [_, last] = before;
        before = [last, integrator.state().clone()];
        let report = step(&mut integrator);
        if polygons(&report).lcp_size == LARGEST {
            let [two_before, _] = before;
            return (two_before, report);
        }
    }
    panic!("the ball misses the row");
}

fn four_balls_step(criterion: &mut Criterion) {
    let (before, report) = collision();
    assert!(report.relative_residual <= 1e-9, "residual {}", report.relative_residual);
    let Polygons { lcp_solves, pivots, .. } = polygons(&report);
    eprintln!("{BENCH}: {lcp_solves} LCPs, {pivots} pivots");
    residuals::note(BENCH, report.relative_residual).expect("the file can be written");

    let warm = || {
        let mut integrator = motion(Some(&before));
        step(&mut integrator);
        integrator
    };
    assert_eq!(
        polygons(&step(&mut warm())).lcp_size,
        LARGEST,
        "the warm motion takes the same step"
    );
    criterion.bench_function(BENCH, |bencher| {
        bencher.iter_batched_ref(warm, step, BatchSize::SmallInput);
    });
}

criterion_group!(benches, four_balls_step);
criterion_main!(benches);
