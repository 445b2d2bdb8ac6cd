//! Checks the laws of the translation on generated conversations.
//!
//! The [`generate`] module makes conversations from a seed: the same seed gives the same ones. Each
//! is translated for every provider of the judges ([`targets`]), and the [`laws`] check the output.
//! A conversation that breaks a law is shrunk ([`shrink`]) and printed as a corpus case.

pub mod canary;
pub mod corpus_requests;
pub mod generate;
pub mod known_breaches;
pub mod laws;
pub mod mutate;
pub mod raw_json;
pub mod recorded;
pub mod report;
pub mod rng;
pub mod run;
pub mod sample;
pub mod seal_requests;
pub mod shrink;
pub mod source;
pub mod spelling;
pub mod targets;
