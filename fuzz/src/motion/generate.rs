//! Random scenes.

use super::{Ball, Body, Contact, Kind, Motion, Other};
use crate::{Source, lcp};

/// Number of positions tried before the last one is used; schemes may then reject the scene for its overlaps.
const TRIES: usize = 50;

/// A scene in units of about one, then converted to others.
pub(super) fn motion(source: &mut Source<'_>) -> Motion {
    let kind = source.pick(&[Kind::Space, Kind::Space, Kind::Plane, Kind::Plane, Kind::Links]);
    let mut motion = Motion {
        kind,
        bodies: Vec::new(),
        gravity: [0.0; 3],
        contacts: Vec::new(),
        coordinates: Vec::new(),
        velocity: Vec::new(),
        step: source.pick(&[0.02, 0.01, 0.01, 0.005]),
        steps: source.pick(&[10, 20, 50, 50, 100]),
        units: [1.0; 3],
        stiffness: source.pick(&[1e3, 1e4, 1e5]),
        damping: source.pick(&[0.0, 0.1, 0.5, 1.0]),
    };
    if source.chance(0.9) {
        motion.gravity[if kind == Kind::Space { 2 } else { 1 }] = -9.81;
    }
    if kind == Kind::Links {
        links(source, &mut motion);
    } else {
        free(source, &mut motion);
    }
    let frictionless = source.chance(0.2);
    let restitution = source.pick(&[None, None, Some(0.0), Some(1.0)]);
    for contact in &mut motion.contacts {
        contact.friction = if frictionless { 0.0 } else { lcp::friction(source) };
        contact.restitution =
            restitution.unwrap_or_else(|| source.pick(&[0.0, 1.0, 0.5, 0.3, 0.9]));
    }
    scale(source, &mut motion);
    motion
}

fn planes(source: &mut Source<'_>, kind: Kind) -> Vec<([f64; 3], f64)> {
    let up = if kind == Kind::Space { 2 } else { 1 };
    let mut list = Vec::new();
    let mut add = |normal: [f64; 3], offset: f64| {
        let length = normal.iter().map(|x| x * x).sum::<f64>().sqrt();
        list.push((normal.map(|x| x / length), offset));
    };
    let mut floor = [0.0; 3];
    floor[up] = 1.0;
    match source.below(4) {
        0 | 1 => add(floor, 0.0),
        2 => {
            // An incline.
            floor[0] = source.between(-1.0, 1.0);
            add(floor, 0.0);
        }
        _ => {
            // A groove, in which bodies wedge.
            let slope = source.between(0.2, 2.0);
            for side in [slope, -slope] {
                let mut normal = floor;
                normal[0] = side;
                add(normal, 0.0);
            }
        }
    }
    if source.chance(0.3) {
        add([1.0, 0.0, 0.0], -1.0);
    }
    list
}

/// Free bodies: balls, rods, and in space blocks on four balls.
fn free(source: &mut Source<'_>, motion: &mut Motion) {
    let planar = motion.kind == Kind::Plane;
    let planes = planes(source, motion.kind);
    let decades = source.pick(&[0.0, 0.3, 0.3, 2.0]);
    let count = source.pick(&[1, 1, 1, 2, 2, 3]);
    let mut balls: Vec<Vec<Ball>> = Vec::new();
    for body in 0..count {
        let (mass, radius) = (source.power(decades), source.between(0.05, 0.3));
        let half = source.between(0.1, 0.5);
        let at = |center: [f64; 3]| Ball { body, center, radius };
        let (own, moments) = match source.below(if planar { 2 } else { 3 }) {
            0 => (vec![at([0.0; 3])], [0.4 * radius * radius; 3]),
            1 => {
                let ends = vec![at([half, 0.0, 0.0]), at([-half, 0.0, 0.0])];
                let across = half * half / 3.0 + 0.25 * radius * radius;
                (ends, [0.5 * radius * radius, across, across])
            }
            _ => {
                let wide = source.between(0.1, 0.5);
                let feet = [[half, wide], [-half, wide], [half, -wide], [-half, -wide]];
                let feet = feet.iter().map(|&[x, y]| at([x, y, -0.1])).collect();
                let (a, b, c) = (half * half, wide * wide, 0.01);
                (feet, [(b + c) / 3.0, (a + c) / 3.0, (a + b) / 3.0])
            }
        };
        let push = if source.chance(0.1) { mass * 5.0 * source.normal() } else { 0.0 };
        motion.bodies.push(Body {
            mass,
            inertia: moments.map(|i| mass * i),
            force: [push, 0.0, 0.0],
            parent: None,
            joint: [0.0; 2],
            center: [0.0; 2],
        });
        balls.push(own);
    }
    let contact =
        |ball: Ball, other: Other| Contact { ball, other, friction: 0.0, restitution: 0.0 };
    for (k, own) in balls.iter().enumerate() {
        for ball in own {
            for (normal, offset) in &planes {
                motion.contacts.push(contact(*ball, Other::Plane(*normal, *offset)));
            }
        }
        for other in &balls[k + 1..] {
            for (first, second) in
                own.iter().flat_map(|a| other.iter().map(move |b| (a, b))).take(4)
            {
                motion.contacts.push(contact(*first, Other::Ball(*second)));
            }
        }
    }
    place(source, motion);
    speeds(source, motion, planar);
}

/// Positions without overlap, sometimes touching the first plane.
fn place(source: &mut Source<'_>, motion: &mut Motion) {
    let planar = motion.kind == Kind::Plane;
    for attempt in 0..TRIES {
        motion.coordinates.clear();
        let spread = 0.5 + 0.1 * attempt as f64;
        for _ in 0..motion.bodies.len() {
            let (x, y) = (spread * source.between(-1.0, 1.0), spread * source.between(-1.0, 1.0));
            let height = spread * source.between(0.2, 2.0);
            if planar {
                let turn = 0.5 * source.normal();
                motion.coordinates.extend([x, height, source.pick(&[0.0, turn])]);
            } else {
                let turn: [f64; 4] = if source.chance(0.4) {
                    [1.0, 0.0, 0.0, 0.0]
                } else {
                    let q: [f64; 4] = std::array::from_fn(|_| source.normal());
                    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
                    if length > 0.0 { q.map(|x| x / length) } else { [1.0, 0.0, 0.0, 0.0] }
                };
                motion.coordinates.extend([x, y, height]);
                motion.coordinates.extend(turn);
            }
        }
        let scene = motion.scene();
        if (0..motion.contacts.len()).all(|k| scene.gap(&motion.coordinates, k) > 1e-3) {
            break;
        }
    }
    if source.chance(0.5) {
        lower(motion);
    }
}

/// Lowers the first body along the normal of its first plane until something touches.
fn lower(motion: &mut Motion) {
    let Some(Other::Plane(normal, _)) = motion.contacts.first().map(|contact| contact.other) else {
        return;
    };
    for _ in 0..20 {
        let scene = motion.scene();
        let gaps = (0..motion.contacts.len()).map(|k| scene.gap(&motion.coordinates, k));
        let least = gaps.fold(f64::INFINITY, f64::min);
        if least <= 1e-12 || least.is_nan() {
            return;
        }
        for (k, n) in normal.iter().enumerate().take(if motion.kind == Kind::Space { 3 } else { 2 })
        {
            motion.coordinates[k] -= least * n;
        }
    }
}

fn speeds(source: &mut Source<'_>, motion: &mut Motion, planar: bool) {
    let fast = source.pick(&[0.0, 1.0, 1.0, 3.0, 10.0]);
    let spin = source.pick(&[0.0, 0.0, 1.0, 10.0]);
    for _ in 0..motion.bodies.len() {
        let numbers: Vec<f64> = (0..6).map(|_| source.normal()).collect();
        if planar {
            motion.velocity.extend([fast * numbers[0], fast * numbers[1], spin * numbers[2]]);
        } else {
            motion.velocity.extend(numbers[..3].iter().map(|x| fast * x));
            motion.velocity.extend(numbers[3..].iter().map(|x| spin * x));
        }
    }
}

/// A tree of thin links that hangs from the origin above a floor.
fn links(source: &mut Source<'_>, motion: &mut Motion) {
    let count = 1 + source.below(4);
    let mut lengths: Vec<f64> = Vec::new();
    let floor = -source.between(0.1, 1.5);
    let decades = source.pick(&[0.0, 0.3, 1.0]);
    for body in 0..count {
        let parent =
            (body > 0).then(|| if source.chance(0.7) { body - 1 } else { source.below(body) });
        let (mass, length) = (source.power(decades), source.between(0.2, 0.8));
        let moment = mass * length * length / 12.0;
        motion.bodies.push(Body {
            mass,
            inertia: [0.0, moment, moment],
            force: [0.0; 3],
            parent,
            joint: [parent.map_or(0.0, |parent| lengths[parent]), 0.0],
            center: [0.5 * length, 0.0],
        });
        let ball = Ball { body, center: [length, 0.0, 0.0], radius: 0.05 };
        let other = Other::Plane([0.0, 1.0, 0.0], floor);
        motion.contacts.push(Contact { ball, other, friction: 0.0, restitution: 0.0 });
        lengths.push(length);
    }
    for _ in 0..TRIES {
        motion.coordinates = (0..count).map(|_| source.between(-3.0, 3.0)).collect();
        let scene = motion.scene();
        if (0..count).all(|k| scene.gap(&motion.coordinates, k) > 0.0) {
            break;
        }
    }
    let fast = source.pick(&[0.0, 1.0, 5.0]);
    motion.velocity = (0..count).map(|_| fast * source.normal()).collect();
}

/// The same scene in other units; settings with units are converted too.
fn scale(source: &mut Source<'_>, motion: &mut Motion) {
    if source.chance(0.7) {
        return;
    }
    let decades = source.pick(&[3.0, 6.0, 12.0]);
    let [m, l, t]: [f64; 3] =
        std::array::from_fn(|_| if source.chance(0.5) { source.power(decades) } else { 1.0 });
    motion.units = [m, l, t];
    let force = m * l / (t * t);
    for body in &mut motion.bodies {
        body.mass *= m;
        body.inertia.iter_mut().for_each(|i| *i *= m * l * l);
        body.force.iter_mut().for_each(|f| *f *= force);
        body.joint.iter_mut().for_each(|x| *x *= l);
        body.center.iter_mut().for_each(|x| *x *= l);
    }
    let ball = |ball: &mut Ball| {
        ball.center.iter_mut().for_each(|x| *x *= l);
        ball.radius *= l;
    };
    for contact in &mut motion.contacts {
        ball(&mut contact.ball);
        match &mut contact.other {
            Other::Plane(_, offset) => *offset *= l,
            Other::Ball(other) => ball(other),
        }
    }
    motion.gravity.iter_mut().for_each(|g| *g *= l / (t * t));
    let (coordinates, velocities) = match motion.kind {
        Kind::Space => (vec![l, l, l, 1.0, 1.0, 1.0, 1.0], vec![l, l, l, 1.0, 1.0, 1.0]),
        Kind::Plane => (vec![l, l, 1.0], vec![l, l, 1.0]),
        Kind::Links => (vec![1.0], vec![1.0]),
    };
    motion.coordinates.iter_mut().zip(coordinates.iter().cycle()).for_each(|(q, f)| *q *= f);
    motion.velocity.iter_mut().zip(velocities.iter().cycle()).for_each(|(v, f)| *v *= f / t);
    motion.step *= t;
    motion.stiffness *= m / (t * t);
}
