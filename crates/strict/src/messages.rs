//! The error messages of a rule, and their placeholders.

/// The error messages of a rule that do not depend on the provider.
#[derive(Debug)]
pub(crate) struct RuleMessages {
    /// The rule's name.
    pub(crate) rule: &'static str,
    /// The message of all providers; empty if there is none.
    pub(crate) template: &'static str,
    /// Messages for cases that the check distinguishes, by name.
    pub(crate) cases: Vec<(&'static str, &'static str)>,
}

impl RuleMessages {
    /// The message for a case.
    ///
    /// # Panics
    /// If the rule's data have none: the check and its data belong together.
    #[expect(clippy::panic, reason = "the cases of a check are part of the program")]
    pub(crate) fn case(&self, name: &str) -> &'static str {
        let case = self.cases.iter().find(|(case, _)| *case == name);
        case.unwrap_or_else(|| panic!("{} has no message for the case {name}", self.rule)).1
    }
}

/// Replaces the placeholders of an error message. Other braces, such as those of a pattern, stay.
pub(crate) fn fill_template(template: &str, placeholders: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        rest = after;
        match after.split_once('}') {
            Some((name, after)) if is_placeholder(name) => {
                let placeholder = placeholders.iter().find(|(key, _)| *key == name);
                out.push_str(placeholder.map_or("", |(_, value)| value));
                rest = after;
            }
            _ => out.push('{'),
        }
    }
    out.push_str(rest);
    out
}

fn is_placeholder(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}
