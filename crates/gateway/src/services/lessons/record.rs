//! The stored form of lessons: JSON. Version 0.1.0 joined them by line ends; that form is only read.

use bytes::Bytes;
use interlingua_model::{Lesson, Lessons};
use interlingua_store::{Record, RecordKind};
use serde::{Deserialize, Serialize};

use super::model::ModelKey;
use crate::client_name::ModelName;

/// The lessons of one model, learned with one owner's key.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LessonRecord {
    pub(super) owner: String,
    pub(super) provider: String,
    pub(super) dialect: String,
    pub(super) model: ModelName,
    pub(super) lessons: Lessons,
}

#[derive(Deserialize, Serialize)]
struct JsonRecord {
    provider: String,
    dialect: String,
    model: String,
    /// Each as one line.
    lessons: Vec<String>,
}

impl LessonRecord {
    /// `None` if the record has neither form.
    pub(super) fn parse(record: &Record) -> Option<Self> {
        let owner = record.owner.clone();
        let Ok(json) = serde_json::from_slice::<JsonRecord>(&record.body) else {
            return Self::parse_lines(record);
        };
        Some(Self {
            owner,
            provider: json.provider,
            dialect: json.dialect,
            model: ModelName::parse(&json.model).ok()?,
            lessons: json.lessons.iter().filter_map(|line| line.parse::<Lesson>().ok()).collect(),
        })
    }

    pub(super) fn model_key(&self) -> ModelKey<'_> {
        let Self { owner, provider, dialect, model, .. } = self;
        ModelKey { owner, provider, dialect, model }
    }

    /// The form of version 0.1.0: provider, dialect, model and each lesson on a line. The record's
    /// key is its first three lines; a longer key means that a line end in one of the names made
    /// lessons of the rest of that name.
    fn parse_lines(record: &Record) -> Option<Self> {
        let mut lines = std::str::from_utf8(&record.body).ok()?.split('\n');
        let (provider, dialect, model) = (lines.next()?, lines.next()?, lines.next()?);
        let model = ModelName::parse(model).ok()?;
        if record.keys != [line_key(provider, dialect, &model)] {
            return None;
        }
        let (provider, dialect) = (provider.to_owned(), dialect.to_owned());
        let lessons = lines.filter_map(|line| line.parse::<Lesson>().ok()).collect();
        Some(Self { owner: record.owner.clone(), provider, dialect, model, lessons })
    }
}

/// The record of these lessons in an owner's name.
pub(super) fn to_record(model_key: &ModelKey<'_>, lessons: &Lessons) -> Record {
    let json = JsonRecord {
        provider: model_key.provider.to_owned(),
        dialect: model_key.dialect.to_owned(),
        model: model_key.model.to_string(),
        lessons: lessons.iter().map(ToString::to_string).collect(),
    };
    // Strings always serialize.
    let body = Bytes::from(serde_json::to_vec(&json).unwrap_or_default());
    let owner = model_key.owner.to_owned();
    Record { kind: RecordKind::Lesson, owner, keys: vec![json_key(model_key)], body }
}

/// The keys under which a model's record may be stored: today's, and that of version 0.1.0.
pub(super) fn stored_keys(model_key: &ModelKey<'_>) -> [String; 2] {
    let ModelKey { provider, dialect, model, .. } = model_key;
    [json_key(model_key), line_key(provider, dialect, model)]
}

fn json_key(model_key: &ModelKey<'_>) -> String {
    let ModelKey { provider, dialect, model, .. } = model_key;
    serde_json::json!([provider, dialect, model.to_string()]).to_string()
}

fn line_key(provider: &str, dialect: &str, model: &ModelName) -> String {
    format!("{provider}\n{dialect}\n{model}")
}

/// Whether the lesson's line is short and means the same when it is read again. Paths and beta
/// names come from requests and may hold what separates them.
pub(super) fn can_be_stored(lesson: &Lesson) -> bool {
    let line = lesson.to_string();
    line.len() <= MAX_LESSON_BYTES
        && !line.contains(char::is_control)
        && line.parse().as_ref() == Ok(lesson)
}

const MAX_LESSON_BYTES: usize = 512;
