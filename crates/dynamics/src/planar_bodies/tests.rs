//! Tests of [`planar_bodies`](super).
