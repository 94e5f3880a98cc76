//! Weak scaling on this machine: `cargo xtask mpi --scaling`.
//!
//! A rank with a block of grains beside two ranks with two of them, in turns, and between the runs one copy of memory beside
//! two at once: what two ranks lose beyond what the memory takes from any two programs is due to the exchange. Small blocks
//! tell the time of a message, as they have little else.

use std::{
    fs,
    hint::black_box,
    path::Path,
    process::{Command, Stdio},
    sync::Barrier,
    thread,
    time::Instant,
};

use anyhow::{Context, bail};

use super::{AS_ROOT, built, cargo};
use crate::shell;

/// Runs of one rank and of two.
const TURNS: usize = 5;

/// Sweeps of each step.
const SWEEPS: usize = 20;

/// Bytes that a thread copies, more than caches hold, how many times, and how often one and two do it.
const COPIED: (usize, usize, usize) = (1 << 28, 4, 7);

/// What a rank has.
struct Block {
    /// Number of grains along x, y and z.
    counts: [usize; 3],
    /// Steps of a run; a line of `ranks.csv` is written every 50, and the last one counts.
    steps: usize,
}

const LARGE: Block = Block { counts: [100, 50, 100], steps: 100 };
const SMALL: Block = Block { counts: [10, 5, 10], steps: 1000 };

/// Prints the speed of one and two ranks, their ratio, that of the memory, and the quotient of the two.
pub(super) fn run() -> anyhow::Result<()> {
    shell::run(&mut cargo(&["build", "--release", "--locked"]))?;
    let program = built().join("release/percussion-grains-mpi");
    let folder = shell::target().join("scaling");
    fs::create_dir_all(&folder)?;
    println!("one thread a rank, {SWEEPS} sweeps a step, median of {TURNS} turns");
    for block in [LARGE, SMALL] {
        let grains = block.grains();
        println!("\n{grains} grains a rank\n");
        println!("time of a step (ms)        efficiency of two");
        println!("one rank  two ranks   ranks   copies  quotient");
        let mut turns = Vec::with_capacity(TURNS);
        for _ in 0..TURNS {
            let [one, two] = [1, 2].map(|ranks| block.time(&program, &folder, ranks));
            let (one, two, copies) = (one?, two?, copies());
            turns.push([1e3 * one, 1e3 * two, one / two, copies, one / two / copies]);
        }
        let [one, two, ranks, copies, quotient] = std::array::from_fn(|column| {
            let figures: Vec<_> = turns.iter().map(|turn| turn[column]).collect();
            Spread::of(figures)
        });
        for line in [Spread::low, Spread::median, Spread::high] {
            let [one, two, ranks, copies, quotient] =
                [&one, &two, &ranks, &copies, &quotient].map(line);
            println!("{one:8.3} {two:10.3} {ranks:7.3} {copies:8.3} {quotient:9.3}");
        }
    }
    Ok(())
}

/// Some figures of one kind, ascending.
struct Spread(Vec<f64>);

impl Spread {
    fn of(mut figures: Vec<f64>) -> Self {
        figures.sort_by(f64::total_cmp);
        Self(figures)
    }

    fn low(&self) -> f64 {
        self.0[0]
    }

    fn median(&self) -> f64 {
        self.0[self.0.len() / 2]
    }

    fn high(&self) -> f64 {
        self.0[self.0.len() - 1]
    }
}

impl Block {
    fn grains(&self) -> usize {
        self.counts.iter().product()
    }

    /// Time of a step (s) of `ranks` ranks, each with a block of its own, in the last steps of a run.
    fn time(&self, program: &Path, folder: &Path, ranks: usize) -> anyhow::Result<f64> {
        let (scene, out) = (folder.join("blocks.toml"), folder.join("out"));
        fs::write(&scene, self.scene(ranks))?;
        if out.exists() {
            fs::remove_dir_all(&out)?;
        }
        let mut run = Command::new("mpirun");
        run.args(["-n", &ranks.to_string()]).arg(program).arg(&scene).arg("--out").arg(&out);
        run.args(["--partition", &format!("{ranks}x1x1")]).env("RAYON_NUM_THREADS", "1");
        // All sweeps end at their limit here, which exit code 1 says; what counts is the last line.
        run.envs(AS_ROOT).stdout(Stdio::null()).status().context("starting mpirun")?;
        let table = out.join("ranks.csv");
        let table =
            fs::read_to_string(&table).with_context(|| format!("reading {}", table.display()))?;
        let last = table.lines().last().unwrap_or_default();
        let fields: Vec<&str> = last.split(',').collect();
        if fields.first() != Some(&self.steps.to_string().as_str()) {
            bail!("the run of {ranks} ranks ended early: the last line of ranks.csv is `{last}`");
        }
        let updates = fields.last().and_then(|updates| updates.parse::<f64>().ok());
        let updates = updates.with_context(|| format!("no speed in `{last}`"))?;
        Ok((ranks * self.grains()) as f64 / updates)
    }

    /// A block of grains for each rank, one beside the other, which touch each other from the first step on.
    fn scene(&self, ranks: usize) -> String {
        let [x, y, z] = self.counts.map(|count| 0.01 * count as f64);
        format!(
            "title = \"Blocks of grains\"\n\
             duration = {}\n\
             friction = 0.5\n\
             step_size = 1e-4\n\
             steps = {{ max_sweeps = {SWEEPS}, tolerance = 0 }}\n\
             grains = [{{ diameter = 0.01, density = 2500 }}]\n\
             walls = [{{ name = \"floor\", shape.plane = {{ point = [0, 0, 0], normal = [0, 0, 1] }} }}]\n\
             [[insert]]\n\
             lattice = {{ pitch = 1, shake = 0 }}\n\
             region.box = {{ low = [0, 0, 0], high = [{}, {y}, {z}] }}\n",
            1e-4 * self.steps as f64,
            x * ranks as f64,
        )
    }
}

/// Efficiency of two threads that copy at once beside one that copies alone, in turns.
fn copies() -> f64 {
    let turns = (0..COPIED.2).map(|_| time_of_copies(1) / time_of_copies(2));
    Spread::of(turns.collect()).median()
}

/// Mean time in which each of some threads copies (s).
fn time_of_copies(threads: usize) -> f64 {
    let start = Barrier::new(threads);
    let copy = || {
        let from = vec![1_u8; COPIED.0];
        let mut to = vec![2_u8; COPIED.0];
        start.wait();
        let clock = Instant::now();
        for _ in 0..COPIED.1 {
            to.copy_from_slice(black_box(&from));
            black_box(&mut to);
        }
        clock.elapsed().as_secs_f64()
    };
    let times: f64 = thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(copy)).collect();
        running.into_iter().map(|thread| thread.join().unwrap_or(f64::NAN)).sum()
    });
    times / threads as f64
}
