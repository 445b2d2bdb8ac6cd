//! The dialect's name.

use interlingua_model::DialectId;

pub const ID: DialectId = DialectId("native");
