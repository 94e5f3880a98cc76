//! All data that determine the future of a world, as plain numbers: [`State`].

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use crate::{
    grains::{Grains, Motion},
    images::{ImagePair, Images},
    materials::Materials,
    periods::Periods,
    range,
    servo::Servo,
    settings::{Error, Settings},
    slab::{Pair, Slab, WallPair},
    wall::Wall,
};

/// Maximum number of steps or grains, `2⁵³`, which no run exceeds, so that counters never overflow.
const MOST_COUNT: u64 = 1 << 53;

/// The whole state of a [`World`](crate::World), for files of any format.
///
/// A world created from it by [`World::from_state`](crate::World::from_state) continues with the same bits as
/// the original one. The lists of the first group have one entry per grain, in the order of the world.
///
/// # Example
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_granular::{Grain, Settings, World};
///
/// let mut world = World::new(Settings::default(), vec![])?;
/// world.add(&Grain::at(Vector3::zeros(), 0.1, 1.0))?;
/// world.step()?;
/// let mut twin = World::from_state(world.state())?;
/// world.step()?;
/// twin.step()?;
/// assert_eq!(world.grains(), twin.grains());
/// # Ok::<(), percussion_granular::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Settings.
    pub settings: Settings,
    /// Walls at their current positions.
    pub walls: Vec<Wall>,
    /// How grains and walls touch, empty where settings and walls say so.
    pub materials: Materials,
    /// Forces that drive walls.
    pub servos: Vec<Servo>,
    /// Centers (m).
    pub positions: Vec<[f64; 3]>,
    /// Unit quaternions `w, x, y, z` from the frame of the ball to the world.
    pub orientations: Vec<[f64; 4]>,
    /// Velocities (m/s).
    pub velocities: Vec<[f64; 3]>,
    /// Radius times angular velocity (m/s).
    pub spins: Vec<[f64; 3]>,
    /// `1/m` and `r²/I` (kg⁻¹).
    pub yields: Vec<[f64; 2]>,
    /// Radii (m).
    pub radii: Vec<f64>,
    /// Identities.
    pub identities: Vec<u64>,
    /// Numbers of their materials.
    pub grain_materials: Vec<u8>,
    /// Places at the last search for pairs, `u32::MAX` for grains added since.
    pub previous: Vec<u32>,
    /// Numbers of grains, of pairs and of pairs with walls of each slab at the last search.
    pub slabs: Vec<[u32; 3]>,
    /// Pairs that may touch, by places at the last search, slab by slab.
    pub pairs: Vec<[u32; 2]>,
    /// Their impulses on the first grain (N·s).
    pub impulses: Vec<[f64; 3]>,
    /// Their moments on the first grain (N·m·s), empty where nothing resists rolling, here and below. Of bodies they are those of
    /// the named contacts.
    pub moments: Vec<[f64; 3]>,
    /// Grain and wall of the pairs with walls, slab by slab.
    pub wall_pairs: Vec<[u32; 2]>,
    /// Their impulses on the grain (N·s).
    pub wall_impulses: Vec<[f64; 3]>,
    /// Their moments on the grain (N·m·s).
    pub wall_moments: Vec<[f64; 3]>,
    /// The box that repeats itself, if the world does.
    pub periods: Option<Periods>,
    /// Pairs across its faces, by places at the last search.
    pub image_pairs: Vec<[u32; 2]>,
    /// The image of the second grain of each: number of edges along each axis from the box, at most 2.
    pub image_nodes: Vec<[i8; 3]>,
    /// Their impulses on the first grain (N·s).
    pub image_impulses: Vec<[f64; 3]>,
    /// Their moments on the first grain (N·m·s).
    pub image_moments: Vec<[f64; 3]>,
    /// The bodies of a [`Collection`](crate::Collection), which has no grains of the lists above.
    #[cfg(feature = "bodies")]
    pub bodies: Option<Box<crate::bodies::BodyState>>,
    /// Largest gap of the listed pairs, and the approach since then (m).
    pub skin: [f64; 2],
    /// Whether the pairs are valid for the current grains.
    pub current: bool,
    /// Identity of the next grain.
    pub next_identity: u64,
    /// Number of steps since the beginning.
    pub steps: u64,
    /// Time since the beginning (s).
    pub time: f64,
}

impl State {
    /// The state before the first step of a world without grains.
    pub(crate) const fn empty(settings: Settings, walls: Vec<Wall>, materials: Materials) -> Self {
        Self {
            settings,
            walls,
            materials,
            servos: Vec::new(),
            positions: Vec::new(),
            orientations: Vec::new(),
            velocities: Vec::new(),
            spins: Vec::new(),
            yields: Vec::new(),
            radii: Vec::new(),
            identities: Vec::new(),
            grain_materials: Vec::new(),
            previous: Vec::new(),
            slabs: Vec::new(),
            pairs: Vec::new(),
            impulses: Vec::new(),
            moments: Vec::new(),
            wall_pairs: Vec::new(),
            wall_impulses: Vec::new(),
            wall_moments: Vec::new(),
            periods: None,
            image_pairs: Vec::new(),
            image_nodes: Vec::new(),
            image_impulses: Vec::new(),
            image_moments: Vec::new(),
            #[cfg(feature = "bodies")]
            bodies: None,
            skin: [0.0; 2],
            current: false,
            next_identity: 0,
            steps: 0,
            time: 0.0,
        }
    }

    /// Writes the data of each grain.
    pub(crate) fn put_grains(&mut self, grains: &Grains) {
        let array = |vector: &Vector3<f64>| (*vector).into();
        self.positions = grains.positions.iter().map(array).collect();
        let quaternion = |q: &UnitQuaternion<f64>| [q.w, q.i, q.j, q.k];
        self.orientations = grains.orientations.iter().map(quaternion).collect();
        self.velocities = grains.motions.iter().map(|motion| motion.velocity.into()).collect();
        self.spins = grains.motions.iter().map(|motion| motion.spin.into()).collect();
        let yields = |motion: &Motion| [motion.inverse_mass, motion.spin_yield];
        self.yields = grains.motions.iter().map(yields).collect();
        self.radii.clone_from(&grains.radii);
        self.identities.clone_from(&grains.identities);
        self.grain_materials.clone_from(&grains.materials);
        self.previous.clone_from(&grains.previous);
    }

    /// Writes the pairs.
    pub(crate) fn put_pairs(&mut self, slabs: &[Slab]) {
        use crate::grains::narrow;
        for slab in slabs {
            self.slabs.push([slab.len, narrow(slab.pairs.len()), narrow(slab.wall_pairs.len())]);
            self.pairs.extend(slab.pairs.iter().map(|pair| pair.grains));
            self.impulses.extend(slab.pairs.iter().map(|pair| <[f64; 3]>::from(pair.impulse)));
            self.wall_pairs.extend(slab.wall_pairs.iter().map(|pair| [pair.grain, pair.wall]));
            let impulses = slab.wall_pairs.iter().map(|pair| <[f64; 3]>::from(pair.impulse));
            self.wall_impulses.extend(impulses);
            if self.materials.roll() {
                // There are none before the first step with these materials.
                let moment = |list: &[Vector3<f64>], k: usize| {
                    list.get(k).map_or([0.0; 3], |moment| (*moment).into())
                };
                self.moments.extend((0..slab.pairs.len()).map(|k| moment(&slab.moments, k)));
                let count = slab.wall_pairs.len();
                self.wall_moments.extend((0..count).map(|k| moment(&slab.wall_moments, k)));
            }
        }
    }

    /// Writes the periodic box with its pairs.
    pub(crate) fn put_images(&mut self, images: &Images) {
        self.periods = Some(images.periods);
        self.image_pairs = images.pairs.iter().map(|pair| pair.grains).collect();
        self.image_nodes = images.pairs.iter().map(|pair| pair.node).collect();
        self.image_impulses = images.pairs.iter().map(|pair| pair.impulse.into()).collect();
        if self.materials.roll() {
            self.image_moments = images.pairs.iter().map(|pair| pair.moment.into()).collect();
        }
    }

    /// The periodic box with its pairs, checked.
    pub(crate) fn images(&self) -> Result<Option<Images>, Error> {
        let expected = self.image_pairs.len();
        check_length("image_nodes", self.image_nodes.len(), expected)?;
        check_length("image_impulses", self.image_impulses.len(), expected)?;
        self.check_moments("image_moments", &self.image_moments, expected)?;
        let Some(periods) = self.periods else {
            check_length("image_pairs", expected, 0)?;
            return Ok(None);
        };
        periods.check()?;
        let count: usize = self.slabs.iter().map(|slab| slab[0] as usize).sum();
        let mut pairs = Vec::with_capacity(expected);
        for (k, &[a, b]) in self.image_pairs.iter().enumerate() {
            check_place("image_pairs", a < b && (b as usize) < count, b, count)?;
            let node = self.image_nodes[k];
            if let Some(&steps) = node.iter().find(|steps| !(-2..=2).contains(*steps)) {
                let expected = "an integer from -2 to 2";
                return Err(Error::Entry { name: "image_nodes", value: steps.into(), expected });
            }
            let impulse = self.image_impulses[k].into();
            let moment = self.image_moments.get(k).copied().unwrap_or_default().into();
            pairs.push(ImagePair { grains: [a, b], node, impulse, moment });
        }
        Ok(Some(Images::new(periods, pairs)))
    }

    /// There is a moment for each pair if contacts resist rolling, or none.
    fn check_moments(
        &self,
        name: &'static str,
        moments: &[[f64; 3]],
        pairs: usize,
    ) -> Result<(), Error> {
        check_length(name, moments.len(), if self.materials.roll() { pairs } else { 0 })
    }

    /// Checks the entries that are not lists.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let times = [("time", self.time), ("skin", self.skin[0]), ("skin", self.skin[1])];
        for (name, value) in times {
            if !(value.is_finite() && value >= 0.0) {
                return Err(Error::Entry { name, value, expected: "a finite number ≥ 0" });
            }
        }
        for (name, count) in [("steps", self.steps), ("next_identity", self.next_identity)] {
            if count > MOST_COUNT {
                let value = count as f64;
                return Err(Error::Entry { name, value, expected: "at most 2⁵³" });
            }
        }
        Ok(())
    }

    /// The grains, checked.
    pub(crate) fn grains(&self) -> Result<Grains, Error> {
        let expected = self.positions.len();
        let lengths = [
            ("orientations", self.orientations.len()),
            ("velocities", self.velocities.len()),
            ("spins", self.spins.len()),
            ("yields", self.yields.len()),
            ("radii", self.radii.len()),
            ("identities", self.identities.len()),
            ("grain_materials", self.grain_materials.len()),
            ("previous", self.previous.len()),
        ];
        for (name, found) in lengths {
            check_length(name, found, expected)?;
        }
        let mut grains = Grains {
            positions: self.positions.iter().map(|&x| x.into()).collect(),
            orientations: Vec::with_capacity(expected),
            motions: Vec::with_capacity(expected),
            radii: self.radii.clone(),
            identities: self.identities.clone(),
            materials: self.grain_materials.clone(),
            previous: self.previous.clone(),
        };
        for index in 0..expected {
            let [w, x, y, z] = self.orientations[index];
            grains.orientations.push(UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z)));
            let [inverse_mass, spin_yield] = self.yields[index];
            grains.motions.push(Motion {
                velocity: self.velocities[index].into(),
                spin: self.spins[index].into(),
                inverse_mass,
                spin_yield,
            });
            let grain = grains.grain(index);
            // `r²/I` is 5/2 of the inverse mass.
            let solid = range::is_positive(0.4 * spin_yield);
            let fault =
                (!solid).then_some(("yields", spin_yield, "a number from 2.5e-75 to 2.5e75"));
            if let Some((name, value, expected)) = grain.fault().or(fault) {
                let identity = self.identities[index];
                return Err(Error::Grain { identity, name, value, expected });
            }
        }
        Ok(grains)
    }

    /// The slabs with their pairs, checked.
    pub(crate) fn slabs(&self) -> Result<Vec<Slab>, Error> {
        check_length("impulses", self.impulses.len(), self.pairs.len())?;
        check_length("wall_impulses", self.wall_impulses.len(), self.wall_pairs.len())?;
        self.check_moments("moments", &self.moments, self.pairs.len())?;
        self.check_moments("wall_moments", &self.wall_moments, self.wall_pairs.len())?;
        let sum = |k: usize| self.slabs.iter().map(|slab| slab[k] as usize).sum();
        check_length("pairs", self.pairs.len(), sum(1))?;
        check_length("wall_pairs", self.wall_pairs.len(), sum(2))?;
        let count: usize = sum(0);
        if self.current {
            check_length("grains of slabs", count, self.positions.len())?;
        }
        let mut slabs = Vec::with_capacity(self.slabs.len());
        let (mut start, mut pairs, mut wall_pairs) = (0_usize, 0, 0);
        for (index, counts) in self.slabs.iter().enumerate() {
            let [len, pair_count, wall_count] = counts.map(|count| count as usize);
            let mut slab = Slab::default();
            (slab.index, slab.len) = (index, counts[0]);
            slab.start = crate::grains::narrow(start);
            // A pair extends to the next slab at most.
            let next = self.slabs.get(index + 1).map_or(0, |slab| slab[0] as usize);
            let (own, near) = (start..start + len, start + len + next);
            for k in pairs..pairs + pair_count {
                let [a, b] = self.pairs[k];
                let inside = own.contains(&(a as usize)) && a < b && (b as usize) < near;
                check_place("pairs", inside, b, near)?;
                slab.pairs.push(Pair { grains: [a, b], impulse: self.impulses[k].into() });
                slab.moments.extend(self.moments.get(k).map(|moment| Vector3::from(*moment)));
            }
            for k in wall_pairs..wall_pairs + wall_count {
                let [grain, wall] = self.wall_pairs[k];
                check_place("wall_pairs", own.contains(&(grain as usize)), grain, near)?;
                let known = (wall as usize) < self.walls.len();
                check_place("wall_pairs", known, wall, self.walls.len())?;
                let impulse = self.wall_impulses[k].into();
                slab.wall_pairs.push(WallPair { grain, wall, impulse });
                let moment = self.wall_moments.get(k).map(|moment| Vector3::from(*moment));
                slab.wall_moments.extend(moment);
            }
            start += len;
            pairs += pair_count;
            wall_pairs += wall_count;
            slabs.push(slab);
        }
        for &previous in &self.previous {
            let known = previous == crate::grains::NEW || (previous as usize) < count;
            check_place("previous", known, previous, count)?;
        }
        Ok(slabs)
    }
}

fn check_length(name: &'static str, found: usize, expected: usize) -> Result<(), Error> {
    if found == expected { Ok(()) } else { Err(Error::Length { name, found, expected }) }
}

fn check_place(name: &'static str, fits: bool, found: u32, limit: usize) -> Result<(), Error> {
    if fits { Ok(()) } else { Err(Error::Place { name, found, limit }) }
}
