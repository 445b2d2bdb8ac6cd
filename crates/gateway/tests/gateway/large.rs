//! The tests of several gateways at full length: `cargo xtask postgres large`.

use std::time::Duration;

use crate::kills;
use crate::postgres::round_robin::{continue_with_killed_connections, continue_without_pause};

#[test]
#[ignore = "takes long: cargo xtask postgres large"]
fn a_thousand_continuations_without_a_pause() {
    continue_without_pause(1000);
}

#[test]
#[ignore = "takes long: cargo xtask postgres large"]
fn a_minute_of_killed_connections() {
    continue_with_killed_connections(Duration::from_mins(1));
}

#[test]
#[ignore = "takes long: cargo xtask postgres large"]
fn a_thousand_kills_with_sqlite() {
    kills::kill_on_sqlite(1000);
}

#[test]
#[ignore = "takes long: cargo xtask postgres large"]
fn a_thousand_kills_of_three_nodes() {
    kills::kill_on_postgres(1000);
}
