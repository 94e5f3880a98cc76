//! The trees of a system, each with its coordinates and velocities: [`trees`].

use std::ops::Range;

use percussion_dynamics::System;

/// What moves on its own: nothing outside of these ranges belongs to the same tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tree {
    pub(crate) coordinates: Range<usize>,
    pub(crate) velocities: Range<usize>,
}

/// The trees of `system`, ascending; a single one where its bodies do not tell which coordinates belong to which.
pub(crate) fn trees(system: &dyn System) -> Vec<Tree> {
    let of_body = |body: usize| Tree {
        coordinates: system.tree_coordinates(body),
        velocities: system.tree_velocities(body),
    };
    let mut trees: Vec<Tree> = (0..system.body_count()).map(of_body).collect();
    trees.retain(|tree| !tree.velocities.is_empty());
    trees.sort_by_key(|tree| tree.velocities.start);
    trees.dedup();
    let all = [0..system.coordinate_count(), 0..system.velocity_count()];
    let follow = |range: fn(&Tree) -> &Range<usize>, all: &Range<usize>| {
        let end = trees
            .iter()
            .map(range)
            .try_fold(0, |end, next| (next.start == end && end < next.end).then_some(next.end));
        end == Some(all.end)
    };
    if follow(|tree| &tree.coordinates, &all[0]) && follow(|tree| &tree.velocities, &all[1]) {
        return trees;
    }
    let [coordinates, velocities] = all;
    vec![Tree { coordinates, velocities }]
}

#[cfg(test)]
mod tests {
    use nalgebra::{Matrix3, Vector3};
    use percussion_dynamics::{
        Articulated, Body, FreeBodies, Joint, JointKind, Link, MassProperties,
    };

    use super::*;

    fn tree(coordinates: Range<usize>, velocities: Range<usize>) -> Tree {
        Tree { coordinates, velocities }
    }

    #[test]
    fn each_tree_has_the_ranges_of_its_links() {
        let bodies = vec![Body::new(1.0, Matrix3::identity()); 2];
        let free = FreeBodies::new(bodies, Vector3::zeros()).unwrap();
        assert_eq!(trees(&free), [tree(0..7, 0..6), tree(7..14, 6..12)]);

        let mass = MassProperties::solid_sphere(1.0, 0.1).unwrap();
        let link = |name: &str, joint: Joint| Link::new(name, joint).with_mass(mass);
        let ball = |name: &str| link(name, Joint::new(JointKind::Free));
        let arm = |name: &str| link(name, Joint::revolute(Vector3::z()));
        let links = vec![ball("a"), arm("b").on("a"), arm("c"), ball("d")];
        let two = Articulated::new(links, Vector3::z()).unwrap();
        assert_eq!(trees(&two), [tree(0..8, 0..7), tree(8..9, 7..8), tree(9..16, 8..14)]);
        // On a base that cannot move.
        let base = link("base", Joint::new(JointKind::Fixed));
        let links = vec![base, arm("a").on("base"), arm("b").on("a"), ball("c").on("base")];
        let apart = Articulated::new(links, Vector3::z()).unwrap();
        assert_eq!(trees(&apart), [tree(0..2, 0..2), tree(2..9, 2..8)]);
        // Links of two trees that alternate.
        let links = vec![ball("a"), arm("c"), arm("b").on("a")];
        let mixed = Articulated::new(links, Vector3::z()).unwrap();
        assert_eq!(trees(&mixed), [tree(0..9, 0..8)]);
    }
}
