//! Describes the fields of the settings and their values.

/// Constraint on a value.
#[derive(Clone, Copy, Debug)]
pub enum SettingShape {
    Any,
    Bool,
    /// A boolean, also as a string.
    BoolOrString,
    Number,
    /// A number without fraction and exponent.
    Integer,
    Text,
    /// A list of strings.
    TextList,
    /// A string, or a list.
    TextOrList,
    TextOrObject,
    AnyList,
    /// As `Open`; values other than objects are accepted, too.
    OpenIfObject(&'static [SettingField]),
    /// As `Closed`; values other than objects are accepted, too.
    ClosedIfObject(&'static [SettingField]),
    /// A list of betas without these prefixes.
    BetaList(&'static [&'static str]),
    OneOfOrObject(&'static [&'static str]),
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// One of these in any case, or a number.
    OneOfIgnoreCaseOrNumber(&'static [&'static str]),
    AnyObject,
    /// An object with these fields only.
    Closed(&'static [SettingField]),
    /// An object with these fields and any others.
    Open(&'static [SettingField]),
    /// An object with fields that depend on its `type`.
    Tagged(&'static [(&'static str, &'static [SettingField])]),
    /// As `Tagged`, with any other fields.
    TaggedOpen(&'static [(&'static str, &'static [SettingField])]),
    /// No value at all.
    Forbidden,
    /// Exactly one of these fields.
    ExactlyOneField(&'static [SettingField]),
}

#[derive(Clone, Copy, Debug)]
pub struct SettingField {
    pub name: &'static str,
    pub shape: SettingShape,
    pub required: bool,
}

pub(crate) const fn optional(name: &'static str, shape: SettingShape) -> SettingField {
    SettingField { name, shape, required: false }
}

pub(crate) const fn required(name: &'static str, shape: SettingShape) -> SettingField {
    SettingField { name, shape, required: true }
}
