//! Pictures for `ParaView`: [`picture`].

use nalgebra::{Isometry3, Point3, Vector3};
use percussion_collision::Shape;
use percussion_granular::{Domain, Grain};
use percussion_report::{
    number::short,
    vtk::{self, Quantity, Values},
};

/// The grains of this rank in the format of VTK: balls as points with a radius, and of grains with shapes each ball as a point
/// and each face as a polygon, whose corners have the radius 0.
pub(super) fn picture(domain: &impl Domain) -> Vec<u8> {
    let grains = domain.world().grains();
    let own = grains.identities().iter().enumerate();
    let own = own.filter(|(_, id)| domain.is_own(**id)).map(|(index, _)| index);
    let mut drawn = Drawn::default();
    if domain.molds().is_empty() {
        for index in own {
            let grain = grains.grain(index);
            drawn.balls.add(grain.position, grain.radius, index);
        }
    } else {
        own.for_each(|index| drawn.add_shape(domain, index));
    }
    let Drawn { mut balls, corners, mut faces } = drawn;
    let count = balls.places.len();
    faces.iter_mut().flatten().for_each(|corner| *corner += count);
    balls.places.extend(corners.places);
    balls.radii.extend(corners.radii);
    balls.owners.extend(corners.owners);
    let velocities = balls.owners.iter().map(|&k| grains.velocity(k).into()).collect();
    let spins = balls.owners.iter().map(|&k| grains.angular_velocity(k).into()).collect();
    let quantities = [
        Quantity { name: "radius", values: Values::Scalars(balls.radii) },
        Quantity { name: "velocity", values: Values::Vectors(velocities) },
        Quantity { name: "angular_velocity", values: Values::Vectors(spins) },
    ];
    let title = format!("grains at {} s", short(domain.world().time()));
    vtk::surfaces(&title, &balls.places, count, &faces, &quantities)
}

/// Points, and the grain that each belongs to.
#[derive(Default)]
struct Points {
    places: Vec<[f64; 3]>,
    radii: Vec<f64>,
    owners: Vec<usize>,
}

#[derive(Default)]
struct Drawn {
    balls: Points,
    corners: Points,
    /// By indices of corners.
    faces: Vec<Vec<usize>>,
}

impl Points {
    fn add(&mut self, place: Vector3<f64>, radius: f64, owner: usize) {
        self.places.push(place.into());
        self.radii.push(radius);
        self.owners.push(owner);
    }
}

impl Drawn {
    fn add_shape(&mut self, domain: &impl Domain, index: usize) {
        let Grain { position, orientation, radius, .. } = domain.world().grains().grain(index);
        let mold = &domain.molds()[domain.mold_of(index)];
        let scale = 2.0 * radius / mold.diameter();
        let place = |pose: &Isometry3<f64>, point: &Vector3<f64>| {
            position + orientation * (scale * (pose * Point3::from(*point)).coords)
        };
        for (shape, pose) in mold.parts() {
            if let Shape::Sphere { radius } = shape {
                self.balls.add(place(&pose, &Vector3::zeros()), scale * radius, index);
            }
            let Some(hull) = shape.polyhedron() else { continue };
            let first = self.corners.places.len();
            for vertex in hull.vertices() {
                self.corners.add(place(&pose, vertex), 0.0, index);
            }
            let faces = hull.faces().iter();
            let faces = faces.map(|face| face.vertices.iter().map(|v| first + v).collect());
            self.faces.extend(faces);
        }
    }
}
