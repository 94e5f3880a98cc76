//! Outcomes of an impact as a [`View`]: the motion before and after it.

use nalgebra::{DVector, Point3, Vector3};
use percussion_dynamics::{ContactFrame, System};
use percussion_impact::{Impulse, Problem, outcome_set};
use percussion_record::view::{
    BodyView, Curve, FORMAT, Mode, Motion, SetPlane, Solid, Touch, View,
};

use super::{plane_view, pose, singles, solids, trajectory::bodies};
use crate::{
    impacts::{Body, Impact, ImpactScenario, Origin, Partner},
    mechanism::Mechanism,
    scenario::{Inertia, Space},
};

/// Number of times from the start of a motion to the impact, and from there to its end.
const FRAMES: usize = 12;

/// Distance that the fastest body moves before and after the impact, as a fraction of the size of the scene.
const TRAVEL: f64 = 0.3;

/// An impact with bodies that can be drawn, for motions before and after it.
///
/// Before and after the impact the mechanism moves with constant generalized velocity. There is no gravity
/// and no second impact, and the motions last only as long as the bodies need for a third of the size of the
/// scene.
///
/// # Example
///
/// ```
/// use nalgebra::DVector;
/// use percussion_mechanism::{impacts::ImpactScenario, view::ImpactStage};
///
/// let impact = ImpactScenario::from_path("fixtures/compat/impacts/rocking-block.toml")?.build()?;
/// let stage = ImpactStage::new(&impact);
/// let rest = stage.motion("rest", None, &DVector::zeros(3), &[]);
/// assert_eq!(rest.poses.first().map(Vec::len), Some(3));
/// assert_eq!(rest.after, [[0.0, 0.0]; 2]); // both corners stay where they are
/// # Ok::<(), percussion_mechanism::Error>(())
/// ```
#[derive(Debug)]
pub struct ImpactStage {
    mechanism: Mechanism,
    problem: Problem,
    /// Position and axes of each contact; `None` for a contact that is not at a point.
    contacts: Vec<Option<(Vector3<f64>, ContactFrame)>>,
    /// Contact velocity that counts as zero (m/s).
    threshold: f64,
    /// Time from the start to the impact, and from there to the end (s).
    duration: f64,
    /// Poses of fixed objects, which follow those of the bodies.
    fixed: Vec<f32>,
    view: View,
}

impl ImpactStage {
    /// The stage of an impact.
    #[must_use]
    pub fn new(impact: &Impact) -> Self {
        let Impact { mechanism, problem, .. } = impact;
        let (source, space, bodies, planes) = match &impact.origin {
            Origin::Impact(file) => {
                (&file.source, file.dimension, body_views(file, mechanism), &file.planes)
            }
            Origin::Scenario(file) => {
                (&file.source, file.dimension, bodies(file, mechanism), &file.planes)
            }
        };
        let surfaces = mechanism.surfaces.as_ref();
        let view = View {
            format: FORMAT.to_owned(),
            title: impact.title.clone(),
            caption: format!("{source}. Velocities before and after the impact are kept constant."),
            dimension: space.into(),
            bodies,
            planes: planes.iter().map(plane_view).collect(),
            contacts: impact.contacts.clone(),
            motions: Vec::new(),
            sets: Vec::new(),
        };
        let threshold = outcome_set::Modes::new(problem).threshold();
        let mut stage = Self {
            mechanism: mechanism.clone(),
            problem: problem.clone(),
            contacts: impact.places.clone(),
            threshold,
            duration: 0.0,
            fixed: surfaces.map(|all| solids::fixed_poses(all, space)).unwrap_or_default(),
            view,
        };
        stage.duration = stage.time_of_travel();
        stage
    }

    /// The problem of the impact.
    pub(super) const fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The motion with the velocity before the impact, and after it with `velocity` (`v⁺`, length `n_v`),
    /// with the `impulses` of the contacts if these are known.
    #[must_use]
    pub fn motion(
        &self,
        name: &str,
        sample: Option<u64>,
        velocity: &DVector<f64>,
        impulses: &[Impulse],
    ) -> Motion {
        let before = self.problem.velocity();
        let step = self.duration / FRAMES as f64;
        let into = (0..=FRAMES).map(|k| (-step * (FRAMES - k) as f64, before));
        let out = (0..=FRAMES).map(|k| (step * k as f64, velocity));
        let frames: Vec<_> = into.chain(out).collect();
        let mut touches = vec![Vec::new(); frames.len()];
        // The contacts are shown at the instant of the impact, with the velocities after it.
        touches[FRAMES + 1] = self.touches(velocity, impulses);
        let energies = [before, velocity].map(|velocity| self.problem.kinetic_energy(velocity));
        let energies = energies.into_iter().flat_map(|energy| vec![energy; FRAMES + 1]);
        let energy = Curve {
            chart: "kinetic energy".to_owned(),
            label: "kinetic energy".to_owned(),
            unit: "J".to_owned(),
            values: energies.collect(),
        };
        Motion {
            name: name.to_owned(),
            sample,
            times: frames.iter().map(|(time, _)| *time).collect(),
            poses: frames.iter().map(|(time, velocity)| self.pose(*time, velocity)).collect(),
            touches,
            curves: vec![energy],
            after: self.contact_velocities(velocity).map(|u| self.steady([u.y, u.x])).collect(),
            grains: None,
        }
    }

    /// A view of `motions`, and of the planes of a set of outcomes if there is one.
    #[must_use]
    pub fn view(&self, motions: Vec<Motion>, sets: Vec<SetPlane>) -> View {
        View { motions, sets, ..self.view.clone() }
    }

    /// The plane of sliding over separation velocity of `contact`: the corners of the convex hull of a set of
    /// outcomes, and some of its outcomes.
    #[must_use]
    pub fn set_plane(
        &self,
        contact: usize,
        hull: &[[f64; 2]],
        outcomes: impl Iterator<Item = [f64; 2]>,
    ) -> SetPlane {
        SetPlane {
            contact,
            hull: hull.iter().map(|corner| self.steady(*corner)).collect(),
            outcomes: outcomes.map(|outcome| self.steady(outcome)).collect(),
        }
    }

    /// The name of a contact.
    pub(super) fn contact_name(&self, contact: usize) -> &str {
        self.view.contacts.get(contact).map_or("", String::as_str)
    }

    /// Replaces velocities that count as zero by zero, so that rounding errors do not determine the scale of an axis.
    fn steady(&self, velocities: [f64; 2]) -> [f64; 2] {
        velocities.map(|velocity| if velocity.abs() <= self.threshold { 0.0 } else { velocity })
    }

    /// The pose at constant velocity; for a tree of joints that of `q ⊕ t v`.
    fn pose(&self, time: f64, velocity: &DVector<f64>) -> Vec<f32> {
        let (system, coordinates) = self.at();
        let tangent = velocity * time;
        let mut moved = coordinates.to_vec();
        system.retract(coordinates, tangent.as_slice(), &mut moved);
        let mut poses = pose(system, &moved);
        poses.extend(&self.fixed);
        poses
    }

    /// The system and its coordinates at the impact.
    fn at(&self) -> (&dyn System, &[f64]) {
        (self.mechanism.model.system(), &self.mechanism.state.coordinates)
    }

    /// Velocity of each contact (m/s): separation, then sliding along the tangents.
    fn contact_velocities(&self, velocity: &DVector<f64>) -> impl Iterator<Item = Vector3<f64>> {
        let all = self.problem.contact_velocity(velocity);
        (0..self.contacts.len()).map(move |contact| {
            let rows = self.problem.rows(contact);
            vector(&all.as_slice()[rows])
        })
    }

    fn touches(&self, velocity: &DVector<f64>, impulses: &[Impulse]) -> Vec<Touch> {
        let velocities = self.contact_velocities(velocity);
        let touches = self.contacts.iter().zip(velocities).enumerate();
        let touches = touches.filter_map(|(contact, (place, velocity))| {
            let (point, frame) = place.as_ref()?;
            let impulse = impulses.get(contact).map_or_else(Vector3::zeros, |impulse| {
                let friction = vector(&impulse.tangent);
                let along = frame.tangent_1 * friction.x + frame.tangent_2 * friction.y;
                frame.normal * impulse.normal + along
            });
            Some(Touch {
                contact,
                point: singles(point),
                impulse: singles(&impulse),
                mode: Mode::of(velocity.x, velocity.yz().norm(), self.threshold),
            })
        });
        touches.collect()
    }

    /// Time in which the fastest origin of a body moves by the given fraction of the size of the scene (s).
    fn time_of_travel(&self) -> f64 {
        let (system, coordinates) = self.at();
        let velocity = &self.mechanism.state.velocity;
        let position = |time: f64, body: usize| {
            let tangent: Vec<f64> = velocity.iter().map(|rate| time * rate).collect();
            let mut moved = coordinates.to_vec();
            system.retract(coordinates, &tangent, &mut moved);
            system.pose(&moved, body)
        };
        let moving = self.view.bodies.iter().take(system.body_count()).enumerate();
        let corners = moving.flat_map(|(body, drawn)| {
            let corners = drawn.solids.iter().flat_map(corners);
            corners.map(move |corner| (body, Point3::from(corner)))
        });
        let (mut size, mut speed) = (0.0_f64, 0.0_f64);
        let first = self.contacts.iter().flatten().next();
        let origin = first.map_or_else(Vector3::zeros, |(point, _)| *point);
        let instant = 1e-6;
        for (body, corner) in corners {
            let now = position(0.0, body) * corner;
            let then = position(instant, body) * corner;
            size = size.max((now.coords - origin).norm());
            speed = speed.max((then - now).norm() / instant);
        }
        if speed > 0.0 && size > 0.0 { TRAVEL * size / speed } else { 1.0 }
    }
}

/// The first entries as a vector, 0 where there are none.
fn vector(entries: &[f64]) -> Vector3<f64> {
    Vector3::from_fn(|row, _| entries.get(row).copied().unwrap_or_default())
}

/// Points of a solid from which its size and speed are estimated.
fn corners(solid: &Solid) -> Vec<[f64; 3]> {
    match solid {
        Solid::Ball { center, radius } => {
            [-1.0, 1.0].map(|side| [center[0] + side * radius, center[1], center[2]]).to_vec()
        }
        Solid::Capsule { ends, .. } | Solid::Cylinder { ends, .. } | Solid::Tube { ends, .. } => {
            ends.to_vec()
        }
        Solid::Polyhedron { corners, .. } => corners.clone(),
        Solid::Polygon { corners } => corners.iter().map(|[x, y]| [*x, *y, 0.0]).collect(),
        Solid::Box { half_edges: [x, y, z], center } => {
            let signs = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]];
            let ends = signs.iter().flat_map(|[a, b]| [[-x, a * y, b * z], [*x, a * y, b * z]]);
            ends.map(|end| [0, 1, 2].map(|k| center[k] + end[k])).collect()
        }
        // Impacts have no solids of other kinds.
        _ => Vec::new(),
    }
}

/// The bodies in the order of the links, each with its discs or spheres and its outline. The outline is that
/// of the file, in space the [`equivalent_box`], or else a bar from its joint to the joints and contacts that
/// it carries.
fn body_views(scenario: &ImpactScenario, mechanism: &Mechanism) -> Vec<BodyView> {
    let parts = mechanism.parts.iter();
    let bodies =
        parts.filter_map(|part| scenario.bodies.iter().find(|body| body.name == part.name));
    bodies
        .map(|body| BodyView { name: body.name.clone(), solids: solids(scenario, body) })
        .collect()
}

fn solids(scenario: &ImpactScenario, body: &Body) -> Vec<Solid> {
    let discs = scenario.contacts.iter().flat_map(|contact| {
        let other = match &contact.on {
            Partner::Disc(disc) => Some(disc),
            Partner::Plane(_) => None,
        };
        std::iter::once(&contact.disc).chain(other)
    });
    let mut solids = Vec::new();
    let mut places = Vec::new();
    for disc in discs.filter(|disc| disc.body == body.name) {
        places.push(disc.center);
        let ball = Solid::Ball { center: disc.center, radius: disc.radius };
        if disc.radius > 0.0 && !solids.contains(&ball) {
            solids.push(ball);
        }
    }
    if let Some(corners) = &body.outline {
        solids.push(Solid::Polygon { corners: corners.clone() });
        return solids;
    }
    let is_ball = places.contains(&body.center_of_mass);
    let solid =
        if scenario.dimension == Space::Space && !is_ball { equivalent_box(body) } else { None };
    if let Some(solid) = solid {
        solids.push(solid);
        return solids;
    }
    let carried = scenario.bodies.iter().filter(|other| other.on.as_ref() == Some(&body.name));
    places.extend(carried.map(|other| other.placement));
    if body.mass.is_some() {
        places.push(body.center_of_mass);
    }
    let length = |place: &[f64; 3]| Vector3::from(*place).norm();
    let reach = places.iter().map(length).fold(0.0, f64::max);
    let bars = places.iter().filter(|place| length(place) > 0.0);
    solids.extend(
        bars.map(|place| Solid::Capsule { ends: [[0.0; 3], *place], radius: 0.02 * reach }),
    );
    solids
}

/// The uniform box with the mass and the principal moments of a body, `a² = 6 (I_y + I_z − I_x) / m`; `None`
/// if its principal axes are not those of the body, or if an edge would not be positive.
fn equivalent_box(body: &Body) -> Option<Solid> {
    let (Inertia::Diagonal(moments), Some(mass)) = (body.inertia, body.mass) else { return None };
    let sum: f64 = moments.iter().sum();
    let half_edges = moments.map(|own| (1.5 * (sum - 2.0 * own) / mass).sqrt());
    let is_solid = half_edges.iter().all(|half| *half > 0.0);
    is_solid.then_some(Solid::Box { half_edges, center: body.center_of_mass })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brick_is_drawn_as_the_box_that_it_is() {
        let scenario =
            ImpactScenario::from_toml_str(&crate::compat("impacts/brick-flat.toml")).unwrap();
        let stage = ImpactStage::new(&scenario.build().unwrap());
        let still = stage.motion("rest", None, &DVector::zeros(6), &[]);
        let view = stage.view(vec![still], Vec::new());
        assert_eq!(view.dimension, Space::Space.into());
        let Some(Solid::Box { half_edges, .. }) = view.bodies[0].solids.last() else {
            panic!("{:?} is no box", view.bodies[0].solids);
        };
        // 0.8 m × 0.6 m × 0.4 m, as the file says; its moments have 16 digits.
        for (found, expected) in half_edges.iter().zip([0.4, 0.3, 0.2]) {
            assert!((found - expected).abs() < 1e-14, "{half_edges:?}");
        }
        assert!(view.motions[0].poses.iter().all(|pose| pose.len() == 7), "seven numbers a body");
    }

    #[test]
    fn friction_in_space_pushes_along_both_tangents() {
        let scenario =
            ImpactScenario::from_toml_str(&crate::compat("impacts/brick-flat.toml")).unwrap();
        let stage = ImpactStage::new(&scenario.build().unwrap());
        let impulse = Impulse { normal: 3.0, tangent: vec![1.0, 2.0] };
        let velocity = DVector::from_vec(vec![0.0, 0.5, 0.0, 0.0, 0.0, 0.0]);
        let motion = stage.motion("pushed", None, &velocity, &[impulse]);
        let touch = motion.touches.iter().flatten().next().unwrap();
        assert_eq!(touch.impulse.map(f32::to_bits), [1.0_f32, 2.0, 3.0].map(f32::to_bits));
        assert_eq!(touch.mode, Mode::Slide);
    }
}
