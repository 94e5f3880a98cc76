//! The listings of the book, one module a chapter, so that `cargo test` runs them.
#![expect(clippy::doc_markdown, reason = "the chapters are prose, in which names are names")]

macro_rules! chapters {
    ($($name:ident: $path:literal,)*) => {
        $(#[doc = include_str!($path)] pub mod $name {})*
    };
}

chapters! {
    introduction: "src/introduction.md",
    getting_started: "src/getting-started.md",
    choosing_a_law: "src/choosing-a-law.md",
    certificate: "src/certificate.md",
    time_stepping: "src/systems/time-stepping.md",
    maximum_dissipation: "src/systems/maximum-dissipation.md",
    set_valued: "src/systems/set-valued.md",
    plus: "src/systems/plus.md",
    propagative: "src/systems/propagative.md",
    variational: "src/systems/variational.md",
    event_driven: "src/systems/event-driven.md",
    compliant: "src/systems/compliant.md",
    granular: "src/systems/granular.md",
    bulk: "src/systems/bulk.md",
    restitution: "src/systems/restitution.md",
    ensembles: "src/systems/ensembles.md",
    derivatives: "src/systems/derivatives.md",
    reading_the_set: "src/reading-the-set.md",
    grains: "src/grains.md",
    mpi: "src/mpi.md",
    viewer: "src/viewer.md",
    fields: "src/fields.md",
    file_formats: "src/file-formats.md",
    python: "src/python.md",
    matrices: "src/bring/matrices.md",
    robot: "src/bring/robot.md",
    robot_tutorial: "src/bring/robot-tutorial.md",
    engine: "src/bring/engine.md",
    performance: "src/performance.md",
    peers: "src/peers.md",
    report_card: "src/report-card.md",
    reliability: "src/reliability.md",
    sensitivity: "src/sensitivity.md",
    extending: "src/extending.md",
    terms: "src/terms.md",
}
