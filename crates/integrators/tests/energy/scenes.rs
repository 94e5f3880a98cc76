//! Random scenes: spheres and rods in space, thrown among planes.

use nalgebra::{Matrix3, Vector3};
use percussion_dynamics::gap::{Plane, Sphere, SpherePlane, SphereSphere};
use percussion_dynamics::{Body, FreeBodies, MassProperties, System};
use percussion_integrators::{
    Contact, EnergyBalance, Error, Model, Simulation, State, event_driven,
    impulse_velocity::{self, ImpulseVelocity},
    moreau_jean::{self, MoreauJean},
    stewart_trinkle::{self, StewartTrinkle},
    variational::{self, Variational},
};

/// Numbers from a seed, by the generator `SplitMix64`.
pub(crate) struct Draws(pub(crate) u64);

impl Draws {
    /// A number from `low` to `high`.
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let unit = ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64;
        low + (high - low) * unit
    }

    pub(crate) fn one_of<T: Copy>(&mut self, of: &[T]) -> T {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
        let index = self.between(0.0, of.len() as f64) as usize;
        of[index.min(of.len() - 1)]
    }

    pub(crate) fn vector(&mut self, size: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.between(-size, size))
    }
}

/// What moves and how, without the scheme.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) bodies: Vec<Body>,
    /// Spheres of each body: center in its axes (m) and radius (m).
    pub(crate) spheres: Vec<Vec<(Vector3<f64>, f64)>>,
    pub(crate) gravity: Vector3<f64>,
    /// Normals and points of planes.
    pub(crate) planes: Vec<(Vector3<f64>, Vector3<f64>)>,
    pub(crate) friction: f64,
    pub(crate) restitution: f64,
    pub(crate) start: State,
    pub(crate) step: f64,
    pub(crate) error_reduction: f64,
}

impl Scene {
    /// The first of the scenes drawn from `seed` in which nothing overlaps.
    pub(crate) fn random(seed: u64) -> Self {
        let mut draws = Draws(seed);
        loop {
            let scene = Self::drawn(&mut draws);
            let (system, q) = (scene.system(), &scene.start.coordinates);
            if scene.contacts().iter().all(|contact| contact.gap.gap(&system, q) >= 0.0) {
                return scene;
            }
        }
    }

    fn drawn(draws: &mut Draws) -> Self {
        let half = 1.0;
        let (mut bodies, mut spheres) = (Vec::new(), Vec::new());
        let (mut coordinates, mut velocity) = (Vec::new(), Vec::new());
        for k in 0..draws.one_of(&[1, 1, 2]) {
            let radius = draws.between(0.05, 0.2);
            if draws.between(0.0, 1.0) < 0.3 {
                bodies.push(Body::from_mass_properties(
                    &MassProperties::solid_sphere(draws.between(0.5, 2.0), radius).unwrap(),
                ));
                spheres.push(vec![(Vector3::zeros(), radius)]);
            } else {
                // A rod along x with balls at its ends, thin or thick.
                let (mass, length) = (draws.between(0.5, 2.0), draws.between(0.2, 0.6));
                let across = mass * length * length / 3.0;
                let along = across * draws.one_of(&[1e-3, 0.03, 0.3, 1.5]);
                let other = across * draws.between(0.8, 1.2);
                let moments = Vector3::new(along, across, other);
                bodies.push(Body::new(mass, Matrix3::from_diagonal(&moments)));
                let end = length * Vector3::x();
                spheres.push(vec![(end, radius), (-end, radius)]);
            }
            let place = if k == 0 { -0.45 } else { 0.45 };
            let rotation = nalgebra::UnitQuaternion::from_scaled_axis(draws.vector(0.1));
            coordinates.extend([place, 0.0, 0.0]);
            coordinates.extend([rotation.w, rotation.i, rotation.j, rotation.k]);
            let speed = draws.one_of(&[0.0, 1.0, 5.0]);
            velocity.extend(draws.vector(speed).iter());
            let spin = draws.one_of(&[0.0, 2.0, 20.0]);
            velocity.extend(draws.vector(spin).iter());
        }
        if bodies.len() == 1 {
            coordinates[0] = 0.0;
        }
        let gravity = Vector3::new(0.0, 0.0, -draws.one_of(&[0.0, 9.81, 9.81]));
        let mut planes = vec![(Vector3::z(), -half * Vector3::z())];
        if draws.between(0.0, 1.0) < 0.7 {
            // A box that just holds what is in it, with walls that may lean.
            for axis in [-Vector3::z(), Vector3::x(), -Vector3::x(), Vector3::y(), -Vector3::y()] {
                let lean = draws.vector(0.2);
                planes.push(((axis + lean).normalize(), -1.4 * axis));
            }
        }
        Self {
            bodies,
            spheres,
            gravity,
            planes,
            friction: draws.one_of(&[0.0, 0.3, 1.0]),
            restitution: draws.one_of(&[0.0, 0.5, 1.0]),
            start: State { time: 0.0, coordinates, velocity },
            step: draws.one_of(&[1e-3, 5e-3, 2e-2]),
            error_reduction: draws.one_of(&[0.0, 0.2, 1.0]),
        }
    }

    pub(crate) fn system(&self) -> FreeBodies {
        FreeBodies::new(self.bodies.clone(), self.gravity).unwrap()
    }

    pub(crate) fn contacts(&self) -> Vec<Contact> {
        let sphere = |body: usize, &(center, radius): &(Vector3<f64>, f64)| {
            Sphere::on_body(body, center, radius)
        };
        let mut contacts = Vec::new();
        for (body, spheres) in self.spheres.iter().enumerate() {
            for ball in spheres {
                for (normal, point) in &self.planes {
                    let plane = Plane::new(normal, point).unwrap();
                    let gap = SpherePlane::new(sphere(body, ball), plane).unwrap();
                    contacts.push(self.contact(Contact::new(gap, self.friction)));
                }
                for (other, balls) in self.spheres.iter().enumerate().skip(body + 1) {
                    for second in balls {
                        let gap =
                            SphereSphere::new(sphere(body, ball), sphere(other, second)).unwrap();
                        contacts.push(self.contact(Contact::new(gap, self.friction)));
                    }
                }
            }
        }
        contacts
    }

    fn contact(&self, contact: Contact) -> Contact {
        contact.with_restitution(self.restitution)
    }

    pub(crate) fn model(&self) -> Model {
        self.model_of(Box::new(self.system()))
    }

    pub(crate) fn model_of(&self, system: Box<dyn System>) -> Model {
        Model::new(system, self.contacts()).unwrap()
    }
}

/// How a motion went: energies at all step ends (J), the last account, and whether one was breached.
#[derive(Clone, Debug, Default)]
pub(crate) struct Course {
    pub(crate) energies: Vec<f64>,
    pub(crate) lowest_potential: f64,
    pub(crate) worst: EnergyBalance,
    pub(crate) breached: bool,
    /// Why it ended early, if it did.
    pub(crate) refused: Option<String>,
}

impl Course {
    fn new(system: &dyn System, start: &State) -> Self {
        Self {
            energies: vec![system.energy(&start.coordinates, &start.velocity)],
            lowest_potential: system.potential_energy(&start.coordinates),
            ..Self::default()
        }
    }

    fn see(&mut self, system: &dyn System, state: &State, balance: EnergyBalance) {
        let State { coordinates, velocity, .. } = state;
        self.energies.push(system.energy(coordinates, velocity));
        self.lowest_potential = self.lowest_potential.min(system.potential_energy(coordinates));
        let excess = |balance: &EnergyBalance| balance.gained - balance.allowed;
        if self.energies.len() == 2 || excess(&balance) > excess(&self.worst) {
            self.worst = balance;
        }
        self.breached |= balance.is_breached();
    }

    /// The largest energy (J).
    pub(crate) fn largest(&self) -> f64 {
        self.energies.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    StewartTrinkle,
    ImpulseVelocity,
    MoreauJean,
    Variational,
    EventDriven,
}

impl Scheme {
    pub(crate) const IN_STEPS: [Self; 4] =
        [Self::StewartTrinkle, Self::ImpulseVelocity, Self::MoreauJean, Self::Variational];

    /// Moves `scene` by this scheme until the time `end` (s).
    pub(crate) fn follow(self, scene: &Scene, end: f64) -> Course {
        match self {
            Self::Variational => by_variational(scene, end),
            Self::EventDriven => by_events(scene, end),
            _ => self.follow_model(scene, scene.model(), end),
        }
    }

    /// The same for another system.
    pub(crate) fn follow_model(self, scene: &Scene, model: Model, end: f64) -> Course {
        let system = scene.system();
        let mut course = Course::new(&system, &scene.start);
        let start = scene.start.clone();
        let result = match self {
            Self::ImpulseVelocity => {
                let settings = impulse_velocity::Settings {
                    step_size: scene.step,
                    error_reduction: scene.error_reduction,
                    ..Default::default()
                };
                Simulation::<ImpulseVelocity>::new(model, settings, start)
                    .and_then(|mut motion| {
                        motion.run(end, |state, step| course.see(&system, state, step.energy))
                    })
                    .map_err(|error| error.to_string())
            }
            Self::MoreauJean => {
                let settings =
                    moreau_jean::Settings { step_size: scene.step, ..Default::default() };
                Simulation::<MoreauJean>::new(model, settings, start)
                    .and_then(|mut motion| {
                        motion.run(end, |state, step| course.see(&system, state, step.energy))
                    })
                    .map_err(|error| error.to_string())
            }
            _ => {
                let settings =
                    stewart_trinkle::Settings { step_size: scene.step, ..Default::default() };
                Simulation::<StewartTrinkle>::new(model, settings, start)
                    .and_then(|mut motion| {
                        motion.run(end, |state, step| course.see(&system, state, step.energy))
                    })
                    .map_err(|error| error.to_string())
            }
        };
        course.refused = result.err();
        course
    }
}

fn by_variational(scene: &Scene, end: f64) -> Course {
    let system = scene.system();
    let mut course = Course::new(&system, &scene.start);
    let settings = variational::Settings { step_size: scene.step, ..Default::default() };
    let result = Model::free_bodies(scene.system(), scene.contacts())
        .map_err(Error::from)
        .and_then(|model| Simulation::<Variational>::new(model, settings, scene.start.clone()))
        .and_then(|mut motion| {
            motion.run(end, |state, step| course.see(&system, state, step.energy))
        });
    course.refused = result.err().map(|error| error.to_string());
    course
}

fn by_events(scene: &Scene, end: f64) -> Course {
    let system = scene.system();
    let mut course = Course::new(&system, &scene.start);
    let settings = event_driven::Settings { step_limit: 5_000, ..Default::default() };
    let (law, model) = (percussion_impact::poisson::Poisson::default(), scene.model());
    let result =
        event_driven::integrate(&model, &law, &settings, &scene.start, end, &mut |moment| {
            course.energies.push(moment.energy);
        });
    match result {
        Ok(report) if report.status == event_driven::Status::EndReached => {}
        Ok(report) if report.status == event_driven::Status::EnergyGained => course.breached = true,
        Ok(report) => course.refused = Some(format!("{:?}", report.status)),
        Err(error) => course.refused = Some(error.to_string()),
    }
    course
}
