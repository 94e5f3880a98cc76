//! Thousands of grains that flow down a rough slope of 26°: the time that a grain takes, and how deep grains overlap.
//!
//! Without arguments a layer of its own. With the path of `data.chute`, of the benchmark `chute` of LAMMPS, the state in that file:
//! 31 088 grains in steady flow over 912 fixed ones; with `--step`, `--sweeps`, `--tolerance`, `--time` and `--profile` in addition.
//! Lengths are in diameters, times in `√(d/g)`, masses in those of a cube of grains.

#![expect(clippy::print_stdout, reason = "the output of an example")]

use std::{fs, time::Instant};

use nalgebra::{Isometry3, Vector3};
use percussion_collision::Shape;
use percussion_granular::{Correction, Grain, Periods, Settings, Wall, World};

/// Mass of a grain with a density of 1.
const MASS: f64 = std::f64::consts::PI / 6.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str, default: f64| -> Result<f64, std::num::ParseFloatError> {
        let place = arguments.iter().position(|argument| argument == name);
        place.and_then(|k| arguments.get(k + 1)).map_or(Ok(default), |value| value.parse())
    };
    let file = arguments.first().filter(|argument| !argument.starts_with("--"));
    let (sine, cosine) = 26.0_f64.to_radians().sin_cos();
    let settings = Settings {
        gravity: Vector3::new(sine, 0.0, -cosine),
        friction: 0.5,
        step_size: option("--step", 0.01)?,
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        max_sweeps: option("--sweeps", 20.0)? as usize,
        tolerance: option("--tolerance", 1e-3)?,
        skin: option("--skin", 0.15)?,
        correction: Correction::Position { part: option("--part", 0.2)?, sweeps: 10 },
    };
    let mut world = match file {
        Some(path) => read(settings, &fs::read_to_string(path)?)?,
        None => layer(settings)?,
    };
    let count = world.grains().len() as f64;
    let time = option("--time", if file.is_some() { 1.0 } else { 4.0 })?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let steps = (time / settings.step_size).round() as u32;
    let speed = |world: &World| world.grains().momentum().x / MASS / count;
    let (before, start) = (speed(&world), Instant::now());
    let (mut deepest, mut overlaps, mut sweeps, mut residual) = (0.0_f64, [0.0; 2], 0.0, 0.0);
    let mut idle = 0.0;
    for step in 0..steps {
        let report = world.step()?;
        sweeps += report.sweeps as f64;
        residual += report.relative_residual;
        let watching = Instant::now();
        if step >= steps / 2 {
            deepest += report.overlap / f64::from(steps - steps / 2);
            for touch in world.touches().filter(|touch| touch.impulse != Vector3::zeros()) {
                overlaps[0] += (-touch.gap).max(0.0);
                overlaps[1] += 1.0;
            }
        }
        idle += watching.elapsed().as_secs_f64();
    }
    let seconds = start.elapsed().as_secs_f64() - idle;
    let steps = f64::from(steps);
    println!("{count} grains, {steps} steps of {}", settings.step_size);
    println!("{:.1} µs for a grain and √(d/g)", 1e6 * seconds / count / time);
    println!("{:.2e} d: deepest overlap, mean over steps", deepest);
    println!("{:.2e} d: mean overlap of contacts that push", overlaps[0] / overlaps[1]);
    println!("{:.1} sweeps a step, residual {:.1e}", sweeps / steps, residual / steps);
    println!("mean speed {before:.3} before, {:.3} after", speed(&world));
    if arguments.iter().any(|argument| argument == "--profile") {
        profile(&world);
    }
    Ok(())
}

/// Mean speed and number of grains in layers of two diameters.
fn profile(world: &World) {
    let grains = world.grains();
    for layer in 0..20_u32 {
        let low = 2.0 * f64::from(layer);
        let inside: Vec<usize> = (0..grains.len())
            .filter(|k| (low..low + 2.0).contains(&grains.positions()[*k].z))
            .collect();
        let speed: f64 = inside.iter().map(|k| grains.velocity(*k).x).sum();
        println!("{:4} {:6} {:7.3}", low + 1.0, inside.len(), speed / inside.len() as f64);
    }
}

/// A layer at rest over fixed balls.
fn layer(settings: Settings) -> Result<World, Box<dyn std::error::Error>> {
    let node = |k: u32| Vector3::new(f64::from(k % 10), f64::from(k / 10 % 10), f64::from(k / 100));
    let fixed =
        (0..100).map(|k| node(k) + Vector3::new(0.5, 0.5, 0.2 * (f64::from(k) * 0.7).sin()));
    let mut world = chute(settings, [10.0, 10.0], fixed)?;
    for k in 0..81 * 12_u32 {
        let node = Vector3::new(f64::from(k % 9), f64::from(k / 9 % 9), f64::from(k / 81));
        let shake = 0.04 * (node + Vector3::new(0.3, 0.1, 0.7)).map(|x| (31.0 * x).sin());
        let place = 1.1 * node + Vector3::new(0.5, 0.5, 1.5) + shake;
        world.add(&Grain::at(place, 0.5, MASS))?;
    }
    Ok(world)
}

/// The state in a data file of LAMMPS.
fn read(settings: Settings, text: &str) -> Result<World, Box<dyn std::error::Error>> {
    let numbers = |head: &str| -> Vec<Vec<f64>> {
        let lines = text.lines().skip_while(|line| line.trim() != head).skip(2);
        let lines = lines.take_while(|line| !line.trim().is_empty());
        let row =
            |line: &str| line.split_whitespace().map_while(|word| word.parse().ok()).collect();
        let mut rows: Vec<Vec<f64>> = lines.map(row).collect();
        rows.sort_by(|a, b| a[0].total_cmp(&b[0]));
        rows
    };
    let end = |name: &str| -> Option<f64> {
        let line = text.lines().find(|line| line.ends_with(name))?;
        line.split_whitespace().nth(1)?.parse().ok()
    };
    let edges = [end("xhi").ok_or("no xhi")?, end("yhi").ok_or("no yhi")?];
    let (atoms, velocities) = (numbers("Atoms"), numbers("Velocities"));
    let place = |atom: &[f64]| Vector3::new(atom[4], atom[5], atom[6]);
    let is_fixed = |atom: &&Vec<f64>| atom[1] > 1.5;
    let mut world = chute(settings, edges, atoms.iter().filter(is_fixed).map(|a| place(a)))?;
    for (atom, motion) in atoms.iter().zip(&velocities).filter(|(atom, _)| !is_fixed(atom)) {
        let mut grain = Grain::at(place(atom), 0.5, MASS);
        grain.velocity = Vector3::new(motion[1], motion[2], motion[3]);
        grain.angular_velocity = Vector3::new(motion[4], motion[5], motion[6]);
        world.add(&grain)?;
    }
    Ok(world)
}

/// Fixed balls with their images beyond the faces, in a box that repeats itself along `x` and `y`.
fn chute(
    settings: Settings,
    edges: [f64; 2],
    fixed: impl Iterator<Item = Vector3<f64>>,
) -> Result<World, Box<dyn std::error::Error>> {
    let mut walls = Vec::new();
    for place in fixed {
        for by in (0..9_u32).map(|k| [f64::from(k % 3) - 1.0, f64::from(k / 3) - 1.0]) {
            let at = place + Vector3::new(by[0] * edges[0], by[1] * edges[1], 0.0);
            if (0..2).all(|k| at[k] > -2.0 && at[k] < edges[k] + 2.0) {
                walls.push(Wall::solid(Shape::Sphere { radius: 0.5 }, Isometry3::from(at), 0.5));
            }
        }
    }
    let periods = Periods::new(Vector3::zeros(), [Some(edges[0]), Some(edges[1]), None]);
    Ok(World::periodic(settings, walls, periods)?)
}
