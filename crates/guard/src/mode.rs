//! What is done about calls that do not fit, for all tools and for single ones.

/// What is done about a call that does not fit what was offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Calls are not looked at.
    Off,
    /// Looked at and noted.
    Observe,
    /// The model is told of its mistake in the result of the call.
    #[default]
    Answer,
    /// What can be mended without loss is, and anything else answered.
    Mend,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Modes {
    pub mode: Mode,
    /// Tools with a mode of their own.
    pub tools: Vec<(String, Mode)>,
}

impl Mode {
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Observe => "observe",
            Self::Answer => "answer",
            Self::Mend => "mend",
        }
    }
}

impl Modes {
    /// The mode for calls of this tool.
    pub fn of(&self, tool: &str) -> Mode {
        let own = self.tools.iter().find(|(name, _)| name == tool);
        own.map_or(self.mode, |(_, mode)| *mode)
    }

    /// Whether calls of some tool are looked at.
    pub fn is_on(&self) -> bool {
        self.has(|mode| mode != Mode::Off)
    }

    /// Whether calls of some tool are mended.
    pub fn mends(&self) -> bool {
        self.has(|mode| mode == Mode::Mend)
    }

    fn has(&self, is_asked: impl Fn(Mode) -> bool) -> bool {
        is_asked(self.mode) || self.tools.iter().any(|(_, mode)| is_asked(*mode))
    }
}
