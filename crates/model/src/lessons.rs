//! What was learned of a target from what it refused.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Everything that was learned of a target. Nothing, by default, and then it costs nothing.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Lessons(Option<Arc<Vec<Lesson>>>);

/// One thing that was learned, written as one line: `empty-text=drop`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lesson {
    /// What becomes of an empty text between two blocks of reasoning.
    EmptyText(EmptyText),
    /// A field that is not taken.
    Field(RefusedField),
    /// How thinking is asked for, and where it stands.
    Thinking(Habit),
    Image(ImageLimit),
    /// An answer has no more tokens than this.
    Length(u64),
    /// Neighbours of one role are one turn.
    Alternation,
    /// The provider does not search the web by itself.
    NoSearch,
    /// Reasoning with a seal of this fingerprint does not go back.
    Seal(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyText {
    /// It stays as it came.
    Keep,
    /// It is left out, and the reasoning around it stays.
    Drop,
    /// A blank stands for it; a blank that came stays as it came.
    Space,
    /// The reasoning around it is left out with it.
    Strip,
}

/// A field by its path: names between dots, `*` for any element of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedField {
    pub path: String,
    /// The name under which its value is taken.
    pub instead: Option<String>,
    /// The features beyond the usual that were asked for when it was refused: who asks for others
    /// may be allowed it.
    pub betas: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Habit {
    /// It has a budget: the model does not decide itself.
    Budget,
    /// The model decides itself: it has no budget.
    Adaptive,
    /// It cannot be turned off.
    Always,
    /// Turned off, it goes on between tools.
    BetweenTools,
    /// It cannot be turned off, and is asked for least instead.
    Least,
    /// It can be turned off.
    Off,
    /// An answer that holds thinking begins with it.
    First,
    /// With a budget, an open tool loop begins with thinking.
    OpensLoop,
    /// It comes back with the calls it led to, be it empty.
    Echo,
    /// It is off while a call is forced.
    Unforced,
    /// It goes back only where nobody can read it.
    Redacted,
}

/// How large an image may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageLimit {
    /// Characters of base64.
    Size(usize),
    /// Pixels of its longer side.
    Side(u32),
    /// As the side, of each of many images.
    CrowdSide(u32),
}

impl Lessons {
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Lesson> {
        self.0.iter().flat_map(|lessons| lessons.iter())
    }

    /// These and those, which are newer.
    #[must_use]
    pub fn and(&self, newer: &Self) -> Self {
        newer.iter().fold(self.clone(), |all, lesson| all.with(lesson.clone()))
    }

    /// These and one more, which takes the place of the one about the same. Of very many seals the
    /// oldest are forgotten.
    #[must_use]
    pub fn with(&self, lesson: Lesson) -> Self {
        let mut lessons: Vec<Lesson> =
            self.iter().filter(|known| !known.is_replaced_by(&lesson)).cloned().collect();
        lessons.push(lesson);
        let seals = lessons.iter().filter(|lesson| matches!(lesson, Lesson::Seal(_))).count();
        let mut surplus = seals.saturating_sub(MOST_SEALS);
        lessons.retain(|lesson| {
            let goes = surplus > 0 && matches!(lesson, Lesson::Seal(_));
            surplus -= usize::from(goes);
            !goes
        });
        Self(Some(Arc::new(lessons)))
    }
}

impl Lesson {
    fn is_replaced_by(&self, newer: &Self) -> bool {
        match (self, newer) {
            (Self::EmptyText(_), Self::EmptyText(_)) | (Self::Length(_), Self::Length(_)) => true,
            (Self::Field(one), Self::Field(other)) => one.path == other.path,
            (Self::Thinking(one), Self::Thinking(other)) => one.about() == other.about(),
            (Self::Image(one), Self::Image(other)) => one.word() == other.word(),
            (one, other) => one == other,
        }
    }
}

impl Habit {
    fn about(self) -> u8 {
        match self {
            Self::Budget | Self::Adaptive => 0,
            Self::Always | Self::BetweenTools | Self::Least | Self::Off => 1,
            Self::First => 2,
            Self::OpensLoop => 3,
            Self::Echo => 4,
            Self::Unforced => 5,
            Self::Redacted => 6,
        }
    }
}

impl ImageLimit {
    fn word(self) -> &'static str {
        match self {
            Self::Size(_) => "image-size",
            Self::Side(_) => "image-side",
            Self::CrowdSide(_) => "crowd-side",
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
            Self::EmptyText(one) => write!(f, "empty-text={}", word(EMPTY_TEXTS, *one)),
            Self::Thinking(one) => write!(f, "thinking={}", word(HABITS, *one)),
            Self::Image(one) => match one {
                ImageLimit::Size(most) => write!(f, "{}={most}", one.word()),
                ImageLimit::Side(most) | ImageLimit::CrowdSide(most) => {
                    write!(f, "{}={most}", one.word())
                }
            },
            Self::Length(most) => write!(f, "max-tokens={most}"),
            Self::Alternation => f.write_str("roles=alternate"),
            Self::NoSearch => f.write_str("search=none"),
            Self::Seal(seal) => write!(f, "seal={seal:016x}"),
            Self::Field(RefusedField { path, instead, betas }) => {
                write!(f, "field={path}")?;
                if let Some(instead) = instead {
                    write!(f, " as={instead}")?;
                }
                if !betas.is_empty() {
                    write!(f, " betas={}", betas.join(","))?;
                }
                Ok(())
            }
        }
    }
}

/// A line that says no lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoLesson;

impl fmt::Display for NoLesson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this says no lesson")
    }
}

impl std::error::Error for NoLesson {}

impl FromStr for Lesson {
    type Err = NoLesson;

    fn from_str(line: &str) -> Result<Self, NoLesson> {
        let (name, value) = line.split_once('=').ok_or(NoLesson)?;
        Ok(match name {
            "empty-text" => Self::EmptyText(named(EMPTY_TEXTS, value)?),
            "thinking" => Self::Thinking(named(HABITS, value)?),
            "image-size" => Self::Image(ImageLimit::Size(value.parse().map_err(|_| NoLesson)?)),
            "image-side" => Self::Image(ImageLimit::Side(value.parse().map_err(|_| NoLesson)?)),
            "crowd-side" => {
                Self::Image(ImageLimit::CrowdSide(value.parse().map_err(|_| NoLesson)?))
            }
            "max-tokens" => Self::Length(value.parse().map_err(|_| NoLesson)?),
            "roles" if value == "alternate" => Self::Alternation,
            "search" if value == "none" => Self::NoSearch,
            "seal" => Self::Seal(u64::from_str_radix(value, 16).map_err(|_| NoLesson)?),
            "field" => {
                let mut words = value.split(' ');
                let path = words.next().filter(|path| !path.is_empty()).ok_or(NoLesson)?;
                let (mut instead, mut betas) = (None, Vec::new());
                for word in words {
                    match word.split_once('=').ok_or(NoLesson)? {
                        ("as", name) => instead = Some(name.to_owned()),
                        ("betas", names) => betas = names.split(',').map(str::to_owned).collect(),
                        _ => return Err(NoLesson),
                    }
                }
                Self::Field(RefusedField { path: path.to_owned(), instead, betas })
            }
            _ => return Err(NoLesson),
        })
    }
}

fn word<T: Copy + PartialEq>(words: &[(&'static str, T)], said: T) -> &'static str {
    words.iter().find(|(_, one)| *one == said).map_or("", |(word, _)| word)
}

fn named<T: Copy>(words: &[(&str, T)], said: &str) -> Result<T, NoLesson> {
    words.iter().find(|(word, _)| *word == said).map(|(_, one)| *one).ok_or(NoLesson)
}

const EMPTY_TEXTS: &[(&str, EmptyText)] = &[
    ("keep", EmptyText::Keep),
    ("drop", EmptyText::Drop),
    ("space", EmptyText::Space),
    ("strip", EmptyText::Strip),
];

const HABITS: &[(&str, Habit)] = &[
    ("budget", Habit::Budget),
    ("adaptive", Habit::Adaptive),
    ("always", Habit::Always),
    ("between-tools", Habit::BetweenTools),
    ("least", Habit::Least),
    ("off", Habit::Off),
    ("first", Habit::First),
    ("opens-loop", Habit::OpensLoop),
    ("echo", Habit::Echo),
    ("unforced", Habit::Unforced),
    ("redacted", Habit::Redacted),
];

/// As many as some long conversations have.
const MOST_SEALS: usize = 2000;
