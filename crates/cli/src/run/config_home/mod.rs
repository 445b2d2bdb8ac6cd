//! Prepares a separate configuration directory for an agent that reads a settings file.

use std::path::{Path, PathBuf};
use std::{fs, io};

use serde_json::{Value, json};

use super::agents::ConfigHome;

impl ConfigHome {
    /// Returns the variable and path of the directory; `None` if the user's own settings suffice.
    /// The user's files are read, and never written.
    pub(crate) fn prepare(
        &self,
        agent: &str,
        model: Option<&str>,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> io::Result<Option<(&'static str, PathBuf)>> {
        let absolute = |name| env(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let user_home = absolute(self.env_var).or_else(|| absolute("HOME"));
        let has_settings = |home: &Path| {
            fs::read_to_string(home.join(self.settings_file))
                .is_ok_and(|text| text.contains(self.skip_if_contains))
        };
        if user_home.as_deref().is_some_and(has_settings) {
            return Ok(None);
        }
        let data_home = absolute("XDG_DATA_HOME");
        let data_home =
            data_home.or_else(|| absolute("HOME").map(|home| home.join(".local").join("share")));
        let Some(data_home) = data_home else { return Ok(None) };
        let home = data_home.join("interlingua").join("agents").join(agent);
        let file = home.join(self.settings_file);
        if !has_settings(&home) {
            fs::create_dir_all(file.parent().unwrap_or(&home))?;
            fs::write(&file, self.contents)?;
        }
        if let Some(model) = model {
            self.set_small_task_models(&file, model)?;
        }
        Ok(Some((self.env_var, home)))
    }

    /// Maps the models for small tasks to this model; the agent's other settings are kept.
    fn set_small_task_models(&self, file: &Path, model: &str) -> io::Result<()> {
        let text = fs::read_to_string(file)?;
        // A file that is not JSON belongs to the agent and is not changed.
        let Ok(mut settings) = serde_json::from_str::<Value>(&text) else { return Ok(()) };
        let to_override =
            |task: &&str| json!({"match": {"model": task}, "modelConfig": {"model": model}});
        let is_small_task = |entry: &Value| {
            self.small_task_models.iter().any(|task| entry["match"]["model"] == *task)
        };
        let Some(models) = settings
            .as_object_mut()
            .and_then(|all| all.entry("modelConfigs").or_insert_with(|| json!({})).as_object_mut())
        else {
            return Ok(());
        };
        let list = models.entry("customOverrides").or_insert_with(|| json!([]));
        let Some(list) = list.as_array_mut() else { return Ok(()) };
        list.retain(|entry| !is_small_task(entry));
        list.extend(self.small_task_models.iter().map(to_override));
        let new = format!("{settings:#}\n");
        if new == text { Ok(()) } else { fs::write(file, new) }
    }
}

#[cfg(test)]
mod tests;
