//! A motion as a small picture that moves: vectors instead of the player's WebGL.
//!
//! A film has up to four panels, each with a motion that ends differently, on one common scale. Without a script,
//! on paper, and for readers who prefer no motion, it is a still of the end with the start behind it.

use std::fmt::Write as _;

use percussion_record::view::{Dimension, Motion, Solid, View};

use crate::escape;

mod projection;

use projection::{Bounds, Projection};

/// Width and height (px).
const SIZE: [f64; 2] = [480.0, 270.0];
/// Maximum number of panels.
const PANELS: usize = 4;
/// Number of frames of a film.
const FRAMES: usize = 49;
/// Height of the name of a panel (px).
const NAME: f64 = 18.0;
/// Duration of a film (s).
const DURATION: f64 = 4.0;
/// Distance of two ends, relative to the size of the scene, above which they count as different outcomes.
const DIFFERENT: f64 = 0.01;

/// The script that plays the films of a page, each in an element of the class `card` with a heading.
pub(crate) const SCRIPT: &str = include_str!("../assets/page/film.js");

/// A film as HTML: a drawing, and its frames as data for the script of the page.
#[derive(Clone, Debug)]
struct Film {
    /// The `svg` element, with the still.
    drawing: String,
    /// The frames, as JSON.
    frames: String,
    /// Names of the panels and the pace, in words.
    caption: String,
}

/// The film of `view` with its controls and the `link` to its player, an `a` element; `None` where [`film`] is.
pub(crate) fn reel(view: &View, link: &str) -> Option<String> {
    let film = film(view)?;
    Some(format!(
        "{}<script type=\"application/json\">{}</script>\n<p class=\"reel\"><button type=\"button\" hidden>Play</button> \
         <span>{}</span> {link}</p>\n",
        film.drawing,
        film.frames,
        escape(&film.caption),
    ))
}

/// The film of `view`; `None` if it has no motion, or has a solid whose outline would change as it turns.
fn film(view: &View) -> Option<Film> {
    let drawable = |solid: &Solid| match view.dimension {
        Dimension::Plane => matches!(
            solid,
            Solid::Ball { .. } | Solid::Capsule { .. } | Solid::Polygon { .. } | Solid::Box { .. }
        ),
        Dimension::Space => {
            matches!(solid, Solid::Ball { center, .. } if center.iter().all(|x| x.abs() < 1e-12))
        }
    };
    let solids = || view.bodies.iter().flat_map(|body| &body.solids);
    if solids().next().is_none() || !solids().all(drawable) {
        return None;
    }
    let panels = panels(view);
    let first = panels.first()?;
    let duration = first.motion.times.last()? - first.motion.times.first()?;
    if panels.iter().any(|panel| panel.motion.grains.is_some())
        || duration.is_nan()
        || duration <= 0.0
    {
        return None;
    }
    let projection = Projection::new(view.dimension);
    let bounds = Bounds::new(view, &projection, panels.iter().map(|panel| panel.motion));
    let grid = Grid::new(panels.len(), bounds.size());
    let mut drawing = format!(
        "<svg class=\"film\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n",
        SIZE[0],
        SIZE[1],
        escape(&format!("{}: {}", view.title, names(&panels)))
    );
    let mut frames = Vec::new();
    for (index, panel) in panels.iter().enumerate() {
        let stage =
            Stage { view, projection: &projection, map: grid.map(&bounds), scale: grid.scale };
        let poses = stage.frames(panel.motion);
        let corner = grid.corner(index);
        let [width, height] = grid.panel;
        let _ = writeln!(
            drawing,
            "<svg x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\">",
            corner[0], corner[1]
        );
        stage.draw(&mut drawing, &poses, grid.panel);
        drawing += "</svg>\n";
        if panels.len() > 1 {
            let _ = writeln!(
                drawing,
                "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                corner[0] + 0.5 * width,
                corner[1] + height + 0.75 * NAME,
                escape(&panel.name)
            );
        }
        frames.push(poses);
    }
    drawing += "</svg>\n";
    let frames = serde_json::to_string(&frames).ok()?;
    Some(Film { drawing, frames, caption: caption(&panels, duration) })
}

/// A motion with its name in the film.
struct Panel<'a> {
    motion: &'a Motion,
    name: String,
}

/// Motions that end differently: the first, then each time the one farthest from all before.
fn panels(view: &View) -> Vec<Panel<'_>> {
    let motions: Vec<&Motion> =
        view.motions.iter().filter(|motion| !motion.poses.is_empty()).collect();
    let Some(first) = motions.first() else { return Vec::new() };
    let size = extent(view, &motions);
    let mut chosen: Vec<&Motion> = vec![first];
    while chosen.len() < PANELS {
        let far = |motion: &Motion| {
            chosen.iter().map(|other| apart(motion, other)).fold(f64::INFINITY, f64::min)
        };
        // Of equally far motions the first, so that laws come before samples.
        let best = motions.iter().fold(None, |best: Option<(f64, &Motion)>, &motion| {
            let distance = far(motion);
            if best.is_none_or(|(most, _)| distance > most) {
                Some((distance, motion))
            } else {
                best
            }
        });
        match best {
            Some((distance, motion)) if distance > DIFFERENT * size => chosen.push(motion),
            _ => break,
        }
    }
    let name = |motion: &Motion| {
        let alike = motions
            .iter()
            .filter(|other| other.sample.is_none() && apart(other, motion) <= DIFFERENT * size);
        let laws: Vec<&str> = alike.map(|other| short(&other.name)).collect();
        match (laws[..].split_first(), motion.sample) {
            (Some((law, [])), _) => (*law).to_owned(),
            (Some((law, others)), _) => format!("{law}, {} more", others.len()),
            (None, Some(sample)) => format!("set, sample {sample}"),
            (None, None) => short(&motion.name).to_owned(),
        }
    };
    chosen.iter().map(|motion| Panel { motion, name: name(motion) }).collect()
}

/// Largest extent of the positions of the bodies (m).
fn extent(view: &View, motions: &[&Motion]) -> f64 {
    let stride = Projection::new(view.dimension).stride();
    let axes = if stride == 3 { 2 } else { 3 };
    let range = |axis: usize| {
        let bodies = motions.iter().flat_map(|motion| &motion.poses);
        let bodies = bodies.flat_map(|poses| poses.chunks_exact(stride));
        let (low, high) = bodies.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), pose| {
            let value = f64::from(pose[axis]);
            (low.min(value), high.max(value))
        });
        high - low
    };
    (0..axes).map(range).fold(0.0, f64::max)
}

/// The name of a law or of a motion, without the description of a sample.
fn short(name: &str) -> &str {
    name.split([',', '/']).next().unwrap_or(name)
}

/// Largest difference of a coordinate at the ends of two motions.
fn apart(one: &Motion, other: &Motion) -> f64 {
    let (Some(one), Some(other)) = (one.poses.last(), other.poses.last()) else { return 0.0 };
    one.iter().zip(other).map(|(a, b)| f64::from((a - b).abs())).fold(0.0, f64::max)
}

fn names(panels: &[Panel<'_>]) -> String {
    match panels {
        [_] => "the motion".to_owned(),
        _ => panels.iter().map(|panel| panel.name.as_str()).collect::<Vec<_>>().join("; "),
    }
}

fn caption(panels: &[Panel<'_>], duration: f64) -> String {
    let outcomes = match panels.len() {
        1 => String::new(),
        count => format!("{count} outcomes of one impact. "),
    };
    let factor = DURATION / duration;
    let pace = if factor >= 1.5 { format!("Slowed {factor:.0} times.") } else { String::new() };
    (outcomes + &pace).trim_end().to_owned()
}

/// Places of equally large panels.
struct Grid {
    columns: usize,
    panel: [f64; 2],
    /// Height of the name below a panel (px).
    name: f64,
    /// Pixels per meter.
    scale: f64,
}

impl Grid {
    /// The grid that shows `count` scenes of the given size (m) largest.
    fn new(count: usize, [width, height]: [f64; 2]) -> Self {
        let name = if count > 1 { NAME } else { 0.0 };
        let grid = |columns: usize| {
            let rows = count.div_ceil(columns);
            let panel = [SIZE[0] / columns as f64, SIZE[1] / rows as f64 - name];
            let scale = (panel[0] / width).min(panel[1] / height);
            Self { columns, panel, name, scale }
        };
        let all = (1..=count.max(1)).map(grid);
        all.reduce(|best, next| if next.scale > best.scale { next } else { best })
            .unwrap_or_else(|| grid(1))
    }

    fn corner(&self, index: usize) -> [f64; 2] {
        let (column, row) = (index % self.columns, index / self.columns);
        [column as f64 * self.panel[0], row as f64 * (self.panel[1] + self.name)]
    }

    /// The map from the plane of the picture (m) to pixels of a panel.
    fn map(&self, bounds: &Bounds) -> impl Fn([f64; 2]) -> [f64; 2] + use<> {
        let (middle, panel, scale) = (bounds.middle(), self.panel, self.scale);
        move |point| {
            [
                0.5 * panel[0] + scale * (point[0] - middle[0]),
                0.5 * panel[1] - scale * (point[1] - middle[1]),
            ]
        }
    }
}

/// The pose of each body in pixels and degrees, in sequence.
type Frame = Vec<f64>;

/// What a panel shows and how.
struct Stage<'a, F: Fn([f64; 2]) -> [f64; 2]> {
    view: &'a View,
    projection: &'a Projection,
    map: F,
    scale: f64,
}

impl<F: Fn([f64; 2]) -> [f64; 2]> Stage<'_, F> {
    /// Frames at evenly spaced times, from the states before and after each.
    fn frames(&self, motion: &Motion) -> Vec<Frame> {
        let (first, last) = (motion.times[0], motion.times[motion.times.len() - 1]);
        let at = |index: usize| {
            let time = first + (last - first) * index as f64 / (FRAMES - 1) as f64;
            let after = motion.times.partition_point(|t| *t <= time).min(motion.times.len() - 1);
            let before = after.saturating_sub(1);
            let span = motion.times[after] - motion.times[before];
            let share = if span > 0.0 {
                ((time - motion.times[before]) / span).clamp(0.0, 1.0)
            } else {
                1.0
            };
            let pair = motion.poses[before].iter().zip(&motion.poses[after]);
            let pair = pair.map(|(a, b)| (f64::from(*a), f64::from(*b)));
            self.placed(&pair.map(|(a, b)| a + share * (b - a)).collect::<Vec<_>>())
        };
        (0..FRAMES).map(at).collect()
    }

    fn placed(&self, poses: &[f64]) -> Frame {
        let stride = self.projection.stride();
        let round = |value: f64| (10.0 * value).round() / 10.0;
        let body = |pose: &[f64]| {
            let [x, y] = (self.map)(self.projection.place([pose[0], pose[1], pose[2]]));
            let turn = if stride == 3 { -pose[2].to_degrees() } else { 0.0 };
            [x, y, turn].map(round)
        };
        poses.chunks_exact(stride).take(self.view.bodies.len()).flat_map(body).collect()
    }

    /// The ground, the paths of the bodies, the start as ghosts and the end.
    fn draw(&self, text: &mut String, frames: &[Frame], panel: [f64; 2]) {
        for plane in &self.view.planes {
            self.plane(text, plane.point, plane.normal, panel);
        }
        let (Some(start), Some(end)) = (frames.first(), frames.last()) else { return };
        for body in 0..self.view.bodies.len() {
            let points =
                frames.iter().map(|frame| format!("{},{}", frame[3 * body], frame[3 * body + 1]));
            let points = points.collect::<Vec<_>>().join(" ");
            let _ = writeln!(text, "<polyline class=\"path\" points=\"{points}\"/>");
        }
        for (class, frame) in [("ghost", start), ("moves", end)] {
            for (index, body) in self.view.bodies.iter().enumerate() {
                let [x, y, turn] = [0, 1, 2].map(|k| frame[3 * index + k]);
                let _ = write!(
                    text,
                    "<g class=\"{class} c{}\" transform=\"translate({x} {y}) rotate({turn})\">",
                    index % 6
                );
                body.solids.iter().for_each(|solid| self.solid(text, solid));
                *text += "</g>\n";
            }
        }
    }

    /// A solid in the frame of its body, whose `y` axis points up.
    fn solid(&self, text: &mut String, solid: &Solid) {
        let s = self.scale;
        let place = |point: &[f64; 3]| format!("{:.1},{:.1}", s * point[0], -s * point[1]);
        let _ = match solid {
            Solid::Ball { center: [x, y, _], radius } => {
                let (x, y, r) = (s * x, -s * y, s * radius);
                let mark = if self.projection.stride() == 3 {
                    format!("<path class=\"mark\" d=\"M{x:.1} {y:.1}h{r:.1}\"/>")
                } else {
                    String::new()
                };
                write!(text, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r:.1}\"/>{mark}")
            }
            Solid::Capsule { ends: [a, b], radius } => {
                let (width, a, b) = ((2.0 * s * radius).max(2.0), place(a), place(b));
                write!(text, "<path class=\"rod\" stroke-width=\"{width:.1}\" d=\"M{a}L{b}\"/>")
            }
            Solid::Polygon { corners } => {
                let corners: Vec<String> =
                    corners.iter().map(|[x, y]| place(&[*x, *y, 0.0])).collect();
                write!(text, "<polygon points=\"{}\"/>", corners.join(" "))
            }
            Solid::Box { half_edges: [a, b, _], center: [x, y, _] } => write!(
                text,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
                s * (x - a),
                -s * (y + b),
                2.0 * s * a,
                2.0 * s * b
            ),
            _ => Ok(()),
        };
    }

    /// The half-plane below a surface; in space only a floor, whose far edge is not seen.
    fn plane(&self, text: &mut String, point: [f64; 3], normal: [f64; 3], panel: [f64; 2]) {
        let place = |point: [f64; 3]| (self.map)(self.projection.place(point));
        if self.projection.stride() == 7 {
            if normal[2] > 0.0 {
                let [low, high] = self.projection.floor(self.view);
                let corners =
                    [[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]];
                let corners = corners.map(|[x, y]| place([x, y, point[2]]));
                let corners = corners.map(|[x, y]| format!("{x:.1},{y:.1}"));
                let _ =
                    writeln!(text, "<polygon class=\"ground\" points=\"{}\"/>", corners.join(" "));
            }
            return;
        }
        let length = normal[0].hypot(normal[1]);
        if length == 0.0 {
            return;
        }
        let (n, far) = ([normal[0] / length, normal[1] / length], 2.0 * (panel[0] + panel[1]));
        let foot = place(point);
        let at = |along: f64, down: f64| {
            let x = foot[0] - along * n[1] - down * n[0];
            let y = foot[1] - along * n[0] + down * n[1];
            format!("{x:.1},{y:.1}")
        };
        let corners = [at(-far, 0.0), at(far, 0.0), at(far, far), at(-far, far)];
        let _ = writeln!(text, "<polygon class=\"ground\" points=\"{}\"/>", corners.join(" "));
    }
}

#[cfg(test)]
mod tests;
