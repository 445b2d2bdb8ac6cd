//! The configuration: files, mistakes, routes, secrets.

mod nothing;
