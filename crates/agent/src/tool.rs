//! What a model can call.

use std::fmt;
use std::sync::Arc;

use interlingua::model::{Block, Tool as Offered, ToolKind};
use interlingua::{Json, Text, Verbatim};

use crate::BoxFuture;

/// A tool: what the model is told of it, and what it does.
#[derive(Clone)]
pub struct Tool {
    pub name: String,
    pub description: String,
    /// The JSON schema of its arguments.
    pub schema: Json,
    /// Whether running it twice does no harm: after a crash it is run again, where others are said to
    /// have an outcome that nobody knows.
    pub repeatable: bool,
    run: Arc<Run>,
}

type Run = dyn Fn(Json) -> BoxFuture<'static, Given> + Send + Sync;

/// What a call came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given {
    pub content: Vec<Verbatim<Block>>,
    pub is_error: bool,
}

impl Tool {
    /// A tool that is a function: arguments in, text or an error out.
    ///
    /// ```
    /// use interlingua_agent::Tool;
    /// use interlingua::Json;
    ///
    /// let schema = Json::parse(r#"{"type":"object","properties":{"path":{"type":"string"}}}"#).unwrap();
    /// let read = Tool::new("read", "Reads a file.", schema, |args: Json| async move {
    ///     let args = args.doc();
    ///     let path = args.root().get("path").map(|path| path.word().into_owned());
    ///     std::fs::read_to_string(path.unwrap_or_default()).map_err(|error| error.to_string())
    /// });
    /// assert_eq!(read.name, "read");
    /// ```
    pub fn new<F, O>(name: &str, description: &str, schema: Json, run: F) -> Self
    where
        F: Fn(Json) -> O + Send + Sync + 'static,
        O: Future<Output = Result<String, String>> + Send + 'static,
    {
        Self::giving(name, description, schema, move |args| {
            let run = run(args);
            async { run.await.map_or_else(|wrong| Given::error(&wrong), |text| Given::text(&text)) }
        })
    }

    /// A tool that gives more than text.
    pub fn giving<F, O>(name: &str, description: &str, schema: Json, run: F) -> Self
    where
        F: Fn(Json) -> O + Send + Sync + 'static,
        O: Future<Output = Given> + Send + 'static,
    {
        Self {
            name: name.to_owned(),
            description: description.to_owned(),
            schema,
            repeatable: false,
            run: Arc::new(move |args| Box::pin(run(args))),
        }
    }

    /// Running it twice does no harm.
    #[must_use]
    pub fn repeatable(mut self) -> Self {
        self.repeatable = true;
        self
    }

    pub(crate) fn offered(&self) -> Verbatim<Offered> {
        let kind = ToolKind::Function { schema: Some(self.schema.clone()) };
        let description = Some(Text::new(&self.description)).filter(|text| !text.is_empty());
        Offered { description, ..Offered::new(Text::new(&self.name), kind) }.into()
    }

    pub(crate) fn run(&self, args: Json) -> BoxFuture<'static, Given> {
        (self.run)(args)
    }
}

impl Given {
    pub fn text(text: &str) -> Self {
        Self { content: vec![Block::text(Text::new(text)).into()], is_error: false }
    }

    pub fn error(wrong: &str) -> Self {
        Self { is_error: true, ..Self::text(wrong) }
    }

    /// The words in it.
    pub fn words(&self) -> String {
        let texts = self.content.iter().filter_map(|block| block.body.as_text());
        Text::join(texts, "\n").contents().into_owned()
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("name", &self.name).finish_non_exhaustive()
    }
}
