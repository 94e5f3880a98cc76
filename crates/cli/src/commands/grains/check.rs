//! `percussion grains --check`: what a scene holds, and what it takes to run it.

use std::{sync::Arc, time::Instant};

use anyhow::Result;
use nalgebra::{UnitQuaternion, Vector3};
use percussion_granular::{Collection, Domain, Grain, Settings, Wall, World, bodies::Mold};
use percussion_report::{Table, number::short};
use serde::Serialize;

use super::scene::Scene;
use crate::{
    arguments::Grains,
    output::{Verdict, answer},
};

/// Memory of a grain with its contacts (bytes): measured for a million of them in contact.
const BYTES: f64 = 730.0;

/// Contacts that a dense grain sweeps, with those that could close within the step.
const CONTACTS: f64 = 2.9;

/// Memory of a body with a shape (bytes), and in addition of each contact and, if no other has its size, of each part, corner and
/// face: the sizes of what the steps store.
const BODY_BYTES: [f64; 4] = [1200.0, 900.0, 500.0, 400.0];

/// What `grains --check --json` prints.
#[derive(Debug, Serialize)]
struct Check {
    scene: String,
    title: String,
    /// At the start.
    grains: usize,
    /// That come in later, at most.
    grains_to_come: f64,
    walls: usize,
    /// Walls that a force drives.
    servos: usize,
    /// Different materials, where they decide friction and restitution.
    materials: usize,
    /// m/s, where contacts bounce.
    #[serde(skip_serializing_if = "Option::is_none")]
    inelastic_below: Option<f64>,
    /// m, edges of the box along the axes on which the scene repeats itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    periods: Option<[Option<f64>; 3]>,
    /// kg, at the start.
    mass: f64,
    /// m, of the smallest and the largest grain that is there at the start.
    diameters: Option<[f64; 2]>,
    /// m, of the deepest overlap at the start.
    overlap: f64,
    /// s.
    step_size: f64,
    steps: u64,
    /// Bytes, about.
    memory: f64,
    /// Seconds of this machine for one of the scene, if steps take ten sweeps, and if all take the most.
    seconds_per_second: [f64; 2],
}

pub(super) fn execute<D: Domain>(arguments: &Grains, scene: &mut Scene<D>) -> Result<Verdict> {
    let check = check(arguments, scene)?;
    answer(arguments.json, &check, || text(&check))?;
    Ok(Verdict::Met)
}

fn check<D: Domain>(arguments: &Grains, scene: &mut Scene<D>) -> Result<Check> {
    let (overlap, molds) = (scene.domain().overlap(), scene.domain().molds().to_vec());
    let (world, scene) = (scene.world(), &*scene);
    let (grains, materials) = (world.grains(), world.materials());
    let Settings { step_size, max_sweeps, .. } = *world.settings();
    let duration = arguments.duration.unwrap_or(scene.duration());
    let to_come = scene.run().map_or(0.0, |run| run.scene().grains_to_come(duration));
    let count = grains.len() as f64 + to_come;
    let cost = if molds.is_empty() { speed()? } else { speed_of_bodies(&molds, world)? };
    let Cost { motion, update, contacts, bytes } = cost;
    let seconds = |sweeps: f64| count * (motion + sweeps * contacts * update) / step_size;
    let most = max_sweeps as f64;
    let largest = grains.radii().iter().copied().fold(0.0, f64::max);
    Ok(Check {
        scene: arguments.scene.clone(),
        title: scene.title().to_owned(),
        grains: grains.len(),
        grains_to_come: to_come,
        walls: world.walls().len(),
        servos: world.servos().len(),
        materials: world.materials().len(),
        inelastic_below: materials.bounce().then_some(materials.inelastic_below),
        periods: world.periods().map(|periods| periods.edges),
        mass: (0..grains.len()).map(|index| grains.mass(index)).sum(),
        diameters: (!grains.is_empty()).then(|| [2.0 * grains.smallest_radius(), 2.0 * largest]),
        overlap,
        step_size,
        steps: scene.steps_until(duration)?,
        memory: count * bytes,
        seconds_per_second: [seconds(most.min(10.0)), seconds(most)],
    })
}

/// What a dense grain costs.
struct Cost {
    /// Seconds of this machine in a step without sweeps, and for an update of a contact.
    motion: f64,
    update: f64,
    /// Contacts that are swept.
    contacts: f64,
    /// Memory.
    bytes: f64,
}

/// The cost of a ball, measured on 1728 that are packed together.
fn speed() -> Result<Cost> {
    const ACROSS: u32 = 12;
    let settings = Settings { tolerance: 0.0, ..Settings::default() };
    let floor = Wall::plane(Vector3::zeros(), Vector3::z(), 0.5);
    let mut world = World::new(settings, vec![floor])?;
    for index in 0..ACROSS.pow(3) {
        let node = [index % ACROSS, index / ACROSS % ACROSS, index / ACROSS.pow(2)];
        let place = Vector3::from(node.map(|n| f64::from(n) + 0.5));
        world.add(&Grain::at(0.1 * place, 0.05, 1.0))?;
    }
    let [motion, update, _] = measured(&mut world, settings)?;
    Ok(Cost { motion, update, contacts: CONTACTS, bytes: BYTES })
}

/// The cost of the shapes of a scene, measured on 216 bodies that overlap a little in a box, each turned at random.
fn speed_of_bodies(molds: &[Arc<Mold>], world: &World) -> Result<Cost> {
    const ACROSS: u32 = 6;
    let settings = Settings { tolerance: 0.0, ..Settings::default() };
    let floor = Wall::plane(Vector3::zeros(), Vector3::z(), 0.5);
    let mut packed = Collection::new(settings, vec![floor], molds.to_vec(), 0.1)?;
    for index in 0..ACROSS.pow(3) {
        let node = [index % ACROSS, index / ACROSS % ACROSS, index / ACROSS.pow(2)];
        let place = Vector3::from(node.map(|n| f64::from(n) + 0.5));
        let turn = place.map(|part| 3.0 * (7.0 * part).sin());
        let orientation = UnitQuaternion::from_scaled_axis(turn);
        let grain = Grain { orientation, ..Grain::at(0.1 * place, 0.05, 1.0) };
        packed.add_shaped(&grain, index as usize % molds.len())?;
    }
    let [motion, update, contacts] = measured(&mut packed, settings)?;
    let [body, contact, part, corner] = BODY_BYTES;
    let mut radii: Vec<u64> = world.grains().radii().iter().map(|r| r.to_bits()).collect();
    radii.sort_unstable();
    radii.dedup();
    // Grains of one size share their form.
    let own = radii.len() as f64 / world.grains().len().max(1) as f64;
    let parts: f64 = molds.iter().map(|mold| mold.len() as f64).sum();
    let corners: f64 = molds
        .iter()
        .flat_map(|mold| mold.parts())
        .map(|(shape, _)| {
            shape
                .polyhedron()
                .map_or(0.0, |hull| (hull.vertices().len() + hull.faces().len()) as f64)
        })
        .sum();
    let form = (parts * part + corners * corner) / molds.len() as f64;
    Ok(Cost { motion, update, contacts, bytes: body + contacts * contact + own * form })
}

/// Seconds of this machine for a grain in a step without sweeps, and for an update of a contact, and contacts of a grain.
fn measured<D: Domain>(domain: &mut D, settings: Settings) -> Result<[f64; 3]> {
    let mut time = |sweeps: usize| -> Result<(f64, f64)> {
        domain.set_settings(Settings { max_sweeps: sweeps, ..settings })?;
        let mut candidates = domain.step()?.candidates as f64;
        let mut least = f64::INFINITY;
        for _ in 0..5 {
            let start = Instant::now();
            candidates = domain.step()?.candidates as f64;
            least = least.min(start.elapsed().as_secs_f64());
        }
        Ok((least, candidates))
    };
    let [(few, _), (many, candidates)] = [time(1)?, time(41)?];
    let grains = domain.world().grains().len() as f64;
    let update = (many - few).max(0.0) / (40.0 * candidates);
    let motion = (few - candidates * update).max(0.0) / grains;
    Ok([motion, update, candidates / grains])
}

fn text(check: &Check) -> String {
    let mut table = Table::new("<><", ["quantity", "value", "unit"]);
    let range = |range: [f64; 2]| match range {
        [low, high] if short(low) == short(high) => short(low),
        [low, high] => format!("{} to {}", short(low), short(high)),
    };
    let whole = |count: usize| count.to_string();
    let rows = [
        ("grains at the start", whole(check.grains), ""),
        ("grains to come, at most", short(check.grains_to_come), ""),
        ("walls", whole(check.walls), ""),
        ("mass at the start", short(check.mass), "kg"),
        ("diameters at the start", check.diameters.map_or_else(|| "–".to_owned(), range), "m"),
        ("deepest overlap at the start", short(check.overlap), "m"),
        ("time step", short(check.step_size), "s"),
        ("steps", check.steps.to_string(), ""),
        ("memory, about", short(check.memory / 1e6), "MB"),
        ("a second takes, about", range(check.seconds_per_second), "s"),
    ];
    if let Some(edges) = check.periods {
        let edges = ["x", "y", "z"].into_iter().zip(edges);
        let edges = edges.filter_map(|(axis, edge)| Some(format!("{axis} {}", short(edge?))));
        let edges = edges.collect::<Vec<_>>().join(", ");
        table.push(["repeats itself along".to_owned(), edges, "m".to_owned()]);
    }
    for (quantity, count) in [("driven by a force", check.servos), ("materials", check.materials)] {
        if count > 0 {
            table.push([quantity.to_owned(), whole(count), String::new()]);
        }
    }
    if let Some(speed) = check.inelastic_below {
        table.push(["inelastic below".to_owned(), short(speed), "m/s".to_owned()]);
    }
    for (quantity, value, unit) in rows {
        table.push([quantity.to_owned(), value, unit.to_owned()]);
    }
    format!(
        "{}: {}\n\n{table}\nThe time is for one core, from ten sweeps in each step to as many as are allowed.\n",
        check.scene, check.title
    )
}
