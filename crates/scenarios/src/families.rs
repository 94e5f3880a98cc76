//! The families of experiments: the five papers first, then what is checked without a paper.

use percussion_record::Family;

/// `id`, title, source, summary, name of the experiment that represents the family.
const FAMILIES: [[&str; 5]; 12] = [
    [
        "stewart-trinkle",
        "Implicit time stepping",
        "D. E. Stewart, J. C. Trinkle, 1996",
        "A ball thrown at a row of three strikes several of them at once. Each time step is one complementarity \
         problem: its impulses keep all the bodies apart at the end of the step, whatever happened within it.",
        "four-balls",
    ],
    [
        "maximum-dissipation",
        "Maximum dissipation",
        "T. Preclik, S. Eibl, U. Rüde, 2018",
        "A sliding contact has many impulses within its limit of friction. It gets the one that leaves the least \
         kinetic energy, and a house of cards then stands or falls where statics says.",
        "card-house",
    ],
    [
        "set-valued",
        "Sets of outcomes",
        "M. Halm, M. Posa, 2024",
        "A block falls flat, and nothing says which corner is stopped first. The outcome is therefore a set: every \
         way to share the impulse between the corners ends in a motion of its own.",
        "rocking-block",
    ],
    [
        "plus",
        "Rounds of compression and expansion",
        "T. K. Uchida, M. A. Sherman, S. L. Delp, 2015",
        "A pendulum of three links strikes the ground. All contacts are compressed together, then they expand, in \
         rounds until none approaches, and the joints pass the blow on at once.",
        "triple-pendulum",
    ],
    [
        "propagative",
        "Propagating impacts",
        "V. Seghete, T. D. Murphey, 2014",
        "A cue ball strikes two others at the same instant. If blows pass from contact to contact, the outcome \
         depends on their order, except at the angles where the contacts do not disturb each other.",
        "billiards",
    ],
    [
        "event-driven",
        "From event to event",
        "Closed forms and other programs",
        "Motions without steps: each impact is found at its instant. A ball bounces infinitely often in a finite \
         time, and the simulation goes on beyond it.",
        "bouncing-ball",
    ],
    [
        "granular",
        "Many grains",
        "T. Preclik, S. Eibl, U. Rüde, 2018",
        "Thousands of grains stream through a channel around an obstacle. Every contact is rigid and has friction.",
        "channel",
    ],
    [
        "bulk",
        "Grains in bulk",
        "Published measurements and simulations",
        "What is known of many grains, whatever their material: how densely they pack, how they resist shear, what a silo          carries, how far a column spreads. It must come out of contacts with friction and nothing else.",
        "packing",
    ],
    [
        "restitution",
        "Rebound at arbitrary rates",
        "Closed forms derived in the book",
        "Sets of outcomes with rebound, which the paper on sets leaves open. Closed forms give points and edges of \
         the sets.",
        "rocking-block",
    ],
    [
        "robots",
        "Robots",
        "Elementary mechanics",
        "Machines read from files stand, slide and hold. Rigid contact has to let nothing creep, lift or tilt.",
        "standing-quadruped",
    ],
    [
        "constraints",
        "Joints, limits and friction cones",
        "Closed forms derived in the book",
        "Dry friction of joints, limits, motors and contacts of any friction cone act on each other. A step solves them \
         as one problem.",
        "joints",
    ],
    [
        "ensembles",
        "Ensembles",
        "Closed forms and symmetry",
        "Each impact of a motion draws its outcome from the set. Many such motions give probabilities.",
        "block",
    ],
];

/// The families of [`experiments`](crate::experiments()), in the order of a report: the five papers first.
///
/// # Example
///
/// ```
/// use percussion_scenarios::{experiments, families};
///
/// let families = families();
/// assert_eq!(families[0].source, "D. E. Stewart, J. C. Trinkle, 1996");
/// // Each experiment belongs to one family.
/// let homes = |id: &str| families.iter().filter(|family| family.has(id)).count();
/// assert!(experiments().iter().all(|experiment| homes(experiment.id) == 1));
/// ```
#[must_use]
pub fn families() -> Vec<Family> {
    let family = |[id, title, source, summary, star]: [&str; 5]| Family {
        id: id.to_owned(),
        title: title.to_owned(),
        source: source.to_owned(),
        summary: summary.to_owned(),
        star: Some(format!("{id}/{star}")),
    };
    FAMILIES.map(family).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments;

    #[test]
    fn every_star_is_an_experiment_of_its_family() {
        for family in families() {
            let star = family.star.as_ref().unwrap();
            assert!(family.has(star), "{star}");
            assert!(experiments().iter().any(|known| known.id == star), "{star}");
        }
    }
}
