//! The schemes, each with the settings that its documentation requires, in the units of the scene.

use std::fmt::Debug;

use nalgebra::Vector3;
use percussion_dynamics::{System, compliant as forces};
use percussion_impact::{
    Law, anitescu_potra::AnitescuPotra, newton::Newton, propagative::Propagative,
};
use percussion_integrators::{
    Contact, Error, Model, Simulation, State, compliant, event_driven,
    impulse_velocity::{self, ImpulseVelocity},
    inclusion,
    moreau_jean::{self, MoreauJean},
    stewart_trinkle::{self, StewartTrinkle},
    variational::{self, Variational},
};
use percussion_verify::motion::{Keeping, Rule, Sample, Scene, Step};

use super::{Gap, Kind, Motion};
use crate::{Clock, Tally};

/// Time limit of one scheme (s).
const LIMIT: f64 = 5.0;
/// Steps and events after which schemes with variable steps stop.
const PATIENCE: usize = 5_000;

/// A recorded state.
#[derive(Clone, Debug)]
struct Record {
    time: f64,
    coordinates: Vec<f64>,
    velocity: Vec<f64>,
}

impl Record {
    fn of(state: &State) -> Self {
        Self::at(state.time, &state.coordinates, &state.velocity)
    }

    fn at(time: f64, coordinates: &[f64], velocity: &[f64]) -> Self {
        Self { time, coordinates: coordinates.to_vec(), velocity: velocity.to_vec() }
    }

    fn sample(&self) -> Sample<'_> {
        Sample { time: self.time, coordinates: &self.coordinates, velocity: &self.velocity }
    }
}

/// A step by plain numbers.
struct Plain {
    before: Record,
    after: Record,
    place: Vec<f64>,
    impulses: Vec<(usize, [f64; 3])>,
    twists: Vec<f64>,
}

pub(super) fn all(motion: &Motion, scene: &Scene, tally: &mut Tally) {
    timed("stewart-trinkle", tally, |tally| stewart_trinkle(motion, scene, tally));
    timed("impulse-velocity", tally, |tally| impulse_velocity(motion, scene, tally));
    timed("moreau-jean", tally, |tally| moreau_jean(motion, scene, tally));
    for restitution in [1.0, 0.5] {
        let name = if restitution < 1.0 { "variational-inelastic" } else { "variational" };
        timed(name, tally, |tally| {
            let law = Propagative { restitution, ..Propagative::default() };
            variational(name, Box::new(law), motion, scene, tally);
        });
    }
    timed("event-driven-newton", tally, |tally| {
        event_driven("event-driven-newton", &Newton::default(), motion, scene, tally);
    });
    timed("event-driven-inelastic", tally, |tally| {
        event_driven("event-driven-inelastic", &AnitescuPotra::default(), motion, scene, tally);
    });
    timed("inclusion", tally, |tally| inclusion(motion, scene, tally));
    timed("compliant", tally, |tally| compliant(motion, scene, tally));
}

fn timed(name: &str, tally: &mut Tally, run: impl FnOnce(&mut Tally)) {
    let clock = Clock::start();
    run(tally);
    let time = clock.seconds();
    if time > LIMIT {
        tally.fail(name, format!("took {time:.1} s, limit {LIMIT} s"));
    }
}

/// The variant of an error or status.
fn variant(value: &impl Debug) -> String {
    let text = format!("{value:?}");
    text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
}

fn contacts(motion: &Motion) -> Option<Vec<Contact>> {
    let contact = |(gap, c): (Gap, &super::Contact)| {
        let contact = match gap {
            Gap::Plane(gap) => Contact::new(gap, c.friction),
            Gap::Ball(gap) => Contact::new(gap, c.friction),
        };
        contact.with_restitution(c.restitution)
    };
    Some(motion.gaps()?.into_iter().zip(&motion.contacts).map(contact).collect())
}

fn model(motion: &Motion) -> Option<Model> {
    Model::new(motion.system()?, contacts(motion)?).ok()
}

fn start(motion: &Motion) -> State {
    State { time: 0.0, coordinates: motion.coordinates.clone(), velocity: motion.velocity.clone() }
}

/// The impulse of a contact in world axes, whose frame is that of the gap at `place`, and how many times as fast as its normal the frame turns.
fn world(
    motion: &Motion,
    system: &dyn System,
    place: &[f64],
    contact: usize,
    impulse: &Vector3<f64>,
) -> ([f64; 3], f64) {
    let gaps = motion.gaps().unwrap_or_default();
    let point = gaps.get(contact).and_then(|gap| gap.function().contact_point(system, place));
    let Some(point) = point else { return ([f64::NAN; 3], 1.0) };
    let axes = point.frame.axes();
    let impulse = impulse.x * axes[0] + impulse.y * axes[1] + impulse.z * axes[2];
    // The tangents of balls in space come from the vertical. Where the normal turns by `δ`, it goes round the vertical by up to
    // `δ/sin θ`, with `θ` between them, and the tangents with it. Within 1e-8 they come from an axis that is far from the
    // normal, `sin² θ ≥ 2/3`.
    let sine = axes[0].x.hypot(axes[0].y);
    let far = if sine < 1e-8 { (2.0_f64 / 3.0).sqrt() } else { sine };
    (impulse.into(), if motion.kind == Kind::Space { 1.0 / far } else { 1.0 })
}

/// The step between two records, with impulses in world axes from those in the contact frames at `place`.
fn plain<'c>(
    motion: &Motion,
    model: &Model,
    (before, after): (Record, Record),
    place: Vec<f64>,
    contacts: impl Iterator<Item = (usize, &'c Vector3<f64>)>,
) -> Plain {
    let world = |(k, impulse)| world(motion, model.system(), &place, k, impulse);
    let (impulses, twists) = contacts
        .map(|contact| (contact.0, world(contact)))
        .map(|(k, (impulse, twist))| ((k, impulse), twist))
        .unzip();
    Plain { before, after, impulses, twists, place }
}

/// Takes the steps of a scene and counts the status that a runner would end with: `step` returns nothing where the account of the
/// energy is breached.
fn follow<T, E: Debug>(
    name: &str,
    motion: &Motion,
    tally: &mut Tally,
    mut step: impl FnMut() -> Result<Option<T>, E>,
) -> Vec<T> {
    let mut taken = Vec::with_capacity(motion.steps);
    let mut status = "Completed".to_owned();
    for _ in 0..motion.steps {
        match step() {
            Ok(Some(record)) => taken.push(record),
            Ok(None) => {
                status = "EnergyGained".to_owned();
                break;
            }
            Err(error) => {
                status = variant(&error);
                break;
            }
        }
    }
    tally.count(name, status);
    taken
}

/// Judges the steps and the states between them.
fn judge(
    name: &str,
    (scene, tally): (&Scene, &mut Tally),
    steps: &[Plain],
    rule: Rule,
    (length, tolerance): (f64, f64),
) {
    for plain in steps {
        let step = Step {
            length,
            start: plain.before.sample(),
            end: plain.after.sample(),
            place: &plain.place,
            impulses: &plain.impulses,
            twists: &plain.twists,
            tolerance,
        };
        let verdict = scene.step(rule, &step);
        if !verdict.holds() {
            tally.fail(name, format!("step to {:e} s: {verdict}", plain.after.time));
            return;
        }
    }
    let first = steps.first().map(|plain| plain.before.sample());
    let samples: Vec<_> =
        first.into_iter().chain(steps.iter().map(|plain| plain.after.sample())).collect();
    // In the scheme of Moreau and Jean friction can add energy if the slip direction turns within a step; the work of each step bounds this.
    let keeping = if matches!(rule, Rule::MoreauJean(_)) {
        Keeping::Controlled(1.0)
    } else {
        Keeping::First(length)
    };
    tally.judge(name, &scene.motion(&samples, keeping, &[]));
}

fn stewart_trinkle(motion: &Motion, scene: &Scene, tally: &mut Tally) {
    let name = "stewart-trinkle";
    let Some(model) = model(motion) else { return };
    let base = match motion.kind {
        Kind::Space => stewart_trinkle::Settings::default(),
        _ => stewart_trinkle::Settings::planar(),
    };
    let settings = stewart_trinkle::Settings { step_size: motion.step, ..base };
    let mut simulation = match Simulation::<StewartTrinkle>::new(model, settings, start(motion)) {
        Ok(simulation) => simulation,
        Err(error) => return tally.count(name, variant(&error)),
    };
    let steps = follow(name, motion, tally, || {
        let before = Record::of(simulation.state());
        let report = simulation.step()?;
        if report.energy.is_breached() {
            return Ok(None);
        }
        let after = Record::of(simulation.state());
        let place = after.coordinates.clone();
        let contacts = report.contacts.iter().map(|c| (c.contact, &c.impulse));
        let plain = plain(motion, simulation.model(), (before, after), place, contacts);
        Ok::<_, Error>(Some(plain))
    });
    // Default tolerances, relative to the length of the model and to a turn.
    let rule = Rule::StewartTrinkle([1e-10 * simulation.scheme().scales().length, 1e-10]);
    judge(name, (scene, tally), &steps, rule, (motion.step, settings.lemke.tolerance));
}

fn impulse_velocity(motion: &Motion, scene: &Scene, tally: &mut Tally) {
    let name = "impulse-velocity";
    let Some(model) = model(motion) else { return };
    let settings = impulse_velocity::Settings { step_size: motion.step, ..Default::default() };
    let mut simulation = match Simulation::<ImpulseVelocity>::new(model, settings, start(motion)) {
        Ok(simulation) => simulation,
        Err(error) => return tally.count(name, variant(&error)),
    };
    let steps = follow(name, motion, tally, || {
        let before = Record::of(simulation.state());
        let report = simulation.step()?;
        if report.energy.is_breached() {
            return Ok(None);
        }
        let after = Record::of(simulation.state());
        let place = before.coordinates.clone();
        let contacts = report.contacts.iter().map(|c| (c.contact, &c.impulse));
        let plain = plain(motion, simulation.model(), (before, after), place, contacts);
        Ok::<_, Error>(Some(plain))
    });
    let rule = Rule::ImpulseVelocity(settings.error_reduction);
    judge(name, (scene, tally), &steps, rule, (motion.step, settings.tolerance));
}

fn moreau_jean(motion: &Motion, scene: &Scene, tally: &mut Tally) {
    let name = "moreau-jean";
    let Some(model) = model(motion) else { return };
    let settings = moreau_jean::Settings { step_size: motion.step, ..Default::default() };
    let mut simulation = match Simulation::<MoreauJean>::new(model, settings, start(motion)) {
        Ok(simulation) => simulation,
        Err(error) => return tally.count(name, variant(&error)),
    };
    let steps = follow(name, motion, tally, || {
        let before = Record::of(simulation.state());
        let report = simulation.step()?;
        if report.energy.is_breached() {
            return Ok(None);
        }
        let after = Record::of(simulation.state());
        let system = simulation.model().system();
        let way: Vec<f64> = before.velocity.iter().map(|v| 0.5 * motion.step * v).collect();
        let mut place = before.coordinates.clone();
        system.retract(&before.coordinates, &way, &mut place);
        let contacts = report.contacts.iter().map(|c| (c.contact, &c.impulse));
        let plain = plain(motion, simulation.model(), (before, after), place, contacts);
        Ok::<_, Error>(Some(plain))
    });
    // The default tolerance, relative to the size of bodies.
    let rule = Rule::MoreauJean([1e-10 * simulation.scheme().scales().length, 1e-10]);
    judge(name, (scene, tally), &steps, rule, (motion.step, settings.tolerance));
}

fn variational(name: &str, law: Box<dyn Law>, motion: &Motion, scene: &Scene, tally: &mut Tally) {
    let Some(contacts) = contacts(motion) else { return };
    let model = match motion.kind {
        Kind::Space => motion.free_bodies().map(|bodies| Model::free_bodies(bodies, contacts)),
        _ => motion.lagrangian().map(|system| Model::lagrangian(system, contacts)),
    };
    let Some(Ok(model)) = model else { return tally.count(name, "Refused") };
    let settings = variational::Settings { step_size: motion.step, ..Default::default() };
    let mut simulation =
        match Simulation::<Variational>::with_law(model, law, settings, start(motion)) {
            Ok(simulation) => simulation,
            Err(error) => return tally.count(name, variant(&error)),
        };
    let first = Record::of(simulation.state());
    let records = follow(name, motion, tally, || {
        let report = simulation.step()?;
        let gained = report.energy.is_breached();
        Ok::<_, Error>((!gained).then(|| Record::of(simulation.state())))
    });
    let samples: Vec<_> = [&first].into_iter().chain(&records).map(Record::sample).collect();
    let mut verdict = scene.motion(&samples, Keeping::Second(motion.step), &[]);
    // Default gap at which surfaces touch.
    verdict.merge(&scene.gaps(&samples[1..], 1e-9 * simulation.scheme().scales().length));
    tally.judge(name, &verdict);
}

fn event_driven(name: &str, law: &dyn Law, motion: &Motion, scene: &Scene, tally: &mut Tally) {
    let Some(model) = model(motion) else { return };
    let base = event_driven::Settings::default();
    let end = motion.step * motion.steps as f64;
    let settings = event_driven::Settings {
        impact_limit: PATIENCE / 10,
        mode_limit: PATIENCE / 10,
        step_limit: PATIENCE,
        work_limit: 20 * PATIENCE,
        sample_interval: Some(end / 50.0),
        ..base
    };
    let mut records = Vec::new();
    let mut observer = |snapshot: &event_driven::Snapshot<'_>| {
        records.push(Record::at(snapshot.time, snapshot.coordinates, snapshot.velocity));
    };
    let report =
        event_driven::integrate(&model, law, &settings, &start(motion), end, &mut observer);
    let report = match report {
        Ok(report) => report,
        Err(error) => return tally.count(name, variant(&error)),
    };
    tally.count(name, report.status);
    if report.status != event_driven::Status::EndReached {
        return;
    }
    if report.state.time < end * (1.0 - 1e-12) {
        tally.fail(name, format!("end reached at {:e} s of {end:e} s", report.state.time));
    }
    records.push(Record::of(&report.state));
    let samples: Vec<_> = records.iter().map(Record::sample).collect();
    let mut verdict = scene.motion(&samples, Keeping::Controlled(1e-6), &[]);
    // The tolerance of gaps and the proximity, by default.
    verdict.merge(&scene.gaps(&samples, 2e-9 * report.scales.length));
    tally.judge(name, &verdict);
}

fn inclusion(motion: &Motion, scene: &Scene, tally: &mut Tally) {
    let name = "inclusion";
    if motion.kind == Kind::Space {
        return;
    }
    let Some(model) = model(motion) else { return };
    let base = inclusion::Settings::default();
    let settings = inclusion::Settings { step_limit: PATIENCE, ..base };
    let end = motion.step * motion.steps as f64;
    let solution = match inclusion::build(&model, &settings, &start(motion), end) {
        Ok(solution) => solution,
        Err(error) => return tally.count(name, variant(&error)),
    };
    tally.count(name, solution.status);
    if !matches!(solution.status, inclusion::Status::EndReached | inclusion::Status::ImpactLimit) {
        return;
    }
    let mut records = Vec::new();
    for moment in solution.phases.iter().flat_map(|phase| &phase.moments) {
        records.push(Record::at(moment.time, &moment.coordinates, &moment.velocity));
        let normal: f64 = moment.rates.iter().step_by(2).sum();
        // Rates are dimensionless and exact but for a few roundings.
        let limit = 1e-14 * (1 + motion.contacts.len()) as f64;
        let wrong = (moment.time_rate + normal - 1.0).abs() > limit
            || moment.time_rate < 0.0
            || moment.rates.chunks(2).zip(&motion.contacts).any(|(rate, contact)| {
                rate[0] < 0.0 || rate[1].abs() > contact.friction * rate[0] * (1.0 + limit)
            });
        if wrong {
            tally.fail(
                name,
                format!("rates at {:e} s: {:?} {:?}", moment.time, moment.time_rate, moment.rates),
            );
            return;
        }
    }
    let samples: Vec<_> = records.iter().map(Record::sample).collect();
    let mut verdict = scene.motion(&samples, Keeping::Controlled(1e-6), &[]);
    // Twice the tolerance of gaps, by default.
    verdict.merge(&scene.gaps(&samples, 2e-9 * solution.scales.length));
    tally.judge(name, &verdict);
}

fn compliant_model(motion: &Motion) -> Option<compliant::Model> {
    let [_, length, time] = motion.units;
    let lightest = motion.bodies.iter().map(|b| b.mass).fold(f64::INFINITY, f64::min);
    let normal =
        forces::NormalLaw::with_damping_ratio(motion.stiffness, lightest, motion.damping).ok()?;
    let contact = |(gap, c): (Gap, &super::Contact)| {
        let friction = if c.friction > 0.0 {
            // Friction larger than that of real solids makes the equations unnecessarily stiff.
            forces::FrictionLaw::regularized_coulomb(c.friction.min(2.0), 1e-2 * length / time)
                .ok()?
        } else {
            forces::FrictionLaw::Frictionless
        };
        let law = forces::Law::new(normal, friction);
        Some(match gap {
            Gap::Plane(gap) => compliant::Contact::new(gap, law),
            Gap::Ball(gap) => compliant::Contact::new(gap, law),
        })
    };
    let contacts = motion
        .gaps()?
        .into_iter()
        .zip(&motion.contacts)
        .map(contact)
        .collect::<Option<Vec<_>>>()?;
    compliant::Model::new(motion.system()?, contacts).ok()
}

fn compliant(motion: &Motion, scene: &Scene, tally: &mut Tally) {
    let name = "compliant";
    let Some(model) = compliant_model(motion) else { return tally.count(name, "Refused") };
    let Ok(start) = model.state(motion.coordinates.clone(), motion.velocity.clone()) else {
        return tally.count(name, "Refused");
    };
    let base = compliant::Settings::default();
    let settings =
        compliant::Settings { step_limit: PATIENCE / 10, restart_limit: PATIENCE / 10, ..base };
    let end = motion.step * motion.steps.min(20) as f64;
    let mut records = Vec::new();
    let mut wrong = None;
    let mut observer = |snapshot: &compliant::Snapshot<'_>| {
        records.push(Record::at(snapshot.time, snapshot.coordinates, snapshot.velocity));
        let components = snapshot.forces.len() / snapshot.gaps.len().max(1);
        for (force, contact) in snapshot.forces.chunks(components).zip(&motion.contacts) {
            let rub = force[1..].iter().map(|f| f * f).sum::<f64>().sqrt();
            if force[0] < 0.0 || rub > contact.friction * force[0] * (1.0 + 1e-12) {
                wrong = Some(format!("force {force:?} at {:e} s", snapshot.time));
            }
        }
    };
    let report = compliant::integrate(&model, &settings, &start, end, None, &mut observer);
    let report = match report {
        Ok(report) => report,
        Err(error) => return tally.count(name, variant(&error)),
    };
    tally.count(name, report.status);
    if report.status != compliant::Status::EndReached {
        return;
    }
    if let Some(wrong) = wrong {
        tally.fail(name, wrong);
    }
    let elastic: Vec<f64> = records
        .iter()
        .map(|record| {
            let depth = |k| (-scene.gap(&record.coordinates, k)).max(0.0);
            (0..motion.contacts.len()).map(|k| 0.5 * motion.stiffness * depth(k) * depth(k)).sum()
        })
        .collect();
    let samples: Vec<_> = records.iter().map(Record::sample).collect();
    // The first state may be pressed in already, whose elastic energy is there to be had.
    let stored = elastic.first().copied().unwrap_or_default();
    let part = if stored > 0.0 { 1.0 } else { 1e-5 };
    tally.judge(name, &scene.motion(&samples, Keeping::Controlled(part), &elastic));
}
