//! The gateway's configuration, found and read for a command.

use std::net::SocketAddr;
use std::path::Path;

use interlingua_gateway::config::{Config, Watch};

use crate::problem::Problem;
