//! A [`Scene`] that repeats itself: checks, and the images of its walls.

#[cfg(test)]
mod tests;

use nalgebra::{Unit, Vector3};
use percussion_collision::Shape;
use percussion_granular::{Periods, Surface, Wall};

use super::{GrainKind, Periodic, Scene, WallEntry, place};
use crate::{
    Error,
    rules::{finite, refuse, require},
};

const NAMES: [&str; 3] = ["x", "y", "z"];

/// Relative rounding of lengths and directions in files.
const ROUNDING: f64 = 1e-9;

impl Periodic {
    const fn ends(&self) -> [Option<[f64; 2]>; 3] {
        [self.x, self.y, self.z]
    }

    /// The axes that repeat, with begin and end of the box along each (m).
    fn spans(&self) -> impl Iterator<Item = (usize, [f64; 2])> + use<> {
        self.ends().into_iter().enumerate().filter_map(|(k, span)| Some((k, span?)))
    }

    /// The box of the steps, if space repeats itself at all.
    pub(super) fn periods(&self) -> Option<Periods> {
        let ends = self.ends();
        let low = ends.map(|span| span.map_or(0.0, |[low, _]| low));
        let edges = ends.map(|span| span.map(|[low, high]| high - low));
        edges.iter().any(Option::is_some).then(|| Periods::new(low.into(), edges))
    }
}

impl Scene {
    /// Checks the box that repeats itself, and that what has a place in space fits it.
    pub(super) fn check_periodic(&self) -> Result<(), Error> {
        for (k, [low, high]) in self.periodic.spans() {
            let path = format!("periodic.{}", NAMES[k]);
            finite(&path, &[low, high])?;
            let valid = high - low > 2.0 * self.largest_diameter();
            let expected =
                "begin and end of the box, farther apart than twice the largest diameter (m)";
            require(&path, &[low, high], expected, valid)?;
        }
        let inside = |path: &str, [low, high]: [Vector3<f64>; 2]| {
            for (k, [begin, end]) in self.periodic.spans() {
                let slack = ROUNDING * (end - begin);
                let valid = low[k] >= begin - slack && high[k] <= end + slack;
                let expected = "a region within the box that repeats itself";
                require(path, &[low[k], high[k]], expected, valid)?;
            }
            Ok::<(), Error>(())
        };
        for (index, insertion) in self.insert.iter().enumerate() {
            inside(&format!("insert[{index}].region"), place::corners(&insertion.region))?;
        }
        if let Some(cells) = &self.statistics.cells {
            inside("statistics.cells", [cells.low.into(), cells.high.into()])?;
        }
        if let Some(radial) = &self.statistics.radial {
            inside("statistics.radial", [radial.low.into(), radial.high.into()])?;
        }
        for (index, plane) in self.statistics.planes.iter().enumerate() {
            let path = format!("statistics.planes[{index}].normal");
            let expected = "a direction along an axis that repeats or across it";
            let normal = Vector3::from(plane.normal);
            let valid =
                self.periodic.spans().all(|(k, _)| is_along(&normal, k) || is_across(&normal, k));
            require(&path, &plane.normal, expected, valid)?;
        }
        let level = self.periodic.x.is_none() && self.periodic.y.is_none();
        if !level && self.statistics.surface.is_some() {
            let expected = "no surface of a scene that repeats itself along `x` or `y`, whose slope is that of its box";
            return refuse("statistics.surface", &"given", expected);
        }
        Ok(())
    }

    fn largest_diameter(&self) -> f64 {
        self.grains.iter().map(|kind: &GrainKind| kind.range()[1]).fold(0.0, f64::max)
    }

    /// Adds a wall and its images next to the box, at which grains in the box can be.
    ///
    /// Pairs are listed when grains are in the box, up to a gap of `skin`, which is at most `settings.skin` and four ways of a
    /// grain in a step, each of less than its diameter, and less than half of an edge.
    pub(super) fn repeat(
        &self,
        path: &str,
        entry: &WallEntry,
        wall: Wall,
        walls: &mut Vec<Wall>,
    ) -> Result<(), Error> {
        let diameter = self.largest_diameter();
        let far = diameter * (4.5 + self.settings().skin);
        let mut images = vec![wall];
        for (k, [begin, end]) in self.periodic.spans() {
            let Some([low, high]) = extent(path, k, &images[0].surface)? else { continue };
            let edge = end - begin;
            let expected = "a wall that is not longer than the period; endless ones are planes, cylinders and tubes";
            let fits = high - low <= edge * (1.0 + ROUNDING);
            require(&format!("{path}.shape"), &[low, high], expected, fits)?;
            let velocity = entry.velocity.unwrap_or_default();
            let expected =
                "no velocity along an axis that repeats, on which the wall would leave the box";
            require(&format!("{path}.velocity"), &velocity, expected, velocity[k] == 0.0)?;
            let shaken = entry.vibration.map_or(0.0, |vibration| vibration.amplitude[k].abs());
            let margin = far.min(0.5 * edge) + shaken;
            let direction = entry.servo.map_or([0.0; 3], |servo| servo.direction);
            let expected =
                "a direction across the axes that repeat, on which the wall would leave the box";
            let across = is_across(&Vector3::from(direction), k);
            require(&format!("{path}.servo.direction"), &direction, expected, across)?;
            let first = ((begin - margin - high) / edge).ceil();
            let last = ((end + margin - low) / edge).floor();
            let image = |wall: &Wall, times: f64| {
                let by = Vector3::ith(k, times * edge);
                Wall {
                    surface: wall.surface.clone().moved(&by),
                    center: wall.center + by,
                    ..wall.clone()
                }
            };
            let all = (0_u32..).map(|number| first + f64::from(number));
            let all = all.take_while(|times| *times <= last);
            images =
                all.flat_map(|times| images.iter().map(move |wall| image(wall, times))).collect();
        }
        walls.append(&mut images);
        Ok(())
    }
}

fn is_along(direction: &Vector3<f64>, axis: usize) -> bool {
    (0..3).all(|k| k == axis || direction[k].abs() <= ROUNDING * direction.amax())
}

fn is_across(direction: &Vector3<f64>, axis: usize) -> bool {
    direction[axis].abs() <= ROUNDING * direction.amax()
}

/// Where a surface begins and ends along an axis that repeats (m); `None` if it is the same all along it.
fn extent(path: &str, k: usize, surface: &Surface) -> Result<Option<[f64; 2]>, Error> {
    let along = |point: &Vector3<f64>, radius: f64| Some([point[k] - radius, point[k] + radius]);
    let other = |what: &Unit<Vector3<f64>>, expected| {
        refuse(&format!("{path}.shape"), &<[f64; 3]>::from(what.into_inner()), expected)
            .map(|()| None)
    };
    match surface {
        Surface::Plane { normal, .. } if is_across(normal, k) => Ok(None),
        Surface::Plane { normal, .. } => {
            other(normal, "a plane whose normal is across the axes that repeat")
        }
        Surface::Cylinder { axis, .. } | Surface::Tube { axis, .. } if is_along(axis, k) => {
            Ok(None)
        }
        Surface::Cylinder { point, axis, radius } if is_across(axis, k) => {
            Ok(along(point, *radius))
        }
        Surface::Cylinder { axis, .. } => {
            other(axis, "a cylinder along or across each axis that repeats")
        }
        Surface::Tube { axis, .. } => other(axis, "a tube along the only axis that repeats"),
        Surface::Solid { shape: Shape::HalfSpace { normal }, pose } => {
            let normal = Unit::new_normalize(pose * normal);
            extent(path, k, &Surface::Plane { point: pose.translation.vector, normal })
        }
        _ => Ok(surface.bounds().map(|[low, high]| [low[k], high[k]])),
    }
}
