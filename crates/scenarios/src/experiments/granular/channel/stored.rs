//! A run with grains of the published size, made once and stored: [`Stored`].

use percussion_granular::channel::Parameters;
use percussion_mechanism::document;
use percussion_record::{Axis, Figure, Map, Series};
use serde::Deserialize;

use super::{Course, figures};
use crate::{
    error::Error,
    experiments::{Measurements, drawing},
};

/// Averages of a run, as the example `channel_fixture` writes them; the head of the file describes its entries.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stored {
    /// The settings of the run.
    run: String,
    /// Commit, machine and computing time of the run.
    about: String,
    /// Of the grains (m).
    radius: f64,
    /// s.
    step_size: f64,
    /// Times of the averages (s).
    window: [f64; 2],
    mean: Line,
    history: Vec<Line>,
    /// Fraction of the kinetic energy that is rotational.
    turning: f64,
    /// Time (s), solid fraction, end of the wake (m), largest velocity of a cell (m/s).
    instants: Vec<[f64; 4]>,
    profile: Vec<[f64; 2]>,
    radial: Vec<[f64; 2]>,
    along: Vec<[f64; 3]>,
    velocity: Vec<Vec<f64>>,
    spin: Vec<Vec<f64>>,
}

/// Time (s), solid fraction, contacts per grain, deepest overlap in diameters, mean and largest relative residual, sweeps.
type Line = [f64; 7];

/// Place from which on the plane that pushes is not felt: overlaps there are taken back by displacements, which pass without
/// a velocity (m).
const BEGIN: f64 = 0.01;
/// Time between two lines of the history (ms).
const HISTORY: f64 = 2.5;

impl Stored {
    pub(super) fn read() -> Result<Self, Error> {
        let text = include_str!("../../../../fixtures/granular/channel/published-size.toml");
        Ok(document::parse(text, "granular/channel/published-size")?)
    }

    /// Adds its rows. One of them is judged by the inflow of the `published` channel; no code of today changes the others.
    pub(super) fn measure(&self, measurements: &mut Measurements<'_>, published: &Parameters) {
        let mut add =
            |what: &str, value| measurements.add(format!("published size, stored: {what}"), value);
        let [_, fraction, contacts, overlap, residual, _, sweeps] = self.mean;
        add("volume that passes before the obstacle, over the inflow", self.passing(published));
        add("start of the averages", self.window[0]);
        add("end of the averages", self.window[1]);
        add("solid fraction", fraction);
        let [_, fraction_at_end, contacts_at_end, ..] =
            self.history.last().copied().unwrap_or([f64::NAN; 7]);
        add("solid fraction at the end", fraction_at_end);
        add("contacts per grain", contacts);
        add("contacts per grain at the end", contacts_at_end);
        add("deepest overlap, in diameters", overlap);
        add("mean relative residual", residual);
        add("sweeps in a step", sweeps);
        let [first, last] = [self.instants.first(), self.instants.last()]
            .map(|instant| instant.copied().unwrap_or([f64::NAN; 4]));
        add("end of the wake at the start of the averages", first[2]);
        add("end of the wake at their end", last[2]);
        add("largest velocity of a cell at the end", last[3]);
        add("part of the kinetic energy in rotations", self.turning);
    }

    /// Volume of grains that passes the sections between inflow and obstacle in a second, over that of the layers that enter.
    fn passing(&self, published: &Parameters) -> f64 {
        let Parameters { size, obstacle, obstacle_radius, speed, spacing, radius, .. } = *published;
        let before = |x: f64| x > BEGIN && x < obstacle[0] - obstacle_radius;
        let sections = self.along.iter().filter(|[x, ..]| before(*x));
        let flows: Vec<f64> = sections.map(|[_, part, velocity]| part * velocity).collect();
        let layer = [size.y, size.z].map(|width| (width / spacing).floor());
        let inflow = layer[0] * layer[1] * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3)
            / (2.0 * radius / speed);
        flows.iter().sum::<f64>() / flows.len() as f64 * size.y * size.z / inflow
    }

    /// Its maps, and its curves beside those of the run of the experiment, whose grains are `factor` times as large.
    pub(super) fn figures(
        &self,
        published: &Parameters,
        course: &Course,
        factor: f64,
    ) -> Vec<Figure> {
        let Self { run, about, radius, step_size, window: [begin, end], instants, .. } = self;
        let what = format!(
            "A run with grains of the published size, made once and stored: {run}; grains of {radius:e} m, steps of \
             {step_size:e} s; {about}."
        );
        let averages =
            format!("{what} Averages over {} instants from {begin} to {end} s.", instants.len());
        let map = |id: &str, title: &str, value, rows: &[Vec<f64>]| {
            let map = cells(published, value, rows);
            figures::map(published, id, title, &averages, map)
        };
        let stored = |points| drawing::line("published size", points);
        let own = |points| drawing::line(&format!("{factor} times the size"), points);
        let diameter = 2.0 * course.parameters.radius;
        let scaled = |values: Vec<[f64; 2]>| {
            own(values.into_iter().map(|[x, value]| [x / diameter, value]).collect())
        };
        let fractions = self.history.iter().map(|line| [line[0], line[1]]).collect();
        let [along, speeds] =
            [1, 2].map(|k| self.along.iter().map(|section| [section[0], section[k]]).collect());
        vec![
            map(
                "published-size-figure-10",
                "Velocities with grains of the published size",
                drawing::axis("velocity", "m/s"),
                &self.velocity,
            ),
            map(
                "published-size-figure-11",
                "Angular velocities with grains of the published size",
                drawing::axis("angular velocity", "rad/s"),
                &self.spin,
            ),
            beside(
                (
                    "published-size-figure-12",
                    "Radial distribution with grains of the published size",
                ),
                format!(
                    "{averages} Near the outflow, as in figure 12 of the paper, beside this run."
                ),
                [("distance over the diameter", ""), ("radial distribution g", "")],
                vec![stored(self.radial.clone()), scaled(course.distribution.values())],
            ),
            beside(
                (
                    "published-size-profile",
                    "Layers at floor and ceiling with grains of the published size",
                ),
                format!("{averages} Over the height, beside this run."),
                [("height over the diameter", ""), ("solid fraction", "")],
                vec![stored(self.profile.clone()), scaled(course.profile.values())],
            ),
            beside(
                ("published-size-along", "Solid fraction and velocity along the channel"),
                format!(
                    "{averages} Solid fraction of the room that the obstacle leaves in a section, and mean velocity of \
                     its grains along the channel."
                ),
                [("x", "m"), ("solid fraction, velocity in m/s", "")],
                vec![drawing::line("solid fraction", along), drawing::line("velocity", speeds)],
            ),
            beside(
                (
                    "published-size-solid-fraction",
                    "Solid fraction over time with grains of the published size",
                ),
                format!("{what} Means over {HISTORY} ms, beside this run."),
                [("time", "s"), ("solid fraction", "")],
                vec![stored(fractions), own(course.points(|sample| sample.solid_fraction))],
            ),
        ]
    }
}

/// A map of rows of cells; cells without a grain are left out.
fn cells(published: &Parameters, value: Axis, rows: &[Vec<f64>]) -> Map {
    let columns = rows.first().map_or(0, Vec::len);
    let cell = [published.size.x / columns as f64, published.size.y / rows.len() as f64];
    let cells = rows.iter().enumerate().flat_map(|(j, row)| {
        let at = move |i: usize| [i, j].map(|k| k as f64 + 0.5);
        row.iter().enumerate().map(move |(i, value)| {
            let [x, y] = at(i);
            [x * cell[0], y * cell[1], *value]
        })
    });
    Map { value, cell, cells: cells.filter(|cell| cell[2].is_finite()).collect() }
}

fn beside(
    (id, title): (&str, &str),
    caption: String,
    [x, y]: [(&str, &str); 2],
    series: Vec<Series>,
) -> Figure {
    let [x, y] = [x, y].map(|(label, unit)| drawing::axis(label, unit));
    let (id, title) = (id.to_owned(), title.to_owned());
    Figure { id, title, caption, x, y, equal_aspect: false, map: None, series }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::Document;

    /// The stored averages are consistent with one another and with the channel of the fixture.
    #[test]
    fn the_stored_run_is_one_of_the_published_channel() {
        let (stored, document) = (Stored::read().unwrap(), Document::read().unwrap().parameters);
        let published = document.parameters(0);
        assert!((stored.radius - published.radius).abs() < 1e-9);
        assert!((stored.step_size - published.settings.step_size).abs() < 1e-9);
        let counts = [stored.velocity[0].len() as f64, stored.velocity.len() as f64];
        let mut cells = counts.iter().zip(document.cells);
        assert!(cells.all(|(found, expected)| (found - expected).abs() < 0.5), "{counts:?}");
        assert!(stored.spin.len() == stored.velocity.len());
        // The row that is judged notices another inflow.
        let passing = stored.passing(&published);
        assert!((passing - 1.0).abs() < 0.01, "{passing}");
        let faster = stored.passing(&Parameters { speed: 1.02 * published.speed, ..published });
        assert!((faster - 1.0).abs() > 0.01, "{faster}");
        // The sections hold the grains that the table of the run counts.
        let Parameters { size, obstacle, obstacle_radius, .. } = published;
        let long = size.x / stored.along.len() as f64;
        let free = |x: f64| {
            let off = x - obstacle[0];
            let chord = (obstacle_radius.powi(2) - off.powi(2)).max(0.0).sqrt();
            let half = if off < 0.0 { chord } else { obstacle_radius };
            size.y - if off < obstacle_radius { 2.0 * half } else { 0.0 }
        };
        let filled: f64 = stored.along.iter().map(|[x, part, _]| part * free(*x) * long).sum();
        let instants = stored.instants.iter().map(|instant| instant[1]).sum::<f64>()
            / stored.instants.len() as f64;
        // Sections are rounded to 4 digits, and the area of the half disk is that of its sections.
        let fraction = filled / published.area();
        assert!((fraction / instants - 1.0).abs() < 2e-3, "{fraction} {instants}");
        assert!((stored.mean[1] / instants - 1.0).abs() < 0.01, "{} {instants}", stored.mean[1]);
    }
}
