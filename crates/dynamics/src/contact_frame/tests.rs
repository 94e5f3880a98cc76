//! Tests of [`contact_frame`](super).
