//! The simulator, over real sockets and without.

mod apis;
mod arguments;
mod client;
mod corpus;
mod docs;
mod faults;
mod load;
mod log;
mod misdeeds;
mod routes;
mod script;
mod tokens;
