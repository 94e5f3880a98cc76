//! Files of earlier formats remain readable, with the same content.

use std::{fs, path::PathBuf};

use percussion_mechanism::{design::Design, impacts::ImpactScenario, scenario::Scenario};
use percussion_snapshot::{Record, assert_stored};

/// The names and texts of the files of one kind, by name.
fn files(kind: &str) -> Vec<(String, String)> {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/compat").join(kind);
    let paths = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let mut files: Vec<_> =
        paths.map(|path| (name(&path), fs::read_to_string(path).unwrap())).collect();
    files.sort();
    assert!(!files.is_empty(), "no {kind}");
    files
}

#[test]
fn scenarios_of_earlier_formats_load() {
    let mut record = Record::new("scenarios of earlier formats");
    for (name, text) in files("scenarios") {
        let setup = Scenario::from_toml_str(&text).unwrap().build().unwrap();
        let (system, state) = (setup.mechanism.model.system(), &setup.mechanism.state);
        let energy = system.energy(&state.coordinates, &state.velocity);
        record.count(&format!("{name}.contacts"), setup.mechanism.contacts.len());
        record.figure(&format!("{name}.energy"), energy, energy.abs());
        let gaps = setup.mechanism.model.contacts().iter();
        let gaps: Vec<_> =
            gaps.map(|contact| contact.gap.gap(system, &state.coordinates)).collect();
        record.figures(&format!("{name}.gaps"), &gaps, 1.0);
    }
    assert_stored!("compat", record);
}

#[test]
fn impacts_of_earlier_formats_load() {
    let mut record = Record::new("impacts of earlier formats");
    for (name, text) in files("impacts") {
        let problem = ImpactScenario::from_toml_str(&text).unwrap().build().unwrap().problem;
        record.count(&format!("{name}.contacts"), problem.contacts().len());
        let energy = problem.kinetic_energy(problem.velocity());
        record.figure(&format!("{name}.energy"), energy, energy.abs());
        let trace = problem.delassus().trace();
        record.figure(&format!("{name}.trace of W"), trace, trace.abs());
    }
    assert_stored!("compat", record);
}

#[test]
fn designs_of_earlier_formats_load() {
    let mut record = Record::new("designs of earlier formats");
    for (name, text) in files("designs") {
        let design = Design::from_toml_str(&text).unwrap();
        let gaps = design.gaps_at(&design.start()).unwrap();
        record.figures(&format!("{name}.gaps"), &gaps, 1.0);
    }
    assert_stored!("compat", record);
}
