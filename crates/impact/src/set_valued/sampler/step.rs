//! The solution of one step: by the path through planar contacts, by Lemke's method, or drawn among all.

use super::{
    super::{Covering, Solutions, draws::Source, statistics::Figures},
    Sampler,
};

impl Sampler<'_> {
    /// Solves the problem of a step from the contact velocity with the increments; writes its impulses and the
    /// velocity after them.
    pub(super) fn solve_step(&mut self) -> Figures {
        let mut figures = self.drawn();
        if figures.is_none() {
            figures = self.followed().filter(|figures| self.is_solved(figures));
        }
        figures.unwrap_or_else(|| {
            self.fallbacks += u64::from(self.path.is_some());
            let settings = &self.settings.lemke;
            let (velocity, increments) = (&self.contact_velocity, &self.increments);
            self.statement.solve(velocity, increments, settings, &mut self.step_impulse);
            self.judge()
        })
    }

    /// Takes the solution at the end of the path through planar contacts, and judges it.
    fn followed(&mut self) -> Option<Figures> {
        let path = self.path.as_mut()?;
        if !path.solve(&self.contact_velocity, &self.increments, &mut self.step_impulse) {
            return None;
        }
        Some(self.judge())
    }

    /// Takes a solution drawn among all, and judges it. Where not all are known, Lemke's method gets a covering vector of the step.
    fn drawn(&mut self) -> Option<Figures> {
        if self.settings.solutions == Solutions::One {
            return None;
        }
        if let Some(choice) = &self.choice {
            let source = &mut self.source;
            let drawn = self.statement.draw(
                &self.contact_velocity,
                &self.increments,
                (choice, || source.next_of_choices()),
                &mut self.step_impulse,
            );
            if let Some(count) = drawn {
                let figures = self.judge();
                if self.is_solved(&figures) {
                    self.choices.enumerated += 1;
                    self.choices.several += u64::from(count > 1);
                    return Some(figures);
                }
            }
        }
        self.choices.covered += 1;
        self.cover(Covering::Random, Source::next_of_choices);
        None
    }

    pub(super) fn is_solved(&self, figures: &Figures) -> bool {
        figures.residual <= self.settings.lemke.tolerance
    }

    /// Computes the velocity after the impulses of the step, and the figures of the step.
    fn judge(&mut self) -> Figures {
        self.step_velocity.copy_from(&self.contact_velocity);
        self.step_velocity.gemv(1.0, self.problem.delassus(), &self.step_impulse, 1.0);
        self.statement.judge(
            &self.increments,
            &self.contact_velocity,
            &self.step_velocity,
            &self.step_impulse,
            &self.units,
        )
    }
}
