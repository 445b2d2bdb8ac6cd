//! Behaviours on which the evidence changes.

/// `None` leaves a behaviour to the model's profile, whose default follows the newest evidence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    /// What is accepted as the empty text between signed thinking blocks. Default: `Space`.
    pub empty_text: Option<EmptyText>,
    /// Whether signatures are bound to the whole prefix of the conversation.
    pub prefix_binding: Option<bool>,
    /// Whether instructions may stand among the messages.
    pub system_messages: Option<bool>,
    /// Whether the conversation may end with the assistant's words.
    pub prefill: Option<bool>,
    /// Whether roles must alternate, and the user speaks first.
    pub alternation: Option<bool>,
    /// How many tools a summary can record.
    pub compaction_tools: Option<usize>,
    /// How many tools may be available at once where messages change them.
    pub available_tools: Option<usize>,
}

impl Switches {
    /// Turns a switch, said as `name=value`.
    pub fn turn(&mut self, said: &str) -> Result<(), String> {
        let (name, value) = said.split_once('=').unwrap_or((said, ""));
        let fault = |wanted: &str| format!("{name}: `{value}` is not {wanted}");
        let flag = || value.parse().map(Some).map_err(|_| fault("true or false"));
        let number = || value.parse().map(Some).map_err(|_| fault("a number"));
        match name {
            "empty_text" => {
                self.empty_text = Some(match value {
                    "keep" => EmptyText::Keep,
                    "space" => EmptyText::Space,
                    "drop" => EmptyText::Drop,
                    _ => return Err(fault("keep, space or drop")),
                });
            }
            "prefix_binding" => self.prefix_binding = flag()?,
            "system_messages" => self.system_messages = flag()?,
            "prefill" => self.prefill = flag()?,
            "alternation" => self.alternation = flag()?,
            "compaction_tools" => self.compaction_tools = number()?,
            "available_tools" => self.available_tools = number()?,
            _ => return Err(format!("there is no switch `{name}`; docs/STRICT.md lists them")),
        }
        Ok(())
    }

    /// The switches that are turned, each said as `name=value`.
    pub fn turned<S: AsRef<str>>(said: &[S]) -> Result<Self, String> {
        let mut switches = Self::default();
        said.iter().try_for_each(|said| switches.turn(said.as_ref()))?;
        Ok(switches)
    }
}

/// The empty text between two signed thinking blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyText {
    /// `""` must stay where it was.
    Keep,
    /// `""` is refused, a blank is accepted in its place.
    Space,
    /// Neither is accepted; leaving the block out is.
    Drop,
}
