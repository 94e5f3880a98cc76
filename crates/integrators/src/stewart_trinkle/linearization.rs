//! The contacts of a step, linearized about a predicted end `q̂ = q ⊕ h v̂`.
//!
//! The unknown impulses are numbered by *generators*, the columns of `A` (`n_v × r`): for each active contact
//! its normal and tangents, then the directions of each bounded friction. So `v' = v_c + M⁻¹ A p` (minus the
//! part that the bilateral constraints remove) and `u = Aᵀ v' = W p + u_c`. The many friction directions of a
//! contact are combinations of two tangents, which keeps `W` small.

use nalgebra::{DMatrix, DVector, Vector3};
use percussion_complementarity::friction::mixed::Section;
use percussion_dynamics::{System, gap::ContactRows};

use super::{
    Alignment, Contact, Model,
    polygon::{self, Direction},
    settings::Resolved,
};
use crate::{bilateral::Bilateral, error::Error, masses::Masses, model::PlacedCone};

#[derive(Debug)]
pub(super) struct Linearization {
    /// Corners of the polygon before alignment.
    corners: Vec<Direction>,
    contact_rows: ContactRows,
    /// `A` (`n_v × r`).
    rows: DMatrix<f64>,
    /// `M⁻¹ A` (`n_v × r`).
    inverse_mass_rows: DMatrix<f64>,
    /// `W` (`r × r`).
    pub(super) delassus: DMatrix<f64>,
    /// `v_c`: the velocity without contact impulses, constraints included.
    velocity: DVector<f64>,
    /// `u_c = Aᵀ v_c`.
    pub(super) free_velocity: DVector<f64>,
    /// `g(q̂)/h − n · v̂` of each active contact (m/s).
    pub(super) gap_velocities: Vec<f64>,
    /// The friction directions, `k` for each active contact; of unit length where its friction is a coefficient.
    pub(super) directions: Vec<Direction>,
    /// The cones of the active contacts that have one.
    cones: Vec<Option<PlacedCone>>,
    pub(super) bilateral: Bilateral,
}

/// The point of the linearization.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point<'a> {
    /// Active contacts, ascending.
    pub(super) active: &'a [usize],
    /// `q̂`.
    pub(super) coordinates: &'a [f64],
    /// Coordinates for the mass matrix.
    pub(super) mass_coordinates: &'a [f64],
    /// `v̂`.
    pub(super) guess: &'a DVector<f64>,
    /// `v_f`: the velocity under smooth forces alone.
    pub(super) free_velocity: &'a DVector<f64>,
    /// At the start of the step (s).
    pub(super) time: f64,
}

impl Linearization {
    pub(super) fn new(model: &Model, settings: &Resolved) -> Self {
        Self {
            corners: polygon::corners(settings.directions),
            contact_rows: ContactRows::for_system(model.system()),
            rows: DMatrix::zeros(0, 0),
            inverse_mass_rows: DMatrix::zeros(0, 0),
            delassus: DMatrix::zeros(0, 0),
            velocity: DVector::zeros(model.system().velocity_count()),
            free_velocity: DVector::zeros(0),
            gap_velocities: Vec::new(),
            directions: Vec::new(),
            cones: Vec::new(),
            bilateral: Bilateral::new(model),
        }
    }

    /// Whether the velocities without impulses, those of normals with their gaps, all are rounding of `v_c`, as in free fall. A problem
    /// of rounding errors may have no answer.
    pub(super) fn is_still(&self, settings: &Resolved) -> bool {
        let width = 1 + self.tangent_count();
        let velocity = |(generator, velocity): (usize, &f64)| {
            let is_normal = generator % width == 0;
            let gap = self.gap_velocities.get(generator / width).filter(|_| is_normal);
            velocity + gap.copied().unwrap_or_default()
        };
        let velocities = self.free_velocity.iter().enumerate().map(velocity);
        let of = (self.velocity.as_slice(), settings.strides.as_slice());
        settings.scales.are_rounding(velocities, &self.rows, of)
    }

    pub(super) fn tangent_count(&self) -> usize {
        self.contact_rows.tangent_count()
    }

    pub(super) fn update(
        &mut self,
        (model, contacts): (&Model, &[Contact]),
        settings: &Resolved,
        at: Point<'_>,
    ) -> Result<(), Error> {
        self.resize(model, at.active.len());
        self.fill_contact_rows((model.system(), contacts), settings, at);
        self.place_cones((model.system(), contacts), settings, at)?;
        self.inverse_mass_rows.copy_from(&self.rows);
        model.system().apply_inverse_mass(at.mass_coordinates, &mut self.inverse_mass_rows);
        self.delassus.gemm_tr(1.0, &self.rows, &self.inverse_mass_rows, 0.0);
        self.bilateral.linearize(
            model,
            at.coordinates,
            Masses::at(at.mass_coordinates),
            at.guess,
            settings.step_size,
        );
        self.bilateral.reduce(&self.rows, &mut self.delassus);
        self.velocity.copy_from(at.free_velocity);
        self.bilateral.project(&mut self.velocity);
        self.free_velocity.gemv_tr(1.0, &self.rows, &self.velocity, 0.0);
        self.align(settings, at.active.len());
        Ok(())
    }

    /// Writes `v'` for the impulses `p` of the generators, given the `v_f` of [`update`](Self::update).
    pub(super) fn apply(
        &mut self,
        impulses: &DVector<f64>,
        free_velocity: &DVector<f64>,
        velocity: &mut DVector<f64>,
    ) {
        velocity.copy_from(free_velocity);
        velocity.gemv(1.0, &self.inverse_mass_rows, impulses, 1.0);
        self.bilateral.project(velocity);
    }

    /// Sizes the buffers, and fills the generators that never change, when the contacts changed.
    fn resize(&mut self, model: &Model, contact_count: usize) {
        let joints = model.joint_friction();
        let contact_columns = contact_count * (1 + self.tangent_count());
        let columns = contact_columns + joints.iter().map(|j| j.directions.ncols()).sum::<usize>();
        let rows = model.system().velocity_count();
        if self.rows.shape() == (rows, columns) && self.gap_velocities.len() == contact_count {
            return;
        }
        self.rows = DMatrix::zeros(rows, columns);
        self.inverse_mass_rows = DMatrix::zeros(rows, columns);
        self.delassus = DMatrix::zeros(columns, columns);
        self.free_velocity = DVector::zeros(columns);
        self.gap_velocities.resize(contact_count, 0.0);
        self.directions.resize(contact_count * self.corners.len(), [0.0; 2]);
        let mut first = contact_columns;
        for joint in joints {
            self.rows.columns_mut(first, joint.directions.ncols()).copy_from(&joint.directions);
            first += joint.directions.ncols();
        }
    }

    fn fill_contact_rows(
        &mut self,
        (system, contacts): (&dyn System, &[Contact]),
        settings: &Resolved,
        at: Point<'_>,
    ) {
        let tangents = self.tangent_count();
        for (slot, &contact) in at.active.iter().enumerate() {
            let gap = contacts[contact].gap.rows(system, at.coordinates, &mut self.contact_rows);
            let first = slot * (1 + tangents);
            self.rows.column_mut(first).copy_from_slice(self.contact_rows.normal());
            for t in 0..tangents {
                self.rows.column_mut(first + 1 + t).copy_from_slice(self.contact_rows.tangent(t));
            }
            let approach = self.rows.column(first).dot(at.guess);
            self.gap_velocities[slot] = gap / settings.step_size - approach;
        }
    }

    fn align(&mut self, settings: &Resolved, contact_count: usize) {
        let tangents = self.tangent_count();
        for slot in 0..contact_count {
            let slip = |t: usize| self.free_velocity[slot * (1 + tangents) + 1 + t];
            let slip = [slip(0), if tangents == 2 { slip(1) } else { 0.0 }];
            let cone = self.cones.get(slot).and_then(Option::as_ref);
            let slip = cone.map_or(slip, |cone| slip_in_cone(cone, slip));
            let speed = slip[0].hypot(slip[1]);
            let turns = settings.alignment == Alignment::Slip
                && speed * settings.step_size > settings.tolerance;
            let first = if turns { slip.map(|s| -s / speed) } else { [1.0, 0.0] };
            let directions = self.directions.chunks_exact_mut(self.corners.len()).nth(slot);
            let corners = self.corners.iter().map(|corner| polygon::turned(*corner, first));
            for (number, (direction, corner)) in
                directions.into_iter().flatten().zip(corners).enumerate()
            {
                *direction = cone.map_or(corner, |cone| of_cone(cone, number, corner));
            }
        }
    }

    /// Takes up the cones of the active contacts.
    fn place_cones(
        &mut self,
        (system, contacts): (&dyn System, &[Contact]),
        settings: &Resolved,
        at: Point<'_>,
    ) -> Result<(), Error> {
        self.cones.clear();
        let time = at.time;
        for &contact in at.active {
            let Contact { gap, cone, .. } = &contacts[contact];
            let Some(cone) = cone else {
                self.cones.push(None);
                continue;
            };
            let most = settings.directions;
            let has_polygon = match &cone.section {
                Section::Disc(_) | Section::Ellipse(_) => true,
                Section::Polygon(points) => points.len() <= most,
                _ => false,
            };
            if !has_polygon {
                let section = cone.section.to_string();
                return Err(Error::ConeWithoutPolygon { contact, section, most });
            }
            let touch = gap
                .point_contact(system, at.coordinates)
                .ok_or(Error::ConeWithoutPoints { time, contact })?;
            let placed = cone.place(system, at.coordinates, &touch);
            self.cones.push(Some(placed.ok_or(Error::ConeDirection { time, contact })?));
        }
        Ok(())
    }
}

/// Half axes of a section along the tangents of its cone.
fn half_axes(section: &Section) -> Direction {
    match *section {
        Section::Disc(friction) => [friction; 2],
        Section::Ellipse(axes) => axes,
        _ => [1.0; 2],
    }
}

/// The slip in the tangents of a cone, times its half axes: the ellipse is then a disc.
fn slip_in_cone(cone: &PlacedCone, [first, second]: Direction) -> Direction {
    let slip = cone.in_cone(&Vector3::new(0.0, first, second));
    let [a, b] = half_axes(&cone.section);
    [a * slip.y, b * slip.z]
}

/// The direction with a `number` of a cone, in the tangents of the frame: the point of its polygon, of which the last one fills up the
/// number of directions, or the corner on its ellipse.
fn of_cone(cone: &PlacedCone, number: usize, [x, y]: Direction) -> Direction {
    let [a, b] = match &cone.section {
        Section::Polygon(points) => points[number.min(points.len() - 1)],
        section => {
            let [a, b] = half_axes(section);
            [a * x, b * y]
        }
    };
    let turned = cone.in_frame(&Vector3::new(0.0, a, b));
    [turned.y, turned.z]
}
