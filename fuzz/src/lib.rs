//! Properties that must hold for any input bytes, and the generation of inputs.
//!
//! A property is one function `fn name(data: &[u8])` that panics when it does not hold, and one row
//! in [`PROPERTIES`]. `cargo xtask fuzz` runs every row on the stable toolchain; `fuzz/libfuzzer`
//! runs the same functions under coverage guidance.

pub mod mutate;
pub mod properties;
pub mod rng;
pub mod seeds;

use seeds::SeedKind;

/// A property that must hold for any input.
#[derive(Clone, Copy, Debug)]
pub struct Property {
    pub name: &'static str,
    /// The seeds of its inputs.
    pub seed_kind: SeedKind,
    /// Number of leading bytes that select the variant to check.
    pub selector_bytes: usize,
    pub check: fn(&[u8]),
}

/// All properties, in the order of the runner.
pub const PROPERTIES: &[Property] = &[
    Property {
        name: "scanner",
        seed_kind: SeedKind::Json,
        selector_bytes: 0,
        check: properties::scanner,
    },
    Property {
        name: "frames",
        seed_kind: SeedKind::Streams,
        selector_bytes: 2,
        check: properties::frames,
    },
    Property {
        name: "requests",
        seed_kind: SeedKind::Json,
        selector_bytes: 1,
        check: properties::requests,
    },
    Property {
        name: "replies",
        seed_kind: SeedKind::Json,
        selector_bytes: 1,
        check: properties::replies,
    },
    Property {
        name: "errors",
        seed_kind: SeedKind::Json,
        selector_bytes: 2,
        check: properties::errors,
    },
    Property {
        name: "streams",
        seed_kind: SeedKind::Streams,
        selector_bytes: 2,
        check: properties::streams,
    },
    Property {
        name: "guard",
        seed_kind: SeedKind::Json,
        selector_bytes: 2,
        check: properties::guard,
    },
    Property {
        name: "events",
        seed_kind: SeedKind::Streams,
        selector_bytes: 1,
        check: properties::events,
    },
];
