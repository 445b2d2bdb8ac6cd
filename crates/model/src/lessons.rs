//! Limits of a target that were learned from its rejections.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::MediaKind;

/// The lessons of one target. An empty set allocates nothing.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Lessons(Option<Arc<Vec<Lesson>>>);

/// One lesson, written as one line such as `empty-text=drop`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lesson {
    /// How an empty text between two reasoning blocks is sent.
    EmptyText(EmptyTextHandling),
    /// A field that the target rejects.
    RejectedField(RejectedField),
    /// A constraint on reasoning settings, or on reasoning that is sent back.
    Reasoning(ReasoningConstraint),
    /// A limit on images.
    Image(ImageLimit),
    /// Maximum output tokens that the target accepts.
    MaxTokens(u64),
    /// Adjacent turns of one role must be joined.
    AlternateRoles,
    /// The provider has no built-in web search.
    NoWebSearch,
    /// The target accepts no media of this kind, or none at all.
    NoMedia(Option<MediaKind>),
    /// Fingerprint of a seal that the target rejects.
    RejectedSeal(u64),
}

/// How an empty text between two reasoning blocks is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyTextHandling {
    /// The empty text is sent.
    Keep,
    /// The empty text is left out; the reasoning around it stays.
    Drop,
    /// A single space replaces it; other blank text is sent unchanged.
    ReplaceWithSpace,
    /// It is left out together with the reasoning around it.
    DropWithReasoning,
}

/// A field by its path: names joined by dots, `*` for every element of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedField {
    /// Names joined by dots, `*` for every element of a list.
    pub path: String,
    /// Name under which the target accepts the value.
    pub rename_to: Option<String>,
    /// The beta features of the rejected request: the field may be accepted with others.
    pub betas: Vec<String>,
}

/// One constraint of a target on reasoning. Constraints of one topic replace each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningConstraint {
    /// Reasoning needs a token budget; adaptive reasoning is rejected.
    BudgetOnly,
    /// Reasoning is adaptive; a budget is rejected.
    AdaptiveOnly,
    /// Reasoning cannot be turned off.
    CannotDisable,
    /// Turned off, the model still reasons between tool calls.
    BetweenToolsWhenOff,
    /// Reasoning cannot be turned off; the lowest effort is requested instead.
    MinimumWhenOff,
    /// Reasoning can be turned off.
    CanDisable,
    /// A turn with reasoning must begin with it.
    MustComeFirst,
    /// With a budget, an open tool loop must begin with reasoning.
    MustOpenToolLoop,
    /// Reasoning must be sent back with its tool calls, even if it is empty.
    EchoWithCalls,
    /// Reasoning must be off while a tool call is forced.
    OffWithForcedCall,
    /// Reasoning is sent back only in redacted form.
    OnlyRedacted,
}

/// A limit on the size of images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageLimit {
    /// Maximum characters of base64.
    Base64Chars(usize),
    /// Maximum pixels of the longer side.
    SidePixels(u32),
    /// Maximum pixels of the longer side if there are many images.
    SidePixelsOfMany(u32),
}

impl Lessons {
    /// Whether nothing was learned.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The lessons.
    pub fn iter(&self) -> impl Iterator<Item = &Lesson> {
        self.0.iter().flat_map(|lessons| lessons.iter())
    }

    /// These lessons and newer ones.
    #[must_use]
    pub fn merged_with(&self, newer: &Self) -> Self {
        newer.iter().fold(self.clone(), |all, lesson| all.with(lesson.clone()))
    }

    /// These lessons and one more, which replaces the one on the same topic. Only the newest
    /// 2,000 rejected seals are kept.
    #[must_use]
    pub fn with(&self, lesson: Lesson) -> Self {
        let mut lessons: Vec<Lesson> =
            self.iter().filter(|known| !known.is_replaced_by(&lesson)).cloned().collect();
        lessons.push(lesson);
        let seals =
            lessons.iter().filter(|lesson| matches!(lesson, Lesson::RejectedSeal(_))).count();
        let mut surplus = seals.saturating_sub(MAX_SEALS);
        lessons.retain(|lesson| {
            let is_surplus = surplus > 0 && matches!(lesson, Lesson::RejectedSeal(_));
            surplus -= usize::from(is_surplus);
            !is_surplus
        });
        Self(Some(Arc::new(lessons)))
    }
}

impl Lesson {
    fn is_replaced_by(&self, newer: &Self) -> bool {
        match (self, newer) {
            (Self::EmptyText(_), Self::EmptyText(_)) | (Self::MaxTokens(_), Self::MaxTokens(_)) => {
                true
            }
            (Self::RejectedField(older), Self::RejectedField(newer)) => older.path == newer.path,
            (Self::Reasoning(older), Self::Reasoning(newer)) => older.topic() == newer.topic(),
            (Self::Image(older), Self::Image(newer)) => older.name() == newer.name(),
            (older, newer) => older == newer,
        }
    }
}

impl ReasoningConstraint {
    fn topic(self) -> u8 {
        match self {
            Self::BudgetOnly | Self::AdaptiveOnly => 0,
            Self::CannotDisable
            | Self::BetweenToolsWhenOff
            | Self::MinimumWhenOff
            | Self::CanDisable => 1,
            Self::MustComeFirst => 2,
            Self::MustOpenToolLoop => 3,
            Self::EchoWithCalls => 4,
            Self::OffWithForcedCall => 5,
            Self::OnlyRedacted => 6,
        }
    }
}

impl ImageLimit {
    fn name(self) -> &'static str {
        match self {
            Self::Base64Chars(_) => "image-size",
            Self::SidePixels(_) => "image-side",
            Self::SidePixelsOfMany(_) => "crowd-side",
        }
    }
}

impl FromIterator<Lesson> for Lessons {
    fn from_iter<I: IntoIterator<Item = Lesson>>(lessons: I) -> Self {
        lessons.into_iter().fold(Self::default(), |known, lesson| known.with(lesson))
    }
}

impl fmt::Debug for Lessons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(ToString::to_string)).finish()
    }
}

impl fmt::Display for Lesson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyText(handling) => {
                write!(f, "empty-text={}", name_of(EMPTY_TEXT_NAMES, *handling))
            }
            Self::Reasoning(constraint) => {
                write!(f, "thinking={}", name_of(REASONING_NAMES, *constraint))
            }
            Self::Image(image_limit) => match image_limit {
                ImageLimit::Base64Chars(limit) => write!(f, "{}={limit}", image_limit.name()),
                ImageLimit::SidePixels(limit) | ImageLimit::SidePixelsOfMany(limit) => {
                    write!(f, "{}={limit}", image_limit.name())
                }
            },
            Self::MaxTokens(limit) => write!(f, "max-tokens={limit}"),
            Self::AlternateRoles => f.write_str("roles=alternate"),
            Self::NoWebSearch => f.write_str("search=none"),
            Self::NoMedia(kind) => write!(f, "{}=none", name_of(MEDIA_NAMES, *kind)),
            Self::RejectedSeal(seal) => write!(f, "seal={seal:016x}"),
            Self::RejectedField(RejectedField { path, rename_to, betas }) => {
                write!(f, "field={path}")?;
                if let Some(rename_to) = rename_to {
                    write!(f, " as={rename_to}")?;
                }
                if !betas.is_empty() {
                    write!(f, " betas={}", betas.join(","))?;
                }
                Ok(())
            }
        }
    }
}

/// Error for a line that is not a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseLessonError;

impl fmt::Display for ParseLessonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a lesson")
    }
}

impl std::error::Error for ParseLessonError {}

impl FromStr for Lesson {
    type Err = ParseLessonError;

    fn from_str(line: &str) -> Result<Self, ParseLessonError> {
        let (name, value) = line.split_once('=').ok_or(ParseLessonError)?;
        Ok(match name {
            "empty-text" => Self::EmptyText(parse_name(EMPTY_TEXT_NAMES, value)?),
            "thinking" => Self::Reasoning(parse_name(REASONING_NAMES, value)?),
            "image-size" => {
                Self::Image(ImageLimit::Base64Chars(value.parse().map_err(|_| ParseLessonError)?))
            }
            "image-side" => {
                Self::Image(ImageLimit::SidePixels(value.parse().map_err(|_| ParseLessonError)?))
            }
            "crowd-side" => Self::Image(ImageLimit::SidePixelsOfMany(
                value.parse().map_err(|_| ParseLessonError)?,
            )),
            "max-tokens" => Self::MaxTokens(value.parse().map_err(|_| ParseLessonError)?),
            "roles" if value == "alternate" => Self::AlternateRoles,
            "search" if value == "none" => Self::NoWebSearch,
            "seal" => {
                Self::RejectedSeal(u64::from_str_radix(value, 16).map_err(|_| ParseLessonError)?)
            }
            "field" => {
                let mut parts = value.split(' ');
                let path = parts.next().filter(|path| !path.is_empty()).ok_or(ParseLessonError)?;
                let (mut rename_to, mut betas) = (None, Vec::new());
                for part in parts {
                    match part.split_once('=').ok_or(ParseLessonError)? {
                        ("as", name) => rename_to = Some(name.to_owned()),
                        ("betas", names) => betas = names.split(',').map(str::to_owned).collect(),
                        _ => return Err(ParseLessonError),
                    }
                }
                Self::RejectedField(RejectedField { path: path.to_owned(), rename_to, betas })
            }
            _ if value == "none" => Self::NoMedia(parse_name(MEDIA_NAMES, name)?),
            _ => return Err(ParseLessonError),
        })
    }
}

fn name_of<T: Copy + PartialEq>(names: &[(&'static str, T)], value: T) -> &'static str {
    names.iter().find(|(_, known)| *known == value).map_or("", |(name, _)| name)
}

fn parse_name<T: Copy>(names: &[(&str, T)], name: &str) -> Result<T, ParseLessonError> {
    names
        .iter()
        .find(|(known_name, _)| *known_name == name)
        .map(|(_, value)| *value)
        .ok_or(ParseLessonError)
}

const EMPTY_TEXT_NAMES: &[(&str, EmptyTextHandling)] = &[
    ("keep", EmptyTextHandling::Keep),
    ("drop", EmptyTextHandling::Drop),
    ("space", EmptyTextHandling::ReplaceWithSpace),
    ("strip", EmptyTextHandling::DropWithReasoning),
];

const MEDIA_NAMES: &[(&str, Option<MediaKind>)] = &[
    ("media", None),
    ("image", Some(MediaKind::Image)),
    ("document", Some(MediaKind::Document)),
    ("audio", Some(MediaKind::Audio)),
    ("video", Some(MediaKind::Video)),
];

const REASONING_NAMES: &[(&str, ReasoningConstraint)] = &[
    ("budget", ReasoningConstraint::BudgetOnly),
    ("adaptive", ReasoningConstraint::AdaptiveOnly),
    ("always", ReasoningConstraint::CannotDisable),
    ("between-tools", ReasoningConstraint::BetweenToolsWhenOff),
    ("least", ReasoningConstraint::MinimumWhenOff),
    ("off", ReasoningConstraint::CanDisable),
    ("first", ReasoningConstraint::MustComeFirst),
    ("opens-loop", ReasoningConstraint::MustOpenToolLoop),
    ("echo", ReasoningConstraint::EchoWithCalls),
    ("unforced", ReasoningConstraint::OffWithForcedCall),
    ("redacted", ReasoningConstraint::OnlyRedacted),
];

/// Maximum refused seals that are kept; some long conversations have as many.
const MAX_SEALS: usize = 2000;
