//! A simulation as a [`View`].

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Vector3};
use percussion_integrators::{ContactReport, StepReport, event_driven::EventKind};
use percussion_record::view::{BodyView, Curve, FORMAT, Mode, Motion, PlaneView, Touch, View};

use super::{bones, plane_view, pose, singles, solids};
use crate::{
    event_motion::{ContactMotion, EventMotion},
    mechanism::Mechanism,
    scenario::{Body, Scenario, Setup},
    trajectory::{Sample, Trajectory},
};

/// Maximum number of times of the motion of a simulation. Of longer ones only every second, third, … sample
/// is kept, and the impulses of the omitted samples are added up.
pub const FRAME_LIMIT: usize = 1200;

/// Maximum number of bodies and touching contacts over all times; each takes about a hundred characters of the page.
pub const ENTRY_LIMIT: usize = 60_000;

/// Maximum number of contacts whose gaps are plotted one by one; for more contacts the smallest gap is plotted.
const GAP_CURVES: usize = 12;

/// Contact velocity that cannot be distinguished from zero in a picture, as a fraction of the largest.
///
/// The solvers of the schemes are at least a hundred times as accurate.
const STILL: f64 = 1e-6;

/// A simulation of `setup` for the page that plays it.
#[must_use]
pub fn of_trajectory(setup: &Setup, trajectory: &Trajectory) -> View {
    let pushes = trajectory.reports.iter().map(|step| step.contacts.clone());
    // There is no impulse before the start.
    let pushes: Vec<_> = std::iter::once(Vec::new()).chain(pushes).collect();
    let steps = format!("h = {} s", trajectory.step_size);
    Filming { setup, trajectory, pushes }.view(&steps)
}

/// An event-driven simulation of `setup` for the page that plays it. It shows impulses at the events and,
/// between them, the forces of closed contacts times the time between samples.
///
/// # Example
///
/// A disc of 1 kg lands after 0.4515 s at 4.43 m/s and leaves with 0.8 of that: 1.8 · 4.43 = 7.97 N·s.
///
/// ```
/// use percussion_impact::poisson::Poisson;
/// use percussion_mechanism::{scenario::Scenario, view};
///
/// let mut scenario = Scenario::from_path("fixtures/compat/scenarios/bouncing-ball.toml")?;
/// scenario.duration = 0.6;
/// let setup = scenario.build()?;
/// let motion = setup.simulate_events(&Poisson::default(), &mut |_fraction| ())?;
/// let view = view::of_event_motion(&setup, &motion);
/// let largest = view.motions[0].touches.iter().flatten().map(|touch| touch.impulse[1]);
/// assert!((largest.fold(0.0, f32::max) - 7.97).abs() < 0.01);
/// # Ok::<(), percussion_mechanism::Error>(())
/// ```
#[must_use]
pub fn of_event_motion(setup: &Setup, motion: &EventMotion) -> View {
    let trajectory = &motion.trajectory;
    let steps = format!("event-driven, shown every {} s", trajectory.step_size);
    Filming { setup, trajectory, pushes: pushes(motion) }.view(&steps)
}

/// The data of a view.
struct Filming<'a> {
    setup: &'a Setup,
    trajectory: &'a Trajectory,
    /// For each sample, the contacts that took part since the previous sample, each at most once.
    pushes: Vec<Vec<ContactReport>>,
}

impl Filming<'_> {
    fn view(&self, steps: &str) -> View {
        let Self { setup, trajectory, .. } = self;
        let Setup { scenario, mechanism, .. } = setup;
        let stride = self.stride();
        let last = trajectory.samples.len() - 1;
        let shown: Vec<usize> = (0..last).step_by(stride).chain([last]).collect();
        let frames = || shown.iter().map(|&index| &trajectory.samples[index]);
        let since = std::iter::once(0).chain(shown.iter().map(|index| index + 1));
        let still = self.still();
        let touches = since.zip(&shown).map(|(from, &to)| self.touches(from, to, still));
        let motion = Motion {
            name: scenario.name.clone(),
            times: frames().map(|sample| sample.time).collect(),
            poses: frames().map(|sample| self.poses(sample)).collect(),
            touches: touches.collect(),
            curves: curves(setup, trajectory, &shown),
            ..Motion::default()
        };
        let thinned = match stride {
            1 => String::new(),
            _ => format!(", every {stride} steps, with the sum of their impulses"),
        };
        View {
            format: FORMAT.to_owned(),
            title: scenario.title.clone(),
            caption: format!(
                "{}; by {}, {steps}{thinned}.",
                scenario.source, scenario.integrator.method
            ),
            dimension: scenario.dimension.into(),
            bodies: bodies(scenario, mechanism),
            planes: planes(scenario, mechanism),
            contacts: trajectory.contact_names.clone(),
            motions: vec![motion],
            sets: Vec::new(),
        }
    }

    /// The poses of the bodies of a sample, and of fixed objects.
    fn poses(&self, sample: &Sample) -> Vec<f32> {
        let mechanism = &self.setup.mechanism;
        let mut poses = pose(mechanism.model.system(), &sample.coordinates);
        if let Some(surfaces) = &mechanism.surfaces {
            poses.extend(solids::fixed_poses(surfaces, self.setup.scenario.dimension));
        }
        poses
    }

    /// Number of samples per frame.
    fn stride(&self) -> usize {
        let samples = self.trajectory.samples.len();
        let touching: usize = self.pushes.iter().map(Vec::len).sum();
        // Every body and every fixed shape has an entry.
        let of_sample = self.trajectory.end().coordinates.len();
        let scenario = &self.setup.scenario;
        let bodies = if scenario.is_tree() { of_sample } else { scenario.bodies.len() };
        let entries = touching + samples * (bodies + scenario.fixed.len());
        samples.div_ceil(FRAME_LIMIT).max(entries.div_ceil(ENTRY_LIMIT)).max(1)
    }

    /// The contact velocity (m/s) up to which a contact counts as still.
    fn still(&self) -> f64 {
        let Setup { mechanism, settings, .. } = self.setup;
        let speeds = self.pushes.iter().flatten().map(|push| push.velocity.norm());
        // Positions are accurate to the tolerance, and velocities to the tolerance divided by the step.
        let found = settings.length_tolerance(&mechanism.model, &mechanism.state);
        let found = found / self.trajectory.step_size;
        found + STILL * speeds.fold(0.0, f64::max)
    }

    /// The contacts that touched in the samples `from..=to`, at their positions in the last one.
    fn touches(&self, from: usize, to: usize, still: f64) -> Vec<Touch> {
        let system = self.setup.mechanism.model.system();
        let mut sums: BTreeMap<usize, (Vector3<f64>, &ContactReport)> = BTreeMap::new();
        for push in self.pushes[from..=to].iter().flatten() {
            let before = sums.get(&push.contact).map_or_else(Vector3::zeros, |(sum, _)| *sum);
            sums.insert(push.contact, (before + push.impulse, push));
        }
        let coordinates = &self.trajectory.samples[to].coordinates;
        let touch = |(contact, (impulse, push)): (usize, (Vector3<f64>, &ContactReport))| {
            let gap = self.setup.gap(self.trajectory, contact)?;
            let at = gap.contact_point(system, coordinates)?;
            let axes = at.frame.axes();
            Some(Touch {
                contact,
                point: singles(&at.point),
                impulse: singles(&(0..3).map(|i| axes[i] * impulse[i]).sum()),
                mode: Mode::of(push.velocity.x, push.velocity.yz().norm(), still),
            })
        };
        sums.into_iter().filter_map(touch).collect()
    }
}

/// The contacts of an event-driven motion that took part since the sample before, with their velocities.
fn pushes(motion: &EventMotion) -> Vec<Vec<ContactReport>> {
    let samples = &motion.trajectory.samples;
    let contacts = motion.trajectory.contact_names.len();
    let components = |rows: &[f64], contact: usize| {
        let each = rows.len() / contacts.max(1);
        let own = &rows[each * contact..each * (contact + 1)];
        Vector3::from_fn(|row, _| own.get(row).copied().unwrap_or_default())
    };
    // Of the samples at one time, which are those around an event, the last one is shown.
    let shown = |time: f64| samples.partition_point(|sample| sample.time <= time).saturating_sub(1);
    let mut impulses = vec![BTreeMap::<usize, Vector3<f64>>::new(); samples.len()];
    for (k, at) in motion.contacts.iter().enumerate() {
        let time = samples[k].time - samples[k.saturating_sub(1)].time;
        let sums = &mut impulses[shown(samples[k].time)];
        for contact in 0..contacts {
            let force = components(&at.forces, contact);
            if force != Vector3::zeros() {
                *sums.entry(contact).or_default() += time * force;
            }
        }
    }
    for event in &motion.report.events {
        let EventKind::Impact { contacts, impulses: percussions, .. } = &event.kind else {
            continue;
        };
        let sums = &mut impulses[shown(event.time)];
        for (contact, percussion) in contacts.iter().zip(percussions) {
            let entry = |row: usize, _| percussion.get(row).copied().unwrap_or_default();
            *sums.entry(*contact).or_default() += Vector3::from_fn(entry);
        }
    }
    let of_sample = |(sums, at): (BTreeMap<usize, Vector3<f64>>, &ContactMotion)| {
        let push = |(contact, impulse)| {
            let velocity = components(&at.velocities, contact);
            ContactReport::new(contact, f64::NAN, impulse, velocity)
        };
        sums.into_iter().map(push).collect()
    };
    impulses.into_iter().zip(&motion.contacts).map(of_sample).collect()
}

/// The planes of the scenario, then those of the description of a robot.
fn planes(scenario: &Scenario, mechanism: &Mechanism) -> Vec<PlaneView> {
    let mut planes: Vec<PlaneView> = scenario.planes.iter().map(plane_view).collect();
    if let Some(surfaces) = &mechanism.surfaces {
        planes.extend(solids::planes(surfaces, &scenario.planes));
    }
    planes
}

/// The drawn bodies, followed by fixed objects other than planes.
pub(super) fn bodies(scenario: &Scenario, mechanism: &Mechanism) -> Vec<BodyView> {
    match &mechanism.surfaces {
        Some(surfaces) => {
            let mut bodies = solids::bodies(&mechanism.parts, surfaces);
            if let Some(tree) = &mechanism.tree {
                bones::add(tree, &mut bodies);
            }
            bodies
        }
        None => scenario.bodies.iter().map(body_view).collect(),
    }
}

fn body_view(body: &Body) -> BodyView {
    let shape = body.shape.as_ref();
    let solid = shape.and_then(|shape| solids::solid(shape, &Isometry3::identity()));
    BodyView { name: body.name.clone(), solids: solid.into_iter().collect() }
}

/// Energy and gaps of the samples `shown`, or the deepest overlaps since the ones before if contacts are found during the
/// motion.
fn curves(setup: &Setup, trajectory: &Trajectory, shown: &[usize]) -> Vec<Curve> {
    let curve = |chart: &str, label: &str, unit: &str, value: &dyn Fn(usize) -> f64| Curve {
        chart: chart.to_owned(),
        label: label.to_owned(),
        unit: unit.to_owned(),
        values: shown.iter().map(|index| value(*index)).collect(),
    };
    let samples = &trajectory.samples;
    let mut curves = vec![curve("energy", "energy", "J", &|k| samples[k].energy)];
    let count = trajectory.end().gaps.len();
    let names = &trajectory.contact_names[..count.min(trajectory.contact_names.len())];
    if trajectory.found.is_some() {
        let has_angles = setup.mechanism.contacts.iter().any(|known| known.unit == "rad");
        let before = std::iter::once(0).chain(shown.iter().copied());
        let steps = before.zip(shown).map(|(from, &to)| trajectory.reports.get(from..to));
        let deepest = |steps: Option<&[StepReport]>| {
            let overlaps = steps.unwrap_or_default().iter().map(|step| step.penetration);
            overlaps.fold(0.0, f64::max)
        };
        curves.push(Curve {
            chart: "overlap".to_owned(),
            label: "deepest overlap".to_owned(),
            unit: if has_angles { "m, of limits rad" } else { "m" }.to_owned(),
            values: steps.map(deepest).collect(),
        });
    } else if names.len() <= GAP_CURVES {
        let gaps = names.iter().enumerate();
        curves.extend(gaps.map(|(i, name)| curve("gaps", name, "m", &|k| samples[k].gaps[i])));
    } else {
        let smallest = |k: usize| samples[k].gaps.iter().copied().fold(f64::INFINITY, f64::min);
        curves.push(curve("gaps", "smallest gap", "m", &smallest));
    }
    curves
}
