//! The surfaces of a [`Scenario`] whose contacts are found during the motion: [`Surfaces`].

use percussion_collision::{Collider, Pair, Scene, Shape};
use percussion_dynamics::System;

use super::{
    Contact, Robot, Scenario,
    bodies::{Carrier, Described},
    robot, shape,
    shape::Surface,
};
use crate::{
    Error,
    mechanism::{Builder, Surfaces},
    rules::{FRICTION, refuse},
};

impl Scenario {
    /// Whether contacts are found during the motion. This is so if there is any joint, or any shape other
    /// than spheres, discs, and rods with planes.
    #[must_use]
    pub fn finds_contacts(&self) -> bool {
        let other = |body: &super::Body| {
            !body.shapes.is_empty()
                || body.shape.as_ref().is_some_and(|shape| !shape::is_round(shape))
        };
        self.is_tree() || !self.fixed.is_empty() || self.bodies.iter().any(other)
    }

    /// The surfaces on the bodies of the mechanism under construction.
    pub(super) fn surfaces(
        &self,
        builder: &Builder,
        described: &Described,
    ) -> Result<Surfaces, Error> {
        let Described { carriers, robot: standing, tree } = described;
        let system = builder.system();
        let default = [self.friction, self.restitution].map(Option::unwrap_or_default);
        let mut surfaces = Vec::new();
        if let (Some(standing), Some(robot)) = (standing, &self.robot) {
            let own =
                [robot.friction.unwrap_or(default[0]), robot.restitution.unwrap_or(default[1])];
            surfaces.extend(standing.surfaces(system, own)?);
        }
        let robot_count = surfaces.len();
        for (body, carrier) in carriers.iter().enumerate() {
            surfaces.extend(self.body_surfaces(body, carrier, default)?);
        }
        surfaces.extend(self.fixed_surfaces(default)?);
        let (mut names, mut owners, mut colliders) = (Vec::new(), Vec::new(), Vec::new());
        for Surface { name, owner, collider } in surfaces {
            names.push(name);
            owners.push(owner);
            colliders.push(collider);
        }
        let mut scene = Scene::new(colliders, system)?;
        // A file that lists its contacts has its own rules.
        let has_pairs = standing.as_ref().is_some_and(|robot| robot.pairs(system).is_some());
        if let Some(tree) = tree.as_ref().filter(|_| !has_pairs) {
            scene = robot::without_neighbors(scene, tree)?;
        }
        if let (Some(standing), Some(Robot { self_contacts: false, .. })) = (standing, &self.robot)
        {
            let links = standing.links().len();
            for (a, b) in (0..links).flat_map(|a| (a + 1..links).map(move |b| (a, b))) {
                scene = scene.exclude(a, b)?;
            }
        }
        for (a, b) in self.loops_between(carriers) {
            scene = scene.exclude(a, b)?;
        }
        if let Some(contacts) = &self.contacts {
            let pairs = self.scene_pairs(contacts, &owners, &scene, builder)?;
            scene = scene.with_pairs(&pairs)?;
        } else if let Some(own) = standing.as_ref().and_then(|robot| robot.pairs(system)) {
            let pairs = pairs_of_file(&own, robot_count, &scene);
            scene = scene.with_pairs(&pairs)?;
        }
        Ok(Surfaces::new(scene, names, owners))
    }

    /// Pairs of bodies that are connected by loop-closing joints.
    fn loops_between<'a>(
        &'a self,
        carriers: &'a [Carrier],
    ) -> impl Iterator<Item = (usize, usize)> + 'a {
        let link = |name: &String| {
            let body = self.bodies.iter().position(|body| body.name == *name)?;
            Some(carriers[body].body)
        };
        let loops = self.joints.iter().filter(|joint| joint.closes_loop);
        loops.filter_map(move |joint| Some((link(&joint.between[0])?, link(&joint.between[1])?)))
    }

    fn body_surfaces(
        &self,
        body: usize,
        carrier: &Carrier,
        default: [f64; 2],
    ) -> Result<Vec<Surface>, Error> {
        let described = &self.bodies[body];
        let owner = &described.name;
        let mut surfaces = Vec::new();
        if let Some(shape) = &described.shape {
            let described = (owner.clone(), shape, default);
            surfaces.push(surface(owner, described, Some(carrier.body), carrier.placement)?);
        }
        for (k, part) in described.shapes.iter().enumerate() {
            let own = part.name.clone().unwrap_or_else(|| k.to_string());
            let name = format!("{owner}/{own}");
            let pose = shape::pose(part.position.as_ref(), part.orientation);
            let own = [part.friction.unwrap_or(default[0]), part.restitution.unwrap_or(default[1])];
            let Some(shape) = &part.shape else { continue };
            let described = (name, shape, own);
            surfaces.push(surface(owner, described, Some(carrier.body), carrier.placement * pose)?);
        }
        Ok(surfaces)
    }

    fn fixed_surfaces(&self, default: [f64; 2]) -> Result<Vec<Surface>, Error> {
        let mut surfaces = Vec::new();
        for (i, plane) in self.planes.iter().enumerate() {
            let normal = super::vectors::vector3(&plane.normal);
            let collider = Collider::fixed(Shape::HalfSpace { normal });
            let pose = shape::pose(Some(&plane.point), None);
            let name = plane.name.clone();
            let expected = "no tangent where contacts are found: tangents follow the x axis";
            if plane.tangent.is_some() {
                refuse(&format!("planes[{i}].tangent"), &plane.tangent, expected)?;
            }
            surfaces.push(with_pose(name.clone(), name, collider, pose, default)?);
        }
        for fixed in &self.fixed {
            let own =
                [fixed.friction.unwrap_or(default[0]), fixed.restitution.unwrap_or(default[1])];
            let pose = shape::pose(fixed.position.as_ref(), fixed.orientation);
            let Some(shape) = &fixed.shape else { continue };
            let described = (fixed.name.clone(), shape, own);
            surfaces.push(surface(&fixed.name, described, None, pose)?);
        }
        Ok(surfaces)
    }

    /// The pairs of colliders listed in `[[contacts]]`.
    fn scene_pairs(
        &self,
        contacts: &[Contact],
        owners: &[String],
        scene: &Scene,
        builder: &Builder,
    ) -> Result<Vec<Pair>, Error> {
        let mut pairs = Vec::new();
        for (i, contact) in contacts.iter().enumerate() {
            let [first, second] = &contact.between;
            for (k, name) in contact.between.iter().enumerate() {
                let bodies = builder.parts().iter().map(|part| &part.name);
                let mut known: Vec<&str> = bodies.chain(owners).map(String::as_str).collect();
                known.sort_unstable();
                known.dedup();
                if !known.contains(&name.as_str()) {
                    let (path, name) = (format!("contacts[{i}].between[{k}]"), name.clone());
                    return Err(Error::UnknownName { path, name, known: known.join(", ") });
                }
            }
            let of = |name: &String| {
                (0..owners.len()).filter(|k| owners[*k] == *name).collect::<Vec<usize>>()
            };
            let [one, two] = [of(first), of(second)];
            if one.is_empty() || two.is_empty() {
                return Err(Error::NoGap { first: first.clone(), second: second.clone() });
            }
            let product = one.iter().flat_map(|a| two.iter().map(move |b| [*a, *b]));
            for colliders in product {
                let both = colliders.map(|k| &scene.colliders()[k]);
                let [frictions, restitutions] =
                    [both.map(Collider::friction), both.map(Collider::restitution)];
                pairs.push(Pair {
                    colliders,
                    friction: contact.friction.unwrap_or_else(|| mean(frictions)),
                    restitution: contact.restitution.unwrap_or_else(|| mean(restitutions)),
                });
            }
        }
        Ok(pairs)
    }

    /// Returns an error if a surface has no friction coefficient.
    pub(super) fn check_friction(&self) -> Result<(), Error> {
        let has_own = |one: &Contact| one.friction.is_some() || one.section.is_some();
        let listed = |contacts: &Vec<Contact>| contacts.iter().all(has_own);
        if self.friction.is_some() || self.contacts.as_ref().is_some_and(listed) {
            return Ok(());
        }
        let of_body = |body: &super::Body| {
            body.shape.is_none() && body.shapes.iter().all(|part| part.friction.is_some())
        };
        let all = self.planes.is_empty()
            && self.bodies.iter().all(of_body)
            && self.fixed.iter().all(|fixed| fixed.friction.is_some())
            && self.robot.as_ref().is_none_or(|robot| robot.friction.is_some());
        if all { Ok(()) } else { refuse("friction", &"missing", FRICTION) }
    }
}

/// The pairs that the file of a robot lists among its surfaces, which are the first `count`, and all pairs with other surfaces.
fn pairs_of_file(own: &[([usize; 2], f64)], count: usize, scene: &Scene) -> Vec<Pair> {
    let colliders = scene.colliders();
    let mut pairs = Vec::new();
    for &(both, friction) in own {
        let restitution = mean(both.map(|k| colliders[k].restitution()));
        pairs.push(Pair { colliders: both, friction, restitution });
    }
    let touched: std::collections::BTreeSet<usize> =
        own.iter().flat_map(|(both, _)| *both).collect();
    for other in count..colliders.len() {
        for first in (0..count).filter(|k| touched.contains(k)).chain(count..other) {
            let both = [first, other].map(|k| &colliders[k]);
            if both.iter().all(|collider| collider.body().is_none()) {
                continue;
            }
            pairs.push(Pair {
                colliders: [first, other],
                friction: mean(both.map(Collider::friction)),
                restitution: mean(both.map(Collider::restitution)),
            });
        }
    }
    pairs
}

/// The geometric mean; for equal numbers exactly that number.
fn mean([a, b]: [f64; 2]) -> f64 {
    let equal = a.to_bits() == b.to_bits();
    if equal { a } else { a.sqrt() * b.sqrt() }
}

/// The surface of `owner` with a name, its shape and its coefficients.
fn surface(
    owner: &str,
    (name, shape, own): (String, &Shape, [f64; 2]),
    body: Option<usize>,
    pose: nalgebra::Isometry3<f64>,
) -> Result<Surface, Error> {
    let shape = shape.clone();
    let collider = match body {
        Some(body) => Collider::on_body(body, shape),
        None => Collider::fixed(shape),
    };
    with_pose(owner.to_owned(), name, collider, pose, own)
}

fn with_pose(
    owner: String,
    name: String,
    collider: Result<Collider, percussion_collision::ColliderError>,
    pose: nalgebra::Isometry3<f64>,
    [friction, restitution]: [f64; 2],
) -> Result<Surface, Error> {
    let collider = collider
        .and_then(|collider| collider.with_pose(pose)?.with_friction(friction))
        .and_then(|collider| collider.with_restitution(restitution))
        .map_err(|source| Error::Surface { name: name.clone(), source })?;
    Ok(Surface { name, owner, collider })
}

/// The deepest overlap at the start (m), with the name of the contact.
pub(super) fn deepest(
    surfaces: &Surfaces,
    system: &dyn System,
    coordinates: &[f64],
) -> Result<Option<(f64, String)>, Error> {
    let settings = percussion_collision::Settings { proximity: 0.0 };
    let mut workspace = percussion_collision::Workspace::default();
    let found = surfaces.scene().contacts(system, coordinates, &settings, &mut workspace)?;
    let deepest = found.iter().min_by(|a, b| a.gap.total_cmp(&b.gap));
    Ok(deepest.map(|contact| (-contact.gap, surfaces.contact(&contact.id.name()))))
}
