//! Every built-in impact by every law that has one outcome.

use percussion_impact::{
    Law, Outcome, Problem, Stage,
    anitescu_potra::AnitescuPotra,
    certificate::Certificate,
    laws::{Choice, Name},
    maximum_dissipation::MaximumDissipation,
    newton::Newton,
    plus::Plus,
    propagative::Propagative,
    routh::Routh,
    sequential::Sequential,
};
use percussion_integrators::compliant::Method;
use percussion_scenarios::fixtures;
use percussion_snapshot::{Record, assert_stored};

/// Momentum and joints are balanced by sums of some tens of terms: this fraction of the largest term is round-off.
const ROUND_OFF: f64 = 1e-12;

/// Maximum number of listed stages; of longer lists only the number is stored.
const LISTED: usize = 12;

/// Compares the outcomes of one law to all built-in impacts with the stored ones.
fn all_impacts_by(name: &str, law: &dyn Law) {
    let mut collection = Record::new(&format!("by {name}"));
    for impact in fixtures::IMPACTS {
        let problem = fixtures::problem(impact).unwrap().problem;
        let mut record = Record::new(&format!("{impact} by {name}"));
        match law.resolve(&problem) {
            Ok(outcome) => add_outcome(&mut record, "", &problem, &outcome),
            Err(error) => {
                record.word("refused", error);
            }
        }
        collection.append(impact, &record);
    }
    assert_stored!("impacts", collection);
}

/// Adds an outcome and its certificate; `prefix` ends with a point or is empty.
pub(crate) fn add_outcome(record: &mut Record, prefix: &str, problem: &Problem, outcome: &Outcome) {
    let path = |name: &str| format!("{prefix}{name}");
    let stages = &outcome.trace.stages;
    record.variant(&path("status"), outcome.trace.status);
    record.count(&path("stages"), stages.len());
    if stages.len() <= LISTED {
        record.count(&path("stage names"), stage_names(stages));
    }
    let before = problem.velocity().amax();
    let momentum = problem.momentum(problem.velocity()).amax();
    record.figures(&path("velocity"), outcome.velocity.as_slice(), before);
    for (index, impulse) in outcome.impulses.iter().enumerate() {
        let normal = path(&format!("impulse[{index}].normal"));
        record.figure(&normal, impulse.normal, momentum);
        let scale = momentum.max(impulse.normal.abs());
        record.figures(&path(&format!("impulse[{index}].tangent")), &impulse.tangent, scale);
    }
    let joints = outcome.bilateral_impulses.as_slice();
    record.figures(&path("joint impulse"), joints, momentum);
    let certificate = Certificate::check(problem, outcome).unwrap();
    let contact = problem.contact_velocity(problem.velocity()).amax().max(before);
    let energy = certificate.energy_before;
    for figure in certificate.figures() {
        let path = path(&format!("certificate.{}", figure.name));
        match figure.unit {
            "-" => record.residual(&path, figure.value, ROUND_OFF),
            "J" => record.figure(&path, figure.value, energy),
            "N·s" => record.figure(&path, figure.value, momentum),
            _ if figure.name == "bilateral_residual" => {
                record.residual(&path, figure.value, ROUND_OFF * contact)
            }
            _ => record.figure(&path, figure.value, contact),
        };
    }
}

fn stage_names(stages: &[Stage]) -> String {
    let name = |stage: &Stage| match stage.contact {
        Some(contact) => format!("{:?} of {contact}", stage.phase),
        None => format!("{:?}", stage.phase),
    };
    let names: Vec<_> = stages.iter().map(name).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

#[test]
fn laws_with_one_answer() {
    for name in Name::ALL {
        if let Choice::One(law) = Choice::new(name, Vec::new(), None).unwrap() {
            all_impacts_by(name.as_str(), &*law);
        }
    }
}

#[test]
fn laws_with_other_settings() {
    all_impacts_by("maximum-dissipation, coulomb", &MaximumDissipation::coulomb());
    all_impacts_by("sequential, newton", &Sequential::new(Newton::default()));
    all_impacts_by("sequential, anitescu-potra", &Sequential::new(AnitescuPotra::default()));
    let inelastic = Propagative { restitution: 0.5, ..Propagative::default() };
    all_impacts_by("propagative, restitution 0.5", &inelastic);
}

#[test]
fn sequential_along_single_contacts() {
    all_impacts_by("sequential, routh", &Sequential::new(Routh::default()));
    all_impacts_by("sequential, plus", &Sequential::new(Plus::default()));
}

#[test]
fn compliant() {
    let mut collection = Record::new("by compliant");
    for impact in fixtures::IMPACTS {
        let scenario = fixtures::impact(impact).unwrap();
        let problem = scenario.build().unwrap().problem;
        let mut record = Record::new(&format!("{impact} by compliant"));
        let mut settings = scenario.compliant;
        if impact == "ramone" {
            // Its friction of 1e5 makes the explicit method take such small steps that it runs for a minute.
            settings.method = Method::TrBdf2;
        }
        match scenario.compliant(&settings, &mut |_| ()) {
            Ok(reference) => {
                record.variant("integration", reference.status);
                record.count("counters.steps", reference.counters.steps);
                record.figure("duration", reference.duration, 0.0);
                record.figure("depth", reference.depth, 0.0);
                add_outcome(&mut record, "", &problem, &reference.outcome);
            }
            Err(error) => {
                record.word("refused", error);
            }
        }
        collection.append(impact, &record);
    }
    assert_stored!("impacts", collection);
}
