//! How a client wrote something that the model holds in one form, as a set of flags that decoders
//! write and repair rules read.

use interlingua_wire::{JsonString, RawJson};

macro_rules! spellings {
    (
        $($(#[doc = $doc:literal])+ $form:ident = $form_name:literal,)+
        fields: $($field:ident = $field_name:literal,)+
    ) => {
        /// One way in which a client may have written an item. All have the same meaning for the
        /// model; servers differ in which of them they accept.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Spelling {
            $($(#[doc = $doc])+ $form,)+
            $(
                #[doc = concat!("The field `", $field_name, "` was written; the model holds its value elsewhere.")]
                $field,
            )+
        }

        impl Spelling {
            const ALL: &[Self] = &[$(Self::$form,)+ $(Self::$field,)+];
            const FIELDS: &[Self] = &[$(Self::$field,)+];

            /// The name, as it stands in stored conversations and in descriptions of changes.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$form => $form_name,)+
                    $(Self::$field => concat!("held ", $field_name),)+
                }
            }

            /// The spelling with this name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($form_name => Some(Self::$form),)+
                    _ => Self::from_field(name.strip_prefix("held ")?),
                }
            }

            /// The field that was written, if the spelling is about one.
            pub const fn field(self) -> Option<&'static str> {
                match self {
                    $(Self::$field => Some($field_name),)+
                    _ => None,
                }
            }

            /// The spelling for a field of this name.
            pub fn from_field(name: &str) -> Option<Self> {
                match name {
                    $($field_name => Some(Self::$field),)+
                    _ => None,
                }
            }
        }
    };
}

spellings! {
    /// A call without an id.
    NoId = "no id",
    /// A call with an empty id, or with one that is no string.
    EmptyId = "empty id",
    /// A call without a type.
    NoType = "no type",
    /// A call that does not name a tool, or not in the object that its type requires.
    NoToolName = "no tool",
    /// A call without arguments.
    NoArguments = "no arguments",
    /// A call whose arguments are null.
    NullArguments = "null arguments",
    /// A call whose arguments are an object instead of text.
    ObjectArguments = "object arguments",
    /// A call whose arguments are neither text, null nor an object.
    OtherArguments = "other arguments",
    /// A result without the id of a call.
    NoCallId = "no call",
    /// A result whose call id is empty.
    EmptyCallId = "empty call",
    /// A result whose call id is null.
    NullCallId = "null call",
    /// A result in the legacy form without the name of the tool.
    NoName = "no name",
    /// A call or a result in the legacy form, which refers by name instead of by id.
    LegacyForm = "legacy form",
    /// A message with an empty list of calls.
    EmptyToolCalls = "empty calls",
    /// An image whose address is a bare string instead of an object.
    BareImageUrl = "part image_url string",
    /// Media with a display name, which not every backend accepts.
    DisplayName = "display name",
    /// The result of a tool that takes free text.
    FreeformResult = "custom output",
    fields:
    NameField = "name",
    AudioField = "audio",
    RefusalField = "refusal",
    AnnotationsField = "annotations",
    ImagesField = "images",
    ExtraContentField = "extra_content",
    ToolCallsField = "tool_calls",
    ToolCallIdField = "tool_call_id",
    FunctionCallField = "function_call",
    CustomField = "custom",
    ReasoningField = "reasoning",
    ReasoningContentField = "reasoning_content",
    ReasoningDetailsField = "reasoning_details",
    ThinkingBlocksField = "thinking_blocks",
    CacheControlField = "cache_control",
    PromptCacheBreakpointField = "prompt_cache_breakpoint",
}

/// A set of spellings.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct SpellingSet(u64);

impl SpellingSet {
    /// No spelling.
    pub const EMPTY: Self = Self(0);
    /// All spellings.
    pub const ALL: Self = Self::new(Spelling::ALL);
    /// The spellings about a field whose value the model holds elsewhere.
    pub const FIELDS: Self = Self::new(Spelling::FIELDS);

    /// The set of these spellings.
    pub const fn new(spellings: &[Spelling]) -> Self {
        let mut bits = 0;
        let mut at = 0;
        while at < spellings.len() {
            bits |= 1 << spellings[at] as u8;
            at += 1;
        }
        Self(bits)
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether this spelling is in the set.
    pub const fn contains(self, spelling: Spelling) -> bool {
        self.0 & (1 << spelling as u8) != 0
    }

    /// Whether the sets have a spelling in common.
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The spellings that are in both sets.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The spellings that are in this set and not in the other.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The spellings that are in one of the sets.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The spellings, in the order of their declaration.
    pub fn iter(self) -> impl Iterator<Item = Spelling> {
        let mut bits = self.0;
        std::iter::from_fn(move || {
            let spelling = Spelling::ALL.get(bits.trailing_zeros() as usize)?;
            bits &= bits - 1;
            Some(*spelling)
        })
    }
}

impl From<Spelling> for SpellingSet {
    fn from(spelling: Spelling) -> Self {
        Self::new(&[spelling])
    }
}

impl FromIterator<Spelling> for SpellingSet {
    fn from_iter<I: IntoIterator<Item = Spelling>>(spellings: I) -> Self {
        spellings.into_iter().fold(Self::EMPTY, |set, spelling| set.union(spelling.into()))
    }
}

impl std::fmt::Debug for SpellingSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter().map(Spelling::name)).finish()
    }
}

/// What a client wrote in a place where the model holds something else.
#[derive(Clone, Debug, PartialEq)]
pub enum WrittenForm {
    /// The role of a turn that has none of the roles of the model.
    Role(JsonString),
    /// No id of a call or a result; the model holds one that decoding derived.
    NoId,
    /// The id of a call or a result; the model holds another one.
    Id(JsonString),
    /// No type of a content part.
    UntypedPart,
    /// The type of a content part, where not every server has it.
    PartType(JsonString),
    /// The fields of a message that begins with this block.
    Message(RawJson),
}

impl WrittenForm {
    /// The name and value under which stored conversations have it; without a value, the name alone
    /// says it.
    pub fn to_named(&self) -> (JsonString, RawJson) {
        let part = |name: &str| JsonString::new(&format!("{PART_PREFIX}{name}"));
        match self {
            Self::Role(role) => (ROLE_NAME, RawJson::string(role)),
            Self::NoId => (ID_NAME, RawJson::NULL),
            Self::Id(id) => (ID_NAME, RawJson::string(id)),
            Self::UntypedPart => (part(""), RawJson::NULL),
            Self::PartType(kind) if kind.is_empty() => (part(EMPTY_TYPE), RawJson::NULL),
            Self::PartType(kind) => (part(&kind.unescape()), RawJson::NULL),
            Self::Message(fields) => (MESSAGE_NAME, fields.clone()),
        }
    }

    /// The inverse of [`WrittenForm::to_named`].
    pub fn from_named(name: &JsonString, value: &RawJson) -> Option<Self> {
        let text = value.json_string();
        match (&*name.unescape(), text) {
            ("unknown role", Some(role)) => Some(Self::Role(role)),
            ("written id", Some(id)) => Some(Self::Id(id)),
            ("written id", None) if *value == RawJson::NULL => Some(Self::NoId),
            ("its message", _) if value.is_object() => Some(Self::Message(value.clone())),
            (name, _) if *value == RawJson::NULL => Some(match name.strip_prefix(PART_PREFIX)? {
                "" => Self::UntypedPart,
                EMPTY_TYPE => Self::PartType(JsonString::EMPTY),
                kind => Self::PartType(JsonString::new(kind)),
            }),
            _ => None,
        }
    }
}

const ROLE_NAME: JsonString = JsonString::from_static("unknown role");
const ID_NAME: JsonString = JsonString::from_static("written id");
const MESSAGE_NAME: JsonString = JsonString::from_static("its message");
const PART_PREFIX: &str = "part ";
const EMPTY_TYPE: &str = "(empty)";
