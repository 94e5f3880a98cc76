//! Thin lines for parts of robots without a surface: [`add`].
//!
//! A link whose file has no shape for collisions, or one at its end only, would be drawn as nothing, or as a foot that
//! hangs in the air. Lines connect its joints with what is drawn of it. They have no effect on the motion.

use nalgebra::Vector3;
use percussion_dynamics::{Articulated, JointKind, Link, MassProperties};
use percussion_record::view::{BodyView, Solid};

/// Radius of a line over its length.
const THIN: f64 = 0.03;

/// Adds lines to the bodies of a tree, which are the first ones of `bodies`.
pub(super) fn add(tree: &Articulated, bodies: &mut [BodyView]) {
    let links = tree.links();
    for (link, body) in links.iter().zip(bodies) {
        body.solids.extend(lines(link, links, &body.solids));
    }
}

/// The lines of a link with these solids.
fn lines(link: &Link, links: &[Link], solids: &[Solid]) -> Vec<Solid> {
    let children = links.iter().filter(|other| other.parent.as_ref() == Some(&link.name));
    let mut joints: Vec<Vector3<f64>> =
        children.map(|child| child.placement.translation.vector).collect();
    if !matches!(link.joint.kind, JointKind::Free | JointKind::Planar) {
        joints.push(Vector3::zeros());
    }
    let extents: Vec<_> = solids.iter().map(extent).collect();
    let center = link.mass_properties.as_ref().map(MassProperties::center_of_mass);
    let Some(middle) = extents.first().map(|(middle, _)| *middle).or(center) else {
        // A frame without mass: its joints alone.
        let first = joints.first().copied();
        return joints.iter().skip(1).filter_map(|joint| line(*joint, first?)).collect();
    };
    let is_free = |joint: &&Vector3<f64>| {
        extents.iter().all(|(middle, radius)| (*joint - middle).norm() > *radius)
    };
    joints.iter().filter(is_free).filter_map(|joint| line(*joint, middle)).collect()
}

fn line(from: Vector3<f64>, to: Vector3<f64>) -> Option<Solid> {
    let length = (to - from).norm();
    (length > 0.0).then(|| Solid::Capsule { ends: [from.into(), to.into()], radius: THIN * length })
}

/// The center and radius of a ball around a solid.
fn extent(solid: &Solid) -> (Vector3<f64>, f64) {
    let between = |ends: &[[f64; 3]; 2], radius: f64| {
        let [a, b] = ends.map(Vector3::from);
        (0.5 * (a + b), 0.5 * (a - b).norm() + radius)
    };
    let around = |corners: &[Vector3<f64>]| {
        let middle = corners.iter().sum::<Vector3<f64>>() / corners.len().max(1) as f64;
        (middle, corners.iter().map(|corner| (corner - middle).norm()).fold(0.0, f64::max))
    };
    match solid {
        Solid::Ball { center, radius } => (Vector3::from(*center), *radius),
        Solid::Capsule { ends, radius } | Solid::Cylinder { ends, radius, .. } => {
            between(ends, *radius)
        }
        Solid::Box { half_edges, center } => {
            (Vector3::from(*center), Vector3::from(*half_edges).norm())
        }
        Solid::Polygon { corners } => {
            let corner = |[x, y]: &[f64; 2]| Vector3::new(*x, *y, 0.0);
            around(&corners.iter().map(corner).collect::<Vec<_>>())
        }
        Solid::Polyhedron { corners, .. } => {
            around(&corners.iter().map(|corner| Vector3::from(*corner)).collect::<Vec<_>>())
        }
        _ => (Vector3::zeros(), f64::INFINITY),
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Matrix3, Translation3};
    use percussion_dynamics::Joint;

    use super::*;

    fn ends(solids: &[Solid]) -> Vec<[[f64; 3]; 2]> {
        let ends = |solid: &Solid| match solid {
            Solid::Capsule { ends, .. } => Some(*ends),
            _ => None,
        };
        solids.iter().filter_map(ends).collect()
    }

    /// A thigh without a shape, a shank with a foot at its end, and a frame without mass below it.
    #[test]
    fn joints_are_connected_with_what_is_drawn_of_a_link() {
        let mass =
            MassProperties::new(1.0, Vector3::new(0.0, 0.0, -0.1), Matrix3::identity()).unwrap();
        let below = |depth: f64| Translation3::new(0.0, 0.0, -depth).into();
        let thigh = Link {
            mass_properties: Some(mass),
            ..Link::new("thigh", Joint::revolute(Vector3::y()))
        };
        let shank = Link {
            placement: below(0.3),
            mass_properties: Some(mass),
            ..Link::new("shank", Joint::revolute(Vector3::y())).on("thigh")
        };
        let frame =
            Link { placement: below(0.4), ..Link::new("frame", Joint::fixed()).on("shank") };
        let links = [thigh, shank, frame];
        let foot = Solid::Ball { center: [0.0, 0.0, -0.3], radius: 0.15 };

        let (zero, knee) = ([0.0; 3], [0.0, 0.0, -0.3]);
        let center = [0.0, 0.0, -0.1];
        assert_eq!(ends(&lines(&links[0], &links, &[])), [[knee, center], [zero, center]]);
        // The frame lies within the foot.
        assert_eq!(ends(&lines(&links[1], &links, std::slice::from_ref(&foot))), [[zero, knee]]);
        assert_eq!(ends(&lines(&links[2], &links, &[])), [[[0.0; 3]; 2]; 0]);
        // A shape that reaches the joint needs no line.
        let whole = Solid::Capsule { ends: [zero, [0.0, 0.0, -0.4]], radius: 0.02 };
        assert_eq!(ends(&lines(&links[1], &links, &[whole])), [[[0.0; 3]; 2]; 0]);
    }
}
