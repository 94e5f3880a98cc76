//! Tests of Lemke.
