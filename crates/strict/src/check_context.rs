//! The context in which a rule reports what it rejects, and shares intermediate results.

use std::any::Any;
use std::mem;
use std::rc::Rc;

/// What the rules of one request have in common.
#[derive(Debug, Default)]
pub struct CheckContext {
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
