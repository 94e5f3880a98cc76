//! What is measured of a [`Run`]: [`Measures`].

use std::ops::Range;

mod profile;
mod resumed;

use nalgebra::{Matrix3, Vector3};
use percussion_granular::{
    Domain, Error as StepError,
    statistics::{
        BoxAverages, BoxCell, ContactAverages, Flow, RadialDistribution, surface_angle_of_all,
    },
};
use percussion_record::{Axis, Figure, Map, Mark, Series};

use super::{Run, Statistics};
use crate::Error;

/// Samples of contacts between two lines of the table.
const SAMPLES: u64 = 10;

/// Classes of normal forces, each a tenth of the mean wide.
const CLASSES: usize = 60;

/// Names of the six entries of a symmetric tensor, and their places.
const TENSOR: [(&str, usize, usize); 6] =
    [("xx", 0, 0), ("yy", 1, 1), ("zz", 2, 2), ("xy", 0, 1), ("xz", 0, 2), ("yz", 1, 2)];

/// A table over time, averages in cells, the radial distribution and the distribution of forces.
///
/// A line of the table has the time (s) and, as means of ten samples since the line before: the coordination number (mean
/// number of contacts of a grain that carry an impulse), the normal force (N), the fabric tensor of contacts between
/// grains, the stress in the box around all grains (Pa, pressure positive), the force of every wall on grains (N); for
/// every plane the mass flow since the line before (kg/s) and the mass that has passed (kg); and the angle of the surface
/// (rad).
#[derive(Clone, Debug)]
pub struct Measures {
    /// Steps between samples, and between lines.
    strides: [u64; 2],
    /// Time from which on averages are taken (s).
    from: f64,
    walls: Vec<(String, Range<usize>)>,
    flows: Vec<(String, Flow)>,
    /// Mass that had passed each plane before (kg).
    passed_before: Vec<f64>,
    surface: Option<Option<[f64; 2]>>,
    sums: Sums,
    cells: Option<BoxAverages>,
    counts: [usize; 3],
    radial: Option<RadialDistribution>,
    /// Contacts by their normal force over the mean of the sample; the last class has all larger ones.
    classes: Vec<f64>,
    rows: Vec<Vec<f64>>,
}

/// Sums since the last line.
#[derive(Clone, Debug, Default)]
struct Sums {
    samples: f64,
    coordination: f64,
    force: f64,
    fabric: Matrix3<f64>,
    stress: Matrix3<f64>,
    walls: Vec<Vector3<f64>>,
    start: f64,
    passed: Vec<f64>,
}

impl Measures {
    /// Nothing is measured yet of what `run` will do.
    ///
    /// # Errors
    ///
    /// [`Error::Grains`] for cells that are too small to be told apart.
    pub fn new<D: Domain>(run: &Run<D>) -> Result<Self, Error> {
        let walls = run.walls().to_vec();
        let (scene, domain) = run.parts();
        let world = domain.world();
        let Statistics { every, from, cells, radial, planes, surface } = &scene.statistics;
        let every = every.unwrap_or(0.01 * scene.duration);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "casts saturate"
        )]
        let sample = (every / world.settings().step_size / SAMPLES as f64).round().max(1.0) as u64;
        let flow = |plane: &super::FlowPlane| {
            let normal = Vector3::from(plane.normal);
            (plane.name.clone(), Flow::new(plane.point.into(), normal, domain))
        };
        let grid = |cells: &super::Cells| {
            BoxAverages::new([cells.low.into(), cells.high.into()], cells.counts)
        };
        let distribution = |radial: &super::Radial| {
            let corners = [radial.low.into(), radial.high.into()];
            RadialDistribution::new(corners, radial.reach, radial.bins)
        };
        let mut measures = Self {
            strides: [sample, sample.saturating_mul(SAMPLES)],
            from: from.unwrap_or(0.5 * scene.duration),
            walls,
            flows: planes.iter().map(flow).collect(),
            passed_before: vec![0.0; planes.len()],
            surface: surface.map(|surface| surface.center),
            sums: Sums::default(),
            cells: cells.as_ref().map(grid).transpose()?,
            counts: cells.map_or([0; 3], |cells| cells.counts),
            radial: radial.as_ref().map(distribution).transpose()?,
            classes: vec![0.0; CLASSES],
            rows: Vec::new(),
        };
        measures.begin_line(world.time());
        Ok(measures)
    }

    fn begin_line(&mut self, time: f64) {
        let passed = self.flows.iter().map(|(_, flow)| flow.passed()).collect();
        let walls = vec![Vector3::zeros(); self.walls.len()];
        self.sums = Sums { start: time, passed, walls, ..Sums::default() };
    }

    /// Looks at the domain after a step, before grains are taken out, and returns a line of the table when it is due. The
    /// line is that of all ranks.
    ///
    /// # Errors
    ///
    /// [`StepError::Unreachable`].
    pub fn look(&mut self, domain: &mut impl Domain) -> Result<Option<&[f64]>, StepError> {
        self.flows.iter_mut().for_each(|(_, flow)| flow.look(domain));
        let (steps, time) = (domain.world().steps(), domain.world().time());
        if !steps.is_multiple_of(self.strides[0]) {
            return Ok(None);
        }
        self.sample(domain)?;
        if !steps.is_multiple_of(self.strides[1]) {
            return Ok(None);
        }
        if let Some(radial) = self.radial.as_mut().filter(|_| time >= self.from) {
            radial.add_all(domain)?;
        }
        let row = self.row(domain)?;
        self.begin_line(time);
        self.rows.push(row);
        Ok(self.rows.last().map(Vec::as_slice))
    }

    /// Takes over where grains are after they were moved to other ranks.
    pub fn see(&mut self, domain: &impl Domain) {
        self.flows.iter_mut().for_each(|(_, flow)| flow.see(domain));
    }

    /// Adds the averages in cells, the radial distribution and the distribution of forces of the other ranks, once at the end.
    ///
    /// # Errors
    ///
    /// [`StepError::Unreachable`].
    pub fn unite(&mut self, domain: &mut impl Domain) -> Result<(), StepError> {
        domain.sum(&mut self.classes)?;
        self.radial.as_mut().map_or(Ok(()), |radial| radial.unite(domain))?;
        self.cells.as_mut().map_or(Ok(()), |cells| cells.unite(domain))
    }

    fn sample(&mut self, domain: &mut impl Domain) -> Result<(), StepError> {
        let averages = ContactAverages::of_all(domain)?;
        let forces = &averages.normal_forces;
        let mut sums = [forces.iter().sum::<f64>(), forces.len() as f64];
        domain.sum(&mut sums)?;
        let mean = if sums[1] > 0.0 { sums[0] / sums[1] } else { 0.0 };
        let volume = volume(domain)?;
        let sums = &mut self.sums;
        sums.samples += 1.0;
        sums.coordination += averages.coordination;
        sums.force += mean;
        sums.fabric += averages.fabric;
        sums.stress += averages.virial / volume;
        for (sum, (_, indices)) in sums.walls.iter_mut().zip(&self.walls) {
            *sum += averages.wall_forces[indices.clone()].iter().sum::<Vector3<f64>>();
        }
        if domain.world().time() >= self.from {
            for force in forces {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "saturates"
                )]
                let class = (10.0 * force / mean) as usize;
                self.classes[class.min(CLASSES - 1)] += 1.0;
            }
            if let Some(cells) = &mut self.cells {
                cells.add_own(domain);
            }
        }
        Ok(())
    }

    fn row(&self, domain: &mut impl Domain) -> Result<Vec<f64>, StepError> {
        let Sums { samples, coordination, force, fabric, stress, walls, start, passed } =
            &self.sums;
        let time = domain.world().time();
        let mut row = vec![time, coordination / samples, force / samples];
        for tensor in [fabric, stress] {
            row.extend(TENSOR.map(|(_, i, j)| 0.5 * (tensor[(i, j)] + tensor[(j, i)]) / samples));
        }
        row.extend(walls.iter().flat_map(|sum| [sum.x, sum.y, sum.z].map(|part| part / samples)));
        let flows = self.flows.iter().zip(passed);
        let mut masses: Vec<f64> =
            flows.flat_map(|((_, flow), start)| [flow.passed() - start, flow.passed()]).collect();
        domain.sum(&mut masses)?;
        for (masses, before) in masses.chunks_exact(2).zip(&self.passed_before) {
            row.extend([masses[0] / (time - start), before + masses[1]]);
        }
        if let Some(center) = self.surface {
            row.push(surface_angle_of_all(domain, center)?.unwrap_or(f64::NAN));
        }
        Ok(row)
    }

    /// The names and units of the columns of the table, the time first.
    #[must_use]
    pub fn columns(&self) -> Vec<(String, &'static str)> {
        let mut columns = vec![("time".to_owned(), "s"), ("coordination".to_owned(), "")];
        columns.push(("normal force".to_owned(), "N"));
        columns.extend(TENSOR.map(|(name, ..)| (format!("fabric {name}"), "")));
        columns.extend(TENSOR.map(|(name, ..)| (format!("stress {name}"), "Pa")));
        for (wall, _) in &self.walls {
            columns.extend(["x", "y", "z"].map(|axis| (format!("{wall}: force {axis}"), "N")));
        }
        for (plane, _) in &self.flows {
            columns.push((format!("{plane}: mass flow"), "kg/s"));
            columns.push((format!("{plane}: mass passed"), "kg"));
        }
        if self.surface.is_some() {
            columns.push(("surface angle".to_owned(), "rad"));
        }
        columns
    }

    /// Adds lines of the table that were written before. The mass that has passed goes on from the last of them.
    pub fn prepend(&mut self, rows: Vec<Vec<f64>>) {
        if let Some(last) = rows.last() {
            let first = 3 + 2 * TENSOR.len() + 3 * self.walls.len();
            for (flow, before) in self.passed_before.iter_mut().enumerate() {
                *before = last.get(first + 2 * flow + 1).copied().unwrap_or_default();
            }
        }
        let later = std::mem::replace(&mut self.rows, rows);
        self.rows.extend(later);
    }

    /// The lines of the table.
    #[must_use]
    pub fn rows(&self) -> &[Vec<f64>] {
        &self.rows
    }

    /// The cells with their averages from `statistics.from` on, if there are any.
    pub fn cells(&self) -> impl Iterator<Item = BoxCell> {
        self.cells.iter().filter(|cells| cells.times() > 0.0).flat_map(BoxAverages::iter)
    }

    /// Pairs `[r, g(r)]` of the radial distribution in `statistics.radial` from `statistics.from` on, where there was a
    /// pair.
    #[must_use]
    pub fn radial(&self) -> Vec<[f64; 2]> {
        let values = self.radial.as_ref().map(RadialDistribution::values).unwrap_or_default();
        if values.iter().all(|[_, value]| *value == 0.0) { Vec::new() } else { values }
    }

    /// Mean over the lines after `statistics.from` of every column but the time, where there are any.
    #[must_use]
    pub fn means(&self) -> Vec<f64> {
        let late: Vec<_> = self.rows.iter().filter(|row| row[0] > self.from).collect();
        let columns = 1..self.rows.first().map_or(1, Vec::len);
        let mean = |k: usize| late.iter().map(|row| row[k]).sum::<f64>() / late.len() as f64;
        if late.is_empty() { Vec::new() } else { columns.map(mean).collect() }
    }

    /// Figures of all that was measured.
    #[must_use]
    pub fn figures(&self) -> Vec<Figure> {
        let columns = self.columns();
        let over_time = |id: &str, title: &str, unit: &str, chosen: &dyn Fn(&str) -> bool| {
            let chosen = columns.iter().enumerate().filter(|(_, (name, _))| chosen(name));
            let series: Vec<Series> = chosen
                .map(|(column, (name, _))| Series {
                    label: name.clone(),
                    mark: Mark::Line,
                    points: self.rows.iter().map(|row| [row[0], row[column]]).collect(),
                })
                .collect();
            (!series.is_empty() && self.rows.len() > 1)
                .then(|| plot(id, title, [("time", "s"), (title, unit)], series))
        };
        let mut figures = Vec::new();
        figures.extend(over_time("coordination", "coordination number", "", &|name| {
            name == "coordination"
        }));
        figures
            .extend(over_time("fabric", "fabric tensor", "", &|name| name.starts_with("fabric")));
        figures.extend(over_time("stress", "stress", "Pa", &|name| name.starts_with("stress")));
        figures.extend(over_time("wall-forces", "force on grains", "N", &|name| {
            name.contains(": force")
        }));
        figures.extend(over_time("mass-flow", "mass flow", "kg/s", &|name| {
            name.ends_with(": mass flow")
        }));
        figures.extend(over_time("surface-angle", "surface angle", "rad", &|name| {
            name == "surface angle"
        }));
        let total: f64 = self.classes.iter().sum();
        if total > 0.0 {
            // The last class is open and has no density.
            let point =
                |(class, count): (usize, &f64)| [0.1 * (class as f64 + 0.5), count / total / 0.1];
            let points = self.classes[..CLASSES - 1].iter().enumerate().map(point).collect();
            let series = vec![Series { label: String::new(), mark: Mark::Line, points }];
            let axes = [("normal force over its mean", ""), ("probability density", "")];
            figures.push(plot("force-distribution", "Normal forces", axes, series));
        }
        figures.extend(self.map());
        figures.extend(profile::figures(self));
        figures
    }

    /// Solid fraction over `x` and `z`, mean along `y`.
    fn map(&self) -> Option<Figure> {
        let cells: Vec<BoxCell> = self.cells().collect();
        let [long, wide, high] = self.counts;
        let (first, last) = (cells.first()?, cells.last()?);
        let edge = |k: usize, count: usize| (last.at[k] - first.at[k]) / (count.max(2) - 1) as f64;
        let value = |i: usize, k: usize| {
            let column = (0..wide).map(|j| cells[i + long * (j + wide * k)].solid_fraction);
            column.sum::<f64>() / wide as f64
        };
        let at = |i: usize, k: usize| {
            let cell = cells[i + long * wide * k];
            [cell.at.x, cell.at.z, value(i, k)]
        };
        let all = (0..high).flat_map(|k| (0..long).map(move |i| (i, k)));
        let map = Map {
            value: Axis::new("solid fraction", ""),
            cell: [edge(0, long), edge(2, high)].map(|edge| if edge > 0.0 { edge } else { 1.0 }),
            cells: all.map(|(i, k)| at(i, k)).collect(),
        };
        let axes = [("x", "m"), ("z", "m")];
        let figure = plot("solid-fraction", "Solid fraction, mean along y", axes, Vec::new());
        Some(Figure { equal_aspect: true, map: Some(map), ..figure })
    }
}

fn plot(id: &str, title: &str, axes: [(&str, &str); 2], series: Vec<Series>) -> Figure {
    let [x, y] = axes.map(|(label, unit)| Axis::new(label, unit));
    Figure {
        id: id.to_owned(),
        title: title.to_owned(),
        caption: String::new(),
        x,
        y,
        equal_aspect: false,
        map: None,
        series,
    }
}

/// Volume of the box around the grains of all ranks (m³), along the axes that repeat of the whole box; infinite without any.
fn volume(domain: &mut impl Domain) -> Result<f64, StepError> {
    let grains = domain.world().grains();
    // Of copies some other rank is the owner.
    let (mut low, mut high) = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
    for (place, radius) in grains.positions().iter().zip(grains.radii()) {
        low = low.inf(&place.add_scalar(-radius));
        high = high.sup(&place.add_scalar(*radius));
    }
    let mut ends = [-low.x, -low.y, -low.z, high.x, high.y, high.z];
    domain.largest(&mut ends)?;
    let periods = domain.world().periods().map_or([None; 3], |periods| periods.edges);
    let volume = (0..3).map(|k| periods[k].unwrap_or(ends[k + 3] + ends[k])).product();
    Ok(if ends[0].is_finite() { volume } else { f64::INFINITY })
}
