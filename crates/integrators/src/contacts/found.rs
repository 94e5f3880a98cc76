//! The contacts of a motion that its source finds: [`Found`].

use std::{collections::BTreeMap, f64::consts::FRAC_PI_2, iter, mem, sync::Arc};

use nalgebra::Isometry3;
use percussion_dynamics::{
    ContactName, ContactSearch, ContactSource, ContactSourceError, Nearby, System, same_bits,
};

use crate::model::{Contact, FoundCone, Model};

/// Contacts found by a source.
#[derive(Debug)]
pub(super) struct Found {
    source: Arc<dyn ContactSource>,
    pub(super) search: Box<dyn ContactSearch>,
    pub(super) names: Vec<ContactName>,
    numbers: BTreeMap<ContactName, usize>,
    /// Contacts near at the start of the step, by name, with their numbers, and those of the step before.
    near: Vec<(ContactName, usize)>,
    before: Vec<(ContactName, usize)>,
    /// The numbers of those near, ascending.
    pub(super) present: Vec<usize>,
    /// Result of the last search, with its place; none before the first search.
    pub(super) last: Vec<Nearby>,
    place: Option<Place>,
    /// The proximity of the last look, and the reaches of the bodies, none or one each (m).
    pub(super) proximity: f64,
    pub(super) reaches: Vec<f64>,
    /// Scratch for wider reaches (m).
    wide: Vec<f64>,
    /// The [radius](ContactSource::radius) of each body and the longest way of a point of it in a step (m).
    radii: Vec<f64>,
    pub(super) ways: Vec<f64>,
    /// Scratch for the poses of the bodies at the ends of a step.
    poses: [Vec<Isometry3<f64>>; 2],
    /// The cones that are not round.
    cones: Vec<FoundCone>,
}

/// Where and how far was searched.
#[derive(Debug, Default)]
struct Place {
    coordinates: Vec<f64>,
    /// (m)
    proximity: f64,
    /// Reaches of the bodies, none or one each (m).
    reaches: Vec<f64>,
}

impl Place {
    fn covers(&self, coordinates: &[f64], proximity: f64, reaches: &[f64]) -> bool {
        let known = self.reaches.iter().chain(iter::repeat(&0.0));
        same_bits(&self.coordinates, coordinates)
            && self.proximity >= proximity
            && reaches.iter().zip(known).all(|(reach, known)| reach <= known)
    }
}

impl Found {
    /// Nothing found yet.
    pub(super) fn new(source: &Arc<dyn ContactSource>, model: &Model) -> Self {
        Self {
            search: source.search(),
            source: Arc::clone(source),
            names: Vec::new(),
            numbers: BTreeMap::new(),
            near: Vec::new(),
            before: Vec::new(),
            present: Vec::new(),
            last: Vec::new(),
            place: None,
            proximity: 0.0,
            reaches: Vec::new(),
            wide: Vec::new(),
            ways: Vec::new(),
            radii: (0..model.system().body_count()).map(|body| source.radius(body)).collect(),
            poses: [Vec::new(), Vec::new()],
            cones: model.found_cones().to_vec(),
        }
    }

    /// Finds at least the contacts within `proximity` and the reaches of both bodies (m; none or one each). There is no search if the last one was at the same position and as far.
    pub(super) fn find_within(
        &mut self,
        system: &dyn System,
        coordinates: &[f64],
        proximity: f64,
        reaches: &[f64],
    ) -> Result<(), ContactSourceError> {
        if self.place.as_ref().is_some_and(|place| place.covers(coordinates, proximity, reaches)) {
            return Ok(());
        }
        let mut place = self.place.take().unwrap_or_default();
        self.search.find_within(system, coordinates, proximity, reaches, &mut self.last)?;
        place.proximity = proximity;
        for (known, new) in [(&mut place.coordinates, coordinates), (&mut place.reaches, reaches)] {
            known.clear();
            known.extend_from_slice(new);
        }
        self.place = Some(place);
        Ok(())
    }

    /// Finds at least the contacts within `proximity` (m) and twice the reaches of the last look.
    pub(super) fn find_widely(
        &mut self,
        system: &dyn System,
        coordinates: &[f64],
        proximity: f64,
    ) -> Result<(), ContactSourceError> {
        let mut wide = mem::take(&mut self.wide);
        wide.clear();
        wide.extend(self.reaches.iter().map(|reach| 2.0 * reach));
        let searched = self.find_within(system, coordinates, proximity, &wide);
        self.wide = wide;
        searched
    }

    /// Takes as near what is within `proximity` (m) and the reaches of the bodies.
    pub(super) fn look(
        &mut self,
        system: &dyn System,
        coordinates: &[f64],
        proximity: f64,
        list: &mut Vec<Contact>,
    ) -> Result<(), ContactSourceError> {
        let reaches = mem::take(&mut self.reaches);
        let searched = self.find_within(system, coordinates, proximity, &reaches);
        self.proximity = proximity;
        self.reaches = reaches;
        searched?;
        mem::swap(&mut self.near, &mut self.before);
        self.near.clear();
        let (last, before) = (mem::take(&mut self.last), mem::take(&mut self.before));
        // Most were near at the last look too. Both lists are sorted by name.
        let mut known = before.iter().peekable();
        for nearby in &last {
            if nearby.gap > self.margin(&nearby.name) {
                continue;
            }
            while known.next_if(|(name, _)| *name < nearby.name).is_some() {}
            let number = match known.next_if(|(name, _)| *name == nearby.name) {
                Some(&(_, number)) => Some(number),
                None => self.number(nearby, list),
            };
            self.near.extend(number.map(|number| (nearby.name, number)));
        }
        (self.last, self.before) = (last, before);
        self.present.clear();
        self.present.extend(self.near.iter().map(|(_, number)| *number));
        self.present.sort_unstable();
        Ok(())
    }

    /// The largest gap of a contact that is near (m).
    fn margin(&self, name: &ContactName) -> f64 {
        let of_body = |body: Option<usize>| body.and_then(|body| self.reaches.get(body)).copied();
        let reach = match self.source.bodies(name) {
            Some([first, second]) => of_body(first).unwrap_or(0.0) + of_body(second).unwrap_or(0.0),
            None => 2.0 * self.reaches.iter().copied().fold(0.0, f64::max),
        };
        self.proximity + reach
    }

    /// Measures the longest way of a point of each body from one position to the other.
    ///
    /// A turn by `φ` moves it by up to `R φ`. The unit quaternions of both positions are `2 t` apart with `t = sin(φ/4)`, so that
    /// `φ ≤ 4 (t + (π/2 − 1) t³)`, which exceeds `φ` by less than `φ³/30`.
    pub(super) fn measure(&mut self, system: &dyn System, from: &[f64], to: &[f64]) {
        let [before, after] = &mut self.poses;
        system.poses(from, before);
        system.poses(to, after);
        let way = |((from, to), radius): ((&Isometry3<f64>, &Isometry3<f64>), &f64)| {
            let moved = (to.translation.vector - from.translation.vector).norm();
            let (q, p) = (&from.rotation.coords, &to.rotation.coords);
            let t = 0.5 * (p - q).norm_squared().min((p + q).norm_squared()).sqrt();
            moved + radius * 4.0 * (t + (FRAC_PI_2 - 1.0) * t * t * t)
        };
        self.ways.clear();
        self.ways.extend(before.iter().zip(&*after).zip(&self.radii).map(way));
    }

    /// The contacts near at the start of the step between these surfaces.
    pub(super) fn near_between(&self, surfaces: [usize; 2]) -> &[(ContactName, usize)] {
        let from = self.near.partition_point(|(name, _)| name.surfaces < surfaces);
        let to = self.near.partition_point(|(name, _)| name.surfaces <= surfaces);
        &self.near[from..to]
    }

    /// The number of a contact; a new one is appended to `list`. `None` if the source returns a name for
    /// which it has no gap.
    pub(super) fn number(&mut self, nearby: &Nearby, list: &mut Vec<Contact>) -> Option<usize> {
        let Nearby { name, friction, restitution, .. } = *nearby;
        if let Some(&number) = self.numbers.get(&name) {
            return Some(number);
        }
        let gap = self.source.gap(&name)?;
        let number = list.len();
        let cone = FoundCone::between(name.surfaces, &self.cones).cloned();
        list.push(Contact { gap, friction, restitution, cone });
        self.names.push(name);
        self.numbers.insert(name, number);
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, Matrix3, Translation3, UnitQuaternion, Vector3};
    use percussion_collision::{Collider, Scene, Shape};
    use percussion_dynamics::{Body, ContactSet, FreeBodies, pose_coordinates};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::{super::Contacts, *};

    /// Three boxes and a floor.
    fn boxes() -> Model {
        let system =
            FreeBodies::new(vec![Body::new(1.0, Matrix3::identity()); 3], Vector3::zeros());
        let system = system.unwrap();
        let shape = Shape::Box { half_extents: Vector3::new(0.3, 0.2, 0.1) };
        let mut colliders: Vec<Collider> =
            (0..3).map(|body| Collider::on_body(body, shape.clone()).unwrap()).collect();
        colliders.push(Collider::fixed(Shape::HalfSpace { normal: Vector3::z() }).unwrap());
        let scene = Scene::new(colliders, &system).unwrap();
        Model::new(Box::new(system), vec![]).unwrap().with_contact_source(scene).unwrap()
    }

    fn placed(rng: &mut ChaCha8Rng) -> Vec<f64> {
        let mut vector = |size: f64| Vector3::from_fn(|_, _| rng.random_range(-size..size));
        (0..3)
            .flat_map(|_| {
                let turn = UnitQuaternion::from_scaled_axis(vector(3.0));
                pose_coordinates(&Isometry3::from_parts(Translation3::from(vector(0.25)), turn))
            })
            .collect()
    }

    /// Contacts come, stay and leave; the number of each is that of its first look.
    #[test]
    fn a_contact_keeps_its_number() {
        let model = boxes();
        let mut found = Found::new(model.contact_source().unwrap(), &model);
        let mut rng = ChaCha8Rng::seed_from_u64(17);
        let mut list = Vec::new();
        let positions: Vec<_> = (0..6).map(|_| placed(&mut rng)).collect();
        let mut stayed = 0;
        for _ in 0..300 {
            let q = &positions[rng.random_range(0..positions.len())];
            let proximity = rng.random_range(0.0..0.1);
            let before = found.near.clone();
            found.look(model.system(), q, proximity, &mut list).unwrap();
            let near: Vec<_> = found.last.iter().filter(|near| near.gap <= proximity).collect();
            assert_eq!(near.len(), found.near.len());
            for (near, (name, number)) in near.iter().zip(&found.near) {
                assert_eq!((near.name, found.names[*number]), (*name, *name));
                stayed += usize::from(before.contains(&(*name, *number)));
            }
        }
        assert!(stayed > 300 && list.len() > 40, "{stayed} of {}", list.len());
    }

    /// At positions that were searched and at others: what a search found is used at its own coordinates only.
    #[test]
    fn contacts_are_pushed_as_their_gap_functions_are() {
        let model = boxes();
        let system = model.system();
        let mut contacts = Contacts::new(&model);
        let mut rng = ChaCha8Rng::seed_from_u64(29);
        let mut others = vec![placed(&mut rng)];
        let mut compared = 0;
        for _ in 0..60 {
            let q = placed(&mut rng);
            contacts.look(system, &q, 0.05).unwrap();
            others.truncate(6);
            others.insert(0, q);
            for contact in contacts.present() {
                let gap = &contacts.as_slice()[contact].gap;
                for q in &others {
                    let mut sets = [ContactSet::for_system(system), ContactSet::for_system(system)];
                    contacts.push(system, contact, q, &mut sets[0]).unwrap();
                    sets[1].push_gap(system, q, gap.as_ref(), 0.0, 0.0).unwrap();
                    let [rows, expected] = sets.each_ref().map(|set| {
                        let mut rows = DMatrix::zeros(0, 0);
                        set.contact_jacobian(&mut rows);
                        rows
                    });
                    assert!((rows - expected).amax() < 1e-9, "contact {contact}");
                    let gaps = sets.each_ref().map(|set| set.gaps()[0]);
                    assert!((gaps[0] - gaps[1]).abs() < 1e-12, "{gaps:?}");
                    let known = contacts.known_gap(system, contact, q);
                    assert!((known - gaps[1]).abs() < 1e-12, "{known} {gaps:?}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 1000, "{compared}");
    }

    #[test]
    fn the_longest_way_is_that_of_the_farthest_point() {
        let model = boxes();
        let mut found = Found::new(model.contact_source().unwrap(), &model);
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let radius = found.radii[0];
        for k in 0..2000 {
            let from = placed(&mut rng);
            let mut to = placed(&mut rng);
            if k % 2 == 0 {
                let tangent: Vec<f64> = (0..18).map(|_| rng.random_range(-0.1..0.1)).collect();
                model.system().retract(&from, &tangent, &mut to);
            }
            found.measure(model.system(), &from, &to);
            for body in 0..3 {
                let [a, b] = [&from, &to].map(|q| model.system().pose(q, body));
                let angle = a.rotation.angle_to(&b.rotation);
                let way = (b.translation.vector - a.translation.vector).norm() + radius * angle;
                let more = found.ways[body] - way;
                let bound = radius * angle.powi(3) / 30.0;
                assert!((-1e-14..=bound + 1e-14).contains(&more), "{more} at {angle}");
            }
        }
    }
}
