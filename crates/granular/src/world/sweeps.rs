//! The sweeps over the contacts of a step.

use super::{World, servos::Servos};
use crate::{
    contact::larger,
    grains::Motion,
    halves::{Steps, until},
    link::{Link, Meanwhile},
    parallel,
    settings::{Error, Settings},
    slab::Slab,
    waves::phases,
};

impl World {
    /// Sweeps until the relative residual meets the tolerance, or as often as allowed if that is zero; returns the number of
    /// sweeps, the residual and its reference velocity.
    pub(super) fn solve<L: Link>(&mut self, link: &mut L) -> Result<(usize, f64, f64), Error> {
        let across = self.search.images.as_ref().map_or(0.0, |images| images.scale);
        let scale = self.slabs.iter().map(|slab| slab.scale).fold(across, f64::max);
        let scale = link.largest(scale)?;
        let scale = if scale > 0.0 { scale } else { 1.0 };
        let (count, residual) = if !self.is_alone(link) || !self.servos.is_empty() {
            self.sweep_together(link, scale)?
        } else if self.settings.tolerance == 0.0 {
            self.sweep_all()
        } else {
            self.sweep_alone(self.settings.tolerance * scale)
        };
        Ok((count, residual, scale))
    }

    /// Whether there are no other worlds and no images.
    pub(super) fn is_alone<L: Link>(&self, link: &L) -> bool {
        link.shared().is_none() && self.search.images.is_none()
    }

    /// Sweeps with other worlds or images. Returns the number of sweeps and the residual, here and below.
    fn sweep_together<L: Link>(&mut self, link: &mut L, scale: f64) -> Result<(usize, f64), Error> {
        let Self { settings, grains, walls, servos, servo_velocities, slabs, search, .. } = self;
        let mut servos =
            Servos { servos, walls, velocities: servo_velocities, step: settings.step_size };
        let images = &mut search.images;
        let motions = &mut grains.motions[..];
        let merge: Merge<L, Motion> = L::merge_motions;
        let mut start =
            images.as_ref().map(|images| |motions: &mut [Motion]| images.warm_start(motions));
        sweep(slabs, motions, (link, merge), false, (&Slab::warm_start, across(&mut start)))?;
        let (all, enough) = (settings.tolerance == 0.0, settings.tolerance * scale);
        let mut count = 0;
        loop {
            count += 1;
            if count % 2 == 1 {
                let mut last = images
                    .as_mut()
                    .map(|images| |motions: &mut [Motion]| images.sweep(motions, false));
                let work = |slab: &mut Slab, motions: &mut [Motion]| slab.sweep(motions, false);
                sweep(slabs, motions, (link, merge), false, (&work, across(&mut last)))?;
            } else {
                images.iter_mut().for_each(|images| images.sweep(motions, true));
                let work = |slab: &mut Slab, motions: &mut [Motion]| slab.sweep(motions, true);
                sweep(slabs, motions, (link, merge), true, (&work, None))?;
            }
            servos.unite(slabs, link)?;
            // The estimate from within a sweep has no additional cost; only the full residual decides.
            let last = count == settings.max_sweeps;
            let across = images.as_ref().map_or(0.0, |images| images.change);
            let change = slabs.iter().map(|slab| slab.change).fold(across, larger).sqrt();
            if last || !all && link.largest(change)? <= enough {
                let across = images.as_mut().map_or(0.0, |images| {
                    images.certify(motions, settings);
                    images.account.residual
                });
                let residual = link.largest(larger(across, certify(slabs, motions, settings)))?;
                if residual <= enough || last {
                    return Ok((count, residual));
                }
            }
        }
    }

    /// Sweeps as often as allowed.
    ///
    /// A sweep ends on the slabs on which the next one begins, in the other direction. So phase `p` has the end of sweep
    /// `p - 1` and the beginning of sweep `p`, and a wave has many phases.
    fn sweep_all(&mut self) -> (usize, f64) {
        let Self { settings, grains, slabs, .. } = self;
        let sweeps = settings.max_sweeps;
        let starts = 2;
        let phase = |slab: &mut Slab, motions: &mut [Motion], phase: usize| {
            let Some(phase) = phase.checked_sub(starts) else {
                return slab.warm_start(motions);
            };
            if phase > 0 {
                slab.sweep(motions, phase % 2 == 0);
            }
            if phase < sweeps {
                slab.sweep(motions, phase % 2 == 1);
            }
        };
        phases(slabs, &mut grains.motions, (false, starts + sweeps + 1), &phase);
        (sweeps, certify(slabs, &grains.motions, settings))
    }

    /// Sweeps until the residual is small `enough` (m/s).
    fn sweep_alone(&mut self, enough: f64) -> (usize, f64) {
        let Self { settings, grains, slabs, .. } = self;
        let motions = &mut grains.motions[..];
        for odd in [false, true] {
            parallel::every_second(slabs, motions, odd, &Slab::warm_start);
        }
        let steps = Steps {
            sweep: Slab::sweep,
            change: |slab: &Slab| slab.change,
            certify: |slab: &mut Slab, motions: &[Motion]| slab.certify(motions, settings),
            residual: |slab: &Slab| slab.account.residual,
        };
        until(slabs, motions, (enough, settings.max_sweeps), &steps)
    }
}

/// Evaluates the impulses, and returns the largest residual (m/s).
fn certify(slabs: &mut [Slab], motions: &[Motion], settings: &Settings) -> f64 {
    parallel::each(slabs, &|slab| slab.certify(&motions[slab.start as usize..], settings));
    slabs.iter().map(|slab| slab.account.residual).fold(0.0, larger)
}

/// [`Link::merge_motions`] or [`Link::merge_shifts`].
type Merge<L, T> = fn(&mut L, &mut [T], Meanwhile<'_, T>) -> Result<(), Error>;

/// What is done after all slabs, before the copies of other worlds are brought up to date.
type Across<'a, T> = Option<&'a mut dyn FnMut(&mut [T])>;

/// Contacts across faces as work after all slabs.
pub(super) fn across<T, F: FnMut(&mut [T])>(work: &mut Option<F>) -> Across<'_, T> {
    work.as_mut().map(|work| work as &mut dyn FnMut(&mut [T]))
}

/// Runs `work` on all even slabs and then on all odd ones, in parallel, backwards the odd ones first, then what is
/// `across`, and brings the copies of other worlds up to date by `merge`; without anything across, slabs that do not matter
/// to these are processed while messages are on their way.
pub(super) fn sweep<L, T: Send>(
    slabs: &mut [Slab],
    items: &mut [T],
    (link, merge): (&mut L, Merge<L, T>),
    backwards: bool,
    (work, across): (&(impl Fn(&mut Slab, &mut [T]) + Sync), Across<'_, T>),
) -> Result<(), Error> {
    let direction = usize::from(backwards);
    let all = across.is_some();
    let is_outer = |slab: &Slab| all || slab.outer[direction];
    for odd in [backwards, !backwards] {
        parallel::every_second(slabs, items, odd, &|slab, items| {
            if is_outer(slab) {
                work(slab, items);
            }
        });
    }
    if let Some(across) = across {
        across(items);
    }
    let inner = slabs.iter().any(|slab| !is_outer(slab));
    merge(link, items, &mut |phase, items| {
        if inner {
            parallel::every_second(slabs, items, backwards ^ (phase == 1), &|slab, items| {
                if !is_outer(slab) {
                    work(slab, items);
                }
            });
        }
    })
}
