//! The context in which a rule reports what it rejects, and shares intermediate results.

use std::any::Any;
use std::fmt::Display;
use std::mem;
use std::rc::Rc;

use crate::messages::{RuleMessages, fill_template};

/// What the rules of one request have in common.
#[derive(Debug, Default)]
pub struct CheckContext {
    /// Of the rule that runs.
    pub(crate) rule: Option<&'static RuleMessages>,
    /// Of the rule that runs.
    rejections: Vec<Rejection>,
    memo: Memo,
}

/// A place that the running rule rejects.
#[derive(Debug)]
pub(crate) struct Rejection {
    pub(crate) path: String,
    pub(crate) message: String,
    pub(crate) param: Option<String>,
    pub(crate) code: Option<String>,
}

/// Intermediate results that several rules share, one of each type.
#[derive(Debug, Default)]
struct Memo(Vec<Rc<dyn Any>>);

impl CheckContext {
    /// The name of the rule that runs.
    pub(crate) fn rule_name(&self) -> &'static str {
        self.rule.map_or("", |messages| messages.rule)
    }

    /// The rule's message for a case.
    pub(crate) fn case(&self, name: &str) -> &'static str {
        self.rule.map_or("", |messages| messages.case(name))
    }

    /// The rule's message, where it has one for all providers.
    pub(crate) fn message(&self) -> &'static str {
        self.rule.map_or("", |messages| messages.template)
    }

    /// Reports a violation with the rule's message, filled with the path and these values.
    pub(crate) fn reject_filled(
        &mut self,
        path: impl Into<String>,
        values: &[(&str, &dyn Display)],
    ) {
        let path = path.into();
        let values = values.iter().copied().chain([("path", &path as &dyn Display)]);
        let values: Vec<_> = values.map(|(name, value)| (name, value.to_string())).collect();
        let values: Vec<_> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let message = fill_template(self.message(), &values);
        self.reject(path, message);
    }

    /// Reports a violation at `path` (such as `messages.3.content.1`) with an error message.
    pub fn reject(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.reject_with(path, message, None, None);
    }

    /// As [`CheckContext::reject`], with the error's `param` and `code` for formats that have them.
    pub fn reject_with(
        &mut self,
        path: impl Into<String>,
        message: impl Into<String>,
        param: Option<&str>,
        code: Option<&str>,
    ) {
        self.rejections.push(Rejection {
            path: path.into(),
            message: message.into(),
            param: param.map(str::to_owned),
            code: code.map(str::to_owned),
        });
    }

    /// The shared intermediate result of type `T`, computed by the first rule that needs it.
    pub(crate) fn memoized<T: Any>(&mut self, compute: impl FnOnce() -> T) -> Rc<T> {
        self.memo.get_or_compute(compute)
    }

    /// Takes what was rejected since the last call.
    pub(crate) fn take_rejections(&mut self) -> Vec<Rejection> {
        mem::take(&mut self.rejections)
    }
}

impl Memo {
    fn get_or_compute<T: Any>(&mut self, compute: impl FnOnce() -> T) -> Rc<T> {
        let mut values = self.0.iter();
        if let Some(value) = values.find_map(|any| Rc::clone(any).downcast::<T>().ok()) {
            return value;
        }
        let value = Rc::new(compute());
        self.0.push(Rc::<T>::clone(&value));
        value
    }
}
