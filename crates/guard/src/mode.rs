//! Configures what happens to invalid tool calls, by default and for single tools.

/// What happens to a call that does not fit the offered tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GuardMode {
    /// Calls are not checked.
    Off,
    /// Calls are checked and findings recorded.
    Observe,
    /// The model receives an error as the result of its call.
    #[default]
    Answer,
    /// Calls are corrected where that loses nothing, otherwise answered.
    Mend,
}

/// The mode of every tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GuardModes {
    /// The mode of tools that are not in `per_tool`.
    pub default: GuardMode,
    /// Modes of single tools.
    pub per_tool: Vec<(String, GuardMode)>,
}

impl GuardMode {
    /// The mode's name in configuration and documentation.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Observe => "observe",
            Self::Answer => "answer",
            Self::Mend => "mend",
        }
    }
}

impl GuardModes {
    /// The mode for calls of this tool.
    pub fn for_tool(&self, tool: &str) -> GuardMode {
        let tool_mode = self.per_tool.iter().find(|(name, _)| name == tool);
        tool_mode.map_or(self.default, |(_, mode)| *mode)
    }

    /// Whether calls of any tool are checked.
    pub fn is_enabled(&self) -> bool {
        self.any(|mode| mode != GuardMode::Off)
    }

    /// Whether calls of any tool are mended.
    pub fn has_mend(&self) -> bool {
        self.any(|mode| mode == GuardMode::Mend)
    }

    fn any(&self, predicate: impl Fn(GuardMode) -> bool) -> bool {
        predicate(self.default) || self.per_tool.iter().any(|(_, mode)| predicate(*mode))
    }
}
