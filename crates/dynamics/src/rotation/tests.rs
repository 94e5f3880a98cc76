//! Tests of [`rotation`](super).
