//! Settings: what each target takes.

mod kinds;
mod kinds_gemini;
mod rows;
mod shape;
mod shapes;

pub(super) use rows::ROWS;
pub use shape::{Field, Shape, Verdict, is_named};

#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a row of data, each yes or no on its own")]
pub struct Params {
    pub max_tokens: MaxTokens,
    /// What may be set, whether the model thinks or not.
    pub sampling: Sampling,
    /// What may be set while it thinks.
    pub while_thinking: Sampling,
    /// Temperature and `top_p` may be set together.
    pub both: bool,
    pub spelling: Spelling,
    /// Looks at how `top_k` and a budget are written in its own dialect, which not all know.
    pub reads_all: bool,
    pub stops: Stops,
    pub choice: Choosing,
    pub format: Format,
    /// The only thing that may be said about streaming, where there is but one.
    pub stream: Option<bool>,
    /// While the model thinks, the answer must be streamed.
    pub streams_thinking: bool,
    /// The only thing that may be said about keeping the reply, where there is but one.
    pub store: Option<bool>,
    pub metadata: Option<Pairs>,
    /// The words for a service tier; `None` where any is taken.
    pub tiers: Option<&'static [&'static str]>,
    /// The words for the length of an answer; `None` where any is taken.
    pub verbosities: Option<&'static [&'static str]>,
    /// The words for what of the reasoning is shown; `None` where any is taken.
    pub displays: Option<&'static [&'static str]>,
    /// Another of them, for who asks for this beta.
    pub beta_display: Option<(&'static str, &'static str)>,
    /// Features that can be asked for by these names, in the body, by who asks for them in a header
    /// elsewhere; `None` where they have no place.
    pub betas: Option<&'static [&'static str]>,
    /// That the model shall think between tools only is not looked at.
    pub any_off: bool,
    /// The longest id of an end user; none is taken where it is nothing.
    pub longest_user: usize,
    /// That id may be an address of mail.
    pub mailed_user: bool,
    /// The longest key of a cache.
    pub longest_cache_key: usize,
    /// The fields of the settings in the target's own dialect.
    pub shapes: &'static [Field],
    /// Whether to keep the reply can be said.
    pub storing: bool,
    /// Fields by which the provider goes on from what it keeps.
    pub state: &'static [&'static str],
    /// Fields that do not go with something else.
    pub conflicts: &'static [Conflict],
    /// Fields of the body whose meaning is known, and which the target has another word for or none.
    pub respelled: &'static [&'static str],
}

#[derive(Clone, Copy, Debug)]
pub struct MaxTokens {
    pub required: bool,
    pub least: u64,
    pub most: u64,
    /// Nobody looks whether it is less than nothing.
    pub negative: bool,
    /// Asking for nothing is taken, to warm a cache, if nothing that concerns the output is said.
    pub prewarms: bool,
}

/// What each parameter of sampling may be.
#[derive(Clone, Copy, Debug)]
pub struct Sampling {
    pub temperature: Span,
    pub top_p: Span,
    pub top_k: Span,
    pub penalties: Span,
}

/// From the least to the most. Where the least is more than the most, it may not be set at all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    pub least: f64,
    pub most: f64,
}

/// How numbers may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// However their clients write them.
    Free,
    /// Also in strings.
    Loose,
    Numbers,
    /// And whole ones without a fraction or an exponent.
    Exact,
}

#[derive(Clone, Copy, Debug)]
pub struct Stops {
    pub taken: bool,
    /// One may be blank, if it is not empty.
    pub blank: bool,
    pub empty: bool,
    pub most: usize,
}

#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a row of data, each yes or no on its own")]
pub struct Choosing {
    pub without_tools: Lone,
    pub forced: Forced,
    /// The tools it names must be there.
    pub known_names: bool,
    /// One that is named alone must be there.
    pub known_name: bool,
    /// One tool can be named.
    pub named: bool,
    /// One that is made in an object names a function within it, but for those of these types.
    pub nested: Option<&'static [&'static str]>,
    /// Whether calls may be made side by side can be said.
    pub parallel: bool,
    /// And where there are no tools.
    pub lone_parallel: bool,
    /// Only functions count as tools to choose from.
    pub functions_only: bool,
    /// A name that is chosen has letters, digits, `_` and `-` only.
    pub plain_names: bool,
    /// Fields of the body that may bring tools which are not there.
    pub brought_by: &'static [&'static str],
    /// Looks at a choice that is made in the old way, too.
    pub old: bool,
}

/// Which choices may be made where there are no tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lone {
    Any,
    Unforced,
    OnlyNone,
    Nothing,
}

/// Whether a call can be forced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forced {
    Free,
    NotWithBudget,
    NotWhileThinking,
    /// As that, and an object is a choice like any other.
    NotIfThinking,
    /// One tool can be named, but not just any required.
    Named,
    Never,
}

/// What form an answer can be asked to have.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a row of data, each yes or no on its own")]
pub struct Format {
    /// Any JSON can be asked for without a schema.
    pub json: bool,
    /// It has no place of its own: it is said in the instructions.
    pub json_in_words: bool,
    /// Only if the conversation has the word.
    pub json_word: bool,
    /// The instructions count as part of it.
    pub word_in_system: bool,
    /// Also while the model thinks.
    pub json_while_thinking: bool,
    /// JSON goes together with tools.
    pub with_tools: bool,
    /// The field, the field in it and the word by which JSON is asked for; a schema alone does not.
    pub asked_by: Option<(&'static str, &'static str, &'static str)>,
    pub schema: bool,
    /// All objects of a schema are closed.
    pub closed: bool,
    /// A schema has a name like those of tools.
    pub plain_name: bool,
}

/// A field of the target's own dialect that is refused at times.
#[derive(Clone, Copy, Debug)]
pub struct Conflict {
    pub field: &'static str,
    /// An entry of its list; `None` for the whole field.
    pub item: Option<&'static str>,
    pub when: When,
}

#[derive(Clone, Copy, Debug)]
pub enum When {
    Always,
    Thinking,
    /// It is true, and the model thinks.
    ThinkingIfTrue,
    /// The model is none that thinks.
    NeverThinks,
    /// The answer is not streamed.
    Silent,
    Tools,
    /// It is true, and there are tools, and the answer is streamed.
    ToolsAndStream,
    /// Another field is not true.
    Without(&'static str),
    /// No tool of the target's own has a type that begins so.
    WithoutTool(&'static str),
    /// Another field is there.
    With(&'static str),
    /// It says something, and any of these is there, too.
    Beside(&'static [&'static str]),
    /// It is a text that is not empty.
    Words,
    Beyond(Span),
    ThinkingBeyond(Span),
    /// A text has more characters than this.
    Longer(usize),
}

/// How many pairs, and how long they are. Where the least is more than the most, there may be none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairs {
    pub least: usize,
    pub most: usize,
    pub key: usize,
    pub value: usize,
}

impl Span {
    pub const ANY: Self = Self { least: f64::NEG_INFINITY, most: f64::INFINITY };
    pub const NEVER: Self = Self { least: 1.0, most: 0.0 };
    pub const ONE: Self = Self::new(1.0, 1.0);

    pub const fn new(least: f64, most: f64) -> Self {
        Self { least, most }
    }

    pub fn holds(&self, number: f64) -> bool {
        self.least <= number && number <= self.most
    }
}

impl Sampling {
    pub const ANY: Self =
        Self { temperature: Span::ANY, top_p: Span::ANY, top_k: Span::ANY, penalties: Span::ANY };
}
