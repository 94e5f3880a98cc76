//! Contacts of grains with images of grains across the faces of a periodic box: [`Images`].
//!
//! A contact needs the positions of its grains only for its normal and gap, so that no copies of grains are made: the two
//! grains of such a contact are far apart in the box, and it has the displacement and the velocity of the image. The
//! contacts of all slabs are swept in parallel, then those with images one after another, and backwards before them.

use std::iter;

use nalgebra::Vector3;
use percussion_collision::CellGrid;

use crate::{
    contact::{Account, Contact, ImageContact, larger},
    correction::{Push, Shift, target},
    grains::{Grains, Motion, narrow},
    materials::{Interaction, Materials},
    periods::{Node, Periods},
    rolling::Turn,
    settings::{Correction, Error, Settings},
    touch::{Partner, Touch},
};

/// Two grains that may touch across faces, and their last impulse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ImagePair {
    /// Places of the grains, the smaller first.
    pub(crate) grains: [u32; 2],
    /// The image of the second grain.
    pub(crate) node: Node,
    /// On the first grain (N·s).
    pub(crate) impulse: Vector3<f64>,
    /// On the first grain (N·m·s).
    pub(crate) moment: Vector3<f64>,
}

/// The periodic box with the pairs across its faces.
#[derive(Clone, Debug)]
pub(crate) struct Images {
    pub(crate) periods: Periods,
    /// Sorted by grains.
    pub(crate) pairs: Vec<ImagePair>,
    contacts: Vec<ImageContact>,
    /// One for each contact, or none.
    turns: Vec<Turn>,
    pushes: Vec<Push>,
    /// As for a slab.
    pub(crate) overlap: f64,
    pub(crate) scale: f64,
    pub(crate) change: f64,
    pub(crate) account: Account,
    /// Scratch of the search.
    cells: CellGrid,
    centers: Vec<Vector3<f64>>,
    listed: Vec<(u32, Node)>,
    found: Vec<[usize; 2]>,
}

impl Images {
    pub(crate) fn new(periods: Periods, pairs: Vec<ImagePair>) -> Self {
        Self {
            periods,
            pairs,
            contacts: Vec::new(),
            turns: Vec::new(),
            pushes: Vec::new(),
            overlap: 0.0,
            scale: 0.0,
            change: 0.0,
            account: Account::default(),
            cells: CellGrid::default(),
            centers: Vec::new(),
            listed: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Lists the pairs with a gap of at most `skin`, where no diameter is larger than `diameter` (m).
    pub(crate) fn find(&mut self, grains: &Grains, diameter: f64, skin: f64) -> Result<(), Error> {
        let Self { periods, pairs, cells, centers, listed, found, .. } = self;
        let reach = diameter + skin;
        pairs.clear();
        centers.clear();
        listed.clear();
        let positions = || (0..).zip(&grains.positions);
        let near = |at: &Vector3<f64>| periods.distance(at) >= -reach;
        for (place, position) in positions().filter(|(_, at)| near(at)) {
            centers.push(*position);
            listed.push((place, [0; 3]));
        }
        let real = centers.len();
        if real == 0 {
            return Ok(());
        }
        let nodes = periods.nodes();
        for (place, position) in positions().filter(|(_, at)| near(at)) {
            for &node in &nodes {
                let image = position + periods.shift(node);
                if periods.distance(&image) <= reach {
                    centers.push(image);
                    listed.push((place, node));
                }
            }
        }
        let refused = |_| Error::TooMany { count: centers.len() };
        cells.pairs(centers, reach, found).map_err(refused)?;
        for &[i, j] in found.iter().filter(|[i, j]| *i < real && *j >= real) {
            let ((a, _), (b, node)) = (listed[i], listed[j]);
            let [one, other] = [a, b].map(|grain| grains.radii[grain as usize]);
            if (centers[i] - centers[j]).norm() <= one + other + skin {
                let (grains, node) =
                    if a < b { ([a, b], node) } else { ([b, a], node.map(|steps| -steps)) };
                let (impulse, moment) = (Vector3::zeros(), Vector3::zeros());
                pairs.push(ImagePair { grains, node, impulse, moment });
            }
        }
        pairs.sort_unstable_by_key(|pair| pair.grains);
        Ok(())
    }

    /// Deletes the contacts of the last step.
    pub(crate) fn forget_contacts(&mut self) {
        self.contacts.clear();
        self.turns.clear();
    }

    /// Whether contacts resist rolling, or did before they were deleted.
    pub(crate) fn roll(&self) -> bool {
        self.pairs.iter().any(|pair| pair.moment != Vector3::zeros())
    }

    /// Number of candidate contacts.
    pub(crate) fn candidates(&self) -> usize {
        self.contacts.len()
    }

    /// The contacts of the last step.
    pub(crate) fn touches(&self) -> impl Iterator<Item = Touch> {
        let moments = self.turns.iter().map(|turn| turn.moment);
        let moments = moments.chain(iter::repeat(Vector3::zeros()));
        self.contacts.iter().zip(moments).map(|(ImageContact { contact, .. }, moment)| {
            let [grain, other] = contact.grains.map(|grain| grain as usize);
            let law = &contact.law;
            let partner = Partner::Grain(other);
            Touch { grain, partner, normal: law.normal, gap: law.gap, impulse: law.impulse, moment }
        })
    }

    /// The vector from the image of the second grain to the first (m).
    fn apart(periods: &Periods, pair: &ImagePair, grains: &Grains) -> Vector3<f64> {
        let [a, b] = pair.grains.map(|grain| grains.positions[grain as usize]);
        a - b - periods.shift(pair.node)
    }

    /// The deepest overlap of the listed pairs (m, ≥ 0).
    pub(crate) fn deepest(&self, grains: &Grains) -> f64 {
        let depth = |pair: &ImagePair| {
            let [a, b] = pair.grains.map(|grain| grains.radii[grain as usize]);
            a + b - Self::apart(&self.periods, pair, grains).norm()
        };
        self.pairs.iter().map(depth).fold(0.0, f64::max)
    }

    /// Converts the pairs with a gap of at most `reach` into contacts, as a slab does.
    pub(crate) fn assemble(
        &mut self,
        grains: &Grains,
        materials: &Materials,
        settings: &Settings,
        reach: f64,
    ) {
        self.forget_contacts();
        (self.overlap, self.scale) = (0.0, 0.0);
        let (periods, bounce, roll) = (self.periods, materials.bounce(), materials.roll());
        for (index, pair) in self.pairs.iter_mut().enumerate() {
            let [a, b] = pair.grains.map(|grain| grain as usize);
            let apart = Self::apart(&periods, pair, grains);
            let (distance, touching) = (apart.norm(), grains.radii[a] + grains.radii[b]);
            let gap = distance - touching;
            if gap > reach {
                pair.impulse = Vector3::zeros();
                pair.moment = Vector3::zeros();
                continue;
            }
            let normal = if distance > 0.0 { apart / distance } else { Vector3::z() };
            self.overlap = self.overlap.max(-gap);
            let interaction = match materials.is_empty() {
                true => Interaction { friction: settings.friction, ..Interaction::default() },
                false => *materials.between(grains.materials[a], grains.materials[b]),
            };
            let mut contact = Contact::new(
                normal,
                [gap, settings.bias(gap)],
                interaction.friction,
                [&grains.motions[a], &grains.motions[b]],
                pair.grains,
                narrow(index),
            );
            contact.law.take_over(&pair.impulse);
            let mut contact = ImageContact { contact, drive: periods.drive(pair.node) };
            let velocity = contact.velocity(&grains.motions);
            let free = velocity + contact.contact.law.bias * normal;
            self.scale = self.scale.max(free.norm_squared());
            if bounce {
                let law = (interaction.restitution, materials.inelastic_below);
                let kick = Vector3::zeros();
                contact.contact.law.bounce([&velocity, &kick], law, settings.step_size);
            }
            if roll {
                let inverse_radii = [a, b].map(|grain| 1.0 / grains.radii[grain]);
                let law = &contact.contact.law;
                self.turns.push(Turn::new(&pair.moment, inverse_radii, &interaction, law));
            }
            self.contacts.push(contact);
        }
        self.scale = self.scale.sqrt();
    }

    /// Applies the impulses carried over.
    pub(crate) fn warm_start(&self, motions: &mut [Motion]) {
        for ImageContact { contact, .. } in &self.contacts {
            contact.push(&contact.law.impulse, motions);
        }
        for (ImageContact { contact, .. }, turn) in self.contacts.iter().zip(&self.turns) {
            turn.warm_start(contact.grains, motions);
        }
    }

    /// Solves every contact in turn with the others fixed, from the first to the last, or backwards.
    pub(crate) fn sweep(&mut self, motions: &mut [Motion], backwards: bool) {
        let mut change = 0.0;
        for done in 0..self.contacts.len() {
            let at = if backwards { self.contacts.len() - 1 - done } else { done };
            change = larger(change, self.contacts[at].sweep(motions));
            if let Some(turn) = self.turns.get_mut(at) {
                let Contact { law, grains, .. } = &self.contacts[at].contact;
                change = larger(change, turn.sweep(law, *grains, motions));
            }
        }
        self.change = change;
    }

    /// Evaluates the impulses with the motions after them, and prepares [`push`](Self::push).
    pub(crate) fn certify(&mut self, motions: &[Motion], settings: &Settings) {
        let mut account = Account::default();
        self.pushes.clear();
        for contact in &self.contacts {
            contact.certify(motions, settings.step_size, &mut account);
            if let Correction::Position { part, .. } = settings.correction {
                let gap = contact.end_gap(motions, settings.step_size);
                self.pushes.push(Push::new(&contact.contact, target(gap, part)));
            }
        }
        for (ImageContact { contact, .. }, turn) in self.contacts.iter().zip(&self.turns) {
            turn.certify(&contact.law, contact.grains, motions, &mut account);
        }
        self.account = account;
    }

    /// Pushes the grains of each overlap apart, one after another.
    pub(crate) fn push(&mut self, shifts: &mut [Shift]) {
        self.pushes.iter_mut().for_each(|push| push.sweep(shifts));
    }

    /// Stores the impulses for the next step.
    pub(crate) fn store(&mut self) {
        for ImageContact { contact, .. } in &self.contacts {
            self.pairs[contact.pair as usize].impulse = contact.law.impulse;
        }
        for (ImageContact { contact, .. }, turn) in self.contacts.iter().zip(&self.turns) {
            self.pairs[contact.pair as usize].moment = turn.moment;
        }
    }
}
