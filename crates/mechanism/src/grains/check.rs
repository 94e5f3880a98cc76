//! Checks of a [`Scene`], field by field.

use nalgebra::Vector3;

use super::{
    Block, GrainKind, Insertion, Lattice, PlaneOf, Region, Removal, Scene, ServoOf, WallEntry,
    WallShape,
};
use crate::{
    Error,
    rules::{FRICTION, at_least_zero, count, finite, not_zero, positive, refuse, require},
};

const LENGTH: &str = "a positive finite length (m)";
const TIME: &str = "a positive finite time (s)";
const NOT_NEGATIVE_TIME: &str = "a finite time of at least 0 (s)";

impl Scene {
    pub(super) fn check(&self) -> Result<(), Error> {
        positive("duration", self.duration, TIME)?;
        at_least_zero("friction", self.friction, FRICTION)?;
        finite("gravity", &self.gravity)?;
        for (name, time) in [
            ("step_size", self.step_size),
            ("output.pictures", self.output.pictures),
            ("output.checkpoints", self.output.checkpoints),
            ("statistics.every", self.statistics.every),
        ] {
            time.map_or(Ok(()), |time| positive(name, time, TIME))?;
        }
        if let Some(sweeps) = self.steps.max_sweeps {
            require("steps.max_sweeps", &sweeps, "a positive integer", sweeps > 0)?;
        }
        if let Some(tolerance) = self.steps.tolerance {
            at_least_zero("steps.tolerance", tolerance, "a finite number of at least 0")?;
        }
        if let Some(skin) = self.steps.skin {
            require("steps.skin", &skin, "a number in (0, 1]", skin > 0.0 && skin <= 1.0)?;
        }
        self.check_grains()?;
        self.check_walls()?;
        for (index, insertion) in self.insert.iter().enumerate() {
            self.check_insertion(&format!("insert[{index}]"), insertion)?;
        }
        for (index, removal) in self.remove.iter().enumerate() {
            check_removal(&format!("remove[{index}]"), removal)?;
        }
        self.check_changes()?;
        self.check_materials()?;
        self.check_statistics()?;
        self.check_shaped()?;
        self.check_bodies()?;
        self.check_periodic()
    }

    fn check_grains(&self) -> Result<(), Error> {
        count("grains", self.grains.len(), !self.grains.is_empty(), "at least 1 kind")?;
        for (index, kind) in self.grains.iter().enumerate() {
            let path = format!("grains[{index}]");
            if self.grains[..index].iter().any(|other| other.name == kind.name) {
                let (path, name) = (format!("{path}.name"), kind.name.clone());
                return Err(Error::DuplicateName { path, name });
            }
            check_kind(&path, kind)?;
        }
        Ok(())
    }

    fn check_walls(&self) -> Result<(), Error> {
        for (index, wall) in self.walls.iter().enumerate() {
            let path = format!("walls[{index}]");
            if self.walls[..index].iter().any(|other| other.name == wall.name) {
                let (path, name) = (format!("{path}.name"), wall.name.clone());
                return Err(Error::DuplicateName { path, name });
            }
            check_shape(&format!("{path}.shape"), &wall.shape)?;
            check_motion(&path, wall)?;
        }
        Ok(())
    }

    fn check_changes(&self) -> Result<(), Error> {
        let mut before = 0.0;
        for (index, change) in self.changes.iter().enumerate() {
            let path = format!("changes[{index}]");
            let valid = change.time > before && change.time.is_finite();
            let expected = "a finite time above 0 (s), after the change before it";
            require(&format!("{path}.time"), &change.time, expected, valid)?;
            let path = format!("{path}.gravity");
            finite(&path, &change.gravity)?;
            // As `Settings` have it.
            let valid = change.gravity.iter().all(|entry| entry.abs() <= 1e75);
            require(&path, &change.gravity, "entries from -1e75 to 1e75 (m/s²)", valid)?;
            before = change.time;
        }
        Ok(())
    }

    fn check_insertion(&self, path: &str, insertion: &Insertion) -> Result<(), Error> {
        let kind = self.kind_of(path, insertion)?;
        let turned = insertion.axis.is_some() || insertion.angle.is_some();
        if turned && self.grains[kind].shape.is_none() {
            let expected = "no `axis` and `angle` for grains without a `shape`, which are balls";
            refuse(path, &self.grains[kind].name, expected)?;
        }
        insertion.axis.map_or(Ok(()), |axis| not_zero(&format!("{path}.axis"), &axis))?;
        finite(&format!("{path}.angle"), &[insertion.angle.unwrap_or_default()])?;
        let Insertion { lattice, random, stream, region, .. } = insertion;
        let given = usize::from(lattice.is_some())
            + usize::from(random.is_some())
            + usize::from(stream.is_some());
        let one = "1 of `lattice`, `random` and `stream`";
        count(path, given, given == 1, one)?;
        at_least_zero(&format!("{path}.time"), insertion.time, NOT_NEGATIVE_TIME)?;
        finite(&format!("{path}.velocity"), &insertion.velocity)?;
        check_region(&format!("{path}.region"), region)?;
        if let Some(lattice) = lattice {
            let path = format!("{path}.lattice");
            let Lattice { pitch, count, .. } = *lattice;
            let valid = count != Some(0);
            require(&format!("{path}.count"), &count.unwrap_or(0), "a positive integer", valid)?;
            let valid = pitch.is_finite() && pitch >= 1.0;
            require(&format!("{path}.pitch"), &pitch, "a finite number of at least 1", valid)?;
            let valid = lattice.shake >= 0.0 && lattice.shake <= 0.5 * (pitch - 1.0) + 1e-12;
            let expected = "a number from 0 to half of `pitch − 1`, so that no grains overlap";
            require(&format!("{path}.shake"), &lattice.shake, expected, valid)?;
        }
        if let Some(stream) = stream {
            let path = format!("{path}.stream");
            positive(&format!("{path}.rate"), stream.rate, "a positive finite number (1/s)")?;
            let until = stream.until.unwrap_or(f64::INFINITY);
            let valid = until > insertion.time;
            require(&format!("{path}.until"), &until, "a time after the stream begins", valid)?;
        }
        Ok(())
    }

    /// The index of the kind of grains that come in.
    pub(super) fn kind_of(&self, path: &str, insertion: &Insertion) -> Result<usize, Error> {
        let path = format!("{path}.grains");
        let names =
            || self.grains.iter().map(|kind| kind.name.as_str()).collect::<Vec<_>>().join(", ");
        match &insertion.grains {
            None if self.grains.len() == 1 => Ok(0),
            None => Err(Error::UnknownName { path, name: String::new(), known: names() }),
            Some(name) => self
                .grains
                .iter()
                .position(|kind| kind.name == *name)
                .ok_or_else(|| Error::UnknownName { path, name: name.clone(), known: names() }),
        }
    }

    fn check_statistics(&self) -> Result<(), Error> {
        let statistics = &self.statistics;
        if let Some(from) = statistics.from {
            at_least_zero("statistics.from", from, NOT_NEGATIVE_TIME)?;
        }
        if let Some(cells) = &statistics.cells {
            let block = Block { low: cells.low, high: cells.high };
            check_block("statistics.cells", &block)?;
            let total = cells.counts.iter().try_fold(1_usize, |product, n| product.checked_mul(*n));
            let valid = total.is_some_and(|total| (1..=1_000_000).contains(&total));
            let expected = "positive integers with a product of at most 1 000 000";
            require("statistics.cells.counts", &cells.counts, expected, valid)?;
        }
        if let Some(radial) = &statistics.radial {
            let block = Block { low: radial.low, high: radial.high };
            check_block("statistics.radial", &block)?;
            let edges = (0..3).map(|k| radial.high[k] - radial.low[k]);
            let valid = radial.reach > 0.0 && radial.reach <= edges.fold(f64::INFINITY, f64::min);
            let expected = "a positive length of at most the shortest edge of the box (m)";
            require("statistics.radial.reach", &radial.reach, expected, valid)?;
            let valid = (1..=10_000).contains(&radial.bins);
            let expected = "an integer from 1 to 10 000";
            require("statistics.radial.bins", &radial.bins, expected, valid)?;
        }
        if let Some(center) = statistics.surface.and_then(|surface| surface.center) {
            finite("statistics.surface.center", &center)?;
        }
        for (index, plane) in statistics.planes.iter().enumerate() {
            let path = format!("statistics.planes[{index}]");
            let twice = statistics.planes[..index].iter().any(|other| other.name == plane.name);
            if twice {
                let (path, name) = (format!("{path}.name"), plane.name.clone());
                return Err(Error::DuplicateName { path, name });
            }
            check_plane(&path, &PlaneOf { point: plane.point, normal: plane.normal })?;
        }
        Ok(())
    }
}

fn check_kind(path: &str, kind: &GrainKind) -> Result<(), Error> {
    match (kind.diameter, &kind.sizes) {
        (Some(diameter), None) => positive(&format!("{path}.diameter"), diameter, LENGTH)?,
        (None, Some(sizes)) => sizes.check(&format!("{path}.sizes"))?,
        (None, None) if kind.shape.is_some() => {}
        (both, _) => {
            let found = 2 * usize::from(both.is_some());
            count(path, found, false, "either `diameter` or `sizes`")?;
        }
    }
    match (kind.density, kind.mass) {
        (Some(density), None) => {
            positive(&format!("{path}.density"), density, "a positive finite density (kg/m³)")
        }
        (None, Some(mass)) => {
            positive(&format!("{path}.mass"), mass, "a positive finite mass (kg)")
        }
        (both, _) => {
            let found = 2 * usize::from(both.is_some());
            count(path, found, false, "either `density` or `mass`")
        }
    }
}

fn check_shape(path: &str, shape: &WallShape) -> Result<(), Error> {
    let radius = |path: &str, radius: f64| positive(&format!("{path}.radius"), radius, LENGTH);
    let place = |path: &str, position: &[f64; 3], axis: &Option<[f64; 3]>, angle: f64| {
        finite(&format!("{path}.position"), position)?;
        axis.map_or(Ok(()), |axis| not_zero(&format!("{path}.axis"), &axis))?;
        finite(&format!("{path}.angle"), &[angle])
    };
    match shape {
        WallShape::Plane(plane) => check_plane(&format!("{path}.plane"), plane),
        WallShape::Box { size, position, axis, angle } => {
            let path = format!("{path}.box");
            for (k, edge) in size.iter().enumerate() {
                positive(&format!("{path}.size[{k}]"), *edge, LENGTH)?;
            }
            place(&path, position, axis, *angle)
        }
        WallShape::Cylinder { point, axis, radius: of } => {
            let path = format!("{path}.cylinder");
            finite(&format!("{path}.point"), point)?;
            not_zero(&format!("{path}.axis"), axis)?;
            radius(&path, *of)
        }
        WallShape::Tube { point, axis, radius: of } => {
            let path = format!("{path}.tube");
            finite(&format!("{path}.point"), point)?;
            not_zero(&format!("{path}.axis"), axis)?;
            radius(&path, *of)
        }
        WallShape::Cone { from, to, radii } => {
            let path = format!("{path}.cone");
            finite(&format!("{path}.from"), from)?;
            finite(&format!("{path}.to"), to)?;
            for (k, of) in radii.iter().enumerate() {
                at_least_zero(
                    &format!("{path}.radii[{k}]"),
                    *of,
                    "a finite length of at least 0 (m)",
                )?;
            }
            let flat = Vector3::from(*from) == Vector3::from(*to);
            let valid = radii[0].max(radii[1]) > 0.0 && (!flat || radii[0] < radii[1]);
            let expected = "radii with one above 0, of a ring the inner one first";
            require(&format!("{path}.radii"), radii, expected, valid)
        }
        WallShape::Solid { position, axis, angle, .. } => {
            place(&format!("{path}.solid"), position, axis, *angle)
        }
        WallShape::Spheres { diameter, low, high, pitch, shake, .. } => {
            let path = format!("{path}.spheres");
            positive(&format!("{path}.diameter"), *diameter, LENGTH)?;
            check_block(&path, &Block { low: *low, high: *high })?;
            positive(&format!("{path}.pitch"), *pitch, "a positive finite number")?;
            at_least_zero(&format!("{path}.shake"), *shake, "a finite number of at least 0")
        }
        WallShape::Mesh { scale, position, axis, angle, .. } => {
            let path = format!("{path}.mesh");
            positive(&format!("{path}.scale"), *scale, "a positive finite number")?;
            place(&path, position, axis, *angle)
        }
    }
}

fn check_motion(path: &str, wall: &WallEntry) -> Result<(), Error> {
    let vectors = [
        ("velocity", wall.velocity),
        ("angular_velocity", wall.angular_velocity),
        ("center", wall.center),
        ("vibration.amplitude", wall.vibration.map(|vibration| vibration.amplitude)),
    ];
    for (name, vector) in vectors {
        vector.map_or(Ok(()), |vector| finite(&format!("{path}.{name}"), &vector))?;
    }
    if let Some(friction) = wall.friction {
        at_least_zero(&format!("{path}.friction"), friction, FRICTION)?;
    }
    if let Some(vibration) = wall.vibration {
        let path = format!("{path}.vibration.frequency");
        positive(&path, vibration.frequency, "a positive finite number (Hz)")?;
    }
    if let Some(from) = wall.from {
        at_least_zero(&format!("{path}.from"), from, NOT_NEGATIVE_TIME)?;
    }
    if let Some(until) = wall.until {
        let valid = until > wall.from.unwrap_or(0.0);
        require(&format!("{path}.until"), &until, "a time after `from`", valid)?;
    }
    if let Some(appears) = wall.appears {
        at_least_zero(&format!("{path}.appears"), appears, NOT_NEGATIVE_TIME)?;
    }
    if let Some(vanishes) = wall.vanishes {
        let valid = vanishes > wall.appears.unwrap_or(0.0);
        require(&format!("{path}.vanishes"), &vanishes, "a time after `appears`", valid)?;
    }
    wall.servo.map_or(Ok(()), |servo| check_servo(path, wall, &servo))
}

fn check_servo(path: &str, wall: &WallEntry, servo: &ServoOf) -> Result<(), Error> {
    let field = |name: &str| format!("{path}.servo.{name}");
    not_zero(&field("direction"), &servo.direction)?;
    finite(&field("force"), &[servo.force])?;
    positive(&field("mass"), servo.mass, "a positive finite mass (kg)")?;
    positive(&field("speed"), servo.speed, "a positive finite speed (m/s)")?;
    let expected = "a motion by the `servo` alone, apart from a rotation";
    let refused = |name: &str, found: &dyn std::fmt::Debug| {
        refuse(&format!("{path}.{name}"), &found, expected)
    };
    wall.velocity.map_or(Ok(()), |found| refused("velocity", &found))?;
    wall.vibration.map_or(Ok(()), |found| refused("vibration.frequency", &found.frequency))?;
    wall.from.map_or(Ok(()), |found| refused("from", &found))?;
    wall.until.map_or(Ok(()), |found| refused("until", &found))
}

fn check_removal(path: &str, removal: &Removal) -> Result<(), Error> {
    match (removal.behind, removal.outside) {
        (Some(plane), None) => check_plane(&format!("{path}.behind"), &plane)?,
        (None, Some(block)) => check_block(&format!("{path}.outside"), &block)?,
        (both, _) => {
            let found = 2 * usize::from(both.is_some());
            count(path, found, false, "either `behind` or `outside`")?;
        }
    }
    let time = removal.time.unwrap_or(0.0);
    at_least_zero(&format!("{path}.time"), time, NOT_NEGATIVE_TIME)
}

fn check_plane(path: &str, plane: &PlaneOf) -> Result<(), Error> {
    finite(&format!("{path}.point"), &plane.point)?;
    not_zero(&format!("{path}.normal"), &plane.normal)
}

fn check_block(path: &str, block: &Block) -> Result<(), Error> {
    finite(&format!("{path}.low"), &block.low)?;
    finite(&format!("{path}.high"), &block.high)?;
    for k in 0..3 {
        let valid = block.high[k] > block.low[k];
        require(&format!("{path}.high[{k}]"), &block.high[k], "more than that of `low`", valid)?;
    }
    Ok(())
}

fn check_region(path: &str, region: &Region) -> Result<(), Error> {
    if let Some(block) = &region.block {
        check_block(&format!("{path}.box"), block)?;
    }
    if let Some(cylinder) = &region.cylinder {
        let path = format!("{path}.cylinder");
        finite(&format!("{path}.from"), &cylinder.from)?;
        finite(&format!("{path}.to"), &cylinder.to)?;
        positive(&format!("{path}.radius"), cylinder.radius, LENGTH)?;
        let expected = "another point than `from`";
        let apart = Vector3::from(cylinder.from) != Vector3::from(cylinder.to);
        require(&format!("{path}.to"), &cylinder.to, expected, apart)?;
    }
    let some = region.block.is_some() || region.cylinder.is_some();
    count(path, 0, some, "`box`, `cylinder` or both")
}
