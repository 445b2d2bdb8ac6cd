//! A home of its own for an agent that reads a file before it can be pointed anywhere.

use std::path::{Path, PathBuf};
use std::{fs, io};

use serde_json::{Value, json};

use super::agents::Home;

impl Home {
    /// The variable that leads there; nothing for a user whose own home will do. The user's own files
    /// are read, and never written.
    pub(crate) fn prepared(
        &self,
        agent: &str,
        model: Option<&str>,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> io::Result<Option<(&'static str, PathBuf)>> {
        let absolute = |name| env(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let user = absolute(self.variable).or_else(|| absolute("HOME"));
        let will_do = |home: &Path| {
            fs::read_to_string(home.join(self.file)).is_ok_and(|text| text.contains(self.unless))
        };
        if user.as_deref().is_some_and(will_do) {
            return Ok(None);
        }
        let data = absolute("XDG_DATA_HOME");
        let data = data.or_else(|| absolute("HOME").map(|home| home.join(".local").join("share")));
        let Some(data) = data else { return Ok(None) };
        let home = data.join("interlingua").join("agents").join(agent);
        let file = home.join(self.file);
        if !will_do(&home) {
            fs::create_dir_all(file.parent().unwrap_or(&home))?;
            fs::write(&file, self.says)?;
        }
        if let Some(model) = model {
            self.name_small_tasks(&file, model)?;
        }
        Ok(Some((self.variable, home)))
    }

    /// Says which model does the small tasks; what else the agent has written there stays.
    fn name_small_tasks(&self, file: &Path, model: &str) -> io::Result<()> {
        let text = fs::read_to_string(file)?;
        // What the agent wrote and nobody else can read is the agent's.
        let Ok(mut settings) = serde_json::from_str::<Value>(&text) else { return Ok(()) };
        let named =
            |task: &&str| json!({"match": {"model": task}, "modelConfig": {"model": model}});
        let ours = |one: &Value| self.small_tasks.iter().any(|task| one["match"]["model"] == *task);
        let Some(models) = settings
            .as_object_mut()
            .and_then(|all| all.entry("modelConfigs").or_insert_with(|| json!({})).as_object_mut())
        else {
            return Ok(());
        };
        let list = models.entry("customOverrides").or_insert_with(|| json!([]));
        let Some(list) = list.as_array_mut() else { return Ok(()) };
        list.retain(|one| !ours(one));
        list.extend(self.small_tasks.iter().map(named));
        let new = format!("{settings:#}\n");
        if new == text { Ok(()) } else { fs::write(file, new) }
    }
}

#[cfg(test)]
mod tests;
