//! The academic contact with three impulses that satisfy Coulomb's law, and a contact on a hyperbola.
//!
//! Printed figures are judged to half a unit of their last digit. All other figures come from an independent
//! computation.

use nalgebra::{Matrix3, Vector3};
use percussion_complementarity::friction::{
    Law, Problem,
    single::{Contact, coulomb, maximum_dissipation},
};
use percussion_record::{ExperimentOutcome, Figure, Mark, Series};
use serde::Deserialize;

use super::tangents::{Tangents, Window, steps};
use crate::{
    error::Error,
    experiments::{Experiment, Measurements, Options, Progress, drawing},
    fault::Faults,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    arm: f64,
    masses: [f64; 3],
    friction: f64,
    normal: [f64; 3],
    load: [f64; 3],
    example: Example,
    table: [Printed; 4],
    /// Number of angles at which figure 3 looks for minima.
    scan: i32,
    figure_2: View,
    figure_3: View,
    figure_7: View,
}

/// Contents of a figure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct View {
    low: [f64; 2],
    high: [f64; 2],
    /// Energies of the thin curves (J).
    energies: Vec<f64>,
}

impl View {
    const fn window(&self) -> Window {
        Window { low: self.low, high: self.high }
    }
}

/// A contact given by its block.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Example {
    block: [[f64; 3]; 3],
    friction: f64,
    load: [f64; 3],
}

/// A line of Table 1, with the digits printed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Printed {
    percussion: [String; 3],
    velocity: [String; 3],
    energy: String,
}

pub(in crate::experiments) fn run(
    experiment: &Experiment,
    _options: &Options,
    _progress: &mut Progress<'_>,
) -> Result<ExperimentOutcome, Error> {
    let fixture = experiment.fixture::<Parameters>()?;
    let parameters = &fixture.parameters;
    let mut measurements = experiment.measurements(&fixture);
    let printed = Study::new(parameters, false, experiment.faults())?;
    let orthonormal = Study::new(parameters, true, experiment.faults())?;
    printed.measure("as printed", &mut measurements)?;
    orthonormal.measure("orthonormal", &mut measurements)?;
    measurements.add(
        "as printed: figures of Table 1 beyond the digits printed",
        printed.misprints(&parameters.table),
    );
    let example = parameters.example.tangents()?;
    measure_example(&example, parameters.scan, experiment.faults(), &mut measurements);
    let Parameters { figure_2, figure_3, figure_7, .. } = parameters;
    let captions = [
        "Tangents as printed, t = n × eₓ and o = n × t. Figure 7 of the paper.",
        "The same contact with tangents of unit length.",
    ];
    let figures = vec![
        hyperbola(&example, figure_2),
        objective(&example, figure_3),
        printed.figure(figure_7, "figure-7", captions[0]),
        orthonormal.figure(figure_7, "figure-7-orthonormal", captions[1]),
    ];
    experiment.outcome(&fixture, measurements, figures)
}

/// The academic contact in one of the two frames.
struct Study {
    tangents: Tangents,
    /// Coulomb's solutions by ascending normal impulse.
    coulomb: Vec<Vector3<f64>>,
    dissipative: Vector3<f64>,
}

impl Study {
    fn new(parameters: &Parameters, normalized: bool, faults: Faults) -> Result<Self, Error> {
        let normal = Vector3::from(parameters.normal).normalize();
        let plain = normal.cross(&Vector3::x());
        let tangent = if normalized { plain.normalize() } else { plain };
        let frame = Matrix3::from_columns(&[normal, tangent, normal.cross(&tangent)]);
        // The points on the y and z axes are 1 m from the center.
        let [x, y, z] = parameters.masses;
        let square = parameters.arm * parameters.arm;
        let inverse_inertia = Vector3::new(y + z, x * square + z, x * square + y) * 2.0;
        let inverse_inertia = Matrix3::from_diagonal(&inverse_inertia.map(f64::recip));
        let cross = Vector3::x().cross_matrix() * parameters.arm;
        let response = Matrix3::identity() / (2.0 * (x + y + z)) - cross * inverse_inertia * cross;
        let block = frame.transpose() * response * frame;
        let contact = Contact::new(&block, parameters.friction)?;
        let load = frame.transpose() * Vector3::from(parameters.load);
        let mut coulomb: Vec<_> =
            coulomb::all(&contact, &load).as_slice().iter().map(|one| one.impulse).collect();
        coulomb.sort_by(|a, b| a.x.total_cmp(&b.x));
        let mut dissipative = maximum_dissipation::solve(&contact, &load);
        let found = coulomb.iter_mut().chain([&mut dissipative]);
        found.for_each(|impulse| faults.contact_impulse(impulse));
        Ok(Self { tangents: Tangents { contact, load }, coulomb, dissipative })
    }

    /// All impulses, in the order of Table 1.
    fn percussions(&self) -> impl Iterator<Item = &Vector3<f64>> {
        self.coulomb.iter().chain([&self.dissipative])
    }

    fn energy(&self, percussion: &Vector3<f64>) -> f64 {
        self.tangents.contact.energy(&self.tangents.load, percussion)
    }

    fn measure(&self, frame: &str, measurements: &mut Measurements<'_>) -> Result<(), Error> {
        let names = ["Coulomb 1", "Coulomb 2", "Coulomb 3", "maximum dissipation"];
        for (name, percussion) in names.iter().zip(self.percussions()) {
            let components = ["normal percussion", "percussion along t", "percussion along o"];
            for (component, value) in components.iter().zip(percussion.iter()) {
                measurements.add(format!("{frame}: {name}, {component}"), *value);
            }
            measurements.add(format!("{frame}: {name}, energy"), self.energy(percussion));
        }
        let (coulomb, last) = (&self.coulomb, &self.dissipative);
        measurements.add(format!("{frame}: solutions of Coulomb's law"), coulomb.len() as f64);
        let least = coulomb.iter().map(|one| self.energy(one)).fold(f64::INFINITY, f64::min);
        measurements.add(
            format!(
                "{frame}: energy that maximum dissipation takes beyond every Coulomb percussion"
            ),
            least - self.energy(last),
        );
        let problem = self.problem()?;
        let residual = |law, one: &Vector3<f64>| problem.by_law(law).natural_map_residual(&[*one]);
        let violations = coulomb.iter().map(|one| residual(Law::Coulomb, one));
        let worst = violations.fold(residual(Law::MaximumDissipation, last), f64::max);
        measurements.add(format!("{frame}: largest natural-map residual of the solutions"), worst);
        Ok(())
    }

    fn problem(&self) -> Result<Problem, Error> {
        let Tangents { contact, load } = &self.tangents;
        let block = nalgebra::DMatrix::from_fn(3, 3, |row, column| contact.block()[(row, column)]);
        Ok(Problem::from_dense(&block, (-load).as_slice(), &[contact.friction()])?)
    }

    /// Number of printed figures that differ from ours after rounding.
    fn misprints(&self, table: &[Printed; 4]) -> f64 {
        let agree = |text: &String, value: f64| {
            let digits = text.split_once('.').map_or(0, |(_, digits)| digits.len());
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_possible_wrap,
                reason = "a few digits"
            )]
            let half = 0.5 * 10_f64.powi(-(digits as i32));
            text.parse().is_ok_and(|printed: f64| (printed - value).abs() <= half)
        };
        let mut misprints = 0;
        for (printed, percussion) in table.iter().zip(self.percussions()) {
            let velocity = self.tangents.contact.velocity(&self.tangents.load, percussion);
            let texts = printed.percussion.iter().chain(&printed.velocity).chain([&printed.energy]);
            let energy = self.energy(percussion);
            let values = percussion.iter().chain(velocity.iter()).chain([&energy]);
            misprints += texts.zip(values).filter(|(text, value)| !agree(text, **value)).count();
        }
        misprints as f64
    }

    /// The window of the figure in the paper, enlarged where an impulse lies outside of it.
    fn window(&self, published: &View) -> Window {
        let mut window = published.window();
        let room = [0, 1].map(|k| 0.05 * (window.high[k] - window.low[k]));
        for percussion in self.percussions() {
            for (k, value) in [percussion.y, percussion.z].into_iter().enumerate() {
                window.low[k] = window.low[k].min(value - room[k]);
                window.high[k] = window.high[k].max(value + room[k]);
            }
        }
        window
    }

    fn figure(&self, view: &View, id: &str, caption: &str) -> Figure {
        let mut figure = plane(&self.tangents, &self.window(view), &view.energies);
        let points = |some: &[Vector3<f64>]| some.iter().map(|x| [x.y, x.z]).collect::<Vec<_>>();
        figure.series.push(dots("Coulomb's law", points(&self.coulomb)));
        figure.series.push(dots("maximum dissipation", points(&[self.dissipative])));
        figure.id = id.to_owned();
        figure.title = "The academic contact: three percussions and one".to_owned();
        figure.caption = format!(
            "Tangential impulses of the closed contact: energies (thin), and the conic within which friction \
             holds. {caption}"
        );
        figure
    }
}

impl Example {
    fn tangents(&self) -> Result<Tangents, Error> {
        let block = Matrix3::from_fn(|row, column| self.block[row][column]);
        let contact = Contact::new(&block, self.friction)?;
        Ok(Tangents { contact, load: self.load.into() })
    }
}

fn measure_example(
    example: &Tangents,
    scan: i32,
    faults: Faults,
    measurements: &mut Measurements<'_>,
) {
    let angles: Vec<f64> = steps(scan).collect();
    let energy = |angle: f64| {
        if example.width(angle) > 0.0 { example.energy(angle) } else { f64::INFINITY }
    };
    let energies: Vec<f64> = angles.iter().map(|&angle| energy(angle)).collect();
    let minima: Vec<f64> = (1..energies.len() - 1)
        .filter(|&i| energies[i] < energies[i - 1] && energies[i] <= energies[i + 1])
        .map(|i| energies[i])
        .collect();
    let mut found = maximum_dissipation::solve(&example.contact, &example.load);
    faults.contact_impulse(&mut found);
    let found = example.contact.energy(&example.load, &found);
    let least = minima.iter().copied().fold(f64::INFINITY, f64::min);
    let dissipate = minima.iter().filter(|&&energy| energy < 0.0).count();
    measurements.add("figure 3: local minima on the conic", minima.len() as f64);
    measurements.add("figure 3: local minima that dissipate", dissipate as f64);
    let quantity =
        format!("figure 3: energy of the percussion found above the least on {scan} angles");
    measurements.add(quantity, found - least);
}

fn hyperbola(example: &Tangents, view: &View) -> Figure {
    let window = view.window();
    let mut figure = plane(example, &window, &view.energies);
    figure.series.push(drawing::line("energy before the impact", example.contour(0.0, &window)));
    let solution = maximum_dissipation::solve(&example.contact, &example.load);
    let (free, _) = example.free_minimum();
    figure.series.push(dots("least energy without a bound of friction", vec![free]));
    figure.series.push(dots("maximum dissipation", vec![[solution.y, solution.z]]));
    figure.id = "figure-2".to_owned();
    figure.title = "A contact whose conic is a hyperbola".to_owned();
    figure.caption = "Tangential impulses of the closed contact: energies (thin), and the branch of \
                      the conic to the right of which friction holds, with its mirror image. As figure 2 of the \
                      paper, whose numbers are not printed."
        .to_owned();
    figure
}

fn objective(example: &Tangents, view: &View) -> Figure {
    let window = view.window();
    let curve = window.clip(steps(3600).map(|angle| {
        let pushes = example.width(angle) > 0.0;
        [angle, if pushes { example.energy(angle) } else { f64::NAN }]
    }));
    let solution = maximum_dissipation::solve(&example.contact, &example.load);
    let energy = example.contact.energy(&example.load, &solution);
    let poles = example.poles();
    let pole = |&at: &f64| drawing::outline(vec![[at, window.low[1]], [at, window.high[1]]]);
    let forbidden = match poles[..] {
        [from, to] => {
            let [bottom, top] = [window.low[1], window.high[1]];
            let (from, to) = (from.min(to), from.max(to));
            // The intervals, between the poles or outside of them, where the contact pulls on the conic.
            let spans = if example.width(0.5 * (from + to)) < 0.0 {
                vec![[from, to]]
            } else {
                vec![[-std::f64::consts::PI, from], [to, std::f64::consts::PI]]
            };
            let area = |[a, b]: [f64; 2]| {
                [[a, bottom], [b, bottom], [b, top], [a, top], [a, bottom], [f64::NAN; 2]]
            };
            spans.into_iter().flat_map(area).collect()
        }
        _ => Vec::new(),
    };
    let area =
        Series { label: "impulses that pull".to_owned(), mark: Mark::Backdrop, points: forbidden };
    let mut series = vec![area];
    series.extend(poles.iter().map(pole));
    series.push(drawing::line("energy on the conic", curve));
    series.push(dots("maximum dissipation", vec![[solution.z.atan2(solution.y), energy]]));
    Figure {
        id: "figure-3".to_owned(),
        title: "The energy along the hyperbola".to_owned(),
        caption: "Energy over the angle of the tangential impulse: infinite at two poles, two minima where the \
                  contact pushes, one of which dissipates. As figure 3 of the paper."
            .to_owned(),
        x: drawing::axis("angle α", "rad"),
        y: drawing::axis("energy", "J"),
        equal_aspect: false,
        map: None,
        series,
    }
}

/// Energies and the conic in the plane of tangential impulses; the caller sets the names.
fn plane(tangents: &Tangents, window: &Window, energies: &[f64]) -> Figure {
    let mut series: Vec<_> =
        energies.iter().map(|&energy| drawing::outline(tangents.contour(energy, window))).collect();
    series.push(drawing::outline(tangents.conic(window, true)));
    series.push(drawing::line("limit of friction", tangents.conic(window, false)));
    Figure {
        id: String::new(),
        title: String::new(),
        caption: String::new(),
        x: drawing::axis("impulse along t", "N·s"),
        y: drawing::axis("impulse along o", "N·s"),
        equal_aspect: false,
        map: None,
        series,
    }
}

fn dots(label: &str, points: Vec<[f64; 2]>) -> Series {
    Series { label: label.to_owned(), mark: Mark::Dots, points }
}
