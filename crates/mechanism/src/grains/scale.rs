//! A scene with all lengths changed by a factor.

use nalgebra::Vector3;
use percussion_collision::Shape;

use super::{Block, GrainShape, Periodic, Scene, WallEntry, WallShape};
use crate::Error;

impl Scene {
    /// The same scene with all lengths `factor` times as large, and masses in proportion to volumes; densities, times,
    /// velocities and angular velocities stay. Forces of servos grow as weights do.
    ///
    /// # Errors
    ///
    /// Those of [`from_toml_str`](Self::from_toml_str): a factor that is not a positive number, and lengths that are out
    /// of range.
    pub fn scaled(mut self, factor: f64) -> Result<Self, Error> {
        let point = |point: &mut [f64; 3]| point.iter_mut().for_each(|entry| *entry *= factor);
        let block = |block: &mut Block| {
            point(&mut block.low);
            point(&mut block.high);
        };
        for kind in &mut self.grains {
            kind.diameter = kind.diameter.map(|diameter| factor * diameter);
            kind.mass = kind.mass.map(|mass| factor.powi(3) * mass);
            if let Some(sizes) = &mut kind.sizes {
                sizes.scale(factor);
            }
            match &mut kind.shape {
                Some(GrainShape::Clump { balls }) => {
                    balls.iter_mut().flatten().for_each(|length| *length *= factor);
                }
                Some(GrainShape::Box { size }) => point(size),
                Some(GrainShape::Polyhedron { scale, .. }) => *scale *= factor,
                None => {}
            }
        }
        let Periodic { x, y, z } = &mut self.periodic;
        [x, y, z].into_iter().flatten().flatten().for_each(|end| *end *= factor);
        self.rolling_friction *= factor;
        self.spinning_friction *= factor;
        for pair in &mut self.materials {
            let lengths = [&mut pair.rolling_friction, &mut pair.spinning_friction];
            lengths.into_iter().flatten().for_each(|length| *length *= factor);
        }
        for (index, wall) in self.walls.iter_mut().enumerate() {
            if let Some(servo) = &mut wall.servo {
                // As the weights of the grains.
                servo.force *= factor.powi(3);
                servo.mass *= factor.powi(3);
            }
            scale_wall(wall, factor, &format!("walls[{index}].shape"))?;
        }
        for insertion in &mut self.insert {
            insertion.region.block.iter_mut().for_each(block);
            if let Some(cylinder) = &mut insertion.region.cylinder {
                point(&mut cylinder.from);
                point(&mut cylinder.to);
                cylinder.radius *= factor;
            }
        }
        for removal in &mut self.remove {
            removal.behind.iter_mut().for_each(|plane| point(&mut plane.point));
            removal.outside.iter_mut().for_each(block);
        }
        if let Some(cells) = &mut self.statistics.cells {
            point(&mut cells.low);
            point(&mut cells.high);
        }
        if let Some(radial) = &mut self.statistics.radial {
            point(&mut radial.low);
            point(&mut radial.high);
            radial.reach *= factor;
        }
        self.statistics.planes.iter_mut().for_each(|plane| point(&mut plane.point));
        if let Some(center) = self.statistics.surface.as_mut().and_then(|s| s.center.as_mut()) {
            center.iter_mut().for_each(|entry| *entry *= factor);
        }
        self.forget_shapes();
        let shaped = self.shape_grains(None);
        shaped.and_then(|()| self.check()).map_err(|error| self.located(error))?;
        Ok(self)
    }
}

fn scale_wall(wall: &mut WallEntry, factor: f64, path: &str) -> Result<(), Error> {
    let point = |point: &mut [f64; 3]| point.iter_mut().for_each(|entry| *entry *= factor);
    wall.center.iter_mut().for_each(point);
    wall.vibration.iter_mut().for_each(|vibration| point(&mut vibration.amplitude));
    match &mut wall.shape {
        WallShape::Plane(plane) => point(&mut plane.point),
        WallShape::Box { size, position, .. } => {
            point(size);
            point(position);
        }
        WallShape::Cylinder { point: on, radius, .. }
        | WallShape::Tube { point: on, radius, .. } => {
            point(on);
            *radius *= factor;
        }
        WallShape::Cone { from, to, radii } => {
            point(from);
            point(to);
            radii.iter_mut().for_each(|radius| *radius *= factor);
        }
        WallShape::Solid { of, position, .. } => {
            point(position);
            *of = scale_shape(of, factor)
                .map_err(|source| Error::Shape { path: format!("{path}.solid.of"), source })?;
        }
        WallShape::Spheres { diameter, low, high, .. } => {
            *diameter *= factor;
            point(low);
            point(high);
        }
        WallShape::Mesh { scale, position, .. } => {
            point(position);
            *scale *= factor;
        }
    }
    Ok(())
}

fn scale_shape(shape: &Shape, factor: f64) -> Result<Shape, percussion_collision::ShapeError> {
    Ok(match shape {
        Shape::Sphere { radius } => Shape::Sphere { radius: factor * radius },
        Shape::Box { half_extents } => Shape::Box { half_extents: factor * half_extents },
        Shape::Capsule { half_length, radius } => {
            Shape::Capsule { half_length: factor * half_length, radius: factor * radius }
        }
        Shape::Cylinder { half_height, radius } => {
            Shape::Cylinder { half_height: factor * half_height, radius: factor * radius }
        }
        Shape::Rod { length, radius } => {
            Shape::Rod { length: factor * length, radius: factor * radius }
        }
        Shape::Hull(hull) => {
            let points: Vec<Vector3<f64>> =
                hull.vertices().iter().map(|vertex| factor * vertex).collect();
            Shape::hull(&points)?
        }
        // A half-space has no length; shapes of the plane are refused as walls.
        other => other.clone(),
    })
}
