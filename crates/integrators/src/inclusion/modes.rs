//! The modes of closed contacts at the start of a smooth phase.
//!
//! A closed contact that slips slides on or is left; one at rest sticks, is left, or begins to slide to either side. A
//! choice for all contacts is consistent if its forces push within their cones, no contact that is left is accelerated
//! into its surface, and every slip from rest is accelerated in its own direction. Several choices may be consistent.
//! Those in which no slip begins come first, with as many carrying contacts as possible; then those in which one does.
//!
//! Where none is consistent, a sliding contact may be in Painlevé's case, see [`jammed`].

use nalgebra::DVector;

use super::{
    Resolved,
    contacts::{Carriers, Contacts, Hold},
    solution::Moment,
};

/// Forces and accelerations up to this fraction of those of the model count as zero: forces are held to
/// rounding, some 1e-15 of them, and coordinates to the tolerances of the integration.
pub(super) const ROUNDING: f64 = 1e-9;

/// Maximum number of choices that are tried; beyond it, all contacts carry or none.
const CHOICES: usize = 4096;

/// The first consistent choice of carrying contacts.
pub(super) fn carriers(
    contacts: &mut Contacts<'_>,
    settings: &Resolved,
    at: &Moment,
) -> Option<Vec<(usize, Hold)>> {
    contacts.locate(&at.coordinates, &at.velocity);
    let (closed, still) = (contacts.closed(settings), contacts.still(settings));
    let present = |i: usize| match contacts.u[2 * i + 1] {
        _ if still.contains(&i) => Hold::Stick,
        slip => Hold::Slide(slip.signum()),
    };
    let carrying: Vec<_> = closed.iter().map(|&i| vec![Some(present(i)), None]).collect();
    let beginning: Vec<_> = closed
        .iter()
        .map(|&i| match present(i) {
            Hold::Stick => {
                let sides = [Hold::Slide(1.0), Hold::Slide(-1.0)].map(Some);
                [&[Some(Hold::Stick), None][..], &sides].concat()
            }
            slides @ Hold::Slide(_) => vec![Some(slides), None],
        })
        .collect();
    for options in [carrying, beginning] {
        let mut choices = choices(&closed, &options);
        choices.sort_by_key(|choice| std::cmp::Reverse(choice.len()));
        let found = choices
            .into_iter()
            .find(|choice| is_consistent(contacts, settings, at, (choice, &closed)));
        if found.is_some() {
            return found;
        }
    }
    None
}

/// All choices of one option for each contact; the first options and the second ones if there are too many.
fn choices(closed: &[usize], options: &[Vec<Option<Hold>>]) -> Vec<Vec<(usize, Hold)>> {
    let count = options.iter().try_fold(1_usize, |count, options| {
        count.checked_mul(options.len()).filter(|count| *count <= CHOICES)
    });
    let carry = |pick: &dyn Fn(usize) -> usize| -> Vec<(usize, Hold)> {
        let places = closed.iter().zip(options).enumerate();
        places.filter_map(|(k, (&i, options))| Some((i, options[pick(k)]?))).collect()
    };
    let Some(count) = count else { return [0, 1].map(|option| carry(&|_| option)).to_vec() };
    let strides: Vec<usize> = options
        .iter()
        .scan(1, |stride, options| {
            let this = *stride;
            *stride *= options.len();
            Some(this)
        })
        .collect();
    (0..count).map(|number| carry(&|k| number / strides[k] % options[k].len())).collect()
}

fn is_consistent(
    contacts: &mut Contacts<'_>,
    settings: &Resolved,
    at: &Moment,
    (choice, closed): (&Carriers, &[usize]),
) -> bool {
    let (forces, acceleration) = contacts.hold(choice, (&at.coordinates, &at.velocity, at.time));
    let scale = ROUNDING * (settings.scales.force() + forces.amax());
    if contacts.cone_violation(&forces) > scale {
        return false;
    }
    let change: DVector<f64> =
        contacts.bias(&at.coordinates, &at.velocity) + &contacts.jacobian * acceleration;
    let accepted = ROUNDING * (settings.scales.acceleration() + change.amax());
    closed.iter().all(|&i| {
        let mode = choice.iter().find(|(carrier, _)| *carrier == i).map(|(_, hold)| *hold);
        let starts = contacts.u[2 * i + 1].abs() <= settings.velocity_tolerance;
        match mode {
            None => change[2 * i] >= -accepted,
            Some(Hold::Stick) => true,
            // A singular operator may have no force that keeps the contact closed.
            Some(Hold::Slide(sign)) => {
                change[2 * i].abs() <= accepted && (!starts || sign * change[2 * i + 1] >= 0.0)
            }
        }
    })
}

/// The sliding contact whose friction presses it into its surface by more than its normal force lifts it: no force
/// keeps it closed, and an impulse along the cone slows its slip and makes it approach. Painlevé's case; the
/// impulse that ends its slip and then its approach is a solution of the inclusion.
pub(super) fn jammed(
    contacts: &mut Contacts<'_>,
    settings: &Resolved,
    at: &Moment,
) -> Option<usize> {
    contacts.locate(&at.coordinates, &at.velocity);
    let still = contacts.still(settings);
    let sliding: Vec<_> =
        contacts.closed(settings).into_iter().filter(|i| !still.contains(i)).collect();
    sliding.into_iter().find(|&i| {
        let rows = contacts.jacobian.rows(2 * i, 2).into_owned();
        let w = &rows * contacts.divide(&at.coordinates, rows.transpose());
        let sign = contacts.u[2 * i + 1].signum();
        let friction = contacts.friction(i, sign);
        let lifts = w[(0, 0)] + friction * w[(0, 1)];
        let slows = sign * (w[(1, 0)] + friction * w[(1, 1)]) < 0.0;
        lifts < 0.0 && slows
    })
}
