//! How contacts get into a [`ContactSet`]: their rows, restricted to the trees of their bodies.

use nalgebra::Vector3;

use super::{Columns, Contact, ContactSet, ContactSetError, Part, contact};
use crate::{
    articulated::Kinematics,
    gap::{GapFunction, PointContact},
    system::System,
};

impl ContactSet {
    /// Adds a touching feature of `system` at `coordinates`.
    ///
    /// # Errors
    ///
    /// [`ContactSetError::Length`], [`ContactSetError::Body`], [`ContactSetError::Partners`], [`ContactSetError::Value`]; nothing is then added.
    pub fn push(
        &mut self,
        system: &dyn System,
        coordinates: &[f64],
        contact: &Contact,
    ) -> Result<(), ContactSetError> {
        self.check_coordinates(coordinates)?;
        contact.check(self.len(), self.tree_of.len(), self.dimension)?;
        self.add_points(system, coordinates, contact);
        self.store_rows_of(contact);
        Ok(())
    }

    /// Adds a touching feature of the articulated system at the position of `kinematics`.
    ///
    /// # Errors
    ///
    /// [`ContactSetError::Body`], [`ContactSetError::Partners`], [`ContactSetError::Value`], [`ContactSetError::Kinematics`]; nothing is then added.
    ///
    /// # Panics
    ///
    /// If `kinematics` belongs to another system with as many velocities and fewer links.
    pub fn push_at(
        &mut self,
        kinematics: &Kinematics,
        contact: &Contact,
    ) -> Result<(), ContactSetError> {
        contact.check(self.len(), self.tree_of.len(), self.dimension)?;
        for (body, point, scale) in contact.sides() {
            for (index, axis) in self.axes(contact) {
                let row = self.whole.row_mut(index);
                kinematics.add_point_row(body, point, &(scale * axis), row)?;
            }
        }
        self.store_rows_of(contact);
        Ok(())
    }

    /// Adds the contact of a gap function, which has passed its [check](GapFunction::check).
    ///
    /// # Errors
    ///
    /// [`ContactSetError::Length`], and [`ContactSetError::Value`] for a coefficient out of range or a gap that is not finite;
    /// nothing is added.
    pub fn push_gap(
        &mut self,
        system: &dyn System,
        coordinates: &[f64],
        gap: &dyn GapFunction,
        friction: f64,
        restitution: f64,
    ) -> Result<(), ContactSetError> {
        self.check_coordinates(coordinates)?;
        contact::check_coefficients(self.len(), friction, restitution)?;
        match gap.point_contact(system, coordinates) {
            Some(touch) => self.push_touch(system, coordinates, touch, [friction, restitution]),
            None => self.push_rows(gap, system, coordinates, [friction, restitution]),
        }
    }

    /// Adds the contact of a gap function whose [points](GapFunction::point_contact) at `coordinates` are known, with the bits
    /// of [`push_gap`](Self::push_gap).
    ///
    /// # Errors
    ///
    /// As [`push_gap`](Self::push_gap).
    pub fn push_points(
        &mut self,
        system: &dyn System,
        coordinates: &[f64],
        points: PointContact,
        friction: f64,
        restitution: f64,
    ) -> Result<(), ContactSetError> {
        self.check_coordinates(coordinates)?;
        contact::check_coefficients(self.len(), friction, restitution)?;
        self.push_touch(system, coordinates, points, [friction, restitution])
    }

    fn push_touch(
        &mut self,
        system: &dyn System,
        coordinates: &[f64],
        points: PointContact,
        [friction, restitution]: [f64; 2],
    ) -> Result<(), ContactSetError> {
        let contact = Contact::of(points, friction, restitution);
        contact::check_gap(self.len(), contact.gap)?;
        self.add_points(system, coordinates, &contact);
        self.trees_of(&contact).into_iter().flatten().for_each(|tree| self.store_part_if_any(tree));
        self.store(contact.gap, friction, restitution);
        Ok(())
    }

    /// Adds the contact of a gap function that is known by its rows only.
    fn push_rows(
        &mut self,
        gap: &dyn GapFunction,
        system: &dyn System,
        coordinates: &[f64],
        [friction, restitution]: [f64; 2],
    ) -> Result<(), ContactSetError> {
        let distance = gap.rows(system, coordinates, &mut self.whole);
        if let Err(error) = contact::check_gap(self.len(), distance) {
            self.whole.clear();
            return Err(error);
        }
        for tree in 0..self.trees.len() {
            self.store_part_if_any(tree);
        }
        self.store(distance, friction, restitution);
        Ok(())
    }

    fn axes(&self, contact: &Contact) -> impl Iterator<Item = (usize, Vector3<f64>)> + use<> {
        contact.frame.axes().into_iter().enumerate().take(self.component_count())
    }

    fn row(&self, index: usize) -> &[f64] {
        match index {
            0 => self.whole.normal(),
            _ => self.whole.tangent(index - 1),
        }
    }

    /// Adds the points of a contact to the whole rows.
    fn add_points(&mut self, system: &dyn System, coordinates: &[f64], contact: &Contact) {
        let (axes, count) = (contact.frame.axes(), self.component_count());
        for (body, point, scale) in contact.sides() {
            let rows = self.whole.all_mut();
            system.add_point_rows(coordinates, body, point, &axes[..count], scale, rows);
        }
    }

    /// The trees of the bodies of a contact, ascending, each once.
    fn trees_of(&self, contact: &Contact) -> [Option<usize>; 2] {
        let [first, second] = contact.bodies.map(|body| body.and_then(|body| self.tree_of[body]));
        // `None` comes first.
        let (low, high) = (first.min(second), first.max(second));
        [low, high.filter(|_| low != high)]
    }

    /// Stores the whole rows in the velocities of a tree, if they are not zero there.
    fn store_part_if_any(&mut self, tree: usize) {
        let velocities = self.trees[tree].clone();
        let is_zero = |row: usize| self.row(row)[velocities.clone()].iter().all(|j| *j == 0.0);
        if !(0..self.component_count()).all(is_zero) {
            self.store_part(tree);
        }
    }

    /// Stores the whole rows of a contact, restricted to the velocities where they can be nonzero.
    fn store_rows_of(&mut self, contact: &Contact) {
        self.trees_of(contact).into_iter().flatten().for_each(|tree| self.store_part(tree));
        self.store(contact.gap, contact.friction, contact.restitution);
    }

    fn store_part(&mut self, tree: usize) {
        let slot = self.counts[tree];
        let part = Part { contact: self.len(), tree, start: self.rows.len(), slot };
        self.counts[tree] += 1;
        self.parts.push(part);
        for index in 0..self.component_count() {
            let row = &mut self.whole.row_mut(index)[self.trees[tree].clone()];
            self.rows.extend_from_slice(row);
            row.fill(0.0);
        }
    }

    fn store(&mut self, gap: f64, friction: f64, restitution: f64) {
        self.gaps.push(gap);
        self.friction.push(friction);
        self.restitution.push(restitution);
        self.state = Columns::Nothing;
    }
}
