//! The sweeps over the contacts of a step.

use super::World;
use crate::{
    contact::larger,
    link::{Link, Meanwhile},
    parallel,
    settings::Error,
    slab::Slab,
};

impl World {
    /// Sweeps until the relative residual meets the tolerance; returns the number of sweeps, the residual and
    /// its reference velocity.
    pub(super) fn solve<L: Link>(&mut self, link: &mut L) -> Result<(usize, f64, f64), Error> {
        let Self { settings, grains, slabs, search, .. } = self;
        let images = &mut search.images;
        let motions = &mut grains.motions[..];
        sweep(slabs, motions, (link, L::merge_motions), false, &Slab::warm_start)?;
        let mut scale = slabs.iter().map(|slab| slab.scale).fold(0.0, f64::max);
        if let Some(images) = images {
            images.warm_start(motions);
            scale = scale.max(images.scale);
        }
        let scale = link.largest(scale)?;
        let scale = if scale > 0.0 { scale } else { 1.0 };
        let enough = settings.tolerance * scale;
        let mut count = 0;
        loop {
            count += 1;
            if count % 2 == 1 {
                sweep(slabs, motions, (link, L::merge_motions), false, &Slab::sweep_forth)?;
                images.iter_mut().for_each(|images| images.sweep(motions, false));
            } else {
                images.iter_mut().for_each(|images| images.sweep(motions, true));
                sweep(slabs, motions, (link, L::merge_motions), true, &Slab::sweep_back)?;
            }
            // The estimate from within a sweep has no additional cost; only the full residual decides.
            let last = count == settings.max_sweeps;
            let across = images.as_ref().map_or(0.0, |images| images.change);
            let change = slabs.iter().map(|slab| slab.change).fold(across, larger).sqrt();
            if link.largest(change)? <= enough || last {
                parallel::each(slabs, &|slab| {
                    slab.certify(&motions[slab.start as usize..], settings);
                });
                let across = images.as_mut().map_or(0.0, |images| {
                    images.certify(motions, settings);
                    images.account.residual
                });
                let residual = slabs.iter().map(|slab| slab.account.residual).fold(across, larger);
                let residual = link.largest(residual)?;
                if residual <= enough || last {
                    return Ok((count, residual, scale));
                }
            }
        }
    }
}

/// [`Link::merge_motions`] or [`Link::merge_shifts`].
type Merge<L, T> = fn(&mut L, &mut [T], Meanwhile<'_, T>) -> Result<(), Error>;

/// Runs `work` on all even slabs and then on all odd ones, in parallel, backwards the odd ones first, and brings the copies
/// of other worlds up to date by `merge`; slabs that do not matter to these are processed while messages are on their way.
pub(super) fn sweep<L, T: Send>(
    slabs: &mut [Slab],
    items: &mut [T],
    (link, merge): (&mut L, Merge<L, T>),
    backwards: bool,
    work: &(impl Fn(&mut Slab, &mut [T]) + Sync),
) -> Result<(), Error> {
    let direction = usize::from(backwards);
    for odd in [backwards, !backwards] {
        parallel::every_second(slabs, items, odd, &|slab, items| {
            if slab.outer[direction] {
                work(slab, items);
            }
        });
    }
    let inner = slabs.iter().any(|slab| !slab.outer[direction]);
    merge(link, items, &mut |phase, items| {
        if inner {
            parallel::every_second(slabs, items, backwards ^ (phase == 1), &|slab, items| {
                if !slab.outer[direction] {
                    work(slab, items);
                }
            });
        }
    })
}
