//! Tests of [`free_bodies`](super).
