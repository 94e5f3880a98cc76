//! Problem families shared by the benches.
