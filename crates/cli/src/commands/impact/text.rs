//! The printed text of `impact`.

use percussion_impact::{
    Impulse, Reduction,
    certificate::{Judged, Verdict},
};
use percussion_report::{Table, number::short};

use super::{
    derivative,
    document::{Content, Document, List, One},
    set_text,
    words::{NO_IMPACT, approaches, list, size, with_restitution},
};
use crate::{
    input::Subject,
    output::{clean, is_rounding, name_of, written},
};

/// Maximum number of stages, and of outcomes, that are printed one by one.
pub(super) const MOST_ROWS: usize = 12;

/// The result of one law.
pub(super) fn one(subject: &Subject, document: &Document) -> String {
    let title = subject.title.as_ref().map_or_else(String::new, |title| format!("{title}\n\n"));
    let answer = match &document.content {
        Content::One(outcome) => {
            format!("{}: {}\n\n{}", document.law, status(outcome), full(subject, outcome))
        }
        Content::Several(list) => several(subject, &document.law, list),
        Content::Set(set) => set_text::set(subject, &document.law, set),
    };
    let derivative = document.derivative.as_ref();
    let derivative = derivative.map_or_else(String::new, |one| {
        let what = match document.content {
            Content::Set(_) => "derivative of the first sample",
            _ => "derivative",
        };
        derivative::text(subject, what, one)
    });
    title + &answer + &derivative + &written(document.files())
}

/// The status of an outcome, with a note if it does not use the data as given.
pub(super) fn status(outcome: &One) -> String {
    with_restitution(name_of(&outcome.status), outcome.restitution)
}

/// The contacts that enclose a body so that no motion separates them as fast as required.
fn infeasibility(subject: &Subject, weights: &[f64]) -> String {
    let parts = weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0);
    let parts: Vec<_> =
        parts.map(|(k, weight)| format!("{} × {}", short(*weight), subject.contacts[k])).collect();
    format!("proof: no impulse changes the normal velocities {}\n\n", parts.join(" + "))
}

fn full(subject: &Subject, outcome: &One) -> String {
    let proof = outcome.infeasibility.as_ref();
    let proof = proof.map_or_else(String::new, |weights| infeasibility(subject, weights));
    let reduction = outcome.reduction.map_or_else(String::new, |Reduction { factor, failing }| {
        let (factor, gap) = (short(factor), short(failing - factor));
        format!("restitution of all contacts × {factor}; a factor {gap} larger fails\n\n")
    });
    proof + &reduction + &tables(subject, outcome)
}

fn tables(subject: &Subject, outcome: &One) -> String {
    let mut text = velocities(subject, outcome).to_string();
    if !outcome.impulses.is_empty() {
        text += &format!("\n{}", contacts(subject, outcome));
        text += "Λ impulse (N·s), u contact velocity (m/s), before (−) and after (+)\n";
    }
    if !outcome.bilateral_impulses.is_empty() {
        text += &format!("\n{}", joints(outcome));
    }
    text += &format!("\n{}", certificate(outcome));
    text + &trace(subject, outcome)
}

fn velocities(subject: &Subject, outcome: &One) -> Table {
    let mut table = Table::new("<>>>", ["velocity", "before", "after", "change"]);
    let before = subject.problem.velocity();
    for (name, (before, after)) in
        subject.velocities.iter().zip(before.iter().zip(&outcome.velocity))
    {
        let size = size([*before, *after]);
        let cells = [*before, *after, after - before].map(|value| clean(value, size));
        table.push(std::iter::once(name.clone()).chain(cells));
    }
    table
}

fn contacts(subject: &Subject, outcome: &One) -> Table {
    let problem = &subject.problem;
    let before = problem.contact_velocity(problem.velocity());
    let after = problem.contact_velocity(&outcome.velocity.clone().into());
    let header = [
        "contact",
        "Λ normal",
        "tangential",
        "u− normal",
        "tangential",
        "u+ normal",
        "tangential",
        "",
    ];
    let mut table = Table::new("<>>>>>><", header);
    // Rounding errors of larger terms are printed as 0.
    let clean = |velocity: &f64| if outcome.sizes.is_rounding(*velocity) { 0.0 } else { *velocity };
    let cells = |velocity: &[f64]| list(&velocity.iter().map(clean).collect::<Vec<_>>());
    let still = |percussion: &f64| outcome.sizes.without_rounding(*percussion);
    let percussions = |values: &[f64]| list(&values.iter().map(still).collect::<Vec<_>>());
    for (index, impulse) in outcome.impulses.iter().enumerate() {
        let rows = problem.rows(index);
        let (normal, tangents) = (rows.start..rows.start + 1, rows.start + 1..rows.end);
        let [before, after] = [before.as_slice(), after.as_slice()];
        table.push([
            subject.contacts[index].clone(),
            percussions(&[impulse.normal]),
            percussions(&impulse.tangent),
            cells(&before[normal.clone()]),
            cells(&before[tangents.clone()]),
            cells(&after[normal.clone()]),
            cells(&after[tangents.clone()]),
            mode(outcome, impulse, after[normal.start], &after[tangents]).to_owned(),
        ]);
    }
    table
}

/// The mode of a contact after the impact.
fn mode(outcome: &One, impulse: &Impulse, normal: f64, tangential: &[f64]) -> &'static str {
    let still = |velocity: f64| outcome.sizes.is_still(velocity);
    match (still(normal), impulse.tangent.is_empty()) {
        (false, _) if normal > 0.0 => "separates",
        (false, _) => "approaches",
        (true, true) => "stays closed",
        (true, false) if tangential.iter().all(|&velocity| still(velocity)) => "sticks",
        (true, false) => "slides",
    }
}

fn joints(outcome: &One) -> Table {
    let mut table = Table::new(">>", ["joint row", "impulse (N·s, N·m·s)"]);
    for (index, impulse) in outcome.bilateral_impulses.iter().enumerate() {
        table.push([index.to_string(), short(*impulse)]);
    }
    table
}

fn certificate(outcome: &One) -> Table {
    let mut table = Table::new("<><<<", ["certificate", "value", "unit", "verdict", ""]);
    for figure in &outcome.judged {
        let unit = if figure.unit == "-" { "" } else { figure.unit };
        table.push([
            figure.name.replace('_', " "),
            short(figure.value),
            unit.to_owned(),
            verdict(figure).to_owned(),
            remark(outcome, figure),
        ]);
    }
    table
}

fn verdict(figure: &Judged) -> &'static str {
    match (figure.verdict, figure.name) {
        (Verdict::Holds, _) => "holds",
        (Verdict::Violated, _) => "VIOLATED",
        (_, "energy_before" | "energy_after") => "",
        _ => "not required",
    }
}

/// What a figure means, or why the law does not require it.
fn remark(outcome: &One, figure: &Judged) -> String {
    let energy = outcome.certificate.energy_before;
    match figure.name {
        "energy_change" if !is_rounding(figure.value, energy) && energy > 0.0 => {
            let verb = if figure.value < 0.0 { "loses" } else { "gains" };
            format!("{verb} {} %", short(100.0 * figure.value.abs() / energy))
        }
        "complementarity" if figure.verdict == Verdict::Information && outcome.separates => {
            "contacts that pushed separate".to_owned()
        }
        "momentum_residual" | "approach" | "bilateral_residual"
            if figure.verdict == Verdict::Information =>
        {
            "bodies move meanwhile".to_owned()
        }
        _ => String::new(),
    }
}

fn trace(subject: &Subject, outcome: &One) -> String {
    let stages = &outcome.trace.stages;
    if stages.is_empty() {
        return if approaches(subject) { String::new() } else { format!("\n{NO_IMPACT}") };
    }
    let mut table = Table::new("><<<", ["stage", "what happens", "contact", "velocity at its end"]);
    for (index, stage) in stages.iter().enumerate() {
        if index == MOST_ROWS && stages.len() > MOST_ROWS + 1 {
            break;
        }
        let contact = match stage.contact {
            None => "all".to_owned(),
            Some(contact) => subject.contacts[contact].clone(),
        };
        table.push([index.to_string(), name_of(&stage.phase), contact, list(&stage.velocity)]);
    }
    let more = stages.len().saturating_sub(MOST_ROWS);
    let more =
        if more > 1 { format!("… and {more} more (--json prints all)\n") } else { String::new() };
    format!("\n{table}{more}")
}

fn several(subject: &Subject, law: &str, list: &List) -> String {
    let count = list.outcomes.len();
    let noun = if count == 1 { "outcome" } else { "outcomes" };
    let mut text = format!("{law}: {count} {noun}, {}", name_of(&list.status));
    if !list.statistics.complete {
        text += ": the enumeration may have missed some";
    }
    text += "\n";
    if let Some(indeterminacy) = list.statistics.indeterminacy {
        text += &format!(
            "indeterminacy ξ: {} (largest distance of two outcomes over the momentum before)\n",
            short(indeterminacy)
        );
    }
    for (index, entry) in list.outcomes.iter().enumerate().take(MOST_ROWS) {
        let kind = match entry.isolated {
            Some(false) => ", an end of a continuum of outcomes",
            _ => "",
        };
        let status = status(&entry.outcome);
        let sequences = entry.sequences.as_ref().map_or_else(String::new, sequences);
        let outcome = full(subject, &entry.outcome);
        text += &format!("\n── outcome {index}: {status}{kind}\n\n{sequences}{outcome}");
    }
    if count > MOST_ROWS {
        text += &format!("\n… and {} more (--json prints all)\n", count - MOST_ROWS);
    }
    text
}

/// The contacts of each sequence in their order, by index.
fn sequences(sequences: &percussion_impact::laws::Sequences) -> String {
    let sequence = |contacts: &Vec<usize>| {
        let contacts: Vec<_> = contacts.iter().map(ToString::to_string).collect();
        format!("  {}\n", contacts.join(" "))
    };
    let shown: String = sequences.listed.iter().take(MOST_ROWS).map(sequence).collect();
    let more = sequences.count.saturating_sub(MOST_ROWS as u64);
    let more = if more > 0 { format!("  … and {more} more (--json)\n") } else { String::new() };
    format!("minimal sequences of contacts:\n{shown}{more}\n")
}
