//! Switches for provider behaviours on which the evidence changes.

/// `None` leaves a behaviour to the model's profile, which defaults to the newest evidence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    /// The accepted form of an empty text between signed thinking blocks. Default: `Space`.
    pub empty_text: Option<EmptyText>,
    /// Whether signatures are bound to the whole prefix of the conversation.
    pub prefix_binding: Option<bool>,
    /// Whether `messages` may contain system messages.
    pub system_messages: Option<bool>,
    /// Whether the conversation may end with an assistant message.
    pub prefill: Option<bool>,
    /// Whether roles must alternate, starting with the user.
    pub alternation: Option<bool>,
    /// How many tools a compaction summary can record.
    pub compaction_tools: Option<usize>,
    /// How many tools may be available at the same time where messages change them.
    pub available_tools: Option<usize>,
}

impl Switches {
    /// Sets a switch from `name=value`.
    pub fn set(&mut self, assignment: &str) -> Result<(), String> {
        let (name, value) = assignment.split_once('=').unwrap_or((assignment, ""));
        let error = |expected: &str| format!("{name}: `{value}` is not {expected}");
        let parse_bool = || value.parse().map(Some).map_err(|_| error("true or false"));
        let parse_number = || value.parse().map(Some).map_err(|_| error("a number"));
        match name {
            "empty_text" => {
                self.empty_text = Some(match value {
                    "keep" => EmptyText::Keep,
                    "space" => EmptyText::Space,
                    "drop" => EmptyText::Drop,
                    _ => return Err(error("keep, space or drop")),
                });
            }
            "prefix_binding" => self.prefix_binding = parse_bool()?,
            "system_messages" => self.system_messages = parse_bool()?,
            "prefill" => self.prefill = parse_bool()?,
            "alternation" => self.alternation = parse_bool()?,
            "compaction_tools" => self.compaction_tools = parse_number()?,
            "available_tools" => self.available_tools = parse_number()?,
            _ => return Err(format!("there is no switch `{name}`; docs/STRICT.md lists them")),
        }
        Ok(())
    }

    /// Parses a list of `name=value` switches.
    pub fn parse<S: AsRef<str>>(assignments: &[S]) -> Result<Self, String> {
        let mut switches = Self::default();
        assignments.iter().try_for_each(|assignments| switches.set(assignments.as_ref()))?;
        Ok(switches)
    }
}

/// The accepted form of an empty text between two signed thinking blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyText {
    /// `""` must stay in its position.
    Keep,
    /// `""` is rejected, a space is accepted instead.
    Space,
    /// Both are rejected; the block must be omitted.
    Drop,
}
