//! Contacts that a scene finds while bodies move: closed forms, what holds for every motion, and what is refused.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod blocks;
mod events;
mod random;
mod refusals;
mod schemes;
mod variational;
