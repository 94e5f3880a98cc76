//! The [cones](crate::Cone) of the contacts of a step: their tangents, and the rows and impulses of their moments.

use std::mem;

use nalgebra::{DMatrix, Vector3};
use percussion_dynamics::{System, gap::PointContact, motion::add_angular_row};

use crate::{
    error::Error,
    model::{Contact, PlacedCone},
};

/// The cones of the contacts of a set, at one position.
#[derive(Debug)]
pub(super) struct Cones {
    /// Number of components of a contact without moments.
    width: usize,
    /// By the place of the contact in the set; `None` for a round cone.
    placed: Vec<Option<Placed>>,
    /// The rows `A` of moments, one per column (`n_v × m`).
    rows: DMatrix<f64>,
    /// Moments about normal and tangents of the cone, by the number of the contact in the problem: those with which the
    /// solve starts, and those that it found, that of the problem before found, and that of the last step found.
    start: Vec<Vector3<f64>>,
    found: Vec<Moment>,
    before: Vec<Moment>,
    last: Vec<Moment>,
}

/// A cone with its moments.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) cone: PlacedCone,
    /// The first of its rows of moments, and their number.
    pub(super) moments: (usize, usize),
}

/// The moment of a contact.
#[derive(Clone, Copy, Debug, Default)]
struct Moment {
    /// Number of the contact in the motion.
    contact: usize,
    /// The first of its rows, and their number.
    rows: (usize, usize),
    /// About normal and tangents of the cone (N·m·s).
    value: Vector3<f64>,
}

impl Cones {
    /// No cones of contacts of `width` components, in a system of this many velocities.
    pub(super) fn new(velocities: usize, width: usize) -> Self {
        Self {
            width,
            placed: Vec::new(),
            rows: DMatrix::zeros(velocities, 0),
            start: Vec::new(),
            found: Vec::new(),
            before: Vec::new(),
            last: Vec::new(),
        }
    }

    /// Takes up the cones of the contacts `active` at `coordinates`, in a step from `time` (s).
    pub(super) fn place(
        &mut self,
        (system, coordinates): (&dyn System, &[f64]),
        contacts: &[Contact],
        active: &[usize],
        time: f64,
    ) -> Result<(), Error> {
        self.placed.clear();
        self.rows.resize_horizontally_mut(0, 0.0);
        for &contact in active {
            let Contact { gap, cone, .. } = &contacts[contact];
            let Some(cone) = cone else {
                self.placed.push(None);
                continue;
            };
            let touch = gap
                .point_contact(system, coordinates)
                .ok_or(Error::ConeWithoutPoints { time, contact })?;
            let cone = cone
                .place(system, coordinates, &touch)
                .ok_or(Error::ConeDirection { time, contact })?;
            let moments = self.add_moments((system, coordinates), &touch, &cone);
            self.placed.push(Some(Placed { cone, moments }));
        }
        Ok(())
    }

    /// Adds the rows of the moments of a section, and returns the first of them and their number.
    fn add_moments(
        &mut self,
        (system, coordinates): (&dyn System, &[f64]),
        touch: &PointContact,
        cone: &PlacedCone,
    ) -> (usize, usize) {
        let (first, count) = (self.rows.ncols(), cone.section.components().saturating_sub(2));
        let axes = cone.axes(&touch.frame);
        self.rows.resize_horizontally_mut(first + count, 0.0);
        for (axis, mut row) in
            axes.iter().zip(self.rows.columns_range_mut(first..).column_iter_mut())
        {
            for (body, side) in touch.bodies.into_iter().zip([1.0, -1.0]) {
                add_angular_row(system, coordinates, body, &(side * axis), row.as_mut_slice());
            }
        }
        (first, count)
    }

    /// The cone of a contact, by its place in the set; `None` for a round one.
    pub(super) fn get(&self, slot: usize) -> Option<&Placed> {
        self.placed.get(slot)?.as_ref()
    }

    /// Number of components of a contact without moments.
    pub(super) const fn width(&self) -> usize {
        self.width
    }

    /// The rows of all moments, one per column (`n_v × m`).
    pub(super) const fn rows(&self) -> &DMatrix<f64> {
        &self.rows
    }

    /// Starts the next solve of these contacts with the moments of the last step, or with zero.
    pub(super) fn begin(&mut self, contacts: &[usize], warm: bool) {
        let known: &[Moment] = if warm { &self.last } else { &[] };
        self.start =
            contacts.iter().map(|contact| of(known, *contact).unwrap_or_default()).collect();
    }

    /// Starts the next solve with the moments that the problem before found, for the contacts that it had.
    pub(super) fn begin_with_found(&mut self, contacts: &[usize]) {
        for (start, contact) in self.start.iter_mut().zip(contacts) {
            *start = of(&self.before, *contact).unwrap_or(*start);
        }
    }

    /// The moment with which the solve starts, by the number of the contact in the problem.
    pub(super) fn start(&self, contact: usize) -> Vector3<f64> {
        self.start.get(contact).copied().unwrap_or_default()
    }

    /// Expects moments of these contacts with these places in the set.
    pub(super) fn expect(&mut self, contacts: &[usize], slots: &[usize]) {
        let of_contact = |(&contact, &slot): (&usize, &usize)| {
            let rows = self.get(slot).map_or((0, 0), |placed| placed.moments);
            Moment { contact, rows, value: Vector3::zeros() }
        };
        let found = contacts.iter().zip(slots).map(of_contact).collect();
        self.before = mem::replace(&mut self.found, found);
    }

    /// Stores a component of the moment found for a contact of the problem.
    pub(super) fn set(&mut self, contact: usize, component: usize, value: f64) {
        self.found[contact].value[component] = value;
    }

    /// The moment found for a contact of the problem, about the axes of its cone (N·m·s).
    pub(super) fn found(&self, contact: usize) -> Vector3<f64> {
        self.found.get(contact).map_or_else(Vector3::zeros, |moment| moment.value)
    }

    /// Stores the moments for the next step.
    pub(super) fn finish(&mut self) {
        self.last.clone_from(&self.found);
    }

    /// Adds `Aᵀ m` of all moments found.
    pub(super) fn push(&self, momentum: &mut DMatrix<f64>) {
        for Moment { rows: (first, count), value, .. } in &self.found {
            for (k, row) in self.rows.columns(*first, *count).column_iter().enumerate() {
                momentum.column_mut(0).axpy(value[k], &row, 1.0);
            }
        }
    }
}

fn of(known: &[Moment], contact: usize) -> Option<Vector3<f64>> {
    let at = known.binary_search_by_key(&contact, |moment| moment.contact).ok()?;
    Some(known[at].value)
}
