//! A slab of the world: several layers of cells with their grains and contacts, the unit of
//! [parallel](crate::parallel) work.

use std::iter;

use nalgebra::Vector3;

use crate::{
    contact::{Account, Law, WallContact, larger},
    correction::{Shift, WallPush, target},
    grains::{Grains, Motion},
    materials::{Interaction, Materials},
    packs::{Near, Packed, Packs},
    parallel::Range,
    rolling::{Turn, WallTurn},
    servo::{Servo, ServoContacts},
    settings::{Correction, Settings},
    touch::{Partner, Touch},
    wall::Wall,
};

/// Two grains that may touch before the pairs are searched again, and their last impulse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pair {
    /// Places of the grains, the smaller first.
    pub(crate) grains: [u32; 2],
    /// On the first grain (N·s).
    pub(crate) impulse: Vector3<f64>,
}

/// A grain and a wall that may touch before the pairs are searched again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WallPair {
    pub(crate) grain: u32,
    pub(crate) wall: u32,
    /// On the grain (N·s).
    pub(crate) impulse: Vector3<f64>,
}

/// Several layers of cells.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slab {
    /// Its number.
    pub(crate) index: usize,
    /// Place of its first grain.
    pub(crate) start: u32,
    /// Number of its grains.
    pub(crate) len: u32,
    /// Sorted by the first grain, which is in this slab.
    pub(crate) pairs: Vec<Pair>,
    /// Sorted by grain.
    pub(crate) wall_pairs: Vec<WallPair>,
    /// The moments of the pairs on the first grain (N·m·s), and of those with walls; empty if nothing resists rolling.
    pub(crate) moments: Vec<Vector3<f64>>,
    pub(crate) wall_moments: Vec<Vector3<f64>>,
    contacts: Packs,
    wall_contacts: Vec<WallContact>,
    /// One for each contact with a wall, or none.
    wall_turns: Vec<WallTurn>,
    pub(crate) servos: ServoContacts,
    wall_pushes: Vec<WallPush>,
    /// Deepest overlap of the pairs at the beginning of the step (m, ≥ 0).
    pub(crate) overlap: f64,
    /// Largest free velocity of a contact (m/s).
    pub(crate) scale: f64,
    /// Square of the largest natural map in the last sweep (m/s)².
    pub(crate) change: f64,
    pub(crate) account: Account,
    /// Whether a sweep must be done with this slab before the messages to other worlds are sent: of sweeps forth and back.
    pub(crate) outer: [bool; 2],
}

impl Slab {
    /// Number of candidate contacts.
    pub(crate) fn candidates(&self) -> usize {
        self.contacts.len() + self.wall_contacts.len() + self.servos.len()
    }

    /// The contacts of the last step.
    pub(crate) fn touches(&self) -> impl Iterator<Item = Touch> {
        let place = |grain: u32| (self.start + grain) as usize;
        let turns = self.servos.turns().chain(&self.wall_turns).map(|turn| turn.turn.moment);
        let turns = turns.chain(iter::repeat(Vector3::zeros()));
        let walls = self.servos.iter().chain(&self.wall_contacts).zip(turns).map(
            move |(WallContact { law, grain, pair, .. }, moment)| {
                let &Law { normal, gap, impulse, .. } = law;
                let partner = Partner::Wall(self.wall_pairs[*pair as usize].wall as usize);
                Touch { grain: place(*grain), partner, normal, gap, impulse, moment }
            },
        );
        walls.chain(self.contacts.iter().zip(self.contacts.moments()).map(
            move |(contact, moment)| {
                let Packed { grains: [grain, other], normal, gap, impulse, .. } = contact;
                Touch {
                    grain: place(grain),
                    partner: Partner::Grain(place(other)),
                    normal,
                    gap,
                    impulse,
                    moment,
                }
            },
        ))
    }

    /// Deletes the contacts of the last step.
    pub(crate) fn forget_contacts(&mut self) {
        self.contacts.clear();
        self.wall_contacts.clear();
        self.wall_turns.clear();
        self.servos.clear();
    }

    /// Converts the pairs that can close within the step, those with a gap of at most `reach`, into contacts.
    /// The motions are those without contact impulses.
    pub(crate) fn assemble(
        &mut self,
        grains: &Grains,
        (walls, servos): (&[Wall], &[Servo]),
        materials: &Materials,
        settings: &Settings,
        reach: f64,
    ) {
        self.forget_contacts();
        self.servos.begin(servos);
        self.contacts.reserve(self.pairs.len());
        let local = |grain: u32| grain - self.start;
        for (index, pair) in (0_u32..).zip(&mut self.pairs) {
            let [a, b] = [pair.grains[0] as usize, pair.grains[1] as usize];
            let apart = grains.positions[a] - grains.positions[b];
            let touching = grains.radii[a] + grains.radii[b];
            let squared = apart.norm_squared();
            if squared > (touching + reach) * (touching + reach) {
                forget(&mut pair.impulse, self.moments.get_mut(index as usize));
                continue;
            }
            self.contacts.push(&Near {
                grains: [local(pair.grains[0]), local(pair.grains[1])],
                pair: index,
                apart,
                touching,
                impulse: pair.impulse,
            });
        }
        let motions = &grains.motions[self.start as usize..];
        let own = &grains.materials[self.start as usize..];
        [self.overlap, self.scale] = self.contacts.assemble(motions, settings, (materials, own));
        if materials.roll() {
            self.moments.resize(self.pairs.len(), Vector3::zeros());
            self.wall_moments.resize(self.wall_pairs.len(), Vector3::zeros());
            let radii = &grains.radii[self.start as usize..];
            self.contacts.resist((materials, own), radii, &self.moments, motions);
        } else {
            self.moments.clear();
            self.wall_moments.clear();
        }
        self.assemble_walls(grains, (walls, servos), materials, settings, reach);
        self.scale = self.scale.sqrt();
    }

    /// The same for pairs with walls; the scale is a square.
    fn assemble_walls(
        &mut self,
        grains: &Grains,
        (walls, servos): (&[Wall], &[Servo]),
        materials: &Materials,
        settings: &Settings,
        reach: f64,
    ) {
        let motions = &grains.motions[self.start as usize..];
        let start = self.start;
        let (below, bounce) = (materials.inelastic_below, materials.bounce());
        let roll = materials.roll();
        let kick = settings.step_size * settings.gravity;
        for (index, pair) in (0_u32..).zip(&mut self.wall_pairs) {
            let (at, wall) = (pair.grain as usize, &walls[pair.wall as usize]);
            let (gap, normal) = wall.gap(&grains.positions[at], grains.radii[at]);
            if gap > reach {
                forget(&mut pair.impulse, self.wall_moments.get_mut(index as usize));
                continue;
            }
            self.overlap = self.overlap.max(-gap);
            let point = grains.positions[at] - (gap + grains.radii[at]) * normal;
            let interaction = match materials.is_empty() {
                true => Interaction { friction: wall.friction, ..Interaction::default() },
                false => *materials.between(grains.materials[at], wall.material),
            };
            let mut contact = WallContact::new(
                normal,
                [gap, settings.bias(gap)],
                interaction.friction,
                wall.surface_velocity(&point),
                &grains.motions[at],
                pair.grain - start,
                index,
            );
            let servo = servos.iter().position(|s| s.walls.contains(&(pair.wall as usize)));
            let gain = servo.map_or_else(Vector3::zeros, |k| servos[k].gain(settings.step_size));
            let free = contact.velocity(motions) - gain;
            self.scale = self.scale.max((free + contact.law.bias * normal).norm_squared());
            contact.law.take_over(&pair.impulse);
            if bounce {
                let law = (interaction.restitution, below);
                contact.law.bounce([&free, &(kick - gain)], law, settings.step_size);
            }
            let turn = roll.then(|| {
                let moment = &self.wall_moments[index as usize];
                let inverse_radii = [1.0 / grains.radii[at], 0.0];
                let turn = Turn::new(moment, inverse_radii, &interaction, &contact.law);
                WallTurn { turn, drive: wall.angular_velocity, grain: contact.grain }
            });
            match servo {
                None => {
                    self.wall_contacts.push(contact);
                    self.wall_turns.extend(turn);
                }
                Some(servo) => self.servos.push(contact, turn, servo),
            }
        }
    }

    /// Applies the impulses carried over. `motions` begin with those of this slab, here and below.
    pub(crate) fn warm_start(&mut self, motions: &mut [Motion]) {
        self.servos.warm_start(motions);
        self.contacts.warm_start(motions);
        for contact in &self.wall_contacts {
            contact.push(&contact.law.impulse, motions);
        }
        self.wall_turns.iter().for_each(|turn| turn.warm_start(motions));
    }

    /// Solves every contact in turn with the others fixed, walls first, or in the opposite order.
    pub(crate) fn sweep(&mut self, motions: &mut [Motion], backwards: bool) {
        let mut change;
        if backwards {
            change = self.contacts.sweep(motions, true);
            change = larger(change, self.sweep_walls(motions, true));
            change = larger(change, self.servos.sweep(motions, true));
        } else {
            change = self.servos.sweep(motions, false);
            change = larger(change, self.sweep_walls(motions, false));
            change = larger(change, self.contacts.sweep(motions, false));
        }
        self.change = change;
    }

    fn sweep_walls(&mut self, motions: &mut [Motion], backwards: bool) -> f64 {
        let Self { wall_contacts: contacts, wall_turns: turns, .. } = self;
        if turns.is_empty() {
            let solve = |change, contact: &mut WallContact| larger(change, contact.sweep(motions));
            return match backwards {
                true => contacts.iter_mut().rev().fold(0.0, solve),
                false => contacts.iter_mut().fold(0.0, solve),
            };
        }
        let solve = |change, (contact, turn): (&mut WallContact, &mut WallTurn)| {
            let change = larger(change, contact.sweep(motions));
            larger(change, turn.sweep(&contact.law, motions))
        };
        let both = contacts.iter_mut().zip(turns);
        if backwards { both.rev().fold(0.0, solve) } else { both.fold(0.0, solve) }
    }

    /// Evaluates the impulses with the motions after them, and prepares [`push`](Self::push).
    pub(crate) fn certify(&mut self, motions: &[Motion], settings: &Settings) {
        let mut account = self.contacts.certify(motions, settings);
        let Self { wall_pushes, wall_contacts, wall_turns, servos, .. } = self;
        wall_pushes.clear();
        let mut push = |contact: &WallContact, gap: f64| {
            if let Correction::Position { part, .. } = settings.correction {
                let (normal, grain) = (contact.law.normal, contact.grain);
                let target = target(gap, part);
                wall_pushes.push(WallPush { normal, target, distance: 0.0, grain });
            }
        };
        servos.certify(motions, settings.step_size, &mut account, &mut push);
        for contact in &*wall_contacts {
            contact.certify(motions, settings.step_size, &mut account);
            push(contact, contact.end_gap(motions, settings.step_size));
        }
        for (contact, turn) in self.wall_contacts.iter().zip(wall_turns) {
            turn.certify(&contact.law, motions, &mut account);
        }
        self.account = account;
    }

    /// Pushes the grains of each contact apart, one after another, walls first. `shifts` begin with those of this slab.
    pub(crate) fn push(&mut self, shifts: &mut [Shift]) {
        self.wall_pushes.iter_mut().for_each(|push| push.sweep(shifts));
        self.contacts.shift(shifts);
    }

    /// Stores the impulses for the next step.
    pub(crate) fn store(&mut self) {
        for contact in self.contacts.iter() {
            self.pairs[contact.pair as usize].impulse = contact.impulse;
        }
        for contact in self.servos.iter().chain(&self.wall_contacts) {
            self.wall_pairs[contact.pair as usize].impulse = contact.law.impulse;
        }
        if self.moments.is_empty() && self.wall_moments.is_empty() {
            return;
        }
        for (contact, moment) in self.contacts.iter().zip(self.contacts.moments()) {
            self.moments[contact.pair as usize] = moment;
        }
        let turns = self.servos.turns().chain(&self.wall_turns);
        for (contact, turn) in self.servos.iter().chain(&self.wall_contacts).zip(turns) {
            self.wall_moments[contact.pair as usize] = turn.turn.moment;
        }
    }
}

impl Range for Slab {
    fn start(&self) -> u32 {
        self.start
    }

    fn len(&self) -> u32 {
        self.len
    }
}

/// Sets the impulse of a pair that is apart, and its moment, to zero.
#[inline]
fn forget(impulse: &mut Vector3<f64>, moment: Option<&mut Vector3<f64>>) {
    *impulse = Vector3::zeros();
    if let Some(moment) = moment {
        *moment = Vector3::zeros();
    }
}
