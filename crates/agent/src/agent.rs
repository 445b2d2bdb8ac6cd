//! The agent loop: calls the model, runs its tool calls, and repeats until it replies without
//! calls.

use std::sync::Arc;
use std::time::Duration;

use interlingua::{JsonString, Verbatim};
use interlingua_guard::{CallChecker, GuardModes, OfferedTools, SchemaCache, ValidationLimits};
use interlingua_model::{
    Block, BlockContent, Conversation, Reply, Settings, StopReason, StreamEvent, ToolCall,
};

use crate::progress::ProgressMapper;
use crate::run_tools::{self, ToolLimits};
use crate::session::user_turn;
use crate::{
    AgentError, Model, ModelReply, ModelRequest, Progress, Session, Tool, ToolApproval, ToolOutput,
    open_calls,
};

/// A model with tools. Has no state of a conversation: that is the [`Session`].
#[derive(Clone, Debug)]
pub struct Agent {
    /// May be replaced at any time.
    pub model: Arc<dyn Model>,
    pub instructions: String,
    pub tools: Vec<Tool>,
    pub settings: Settings,
    /// What the guard does with calls that do not match their tools' schemas.
    pub guard: GuardModes,
    /// Maximum number of model calls per answer.
    pub max_steps: usize,
    /// Decides which tool calls may run; without it, all do.
    pub approval: Option<Arc<dyn ToolApproval>>,
    /// Timeout of one tool call.
    pub tool_timeout: Duration,
    /// Maximum number of tool calls that run concurrently.
    pub max_parallel_tools: usize,
    schemas: Arc<SchemaCache>,
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct AgentOutput {
    /// The last reply. An empty one is not added to the session.
    pub reply: Reply,
    /// Number of model calls.
    pub steps: usize,
    /// Summed over all replies.
    pub input_tokens: u64,
    pub output_tokens: u64,
}

/// Receives progress.
type ProgressCallback<'a> = dyn FnMut(Progress<'_>) + Send + 'a;

impl Agent {
    pub fn new(model: Arc<dyn Model>) -> Self {
        Self {
            model,
            instructions: String::new(),
            tools: Vec::new(),
            settings: Settings::default(),
            guard: GuardModes::default(),
            approval: None,
            max_steps: 50,
            tool_timeout: Duration::from_mins(5),
            max_parallel_tools: 8,
            schemas: Arc::default(),
        }
    }

    /// Sets the system message.
    #[must_use]
    pub fn instructions(mut self, instructions: &str) -> Self {
        instructions.clone_into(&mut self.instructions);
        self
    }

    #[must_use]
    pub fn tool(mut self, tool: Tool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Sends a prompt to the model and runs until its answer. All turns are in the session, also
    /// after an error.
    pub async fn ask(
        &self,
        session: &mut Session,
        prompt: &str,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<AgentOutput, AgentError> {
        self.answer_open_calls(session, on_progress).await?;
        session.push(user_turn(vec![Block::text(JsonString::new(prompt)).into()])).await?;
        self.run_loop(session, on_progress).await
    }

    /// Continues a session without a new prompt, after a crash or an error.
    pub async fn resume(
        &self,
        session: &mut Session,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<AgentOutput, AgentError> {
        self.answer_open_calls(session, on_progress).await?;
        self.run_loop(session, on_progress).await
    }

    async fn run_loop(
        &self,
        session: &mut Session,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<AgentOutput, AgentError> {
        let (mut input, mut output, mut empty_replies) = (0, 0, 0);
        for step in 1..=self.max_steps {
            let ModelReply { reply, findings, ledger } =
                self.call_model(session, on_progress).await?;
            if !ledger.is_empty() {
                on_progress(Progress::Repaired(&ledger));
            }
            input += reply.usage.total_input();
            output += reply.usage.total_output();
            let finish = |reply| {
                Ok(AgentOutput { reply, steps: step, input_tokens: input, output_tokens: output })
            };
            if reply.turn.is_blank() && reply.stop.reason != StopReason::Pause {
                empty_replies += 1;
                if empty_replies > MAX_EMPTY_REPLIES {
                    return finish(reply);
                }
                on_progress(Progress::EmptyReply);
                continue;
            }
            session.push_from_model(self.model.name(), reply.turn.clone()).await?;
            let calls = tool_calls(&reply);
            if calls.is_empty() {
                if reply.stop.reason == StopReason::Pause {
                    continue;
                }
                return finish(reply);
            }
            let guard_message = |call: &ToolCall| {
                let call_finding = findings.iter().find(|finding| finding.call.id == call.id);
                call_finding.and_then(|finding| finding.answer_message())
            };
            let results = if step == self.max_steps {
                calls
                    .iter()
                    .map(|call| {
                        run_tools::result_block(call, ToolOutput::error(STEP_LIMIT_MESSAGE))
                    })
                    .collect()
            } else {
                self.run_calls(&calls, guard_message, on_progress).await
            };
            session.push(user_turn(results)).await?;
        }
        Err(AgentError::StepLimit(self.max_steps))
    }

    /// Calls the model once.
    async fn call_model(
        &self,
        session: &Session,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<ModelReply, AgentError> {
        let conversation = Verbatim::new(self.conversation(session));
        let call_checker =
            (!self.tools.is_empty() && self.guard.is_enabled()).then(|| CallChecker {
                offered_tools: OfferedTools::from_conversation(&conversation),
                modes: self.guard.clone(),
                limits: ValidationLimits::default(),
                schema_cache: Arc::clone(&self.schemas),
            });
        let mut progress_mapper = ProgressMapper::default();
        let model_request = ModelRequest { conversation: &conversation, call_checker };
        let mut on_event = |event: &StreamEvent| progress_mapper.on_event(event, on_progress);
        Ok(self.model.generate(model_request, &mut on_event).await?)
    }

    fn conversation(&self, session: &Session) -> Conversation {
        let mut conversation = session.conversation();
        if !self.instructions.is_empty() {
            conversation.system =
                vec![Block::text(JsonString::new(&self.instructions)).into()].into();
        }
        let definitions: Vec<_> = self.tools.iter().map(Tool::definition).collect();
        conversation.tools = definitions.into();
        conversation.settings = Box::new(self.settings.clone()).into();
        conversation
    }

    /// Runs the calls that are neither rejected nor denied; the others get the reason as their
    /// result.
    async fn run_calls<'f>(
        &self,
        calls: &[ToolCall],
        rejection: impl Fn(&ToolCall) -> Option<&'f str>,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Vec<Verbatim<Block>> {
        let mut reasons = Vec::with_capacity(calls.len());
        for call in calls {
            let reason = match rejection(call) {
                Some(message) => Some(message.to_owned()),
                None => self.check_approval(call).await.err(),
            };
            if let Some(message) = &reason {
                on_progress(Progress::CallRejected(call, message));
            }
            reasons.push(reason);
        }
        let decided = || calls.iter().zip(&reasons);
        let accepted: Vec<ToolCall> = decided()
            .filter(|(_, reason)| reason.is_none())
            .map(|(call, _)| call.clone())
            .collect();
        let tool_limits =
            ToolLimits { timeout: self.tool_timeout, max_parallel: self.max_parallel_tools };
        let mut results = run_tools::run_calls(&accepted, &self.tools, tool_limits, on_progress)
            .await
            .into_iter();
        let blocks = decided().filter_map(|(call, reason)| match reason {
            Some(message) => Some(run_tools::result_block(call, ToolOutput::error(message))),
            None => results.next(),
        });
        blocks.collect()
    }

    /// A call of an unknown tool is not decided: it cannot run.
    async fn check_approval(&self, call: &ToolCall) -> Result<(), String> {
        let tool = self.tools.iter().find(|tool| call.name == *tool.name);
        match (&self.approval, tool) {
            (Some(approval), Some(tool)) => approval.approve(tool, call).await,
            _ => Ok(()),
        }
    }

    /// Adds results for calls that lost theirs in a crash: runs idempotent tools again, and returns
    /// an error for the others.
    async fn answer_open_calls(
        &self,
        session: &mut Session,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<(), AgentError> {
        let open_calls = open_calls::find(session.turns());
        if open_calls.is_empty() {
            return Ok(());
        }
        let is_idempotent = |call: &ToolCall| {
            self.tools.iter().any(|tool| tool.is_idempotent && call.name == *tool.name)
        };
        let rejection =
            |call: &ToolCall| (!is_idempotent(call)).then_some(open_calls::UNKNOWN_OUTCOME_MESSAGE);
        let results = self.run_calls(&open_calls, rejection, on_progress).await;
        session.push(user_turn(results)).await
    }
}

impl AgentOutput {
    /// The text of the answer.
    pub fn text(&self) -> String {
        let texts = self.reply.turn.blocks.iter().filter_map(|block| match &block.content {
            BlockContent::Text { text, .. } | BlockContent::Refusal(text) => Some(text),
            _ => None,
        });
        JsonString::concat(texts).unescape().into_owned()
    }
}

fn tool_calls(reply: &Reply) -> Vec<ToolCall> {
    let calls = reply.turn.blocks.iter().filter_map(|block| match &block.content {
        BlockContent::ToolCall(call) => Some(call.clone()),
        _ => None,
    });
    calls.collect()
}

/// Empty replies after which the model is called again.
const MAX_EMPTY_REPLIES: usize = 1;

const STEP_LIMIT_MESSAGE: &str =
    "This call was not run: the limit of steps for this answer is reached.";
