//! Runs the fuzz targets with seeded random cases on the stable compiler.
#![expect(clippy::print_stdout, reason = "the driver talks to a person at a terminal")]

use std::{
    collections::BTreeMap,
    fs,
    path::PathBuf,
    process::ExitCode,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use clap::Parser;
use percussion_fuzz::{Clock, TARGETS, Tally, Target};
use serde_json::Value;

/// Longest time of a case (s).
const LIMIT: Duration = Duration::from_secs(5);
/// Processor time after which the run is aborted because a case does not end (s).
const PATIENCE: f64 = 120.0;
/// The same for the elapsed time (s): a machine that is busy with other work gives a case a small part of it.
const WAITING: f64 = 30.0 * PATIENCE;
/// Cases that a thread takes at once.
const BLOCK: u64 = 32;

/// Draws random cases, runs every solver, law and scheme on them, and judges the results.
///
/// The cases depend only on the seed, the target and their number, so the same seed and cases give the same counts on any
/// machine with the same arithmetic and for any number of threads. Ends with exit code 1 if an answer is wrong.
#[derive(Parser)]
struct Arguments {
    /// Seed: a number, or any text, such as the hash of a commit.
    #[arg(long, default_value = "1")]
    seed: String,
    /// Maximum number of cases of each target.
    #[arg(long)]
    cases: Option<u64>,
    /// Total time, divided evenly among the targets (s).
    #[arg(long)]
    seconds: Option<f64>,
    /// Number of the first case.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// The targets to run, all by default.
    #[arg(long)]
    target: Vec<String>,
    /// Threads.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Folder of cases to replay first.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/regressions"))]
    regressions: PathBuf,
    /// Folder into which failing cases are written.
    #[arg(long)]
    save: Option<PathBuf>,
    /// Maximum number of failing cases of each target that are reduced and shown.
    #[arg(long, default_value_t = 5)]
    show: usize,
    /// Show failing cases as they were drawn, without reducing them.
    #[arg(long)]
    whole: bool,
}

/// The results of one target.
#[derive(Default)]
struct Campaign {
    cases: u64,
    tally: Tally,
    /// Number of each failing case, with the faulty solver and the fault.
    failures: BTreeMap<u64, Vec<(String, String)>>,
    slowest: (Duration, u64),
    time: Duration,
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    // Panics are reported as failures of their case.
    std::panic::set_hook(Box::new(|_| {}));
    let seed = seed(&arguments.seed);
    println!("seed {} ({seed:#018x}), {} threads", arguments.seed, arguments.threads);
    let targets = chosen(&arguments.target)?;
    let mut wrong = replay(&arguments.regressions)?;
    let cases = match (arguments.cases, arguments.seconds) {
        (Some(cases), _) => cases,
        (None, Some(_)) => u64::MAX,
        (None, None) => 1000,
    };
    let share = arguments.seconds.map(|seconds| seconds / targets.len() as f64);
    for target in targets {
        let campaign = run(target, seed, arguments.first, cases, share, arguments.threads);
        report(target, seed, &campaign, &arguments)?;
        wrong += campaign.failures.len();
    }
    println!("{wrong} cases with a wrong answer");
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A number is used as such, the hash of a commit by its first 16 digits, other text by its bytes.
fn seed(text: &str) -> u64 {
    text.parse()
        .or_else(|_| u64::from_str_radix(text.get(..16).unwrap_or(text), 16))
        .unwrap_or_else(|_| {
            text.bytes().fold(0, |seed, byte| seed.wrapping_mul(257).wrapping_add(u64::from(byte)))
        })
}

fn chosen(names: &[String]) -> anyhow::Result<Vec<&'static Target>> {
    for name in names {
        if !TARGETS.iter().any(|target| target.name == name) {
            let known: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
            bail!("target `{name}` is unknown, expected one of {}", known.join(", "));
        }
    }
    let wanted =
        |target: &&Target| names.is_empty() || names.iter().any(|name| name == target.name);
    Ok(TARGETS.iter().filter(wanted).collect())
}

/// Checks the cases of every target that were wrong before; returns the number that are wrong again.
fn replay(folder: &PathBuf) -> anyhow::Result<usize> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(0) };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    let (mut count, mut wrong) = (0, 0);
    for path in paths {
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let value: Value =
            serde_json::from_str(&text).with_context(|| path.display().to_string())?;
        let name = value["target"].as_str().unwrap_or_default();
        let Some(target) = TARGETS.iter().find(|target| target.name == name) else { continue };
        let tally = (target.replay)(&value["case"]).with_context(|| path.display().to_string())?;
        count += 1;
        for (solver, what) in &tally.failures {
            println!("{}: {solver}: {what}", path.display());
        }
        wrong += usize::from(!tally.failures.is_empty());
    }
    println!("{count} regressions replayed, {wrong} wrong");
    Ok(wrong)
}

fn run(
    target: &Target,
    seed: u64,
    first: u64,
    cases: u64,
    share: Option<f64>,
    threads: usize,
) -> Campaign {
    let start = Instant::now();
    let next = AtomicU64::new(0);
    let total = Mutex::new(Campaign::default());
    let running: Vec<_> = (0..threads).map(|_| Mutex::new(None::<(u64, Clock)>)).collect();
    let done = AtomicBool::new(false);
    let over = || share.is_some_and(|share| start.elapsed().as_secs_f64() >= share);
    thread::scope(|scope| {
        let workers: Vec<_> = running
            .iter()
            .map(|now| {
                scope.spawn(|| {
                    let mut own = Campaign::default();
                    'blocks: while !over() {
                        let block = next.fetch_add(BLOCK, Ordering::Relaxed);
                        for index in block..block.saturating_add(BLOCK).min(cases) {
                            if over() {
                                break 'blocks;
                            }
                            own.case(target, seed, first + index, now);
                        }
                        if block.saturating_add(BLOCK) >= cases {
                            break;
                        }
                    }
                    lock(&total).merge(own);
                })
            })
            .collect();
        scope.spawn(|| watch(target, &running, &done));
        for worker in workers {
            if worker.join().is_err() {
                println!("{}: a thread of the driver panicked", target.name);
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    let mut campaign = total.into_inner().unwrap_or_default();
    campaign.time = start.elapsed();
    campaign
}

/// Aborts the run if a case does not end.
fn watch(target: &Target, running: &[Mutex<Option<(u64, Clock)>>], done: &AtomicBool) {
    while !done.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(50));
        for now in running {
            let Some((index, clock)) = lock(now).clone() else { continue };
            if clock.seconds() > PATIENCE || clock.elapsed() > WAITING {
                println!("{}: case {index} does not end within {PATIENCE} s", target.name);
                std::process::exit(3);
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Campaign {
    fn case(&mut self, target: &Target, seed: u64, index: u64, now: &Mutex<Option<(u64, Clock)>>) {
        let clock = Clock::start();
        *lock(now) = Some((index, clock.clone()));
        let mut tally = (target.run)(seed, index);
        *lock(now) = None;
        let time = Duration::from_secs_f64(clock.seconds().max(0.0));
        if time > LIMIT {
            tally.fail("time", format!("{:.1} s, limit {} s", time.as_secs_f64(), LIMIT.as_secs()));
        }
        self.cases += 1;
        self.slowest = self.slowest.max((time, index));
        self.tally.merge(&tally);
        if !tally.failures.is_empty() {
            self.failures.insert(index, tally.failures);
        }
    }

    fn merge(&mut self, other: Self) {
        self.cases += other.cases;
        self.tally.merge(&other.tally);
        self.failures.extend(other.failures);
        self.slowest = self.slowest.max(other.slowest);
    }
}

fn report(
    target: &Target,
    seed: u64,
    campaign: &Campaign,
    arguments: &Arguments,
) -> anyhow::Result<()> {
    let Campaign { cases, slowest, time, .. } = campaign;
    println!(
        "── {}: {cases} cases in {:.1} s, slowest {:.3} s (case {})",
        target.name,
        time.as_secs_f64(),
        slowest.0.as_secs_f64(),
        slowest.1
    );
    for (name, count) in &campaign.tally.counts {
        println!("{count:>10}  {name}");
    }
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    for (solver, _) in campaign.failures.values().flatten() {
        *kinds.entry(solver).or_default() += 1;
    }
    for (solver, count) in &kinds {
        println!("{count:>10}  WRONG {solver}");
    }
    // One of each kind first, so that a frequent failure does not hide a rare one.
    let mut shown: Vec<(u64, &(String, String))> = Vec::new();
    for kind in kinds.keys() {
        let of_kind = campaign
            .failures
            .iter()
            .flat_map(|(index, list)| list.iter().map(move |f| (*index, f)));
        shown.extend(of_kind.filter(|(_, (solver, _))| solver == kind).take(arguments.show));
    }
    for (index, (solver, what)) in shown {
        let case = (target.show)(seed, index);
        // A case that takes too long is not reduced, because that would run it many times.
        let is_kept = arguments.whole || solver == "time";
        let case = if is_kept { case } else { (target.shrink)(&case, solver) };
        println!("case {index}: {solver}: {what}\n  {case}");
        if let Some(folder) = &arguments.save {
            fs::create_dir_all(folder)?;
            let file = serde_json::json!({
                "target": target.name, "solver": solver, "what": what, "seed": arguments.seed, "index": index, "case": case,
            });
            let name = format!("{}-{}-{index}.json", target.name, solver.replace(['/', ' '], "-"));
            fs::write(folder.join(name), format!("{file}\n"))?;
        }
    }
    Ok(())
}
