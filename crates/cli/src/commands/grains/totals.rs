//! Sums over all ranks after a step, and over all steps of a run: [`Totals`] and [`Sums`].

use anyhow::Result;
use percussion_granular::{Domain, Report};
use percussion_report::number::short;

/// State and report of all ranks after a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Totals {
    pub(super) step: u64,
    /// s.
    pub(super) time: f64,
    pub(super) grains: usize,
    /// m, infinite without grains.
    pub(super) smallest: f64,
    /// J.
    pub(super) kinetic_energy: f64,
    /// With that in gravity (J).
    pub(super) energy: f64,
    /// With contacts, impulse and works of all ranks.
    pub(super) report: Report,
    /// Whether a rank was interrupted.
    pub(super) interrupted: bool,
    /// Whether the time of a rank is over.
    pub(super) over: bool,
}

impl Totals {
    /// The totals of all ranks, with the report and the two flags of this one.
    pub(super) fn of(
        domain: &mut impl Domain,
        report: Report,
        [interrupted, over]: [bool; 2],
    ) -> Result<Self> {
        let moment = domain.own_first_moment();
        let mut sums = [
            domain.own_count() as f64,
            domain.own_kinetic_energy(),
            moment.x,
            moment.y,
            moment.z,
            report.contacts as f64,
            report.contact_work,
            report.wall_work,
        ];
        domain.sum(&mut sums)?;
        let flag = |flag: bool| if flag { 1.0 } else { 0.0 };
        let smallest = domain.world().grains().smallest_radius();
        let mut most = [-smallest, flag(interrupted), flag(over)];
        domain.largest(&mut most)?;
        let [grains, kinetic_energy, x, y, z, contacts, contact_work, wall_work] = sums;
        let gravity = domain.world().settings().gravity;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "sums of counts, which are exact"
        )]
        let [grains, contacts] = [grains, contacts].map(|count| count as usize);
        let mut report = report;
        (report.contacts, report.contact_work, report.wall_work) =
            (contacts, contact_work, wall_work);
        Ok(Self {
            step: domain.world().steps(),
            time: domain.world().time(),
            grains,
            smallest: -most[0],
            kinetic_energy,
            energy: kinetic_energy - gravity.dot(&nalgebra::Vector3::new(x, y, z)),
            report,
            interrupted: most[1] > 0.0,
            over: most[2] > 0.0,
        })
    }

    /// The values that have limits: relative residual, overlap in radii of the smallest grain, kinetic energy (J).
    pub(super) fn limited(&self) -> [f64; 3] {
        let overlap = self.report.overlap / self.smallest;
        [self.report.relative_residual, overlap, self.kinetic_energy]
    }
}

/// The columns of a line of the table that a resumed run reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) step: f64,
    pub(super) grains: f64,
    pub(super) contacts: f64,
    pub(super) sweeps: f64,
    pub(super) relative_residual: f64,
    /// m.
    pub(super) overlap: f64,
}

impl Line {
    pub(super) fn read(line: &str) -> Option<Self> {
        let fields: Vec<f64> =
            line.trim_end().split(',').map(|field| field.parse().ok()).collect::<Option<_>>()?;
        let [step, _, grains, contacts, sweeps, relative_residual, overlap, ..] = fields[..] else {
            return None;
        };
        Some(Self { step, grains, contacts, sweeps, relative_residual, overlap })
    }
}

/// Sums over the reports of all steps; those before the run was resumed are read from its table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sums {
    pub(super) tolerance: f64,
    /// Radius of the smallest grain (m).
    pub(super) smallest: f64,
    pub(super) steps: f64,
    pub(super) contacts: f64,
    pub(super) grains: f64,
    pub(super) sweeps: f64,
    /// m.
    pub(super) overlap: f64,
    pub(super) relative_residual: f64,
    pub(super) over_tolerance: u64,
}

impl Sums {
    /// No steps of a world whose smallest grain has this radius (m).
    pub(super) fn new(tolerance: f64, smallest: f64) -> Self {
        Self {
            tolerance,
            smallest,
            steps: 0.0,
            contacts: 0.0,
            grains: 0.0,
            sweeps: 0.0,
            overlap: 0.0,
            relative_residual: 0.0,
            over_tolerance: 0,
        }
    }

    pub(super) fn add(&mut self, totals: &Totals) {
        let Totals { report, .. } = totals;
        self.smallest = self.smallest.min(totals.smallest);
        self.add_line(&Line {
            step: totals.step as f64,
            grains: totals.grains as f64,
            contacts: report.contacts as f64,
            sweeps: report.sweeps as f64,
            relative_residual: report.relative_residual,
            overlap: report.overlap,
        });
    }

    pub(super) fn add_line(&mut self, line: &Line) {
        self.steps += 1.0;
        self.contacts += line.contacts;
        self.grains += line.grains;
        self.sweeps += line.sweeps;
        self.overlap = self.overlap.max(line.overlap);
        self.relative_residual = self.relative_residual.max(line.relative_residual);
        self.over_tolerance += u64::from(line.relative_residual > self.tolerance);
    }

    /// The warning about a run that reached its end with steps over the tolerance.
    pub(super) fn over_tolerance(&self) -> Option<String> {
        (self.over_tolerance > 0 && self.tolerance > 0.0).then(|| {
            format!(
                "not converged: in {} of {} steps the sweeps ended at their limit, with a relative residual of up to {} \
                 over the tolerance of {}; more `--max-sweeps` or a shorter step help",
                self.over_tolerance,
                self.steps,
                short(self.relative_residual),
                short(self.tolerance)
            )
        })
    }
}
