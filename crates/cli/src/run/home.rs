//! A home of its own for an agent that reads a file before it can be pointed anywhere.

use std::path::{Path, PathBuf};
use std::{fs, io};

use super::agents::Home;

impl Home {
    /// The variable that leads there; nothing for a user whose own home will do. The user's own files
    /// are read, and never written.
    pub(crate) fn prepared(
        &self,
        agent: &str,
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
        if !will_do(&home) {
            let file = home.join(self.file);
            fs::create_dir_all(file.parent().unwrap_or(&home))?;
            fs::write(file, self.says)?;
        }
        Ok(Some((self.variable, home)))
    }
}

#[cfg(test)]
mod tests;
