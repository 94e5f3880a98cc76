//! Materials of grains and walls of a [`Scene`].

use std::iter;

use percussion_granular::{Interaction, Materials};

use super::{GrainKind, Material, Scene, WallEntry};
use crate::{
    Error,
    rules::{FRICTION, at_least_zero, count, require},
};

/// How far gravity changes a velocity in a step: contacts that approach more slowly than this many times as fast are
/// inelastic by default.
const STEPS_OF_FALL: f64 = 5.0;

/// Maximum number of materials.
const MOST: usize = 256;

const LENGTH: &str = "a finite length of at least 0 (m)";

const RESTITUTION: &str = "a number from 0 to 1";

/// The table of materials, empty where settings and walls say all, and the numbers of the kinds of grains and of the walls.
pub(super) struct Touching {
    pub(super) materials: Materials,
    pub(super) grains: Vec<u8>,
    pub(super) walls: Vec<u8>,
}

/// A material with the friction that a wall has of its own.
type Named<'a> = (&'a str, Option<f64>);

impl Scene {
    /// The entry for two materials.
    pub(super) fn pair_of(&self, one: &str, other: &str) -> Option<usize> {
        let is = |names: &[String; 2]| {
            (names[0] == one && names[1] == other) || (names[0] == other && names[1] == one)
        };
        self.materials.iter().position(|material| is(&material.between))
    }

    /// How two materials touch.
    pub(super) fn interaction(&self, one: &str, other: &str) -> Interaction {
        let found = self.pair_of(one, other).map(|index| &self.materials[index]);
        let given = |field: fn(&Material) -> Option<f64>| found.and_then(field);
        Interaction {
            friction: given(|pair| pair.friction).unwrap_or(self.friction),
            restitution: given(|pair| pair.restitution).unwrap_or(self.restitution),
            rolling: given(|pair| pair.rolling_friction).unwrap_or(self.rolling_friction),
            spinning: given(|pair| pair.spinning_friction).unwrap_or(self.spinning_friction),
        }
    }

    /// The different materials in the order in which they appear, grains first.
    fn named(&self) -> Vec<Named<'_>> {
        let grains = self.grains.iter().map(|kind| (kind.material(), None));
        let walls = self.walls.iter().map(|wall| (wall.material(), wall.friction));
        let mut named: Vec<Named<'_>> = Vec::new();
        for material in grains.chain(walls) {
            if !named.contains(&material) {
                named.push(material);
            }
        }
        named
    }

    /// The materials for the steps.
    pub(super) fn touching(&self) -> Touching {
        let named = self.named();
        #[expect(clippy::cast_possible_truncation, reason = "at most 256 were checked")]
        let number = |material: Named<'_>| {
            named.iter().position(|other| *other == material).unwrap_or_default() as u8
        };
        let grains: Vec<u8> =
            self.grains.iter().map(|kind| number((kind.material(), None))).collect();
        let walls: Vec<u8> =
            self.walls.iter().map(|wall| number((wall.material(), wall.friction))).collect();
        // Bodies have the friction of the table, and otherwise that of their surfaces.
        if self.is_plain() && !self.is_shaped() {
            let (grains, walls) = (vec![0; grains.len()], vec![0; walls.len()]);
            return Touching { materials: Materials::default(), grains, walls };
        }
        let mut materials = Materials::new(named.len(), Interaction::default());
        for (&one, first) in named.iter().zip(0..=u8::MAX) {
            for (&other, second) in named.iter().zip(0..=first) {
                let mut interaction = self.interaction(one.0, other.0);
                interaction.friction = one.1.or(other.1).unwrap_or(interaction.friction);
                materials.set(first, second, interaction);
            }
        }
        let settings = self.settings();
        let fall = self.fall().norm() * settings.step_size;
        materials.inelastic_below = self.steps.inelastic_below.unwrap_or(STEPS_OF_FALL * fall);
        Touching { materials, grains, walls }
    }

    /// Whether all contacts are inelastic and turn without resistance, all grains have one friction among each other, and every wall has one against
    /// all grains.
    fn is_plain(&self) -> bool {
        let same = |friction: Vec<f64>| {
            friction.windows(2).all(|pair| pair[0].to_bits() == pair[1].to_bits())
        };
        let grains = || self.grains.iter().map(GrainKind::material);
        let all = || grains().chain(self.walls.iter().map(WallEntry::material));
        let sliding = |one: &str, other: &str| {
            let friction = self.interaction(one, other).friction;
            self.interaction(one, other) == Interaction { friction, ..Interaction::default() }
        };
        let inelastic = grains().all(|one| all().all(|other| sliding(one, other)));
        let pairs = grains().flat_map(|one| grains().map(move |other| (one, other)));
        inelastic
            && same(pairs.map(|(one, other)| self.interaction(one, other).friction).collect())
            && self.walls.iter().all(|wall| {
                let of = |name| self.interaction(name, wall.material()).friction;
                wall.friction.is_some() || same(grains().map(of).collect())
            })
    }

    /// Materials that grains and walls name and that are known, with coefficients in their ranges.
    pub(super) fn check_materials(&self) -> Result<(), Error> {
        let of_walls = self.walls.iter().map(WallEntry::material);
        let mut known: Vec<&str> =
            self.grains.iter().map(GrainKind::material).chain(of_walls).collect();
        known.sort_unstable();
        known.dedup();
        for (index, material) in self.materials.iter().enumerate() {
            let path = format!("materials[{index}]");
            for (k, name) in material.between.iter().enumerate() {
                if !known.contains(&name.as_str()) {
                    let (path, name) = (format!("{path}.between[{k}]"), name.clone());
                    return Err(Error::UnknownName { path, name, known: known.join(", ") });
                }
            }
            self.check_once(&format!("{path}.between"), index)?;
            if let Some(friction) = material.friction {
                at_least_zero(&format!("{path}.friction"), friction, FRICTION)?;
            }
            if let Some(restitution) = material.restitution {
                check_restitution(&format!("{path}.restitution"), restitution)?;
            }
            let lengths = [material.rolling_friction, material.spinning_friction];
            check_lengths(&format!("{path}."), lengths)?;
        }
        check_restitution("restitution", self.restitution)?;
        check_lengths("", [Some(self.rolling_friction), Some(self.spinning_friction)])?;
        if let Some(speed) = self.steps.inelastic_below {
            let expected = "a finite speed of at least 0 (m/s)";
            at_least_zero("steps.inelastic_below", speed, expected)?;
        }
        let found = self.named().len();
        let expected = "at most 256 different materials of grains and walls";
        count("materials", found, found <= MOST, expected)?;
        self.check_names_of_materials()
    }

    /// Two materials have one entry.
    fn check_once(&self, path: &str, index: usize) -> Result<(), Error> {
        let [one, other] = &self.materials[index].between;
        let same = |pair: &Material| {
            pair.between == [one.clone(), other.clone()]
                || pair.between == [other.clone(), one.clone()]
        };
        let twice = self.materials[..index].iter().any(same);
        let expected = "two materials without an entry before";
        require(path, &self.materials[index].between, expected, !twice)
    }

    /// A material that grains or walls name has an entry with some other.
    fn check_names_of_materials(&self) -> Result<(), Error> {
        let grains = self.grains.iter().map(|kind| &kind.material).enumerate();
        let walls = self.walls.iter().map(|wall| &wall.material).enumerate();
        let grains = grains.map(|(index, name)| (format!("grains[{index}].material"), name));
        let walls = walls.map(|(index, name)| (format!("walls[{index}].material"), name));
        let mut known: Vec<_> = self.materials.iter().flat_map(|entry| &entry.between).collect();
        known.sort_unstable();
        known.dedup();
        for (path, name) in grains.chain(walls) {
            let Some(name) = name.as_ref().filter(|name| !known.contains(name)) else { continue };
            let known = match known[..] {
                [] => "those of `[[materials]]`, of which there are none".to_owned(),
                _ => known.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", "),
            };
            return Err(Error::UnknownName { path, name: name.clone(), known });
        }
        Ok(())
    }

    /// The largest gravity of the scene (m/s²).
    pub(super) fn fall(&self) -> nalgebra::Vector3<f64> {
        let later = self.changes.iter().map(|change| change.gravity);
        let all = iter::once(self.gravity).chain(later).map(nalgebra::Vector3::from);
        all.fold(
            nalgebra::Vector3::zeros(),
            |most, next| {
                if next.norm() > most.norm() { next } else { most }
            },
        )
    }
}

fn check_lengths(path: &str, lengths: [Option<f64>; 2]) -> Result<(), Error> {
    for (name, length) in ["rolling_friction", "spinning_friction"].iter().zip(lengths) {
        at_least_zero(&format!("{path}{name}"), length.unwrap_or_default(), LENGTH)?;
    }
    Ok(())
}

fn check_restitution(path: &str, restitution: f64) -> Result<(), Error> {
    require(path, &restitution, RESTITUTION, (0.0..=1.0).contains(&restitution))
}

impl GrainKind {
    pub(super) fn material(&self) -> &str {
        self.material.as_deref().unwrap_or(&self.name)
    }
}

impl WallEntry {
    pub(super) fn material(&self) -> &str {
        self.material.as_deref().unwrap_or(&self.name)
    }
}
