//! Families of models and starts with one parameter, whose motions have derivatives.

/// The error with which a family has no member at a parameter.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;
