//! Properties that hold for any bytes, and the inputs that try to break them.
//!
//! A property is one function `fn name(data: &[u8])` that panics when it does not hold, and one row
//! in [`ALL`]. `cargo xtask fuzz` runs every row on the stable toolchain; `fuzz/libfuzzer` runs the
//! same functions under coverage guidance.

pub mod mutate;
pub mod properties;
pub mod random;
pub mod seeds;

use seeds::Food;

/// Something that holds for any input.
#[derive(Clone, Copy, Debug)]
pub struct Property {
    pub name: &'static str,
    /// What the inputs grow from.
    pub food: Food,
    /// How many bytes in front of the data choose the variant to check.
    pub choices: usize,
    pub check: fn(&[u8]),
}

/// Every property, in the order in which they are run.
pub const ALL: &[Property] = &[
    Property { name: "scanner", food: Food::Json, choices: 0, check: properties::scanner },
    Property { name: "frames", food: Food::Streams, choices: 2, check: properties::frames },
    Property { name: "requests", food: Food::Json, choices: 1, check: properties::requests },
    Property { name: "replies", food: Food::Json, choices: 1, check: properties::replies },
    Property { name: "errors", food: Food::Json, choices: 2, check: properties::errors },
    Property { name: "streams", food: Food::Streams, choices: 2, check: properties::streams },
    Property { name: "guard", food: Food::Json, choices: 2, check: properties::guard },
    Property { name: "events", food: Food::Streams, choices: 1, check: properties::events },
];
