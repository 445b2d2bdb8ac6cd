//! Lessons as a file that people review: JSON, one lesson on a line.

use interlingua::DIALECTS;
use interlingua_model::Lesson;
use interlingua_repair::TargetProfile;
use serde::{Deserialize, Serialize};

use super::LessonStore;
use super::model::{ModelKey, SHARED_OWNER, SUGGESTION_OWNER, is_seal};
use super::record::can_be_stored;
use crate::client_name::ModelName;

/// A line of the file.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct LessonLine {
    provider: String,
    dialect: String,
    model: String,
    lesson: String,
    /// The key that learned it; without one, it applies to all keys. Only written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// It applies to no key yet. Only written.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    suggested: bool,
}

/// A valid line.
struct ImportedLesson {
    provider: String,
    dialect: &'static str,
    model: ModelName,
    lesson: Lesson,
}

impl LessonStore {
    /// All lessons but those about single seals, which concern one conversation.
    pub(crate) async fn export(&self) -> String {
        self.refresh().await;
        let mut file = String::new();
        for known in self.read().iter() {
            for own in &known.owners {
                let key = own.owner.as_str();
                let is_key = key != SHARED_OWNER && key != SUGGESTION_OWNER;
                for lesson in own.lessons.iter().filter(|lesson| !is_seal(lesson)) {
                    let line = LessonLine {
                        provider: known.provider.clone(),
                        dialect: known.dialect.clone(),
                        model: known.model.to_string(),
                        lesson: lesson.to_string(),
                        key: is_key.then(|| key.to_owned()),
                        suggested: key == SUGGESTION_OWNER,
                    };
                    // Strings always serialize.
                    file += &serde_json::to_string(&line).unwrap_or_default();
                    file.push('\n');
                }
            }
        }
        file
    }

    /// Makes the lessons of a file apply to all keys, and returns their number; or the errors of its
    /// lines, in which case nothing is changed. Empty lines and those that begin with `#` are
    /// skipped.
    pub(crate) async fn import(&self, file: &str) -> Result<usize, String> {
        self.refresh().await;
        let (mut lessons, mut errors) = (Vec::new(), Vec::new());
        for (at, line) in file.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match parse_line(line) {
                Ok(lesson) => lessons.push(lesson),
                Err(error) => errors.push(format!("line {}: {error}", at + 1)),
            }
        }
        if errors.len() > MAX_LISTED_ERRORS {
            let more = errors.len() - MAX_LISTED_ERRORS;
            errors.truncate(MAX_LISTED_ERRORS);
            errors.push(format!("and {more} more"));
        }
        if !errors.is_empty() {
            return Err(errors.join("; "));
        }
        for ImportedLesson { provider, dialect, model, lesson } in &lessons {
            let model_key = ModelKey { owner: SHARED_OWNER, provider, dialect, model };
            self.learn(model_key, std::iter::once(lesson));
        }
        Ok(lessons.len())
    }
}

fn parse_line(line: &str) -> Result<ImportedLesson, String> {
    let line: LessonLine = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let dialect = DIALECTS
        .iter()
        .map(|dialect| dialect.id())
        .find(|id| id.0 == line.dialect && TargetProfile::is_provider_dialect(*id))
        .ok_or_else(|| format!("there is no provider dialect `{}`", line.dialect))?;
    if line.provider.is_empty() || line.provider.contains(char::is_control) {
        return Err("`provider` must be the name of a provider".to_owned());
    }
    let model = ModelName::parse(&line.model).map_err(|error| format!("`model` {error}"))?;
    let lesson = line.lesson.parse::<Lesson>();
    let lesson = lesson.map_err(|_| format!("`{}` is no lesson", line.lesson))?;
    if is_seal(&lesson) {
        return Err("a lesson about a seal concerns one conversation".to_owned());
    }
    if !can_be_stored(&lesson) {
        return Err(format!("`{}` is too long, or means something else", line.lesson));
    }
    Ok(ImportedLesson { provider: line.provider, dialect: dialect.0, model, lesson })
}

const MAX_LISTED_ERRORS: usize = 50;
