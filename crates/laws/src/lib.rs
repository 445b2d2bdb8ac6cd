//! Checks the laws of the road over very many conversations.
//!
//! Conversations come from the [`generate`] module, by a seed: the same seed gives the same ones.
//! Each is translated for every provider the judge knows ([`targets`]), and the [`laws`] look at what
//! leaves. What breaks a law is made smaller ([`shrink`]) and shown as a case for the corpus.

pub mod generate;
pub mod known;
pub mod laws;
pub mod marks;
pub mod mutate;
pub mod report;
pub mod rng;
pub mod run;
pub mod sealed;
pub mod seeds;
pub mod shrink;
pub mod source;
pub mod spell;
pub mod targets;
