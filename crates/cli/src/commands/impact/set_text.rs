//! The printed text of `impact` for a set of outcomes.

use percussion_report::{
    Table,
    number::{short, short_or_dash},
};

use super::{
    set::{BoundingBox, Cone, Set, SetStatistics},
    words::{list, size, with_restitution},
};
use crate::{
    input::Subject,
    output::{clean, written},
};

/// Maximum number of joint modes that are printed.
const MOST_MODES: usize = 12;

pub(super) fn set(subject: &Subject, law: &str, set: &Set) -> String {
    let mut text = format!("{law}: {}\n\n{}", status(set), samples(set));
    if let Some(bounds) = &set.bounds {
        text += &format!("\n{}", bounding_box(subject, set, bounds));
        text += "Samples lie between lowest and highest. Every outcome provably lies between at least and at most \
                 (with joints, to the estimated rounding of their elimination).\n";
        text += &format!("\n{}", modes(subject, set));
    }
    if !set.planes.is_empty() {
        text += &format!("\n{}", planes(subject, set));
    }
    text += &format!("\n{}", cone(subject, &set.friction_cone));
    text += &format!("\n{}", guarantee(set));
    text += &format!("\n{}", figures(set));
    text + &written(&set.files)
}

/// The status of a set, with a note if it does not use the data as given.
pub(super) fn status(set: &Set) -> String {
    with_restitution(set.status.clone(), set.restitution)
}

fn samples(set: &Set) -> Table {
    let SetStatistics { samples, mean_lcps, max_lcps } = &set.statistics;
    let mut table = Table::new("<>>", ["samples", "number", "share"]);
    let drawn = match set.asked {
        asked if samples.samples < asked => format!("drawn of {asked}"),
        _ => "drawn".to_owned(),
    };
    table.push([drawn, samples.samples.to_string()]);
    for (name, count) in [
        ("ended without approach", samples.terminated),
        ("ended in the last small step", samples.closed),
        ("still approach", samples.limit),
        ("not solved", samples.unsolved),
    ] {
        let percent = percent(count, samples.samples);
        table.push([name.to_owned(), count.to_string(), percent]);
    }
    table.push(["largest increment of an impulse (N·s)".to_owned(), short(set.step)]);
    table.push(["LCPs per sample, mean".to_owned(), short(*mean_lcps)]);
    table.push(["LCPs per sample, largest".to_owned(), max_lcps.to_string()]);
    table
}

fn percent(count: u64, of: u64) -> String {
    format!("{} %", short((1e4 * count as f64 / of as f64).round() / 100.0))
}

/// The ends of the samples, and the bounds that no outcome exceeds.
fn bounding_box(subject: &Subject, set: &Set, bounds: &BoundingBox) -> Table {
    let problem = &subject.problem;
    let header = ["velocity", "before", "at least", "lowest", "highest", "at most"];
    let mut table = Table::new("<>>>>>", header);
    let mut push = |name: String, cells: [f64; 5], size: f64| {
        let cells = cells.map(|value| clean(value, size));
        table.push(std::iter::once(name).chain(cells));
    };
    let outer = &set.outer_bounds.ends;
    let row = |before: f64, outer: &[Vec<f64>; 2], inner: &[Vec<f64>; 2], index: usize| {
        [before, outer[0][index], inner[0][index], inner[1][index], outer[1][index]]
    };
    let before = problem.velocity();
    for (index, name) in subject.velocities.iter().enumerate() {
        let cells = row(before[index], &outer.velocity, &bounds.velocity, index);
        push(name.clone(), cells, size(cells));
    }
    let before = problem.contact_velocity(before);
    for (contact, name) in subject.contacts.iter().enumerate() {
        for (index, part) in problem.rows(contact).zip(["normal", "tangential", "tangential 2"]) {
            let inner = &bounds.contact_velocity;
            let cells = row(before[index], &outer.contact_velocity, inner, index);
            push(format!("contact {name}, {part} (m/s)"), cells, before.amax());
        }
    }
    let energy = problem.kinetic_energy(problem.velocity());
    let ([least, most], [lowest, highest]) = (outer.energy, bounds.energy);
    push("energy (J)".to_owned(), [energy, least, lowest, highest, most], energy);
    table
}

fn modes(subject: &Subject, set: &Set) -> String {
    let contacts = subject.contacts.iter().map(|name| format!("contact {name}"));
    let header = contacts.chain(["samples".to_owned(), "share".to_owned()]);
    let alignment = "<".repeat(subject.contacts.len()) + ">>";
    let mut table = Table::new(&alignment, header);
    let all = &set.statistics.samples;
    let ended = all.terminated + all.closed;
    for mode in set.modes.joint.iter().take(MOST_MODES) {
        let cells = [mode.count.to_string(), percent(mode.count, ended)];
        table.push(mode.contacts.iter().cloned().chain(cells));
    }
    let more = set.modes.joint.len().saturating_sub(MOST_MODES);
    let more =
        if more > 0 { format!("… and {more} more (--json prints all)\n") } else { String::new() };
    format!("{table}{more}")
}

fn planes(subject: &Subject, set: &Set) -> Table {
    let header =
        ["sliding against separation", "area of the hull (m²/s²)", "next outcome in a new cell"];
    let mut table = Table::new("<>>", header);
    for plane in &set.planes {
        let rate = percent_of(plane.new_cell_rate);
        table.push([
            format!("contact {}", subject.contacts[plane.contact]),
            short(if plane.area < 1e-6 * plane.cell.powi(2) { 0.0 } else { plane.area }),
            rate,
        ]);
    }
    table
}

fn percent_of(share: f64) -> String {
    format!("{} %", short(100.0 * share))
}

fn cone(subject: &Subject, cone: &Cone) -> String {
    match cone {
        Cone::Pointed { constant, constant_bound, .. } if constant.is_finite() => {
            let spread = constant_bound - constant;
            let bound = if spread > 1e-5 * constant {
                format!(", of at most {}", short(*constant_bound))
            } else {
                String::new()
            };
            format!(
                "The friction cone is pointed: 1 N·s anywhere pushes by at least c = {} kg^−½{bound}.\n",
                short(*constant)
            )
        }
        Cone::Pointed { .. } => "There is no contact.\n".to_owned(),
        Cone::Jammed { impulse, resultant } => {
            let mut text = format!(
                "The friction cone is NOT POINTED: these impulses cancel (to {}), contacts can jam.\n",
                short(*resultant)
            );
            let mut table = Table::new("<>>", ["contact", "Λ normal (N·s)", "tangential (N·s)"]);
            for (contact, name) in subject.contacts.iter().enumerate() {
                let rows = subject.problem.rows(contact);
                let tangential = list(&impulse[rows.start + 1..rows.end]);
                table.push([name.clone(), short(impulse[rows.start]), tangential]);
            }
            text += &table.to_string();
            text
        }
        Cone::Undecided { error: None } => {
            "Whether the friction cone is pointed could not be decided in double precision.\n"
                .to_owned()
        }
        Cone::Undecided { error: Some(error) } => {
            format!("Whether the friction cone is pointed is not known: {error}.\n")
        }
    }
}

fn guarantee(set: &Set) -> String {
    let guarantee = &set.guarantee;
    let failure = short(guarantee.failure);
    let header =
        format!("for independent draws and exact steps, each except with probability {failure}");
    let mut table = Table::new("<>", [header.as_str(), "at most"]);
    let share = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), percent_of);
    table.push([
        "one more sample that ends lies outside the box".to_owned(),
        share(guarantee.outside_bounds),
    ]);
    table.push([
        "distance of any increments from some that were drawn (in steps)".to_owned(),
        short_or_dash(guarantee.radius_of_draws),
    ]);
    table.push([
        "distance of any outcome of as many steps from some that was found (√J)".to_owned(),
        short_or_dash(guarantee.radius_of_outcomes),
    ]);
    table.push([
        "mean LCPs per sample, without exception".to_owned(),
        short_or_dash(guarantee.mean_lcps),
    ]);
    table.push([
        "a sample needs more steps than it is given, without exception".to_owned(),
        share(guarantee.more_lcps),
    ]);
    table.to_string()
}

fn figures(set: &Set) -> Table {
    let figures = &set.statistics.samples.figures;
    let mut table = Table::new("<><", ["worst figure of all steps", "value", "unit"]);
    for (name, value, unit) in [
        ("residual of the LCP", figures.residual, ""),
        ("energy gained", figures.energy_gain, "J"),
        ("adhesion", figures.adhesion, "N·s"),
        ("cone violation", figures.cone_violation, "N·s"),
        ("drift of contact velocities", figures.drift, "m/s"),
    ] {
        table.push([name.to_owned(), short(value), unit.to_owned()]);
    }
    table
}
