//! Tools that a model can call, and their outputs.

use std::fmt;
use std::sync::Arc;

use interlingua::{JsonString, RawJson, Verbatim};
use interlingua_model::{Block, Tool as Offered, ToolKind};

use crate::BoxFuture;

/// A tool: its definition for the model, and its function.
#[derive(Clone)]
pub struct Tool {
    pub name: String,
    pub description: String,
    /// The JSON schema of its arguments.
    pub schema: RawJson,
    /// Running it twice is harmless: after a crash, a call without a result is run again. The
    /// result of other tools' calls is then an error about an unknown outcome.
    pub is_idempotent: bool,
    /// Its server says that it changes nothing. That is a hint, and nothing to rely on.
    pub is_read_only: bool,
    run: Arc<ToolFn>,
}

type ToolFn = dyn Fn(RawJson) -> BoxFuture<'static, ToolOutput> + Send + Sync;

/// The output of a tool call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolOutput {
    pub content: Vec<Verbatim<Block>>,
    pub is_error: bool,
}

impl Tool {
    /// Creates a tool from a function that returns text or an error.
    ///
    /// ```
    /// use interlingua_agent::Tool;
    /// use interlingua::RawJson;
    ///
    /// let schema = RawJson::parse(r#"{"type":"object","properties":{"path":{"type":"string"}}}"#).unwrap();
    /// let read = Tool::new("read", "Reads a file.", schema, |args: RawJson| async move {
    ///     let args = args.to_doc();
    ///     let path = args.root().get("path").map(|path| path.str_or_empty().into_owned());
    ///     std::fs::read_to_string(path.unwrap_or_default()).map_err(|error| error.to_string())
    /// });
    /// assert_eq!(read.name, "read");
    /// ```
    pub fn new<F, O>(name: &str, description: &str, schema: RawJson, run: F) -> Self
    where
        F: Fn(RawJson) -> O + Send + Sync + 'static,
        O: Future<Output = Result<String, String>> + Send + 'static,
    {
        Self::from_handler(name, description, schema, move |args| {
            let run = run(args);
            async {
                run.await.map_or_else(
                    |message| ToolOutput::error(&message),
                    |text| ToolOutput::from_text(&text),
                )
            }
        })
    }

    /// Creates a tool from a function that returns any [`ToolOutput`].
    pub fn from_handler<F, O>(name: &str, description: &str, schema: RawJson, run: F) -> Self
    where
        F: Fn(RawJson) -> O + Send + Sync + 'static,
        O: Future<Output = ToolOutput> + Send + 'static,
    {
        Self {
            name: name.to_owned(),
            description: description.to_owned(),
            schema,
            is_idempotent: false,
            is_read_only: false,
            run: Arc::new(move |args| Box::pin(run(args))),
        }
    }

    /// Marks the tool as safe to run twice.
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.is_idempotent = true;
        self
    }

    pub(crate) fn definition(&self) -> Verbatim<Offered> {
        let kind = ToolKind::Function { schema: Some(self.schema.clone()) };
        let description = Some(JsonString::new(&self.description)).filter(|text| !text.is_empty());
        Offered { description, ..Offered::new(JsonString::new(&self.name), kind) }.into()
    }

    pub(crate) fn run(&self, args: RawJson) -> BoxFuture<'static, ToolOutput> {
        (self.run)(args)
    }
}

impl ToolOutput {
    pub fn from_text(text: &str) -> Self {
        Self { content: vec![Block::text(JsonString::new(text)).into()], is_error: false }
    }

    pub fn error(message: &str) -> Self {
        Self { is_error: true, ..Self::from_text(message) }
    }

    /// The texts, joined by line breaks.
    pub fn to_text(&self) -> String {
        let texts = self.content.iter().filter_map(|block| block.content.as_text());
        JsonString::join(texts, "\n").unescape().into_owned()
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("name", &self.name).finish_non_exhaustive()
    }
}
