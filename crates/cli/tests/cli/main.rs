//! Tests of the command as users run it: results, exit codes, and errors.

#![expect(clippy::unwrap_used, reason = "helpers of tests may panic like the tests themselves")]

mod browser;
mod built_once;
mod common;
mod design;
mod door;
mod ensembles;
mod general;
mod grains;
mod grains_shapes;
mod hostile;
mod impact;
mod impact_derivative;
mod impact_of_scenarios;
mod impact_sets;
mod inspect;
mod reproduce;
mod robots;
mod run;
mod solve;
mod solve_friction;
mod tables;
mod view;
