//! Ensembles of event-driven motions of a scenario, whose impacts have drawn outcomes: [`Ensemble`].

use std::ops::ControlFlow;

use percussion_impact::set_valued::{self, SetValuedRouth};
use percussion_integrators::ensemble::{self, Place};
use percussion_record::{Column, Table};

use crate::{Error, event_motion::EventMotion, mechanism::Mechanism, scenario::Setup, trajectory};

/// Many motions of one scenario, with the names of what moves.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ensemble {
    /// The members, their bands and their shares.
    pub result: ensemble::Ensemble,
    /// Names and units of the bands: the coordinates and the energy.
    pub quantities: Vec<Column>,
    /// The settings.
    pub settings: ensemble::Settings,
}

impl Setup {
    /// Follows an ensemble of motions for the duration of the scenario. `progress` receives the completed fraction, in `[0, 1]`
    /// and never decreasing.
    ///
    /// # Errors
    ///
    /// [`Error::Ensemble`].
    ///
    /// # Example
    ///
    /// A disc that falls on the ground has one contact and so the same motion in every member. It keeps 0.8 of its speed.
    ///
    /// ```
    /// use percussion_integrators::ensemble::Settings;
    /// use percussion_mechanism::scenario::Scenario;
    ///
    /// let setup = Scenario::from_path("fixtures/compat/scenarios/bouncing-ball.toml")?.build()?;
    /// let settings = Settings { members: 3, ..Settings::default() };
    /// let ensemble = setup.simulate_ensemble(settings, &|_fraction| ())?;
    /// let height = &ensemble.result.bands[1];
    /// assert_eq!(ensemble.quantities[1].name, "ball y");
    /// assert!(height.points.iter().all(|point| point.greatest - point.least < 1e-9));
    /// # Ok::<(), percussion_mechanism::Error>(())
    /// ```
    pub fn simulate_ensemble(
        &self,
        settings: ensemble::Settings,
        progress: &dyn Fn(f64),
    ) -> Result<Ensemble, Error> {
        let watch = |share| {
            progress(share);
            ControlFlow::Continue(())
        };
        self.simulate_ensemble_while(settings, &watch)
    }

    /// Like [`simulate_ensemble`](Self::simulate_ensemble), but ends with the members so far where `watch` answers
    /// [`ControlFlow::Break`], as [`ensemble::run_while`].
    ///
    /// # Errors
    ///
    /// [`Error::Ensemble`].
    pub fn simulate_ensemble_while(
        &self,
        settings: ensemble::Settings,
        watch: &dyn Fn(f64) -> ControlFlow<()>,
    ) -> Result<Ensemble, Error> {
        let Mechanism { model, state, parts, .. } = &self.mechanism;
        let members = f64::from(settings.members.max(1));
        let result = ensemble::run_while(
            model,
            &|_member| state.clone(),
            state.time + self.scenario.duration,
            &settings,
            &|done| watch(f64::from(done) / members),
        )?;
        let mut quantities = trajectory::coordinate_columns(parts);
        quantities.push(Column { name: "energy".to_owned(), unit: "J".to_owned() });
        Ok(Ensemble { result, quantities, settings })
    }

    /// Simulates one member of an ensemble with these draws again, with everything that a page plays.
    ///
    /// # Errors
    ///
    /// [`Error::Ensemble`] if the draws are refused, and otherwise as [`simulate_events`](Self::simulate_events).
    pub fn simulate_member(
        &self,
        law: set_valued::Settings,
        number: u32,
        progress: &mut dyn FnMut(f64),
    ) -> Result<EventMotion, Error> {
        let member = set_valued::Member::new(SetValuedRouth::new(law), number)
            .map_err(ensemble::Error::from)?;
        self.simulate_events(&member, progress)
    }

    /// The name of a contact of an ensemble.
    #[must_use]
    pub fn place_name(&self, place: &Place) -> String {
        let Mechanism { contacts, surfaces, .. } = &self.mechanism;
        let name = match place {
            Place::Named(contact) => contacts.get(*contact).map(|contact| contact.name.clone()),
            Place::Found(name) => surfaces.as_ref().map(|surfaces| surfaces.contact(name)),
            _ => None,
        };
        name.unwrap_or_default()
    }
}

impl Ensemble {
    /// Columns of time, number of members, and for each quantity the least value, the quantiles and the greatest value; one row
    /// for each instant.
    #[must_use]
    pub fn table(&self) -> Table {
        let column = |name: String, unit: &str| Column { name, unit: unit.to_owned() };
        let mut columns = vec![column("time".to_owned(), "s"), column("members".to_owned(), "")];
        for Column { name, unit } in &self.quantities {
            columns.push(column(format!("{name} least"), unit));
            let quantiles = self.settings.quantiles.iter();
            columns.extend(quantiles.map(|p| column(format!("{name} quantile {p}"), unit)));
            columns.push(column(format!("{name} greatest"), unit));
        }
        let bands = &self.result.bands;
        let instants = bands.first().map_or(0, |band| band.points.len());
        let row = |k: usize| {
            let first = &bands[0].points[k];
            let mut row = vec![first.time, first.members as f64];
            for point in bands.iter().map(|band| &band.points[k]) {
                row.push(point.least);
                row.extend(&point.quantiles);
                row.push(point.greatest);
            }
            row
        };
        Table { columns, rows: (0..instants).map(row).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;

    /// A square of 1 kg with restitution lands on two corners.
    const SQUARE: &str = r#"
        name = "square"
        title = "A square falls flat"
        source = "first year mechanics"
        dimension = "plane"
        gravity = [0.0, -10.0]
        duration = 0.4
        friction = 0.5
        restitution = 0.5

        [[bodies]]
        name = "square"
        mass = 1.0
        shape.rectangle.half_extents = [0.1, 0.1]
        position = [0.0, 0.3]

        [[planes]]
        name = "floor"
        point = [0.0, 0.0]
        normal = [0.0, 1.0]

        [integrator]
        method = "event-driven"
        step_size = 0.01
    "#;

    /// A member can be played: it ends in the state that it has in the ensemble, and a single motion is member 0.
    #[test]
    fn a_member_is_a_motion_of_its_own() {
        let setup = Scenario::from_toml_str(SQUARE).unwrap().build().unwrap();
        let settings = ensemble::Settings { members: 4, intervals: 8, ..Default::default() };
        let ensemble = setup.simulate_ensemble(settings.clone(), &|_| ()).unwrap();
        let ends: Vec<_> =
            ensemble.result.members.iter().map(|one| &one.state.coordinates).collect();
        assert!(ends.windows(2).any(|pair| pair[0] != pair[1]), "{ends:?}");
        for number in [0, 3] {
            let played = setup.simulate_member(settings.law, number, &mut |_| ()).unwrap();
            let member = &ensemble.result.members[number as usize];
            let difference = played.report.state.coordinates.iter().zip(&member.state.coordinates);
            assert!(difference.clone().all(|(a, b)| (a - b).abs() < 1e-9), "{difference:?}");
            assert_eq!(played.report.counters.impacts, member.counters.impacts);
        }
        let law = SetValuedRouth::new(settings.law);
        let alone = setup.simulate_events(&law, &mut |_| ()).unwrap().report.state;
        let first = setup.simulate_member(settings.law, 0, &mut |_| ()).unwrap().report.state;
        assert_eq!(alone, first);
    }

    /// The members of an ensemble that is ended early are those of the whole one.
    #[test]
    fn an_ensemble_that_is_ended_has_its_first_members() {
        let setup = Scenario::from_toml_str(SQUARE).unwrap().build().unwrap();
        let settings = ensemble::Settings { members: 70, intervals: 4, ..Default::default() };
        let whole = setup.simulate_ensemble(settings.clone(), &|_| ()).unwrap().result;
        let ended = setup.simulate_ensemble_while(settings, &|_| ControlFlow::Break(())).unwrap();
        assert_eq!((whole.members.len(), ended.result.members.len()), (70, 64));
        assert_eq!(ended.result.members[..], whole.members[..64]);
        let counted: u64 = ended.result.statuses.iter().map(|share| share.count).sum();
        assert_eq!((counted, ended.table().rows[0][1]), (64, 64.0));
    }

    #[test]
    fn the_table_has_every_quantity_and_instant() {
        let setup = Scenario::from_toml_str(SQUARE).unwrap().build().unwrap();
        let settings = ensemble::Settings { members: 3, intervals: 4, ..Default::default() };
        let table = setup.simulate_ensemble(settings, &|_| ()).unwrap().table();
        assert_eq!((table.rows.len(), table.columns.len()), (5, 2 + 4 * 7));
        assert!(table.rows.iter().all(|row| row.len() == table.columns.len()));
        assert_eq!(table.columns[2].name, "square x least");
    }
}
