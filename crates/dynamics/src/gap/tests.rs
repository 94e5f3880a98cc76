//! Tests of the built-in gaps.
