//! The figures of the channel.

use percussion_granular::{channel::Parameters, statistics::Cell};
use percussion_mechanism::Expected;
use percussion_record::{Figure, Map, Mark, Series};

use crate::{
    channel::Document,
    experiments::{
        drawing,
        granular::channel::{Course, line_at},
    },
    fixture::Fixture,
};

pub(super) fn all(
    fixture: &Fixture<Document>,
    course: &Course,
    sizes_and_fractions: &[[f64; 2]],
) -> Vec<Figure> {
    let cells = |value: &dyn Fn(&Cell) -> f64| {
        course.cells.iter().map(|cell| [cell.at[0], cell.at[1], value(&cell)]).collect()
    };
    let width = course.cells.cell();
    vec![
        map(
            &course.parameters,
            "figure-10",
            "Velocities in the channel",
            "Magnitude of the mean velocity in columns over the floor, with as many columns per diameter as in figure 10 of the paper, \
             over the whole window instead of at its end. The stream is fast where the obstacle narrows the channel, and \
             grains at the inflow still have their initial velocity.",
            Map {
                value: drawing::axis("velocity", "m/s"),
                cell: width,
                cells: cells(&|cell| cell.velocity.norm()),
            },
        ),
        map(
            &course.parameters,
            "figure-11",
            "Angular velocities in the channel",
            "Mean magnitude of the angular velocity in the same columns, as in figure 11 of the paper: grains turn where \
             they enter, along the walls and where the stream shears past the obstacle.",
            Map {
                value: drawing::axis("angular velocity", "rad/s"),
                cell: width,
                cells: cells(&|cell| cell.spin),
            },
        ),
        distribution(fixture.parameters.outflow, course),
        profile(course),
        fractions(fixture, course),
        contacts(fixture, course),
        quality(course),
        sizes(fixture, sizes_and_fractions),
    ]
}

/// Colors over the floor with the walls and the obstacle.
pub(super) fn map(
    parameters: &Parameters,
    id: &str,
    title: &str,
    caption: &str,
    map: Map,
) -> Figure {
    let Parameters { size, obstacle: [x, y], obstacle_radius: radius, .. } = *parameters;
    let corners = 36;
    let arc = (0..=corners).map(|k| {
        let (sine, cosine) =
            (std::f64::consts::PI * (0.5 + f64::from(k) / f64::from(corners))).sin_cos();
        [x + radius * cosine, y + radius * sine]
    });
    let obstacle = arc.chain([[x + radius, y - radius], [x + radius, y + radius], [x, y + radius]]);
    Figure {
        id: id.to_owned(),
        title: title.to_owned(),
        caption: caption.to_owned(),
        x: drawing::axis("x", "m"),
        y: drawing::axis("y", "m"),
        equal_aspect: true,
        map: Some(map),
        series: vec![
            Series { label: String::new(), mark: Mark::Region, points: obstacle.collect() },
            drawing::outline(vec![[0.0, 0.0], [size.x, 0.0]]),
            drawing::outline(vec![[0.0, size.y], [size.x, size.y]]),
        ],
    }
}

fn distribution(outflow: [f64; 2], course: &Course) -> Figure {
    let diameter = 2.0 * course.parameters.radius;
    let values = course.distribution.values();
    let end = values.last().map_or(1.0, |[r, _]| r / diameter);
    let points = values.into_iter().map(|[r, g]| [r / diameter, g]).collect();
    Figure {
        id: "figure-12".to_owned(),
        title: "Radial distribution near the outflow".to_owned(),
        caption: format!(
            "Number of grains at a distance from a grain, divided by the number without any order, for x from \
             {} to {} m. As in figure 12 of the paper there is a sharp peak at one diameter and little beyond; the paper does \
             not correct for pairs that the faces of the region cut off; this figure does.",
            outflow[0], outflow[1]
        ),
        x: drawing::axis("distance over the diameter", ""),
        y: drawing::axis("radial distribution g", ""),
        equal_aspect: false,
        map: None,
        series: vec![
            drawing::outline(vec![[0.0, 1.0], [end, 1.0]]),
            drawing::line("near the outflow", points),
        ],
    }
}

fn profile(course: &Course) -> Figure {
    let diameter = 2.0 * course.parameters.radius;
    let values = course.profile.values();
    Figure {
        id: "profile".to_owned(),
        title: "Floor and ceiling order the grains".to_owned(),
        caption: "Fraction of the volume that grains fill, over the height. Grains lie in layers at floor and ceiling and \
                  leave space there, which lowers the solid fraction of the whole, and more so for larger grains."
            .to_owned(),
        x: drawing::axis("height over the diameter", ""),
        y: drawing::axis("solid fraction", ""),
        equal_aspect: false,
        map: None,
        series: vec![drawing::line(
            "over the whole floor",
            values.into_iter().map(|[z, part]| [z / diameter, part]).collect(),
        )],
    }
}

fn fractions(fixture: &Fixture<Document>, course: &Course) -> Figure {
    history(
        course,
        "solid-fraction",
        "The channel becomes steady",
        "Fraction of the volume of the channel that grains fill. It begins with that of the inflow layers; after \
         about the time in which a grain passes the channel, it is steady.",
        "solid fraction",
        vec![
            goal(fixture, course, "solid fraction"),
            drawing::line("solid fraction", course.points(|sample| sample.solid_fraction)),
        ],
    )
}

fn contacts(fixture: &Fixture<Document>, course: &Course) -> Figure {
    history(
        course,
        "contacts",
        "Contacts per grain",
        "Twice the number of contacts that carry an impulse, divided by the number of grains: means over some hundred steps.",
        "contacts per grain",
        vec![
            goal(fixture, course, "contacts per grain"),
            drawing::line("contacts per grain", course.points(|sample| sample.contacts_per_grain)),
        ],
    )
}

fn quality(course: &Course) -> Figure {
    history(
        course,
        "quality",
        "Overlap and residual that the sweeps leave",
        "The largest overlap in diameters and the largest relative residual of some hundred steps each. The plane that\
         pushes jams grains against the obstacle repeatedly; sweeps that end early leave velocities of \
         approach and, with them, overlaps.",
        "overlap in diameters, relative residual",
        vec![
            drawing::line("largest overlap", course.points(|sample| sample.overlap)),
            drawing::line("largest relative residual", course.points(|s| s.worst_residual)),
            drawing::line("mean relative residual", course.points(|s| s.residual)),
        ],
    )
}

/// Quantities over time.
fn history(
    course: &Course,
    id: &str,
    title: &str,
    caption: &str,
    label: &str,
    series: Vec<Series>,
) -> Figure {
    let begin = course.window().first().map_or(0.0, |sample| sample.time);
    Figure {
        id: id.to_owned(),
        title: title.to_owned(),
        caption: format!("{caption} Averages are taken from {begin:.2} s on."),
        x: drawing::axis("time", "s"),
        y: drawing::axis(label, ""),
        equal_aspect: false,
        map: None,
        series,
    }
}

/// A line at the published value.
fn goal(fixture: &Fixture<Document>, course: &Course, quantity: &str) -> Series {
    let value = published(fixture, quantity);
    let end = course.samples.last().map_or(0.0, |sample| sample.time);
    let points = vec![[0.0, value], [end, value]];
    Series { label: "published".to_owned(), mark: Mark::Outline, points }
}

/// The solid fraction of runs with several sizes of grains, this one last.
fn sizes(fixture: &Fixture<Document>, runs: &[[f64; 2]]) -> Figure {
    let dots = |label: &str, points: &[[f64; 2]]| Series {
        label: label.to_owned(),
        mark: Mark::Dots,
        points: points.to_vec(),
    };
    let (others, this) = runs.split_at(runs.len() - 1);
    let largest = runs.iter().map(|run| run[0]).fold(1.0, f64::max);
    let line = [1.0, largest].map(|size| [size, line_at(runs, size)]);
    Figure {
        id: "sizes".to_owned(),
        title: "Smaller grains lose less solid fraction at walls".to_owned(),
        caption: "Solid fraction of runs with several sizes of grains, stored earlier, of this run, and as published.".to_owned(),
        x: drawing::axis("radius of the grains over the published one", ""),
        y: drawing::axis("solid fraction", ""),
        equal_aspect: false,
        map: None,
        series: vec![
            drawing::outline(line.to_vec()),
            dots("made once", others),
            dots("this run", this),
            dots("published", &[[1.0, published(fixture, "solid fraction")]]),
        ],
    }
}

fn published(fixture: &Fixture<Document>, quantity: &str) -> f64 {
    let of = |row: &&Expected| row.quantity == quantity;
    fixture.expected.iter().find(of).and_then(|row| row.published).unwrap_or(f64::NAN)
}
