//! All grains and walls, and the step that moves them: [`World`].

mod change;
mod repeat;
mod search;
mod servos;
mod sweeps;

use nalgebra::Vector3;

use self::{
    change::check_wall,
    search::Search,
    sweeps::{across, sweep},
};
use crate::{
    correction::{self, Shift},
    grains::{Grain, Grains},
    images::Images,
    link::{Alone, Link},
    materials::Materials,
    parallel,
    report::Report,
    servo::{self, Servo},
    settings::{Correction, Error, Settings},
    slab::Slab,
    state::State,
    touch::Touch,
    wall::Wall,
    waves::phases,
};

/// Grains and walls.
///
/// One step from time `t` to `t + δt` is semi-implicit Euler: with gaps `ξ` and normals at the positions at
/// its beginning it finds impulses `p` with
///
/// ```math
/// v' = v + \delta t\, g + M^{-1} J^T p,\qquad
/// 0 \le \tfrac{\max(0,\xi)}{\delta t} + u_n' \perp p_n \ge 0,\qquad
/// \|p_t\| \le \mu p_n \text{ opposite to the slip},\qquad x' = x + \delta t\, v' + y.
/// ```
///
/// Overlaps are removed by the displacements `y`, or, as in the source, by the fraction `ε` of `min(0, ξ)` in
/// place of 0. Impacts are inelastic: bodies that collide stay in contact. The impulses are computed by block
/// Gauss–Seidel sweeps in alternating directions, starting from those of the last step.
///
/// # Source
///
/// T. Preclik, S. Eibl, U. Rüde, "The maximum dissipation principle in rigid-body dynamics with purely
/// inelastic impacts", *Computational Mechanics* 62 (2018) 81–96, section 3.1; T. Preclik, U. Rüde, "Ultrascale simulations of
/// non-smooth granular dynamics", *Computational Particle Mechanics* 2 (2015) 173–196.
///
/// # Example
///
/// A ball of 1 kg that slides over the floor at 7 m/s finally rolls at 5/7 of that speed, for any friction.
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_granular::{Grain, Settings, Wall, World};
///
/// let floor = Wall::plane(Vector3::zeros(), Vector3::z(), 0.3);
/// let mut world = World::new(Settings::default(), vec![floor])?;
/// let mut ball = Grain::at(Vector3::new(0.0, 0.0, 0.1), 0.1, 1.0);
/// ball.velocity.x = 7.0;
/// world.add(&ball)?;
/// for _ in 0..1000 {
///     world.step()?;
/// }
/// assert!((world.grains().velocity(0).x - 5.0).abs() < 1e-12);
/// # Ok::<(), percussion_granular::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct World {
    settings: Settings,
    materials: Materials,
    grains: Grains,
    walls: Vec<Wall>,
    servos: Vec<Servo>,
    /// Their velocities at the end of the step (m/s).
    servo_velocities: Vec<f64>,
    /// Slabs with their pairs, and the data of the last search for them.
    slabs: Vec<Slab>,
    search: Search,
    /// Scratch of the correction of overlaps.
    shifts: Vec<Shift>,
    /// The identity of the next grain.
    next_identity: u64,
    steps: u64,
    time: f64,
}

impl World {
    /// Creates a world without grains.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`], [`Error::Wall`].
    pub fn new(settings: Settings, walls: Vec<Wall>) -> Result<Self, Error> {
        settings.check()?;
        for (index, wall) in walls.iter().enumerate() {
            check_wall(index, wall, &Materials::default())?;
        }
        Ok(Self {
            settings,
            materials: Materials::default(),
            grains: Grains::default(),
            walls,
            servos: Vec::new(),
            servo_velocities: Vec::new(),
            slabs: Vec::new(),
            search: Search::default(),
            shifts: Vec::new(),
            next_identity: 0,
            steps: 0,
            time: 0.0,
        })
    }

    /// All data that determine the future.
    #[must_use]
    pub fn state(&self) -> State {
        let (skin, current) = self.search.memory();
        let mut state = State {
            skin,
            current,
            next_identity: self.next_identity,
            steps: self.steps,
            time: self.time,
            servos: self.servos.clone(),
            ..State::empty(self.settings, self.walls.clone(), self.materials.clone())
        };
        state.put_grains(&self.grains);
        state.put_pairs(&self.slabs);
        if let Some(images) = &self.search.images {
            state.put_images(images);
        }
        state
    }

    /// Creates the world with this state.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new) and [`add`](Self::add); [`Error::Length`] and [`Error::Place`] for lists
    /// that are inconsistent.
    pub fn from_state(state: State) -> Result<Self, Error> {
        state.check()?;
        #[cfg(feature = "bodies")]
        if state.bodies.is_some() {
            return Err(Error::Length { name: "bodies", found: 1, expected: 0 });
        }
        let (grains, slabs, images) = (state.grains()?, state.slabs()?, state.images()?);
        if grains.len() > MOST {
            return Err(Error::TooMany { count: grains.len() });
        }
        let search = Search::restored(state.skin, state.current, images);
        let State { settings, walls, materials, servos, next_identity, steps, time, .. } = state;
        let mut world = Self { grains, ..Self::new(settings, walls)? };
        world.set_materials(materials)?;
        world.set_servos(servos)?;
        Ok(Self { slabs, search, next_identity, steps, time, ..world })
    }

    /// Adds a grain and returns its identity: 0, 1, 2 … in the order of adding.
    ///
    /// # Errors
    ///
    /// [`Error::Grain`], [`Error::TooMany`].
    pub fn add(&mut self, grain: &Grain) -> Result<u64, Error> {
        let identity = self.skip(grain)?;
        self.grains.push(grain, identity);
        self.outdated();
        Ok(identity)
    }

    /// Assigns the identity of a grain that is added to another world.
    pub(crate) fn skip(&mut self, grain: &Grain) -> Result<u64, Error> {
        let identity = self.check_grain(grain)?;
        self.next_identity += 1;
        Ok(identity)
    }

    /// The identity that a grain will have, if it can be added.
    pub(crate) fn check_grain(&self, grain: &Grain) -> Result<u64, Error> {
        let (identity, count) = (self.next_identity, self.grains.len());
        let fault = grain.fault().or_else(|| self.materials.fault(grain.material));
        if let Some((name, value, expected)) = fault {
            return Err(Error::Grain { identity, name, value, expected });
        }
        if count >= MOST {
            return Err(Error::TooMany { count });
        }
        Ok(identity)
    }

    /// Removes the grains for which `leaves` returns true, and returns their number.
    pub fn remove(&mut self, mut leaves: impl FnMut(&Grain) -> bool) -> usize {
        self.remove_if(|_, grain| leaves(grain))
    }

    /// The same with identities.
    pub(crate) fn remove_if(&mut self, mut leaves: impl FnMut(u64, &Grain) -> bool) -> usize {
        let before = self.grains.len();
        let mut leaves = |i: usize| leaves(self.grains.identities[i], &self.grains.grain(i));
        let leaving: Vec<bool> = (0..before).map(&mut leaves).collect();
        if leaving.contains(&true) {
            self.grains.retain(|i| !leaving[i]);
            self.outdated();
        }
        before - self.grains.len()
    }

    /// The identity of the next grain, which is the number of grains that were ever added.
    #[must_use]
    pub const fn next_identity(&self) -> u64 {
        self.next_identity
    }

    /// The grains.
    #[must_use]
    pub const fn grains(&self) -> &Grains {
        &self.grains
    }

    /// The walls at their current positions.
    #[must_use]
    pub fn walls(&self) -> &[Wall] {
        &self.walls
    }

    /// Time since the beginning (s).
    #[must_use]
    pub const fn time(&self) -> f64 {
        self.time
    }

    /// Number of steps since the beginning.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// Kinetic energy and energy in gravity, which is zero at the origin (J).
    #[must_use]
    pub fn energy(&self) -> f64 {
        self.grains.kinetic_energy() - self.settings.gravity.dot(&self.grains.first_moment())
    }

    /// The contacts of the last step, including those that could have closed but did not, in the order of the
    /// sweeps; empty after grains, walls or settings were changed.
    pub fn touches(&self) -> impl Iterator<Item = Touch> {
        let across = self.search.images.iter().flat_map(Images::touches);
        self.slabs.iter().flat_map(Slab::touches).chain(across)
    }

    /// The deepest overlap at the current positions (m, ≥ 0).
    #[must_use]
    pub fn overlap(&self) -> f64 {
        if self.search.is_current() {
            return self.search.overlap(&self.grains, &self.walls, &self.slabs);
        }
        let Self { settings, mut grains, walls, mut slabs, mut search, .. } = self.clone();
        let searched = search.refresh(&mut grains, &walls, &mut slabs, &settings, 0.0, &mut Alone);
        debug_assert!(searched.is_ok(), "a world of its own agrees with itself");
        search.overlap(&grains, &walls, &slabs)
    }

    /// Whether the list of pairs is valid for the grains.
    pub(crate) fn is_current(&self) -> bool {
        self.search.memory().1
    }

    /// The work of every grain, by place: 1, and 1 for each pair of the last search of which it has the smaller identity.
    pub(crate) fn work(&self) -> Vec<f64> {
        let Grains { identities, previous, .. } = &self.grains;
        // By places at the last search; grains may have been added and removed since.
        let count = self.slabs.iter().map(|slab| slab.len as usize).sum();
        let (mut known, mut listed) = (vec![u64::MAX; count], vec![0.0; count]);
        for (identity, &then) in identities.iter().zip(previous) {
            if let Some(known) = known.get_mut(then as usize) {
                *known = *identity;
            }
        }
        for slab in &self.slabs {
            for pair in &slab.pairs {
                let [a, b] = pair.grains.map(|grain| grain as usize);
                listed[if known[a] < known[b] { a } else { b }] += 1.0;
            }
            slab.wall_pairs.iter().for_each(|pair| listed[pair.grain as usize] += 1.0);
        }
        let work = |&then: &u32| 1.0 + listed.get(then as usize).copied().unwrap_or_default();
        previous.iter().map(work).collect()
    }

    /// Changes which grains are in this world.
    pub(crate) fn transfer(
        &mut self,
        transfer: impl FnOnce(&mut Grains) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.outdated();
        transfer(&mut self.grains)
    }

    /// Records for `link` the places of a world that was restored.
    pub(crate) fn relink<L: Link>(&mut self, link: &mut L) {
        link.settle(&self.grains);
        search::mark_outer(&mut self.slabs, link);
    }

    /// Marks the list of pairs and the contacts as outdated.
    fn outdated(&mut self) {
        self.search.outdated();
        self.slabs.iter_mut().for_each(Slab::forget_contacts);
        self.search.images.iter_mut().for_each(Images::forget_contacts);
    }

    /// Advances by one time step.
    ///
    /// # Errors
    ///
    /// [`Error::TooFast`], and [`Error::Setting`] if a period is too short for the grains; the world is then
    /// unchanged. [`Error::Diverged`] when velocities are out of range; the world has then lost its velocities and
    /// cannot continue.
    pub fn step(&mut self) -> Result<Report, Error> {
        parallel::inside(self.slabs.len(), || self.step_with(&mut Alone))
    }

    /// Advances by one time step, together with the worlds connected by `link`.
    pub(crate) fn step_with<L: Link>(&mut self, link: &mut L) -> Result<Report, Error> {
        let step = self.settings.step_size;
        let kick = step * self.settings.gravity;
        let fastest = self.fastest(&kick, link)?;
        // Two grains approach at no more than twice the largest speed; impulses do not increase the largest
        // speed, except by restitution.
        let bounce = 1.0 + self.materials.restitution();
        let reach = 2.0 * step * (bounce * fastest + self.shear());
        self.check_periods(reach, link)?;
        self.grains.kick(&kick);
        let Self { settings, materials, grains, walls, servos, slabs, search, .. } = self;
        let searched = search.refresh(grains, walls, slabs, settings, reach, link)?;
        link.divide(&mut grains.motions);
        parallel::each(slabs, &|slab| {
            slab.assemble(grains, (walls, servos), materials, settings, reach);
        });
        let images = search.images.iter_mut();
        images.for_each(|images| images.assemble(grains, materials, settings, reach));
        self.divide_servos(link)?;
        let solved = self.solve(link)?;
        self.keep_servos();
        let checked = self.grains.check_velocities(step);
        let diverged = link.largest(if checked.is_err() { 1.0 } else { 0.0 })? > 0.0;
        checked?;
        if diverged {
            return Err(Error::DivergedElsewhere);
        }
        let lifting = match self.settings.correction {
            Correction::Position { sweeps, .. } => Some(self.correct(sweeps, link)?),
            Correction::Velocity { .. } => None,
        };
        link.unite(&mut self.grains.motions);
        let mut report = self.report(solved, searched);
        report.lifting = lifting.unwrap_or(report.lifting);
        report.overlap = link.largest(report.overlap)?;
        self.move_on();
        Ok(report)
    }

    /// The largest speed of a grain or wall after gravity has acted (m/s).
    fn fastest<L: Link>(&self, kick: &Vector3<f64>, link: &mut L) -> Result<f64, Error> {
        let walls = self.walls.iter().map(|wall| wall.velocity.norm()).fold(0.0, f64::max);
        let walls = self.servos.iter().map(|servo| servo.largest_speed).fold(walls, f64::max);
        let grains = self.grains.fastest_after(kick, self.settings.step_size);
        let everywhere =
            link.largest(grains.as_ref().map_or(f64::INFINITY, |speed| walls.max(*speed)))?;
        grains?;
        if everywhere.is_infinite() {
            return Err(Error::TooFastElsewhere);
        }
        Ok(everywhere)
    }

    /// Stores the impulses and moves grains and walls by their velocities.
    fn move_on(&mut self) {
        let step = self.settings.step_size;
        parallel::each(&mut self.slabs, &|slab| slab.store());
        self.grains.advance(step);
        servo::drive(&self.servos, &mut self.walls);
        self.walls.iter_mut().for_each(|wall| wall.advance(step));
        if let Some(images) = &mut self.search.images {
            images.store();
            images.periods.offset += step * images.periods.shear;
        }
        let fastest = self.grains.fastest();
        let walls = self.walls.iter().map(|wall| wall.velocity.norm()).fold(0.0, f64::max);
        self.search.moved(step * (fastest + fastest.max(walls) + self.shear()));
        self.steps += 1;
        self.time += step;
    }

    /// Moves grains apart where they overlap and returns the gravitational energy that they gain (J).
    fn correct<L: Link>(&mut self, sweeps: usize, link: &mut L) -> Result<f64, Error> {
        let alone = self.is_alone(link);
        let Self { settings, grains, slabs, shifts, search, .. } = self;
        let images = &mut search.images;
        let deepest = images.as_ref().map_or(0.0, |images| images.account.overlap);
        let deepest = slabs.iter().map(|slab| slab.account.overlap).fold(deepest, f64::max);
        let deepest = link.largest(deepest)?;
        if deepest == 0.0 {
            return Ok(0.0);
        }
        correction::begin(shifts, &grains.motions);
        if alone {
            phases(slabs, shifts, (false, 2 * sweeps), &|slab, shifts, _| slab.push(shifts));
        } else {
            for _ in 0..sweeps {
                let mut last =
                    images.as_mut().map(|images| |shifts: &mut [Shift]| images.push(shifts));
                let work = (&Slab::push, across(&mut last));
                sweep(slabs, &mut shifts[..], (link, L::merge_shifts), false, work)?;
            }
        }
        link.unite(&mut grains.motions);
        let farthest = correction::displace(&mut grains.positions, shifts);
        let mut lifting = 0.0;
        for (place, (shift, motion)) in (0..).zip(shifts.iter().zip(&grains.motions)) {
            if link.owns(place) {
                lifting -= settings.gravity.dot(&shift.by) / motion.inverse_mass;
            }
        }
        self.search.moved(2.0 * farthest);
        Ok(lifting)
    }

    fn report(&self, solved: (usize, f64, f64), searched: bool) -> Report {
        let images = &self.search.images;
        let across = images.iter().map(|images| &images.account);
        let accounts = self.slabs.iter().map(|slab| &slab.account).chain(across);
        let across = images.as_ref().map_or((0, 0.0), |one| (one.candidates(), one.overlap));
        Report {
            candidates: self.slabs.iter().map(Slab::candidates).sum::<usize>() + across.0,
            overlap: self.slabs.iter().map(|slab| slab.overlap).fold(across.1, f64::max),
            searched,
            ..Report::of(accounts, solved, self.settings.tolerance)
        }
    }
}

pub(crate) use crate::range::MOST;
