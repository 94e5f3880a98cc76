//! Samples a second of sets of outcomes, on two threads.

use percussion_benches::row::{Accuracy, Reach, Row, Spread, timed};
use percussion_impact::set_valued::{SetValuedRouth, Settings};
use percussion_scenarios::fixtures;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::{Outcome, Task};

const SAMPLES: u32 = 1 << 13;
const ROUNDS: usize = 15;

pub(crate) fn tasks() -> Vec<Task> {
    [("rocking-block", None), ("disk-stack", Some(Reach::OursAtLeast(150e3)))]
        .map(|(impact, reach)| {
            let name = format!("sets/{impact}");
            let rows = vec![name.clone(), format!("{name}-threads")];
            Task::of_rows(&name, rows, &[], move |_| measure(impact, reach))
        })
        .into()
}

fn measure(name: &str, reach: Option<Reach>) -> Outcome {
    let impact = fixtures::problem(name)?;
    let law = SetValuedRouth::new(Settings { samples: u64::from(SAMPLES), ..impact.set_valued });
    let [one, two] = [1, 2].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build());
    let pools = [one?, two?];
    let (mut rates, mut gains) = (Vec::new(), Vec::new());
    let (mut residual, mut unsolved, mut lcps) = (0.0_f64, 0, 0.0);
    for _ in 0..ROUNDS {
        let follow = |pool: &ThreadPool| {
            let mut set = None;
            let time = timed(|| {
                set = Some(pool.install(|| law.post_impact_set(&impact.problem, (), |_| ())));
            });
            set.transpose().map(|set| (time, set))
        };
        let (one, _) = follow(&pools[0])?;
        let (two, set) = follow(&pools[1])?;
        let statistics = set.ok_or("no set was computed")?.statistics;
        residual = residual.max(statistics.figures.residual);
        unsolved = statistics.unsolved;
        lcps = statistics.mean_lcps();
        rates.push(f64::from(SAMPLES) / two);
        gains.push(one / two);
    }
    let accuracy = || Some(Accuracy { what: "relative residual", ours: residual, peer: None });
    let rate = Row {
        name: format!("sets/{name}"),
        unit: "samples/s",
        ours: Spread::of(&rates),
        accuracy: accuracy(),
        reach,
        note: format!("two threads, {lcps:.1} LCPs a sample, {unsolved} unsolved"),
        ..Row::default()
    };
    rate.print()?;
    let gain = Row {
        name: format!("sets/{name}-threads"),
        unit: "×",
        ours: Spread::of(&gains),
        accuracy: accuracy(),
        note: "as fast on two threads as on one, in turns".to_owned(),
        ..Row::default()
    };
    Ok(gain.print()?)
}
