//! A model with tools, and the loop between them.

use std::sync::Arc;
use std::time::Duration;

use interlingua::guard::{Limits, Modes, Offer, Schemas, Watch};
use interlingua::model::{Block, Body, Conversation, Event, Reply, Settings, StopReason, ToolCall};
use interlingua::{Text, Verbatim};

use crate::hearing::Hearing;
use crate::running::{self, Manner};
use crate::session::of_user;
use crate::{Answered, Asked, Given, Model, Progress, Session, Stopped, Tool, open_calls};

/// Asks a model, runs what it calls, and asks again until it has an answer. It holds nothing of a
/// conversation: that is the [`Session`].
#[derive(Clone, Debug)]
pub struct Agent {
    /// May be another one at any time.
    pub model: Arc<dyn Model>,
    pub instructions: String,
    pub tools: Vec<Tool>,
    pub settings: Settings,
    /// What is done about calls that do not fit their tools.
    pub guard: Modes,
    /// How often the model is asked for one answer.
    pub steps: usize,
    /// How long one tool may take.
    pub patience: Duration,
    /// How many tools run side by side.
    pub at_once: usize,
    schemas: Arc<Schemas>,
}

/// What a model answered in the end.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Its last reply. One that says nothing is not in the session.
    pub reply: Reply,
    /// How often the model was asked.
    pub steps: usize,
    /// Of all its replies together.
    pub input: u64,
    pub output: u64,
}

/// Who hears of progress.
type Tell<'a> = dyn FnMut(Progress<'_>) + Send + 'a;

impl Agent {
    pub fn new(model: Arc<dyn Model>) -> Self {
        Self {
            model,
            instructions: String::new(),
            tools: Vec::new(),
            settings: Settings::default(),
            guard: Modes::default(),
            steps: 50,
            patience: Duration::from_mins(5),
            at_once: 8,
            schemas: Arc::default(),
        }
    }

    /// What the model is told before anything else.
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

    /// Says something to the model, and brings its answer. Everything that is said on the way is in
    /// the session, also when there is no answer in the end.
    pub async fn ask(
        &self,
        session: &mut Session,
        words: &str,
        tell: &mut Tell<'_>,
    ) -> Result<Answer, Stopped> {
        self.settle(session, tell).await?;
        session.add(of_user(vec![Block::text(Text::new(words)).into()])).await?;
        self.answer(session, tell).await
    }

    /// Goes on where a session stands, with nothing new to say: after a crash, or a failure.
    pub async fn resume(
        &self,
        session: &mut Session,
        tell: &mut Tell<'_>,
    ) -> Result<Answer, Stopped> {
        self.settle(session, tell).await?;
        self.answer(session, tell).await
    }

    async fn answer(&self, session: &mut Session, tell: &mut Tell<'_>) -> Result<Answer, Stopped> {
        let (mut input, mut output, mut silences) = (0, 0, 0);
        for step in 1..=self.steps {
            let Answered { reply, findings, ledger } = self.asked(session, tell).await?;
            if !ledger.is_empty() {
                tell(Progress::Changed(&ledger));
            }
            input += reply.usage.all_input();
            output += reply.usage.all_output();
            let answer = |reply| Ok(Answer { reply, steps: step, input, output });
            if reply.turn.is_silent() && reply.stop.reason != StopReason::Pause {
                silences += 1;
                if silences > MOST_SILENCES {
                    return answer(reply);
                }
                tell(Progress::Empty);
                continue;
            }
            session.add_of(self.model.name(), reply.turn.clone()).await?;
            let calls = calls_of(&reply);
            if calls.is_empty() {
                if reply.stop.reason == StopReason::Pause {
                    continue;
                }
                return answer(reply);
            }
            let told = |call: &ToolCall| {
                let about = findings.iter().find(|finding| finding.call.id == call.id);
                about.and_then(|finding| finding.answer())
            };
            let results = if step == self.steps {
                calls.iter().map(|call| running::result(call, Given::error(NO_STEPS))).collect()
            } else {
                self.run(&calls, told, tell).await
            };
            session.add(of_user(results)).await?;
        }
        Err(Stopped::Steps(self.steps))
    }

    /// Asks the model once.
    async fn asked(&self, session: &Session, tell: &mut Tell<'_>) -> Result<Answered, Stopped> {
        let conversation = Verbatim::new(self.conversation(session));
        let watch = (!self.tools.is_empty() && self.guard.is_on()).then(|| Watch {
            offer: Offer::of(&conversation),
            modes: self.guard.clone(),
            limits: Limits::default(),
            schemas: Arc::clone(&self.schemas),
        });
        let mut hearing = Hearing::default();
        let asked = Asked { conversation: &conversation, watch };
        let mut hear = |event: &Event| hearing.hears(event, tell);
        Ok(self.model.answer(asked, &mut hear).await?)
    }

    fn conversation(&self, session: &Session) -> Conversation {
        let mut conversation = session.conversation();
        if !self.instructions.is_empty() {
            conversation.system = vec![Block::text(Text::new(&self.instructions)).into()].into();
        }
        let offered: Vec<_> = self.tools.iter().map(Tool::offered).collect();
        conversation.tools = offered.into();
        conversation.settings = Box::new(self.settings.clone()).into();
        conversation
    }

    /// Runs the calls that fit; for the others the model is told what is wrong.
    async fn run<'f>(
        &self,
        calls: &[ToolCall],
        told: impl Fn(&ToolCall) -> Option<&'f str>,
        tell: &mut Tell<'_>,
    ) -> Vec<Verbatim<Block>> {
        let fit: Vec<ToolCall> =
            calls.iter().filter(|call| told(call).is_none()).cloned().collect();
        for call in calls {
            if let Some(wrong) = told(call) {
                tell(Progress::Told(call, wrong));
            }
        }
        let manner = Manner { patience: self.patience, at_once: self.at_once };
        let mut results = running::run(&fit, &self.tools, manner, tell).await.into_iter();
        let in_order = calls.iter().filter_map(|call| match told(call) {
            Some(wrong) => Some(running::result(call, Given::error(wrong))),
            None => results.next(),
        });
        in_order.collect()
    }

    /// Answers calls whose results were lost: what may be repeated is, of the rest nobody knows.
    async fn settle(&self, session: &mut Session, tell: &mut Tell<'_>) -> Result<(), Stopped> {
        let open = open_calls::of(session.turns());
        if open.is_empty() {
            return Ok(());
        }
        let repeatable = |call: &ToolCall| {
            self.tools.iter().any(|tool| tool.repeatable && call.name == *tool.name)
        };
        let told = |call: &ToolCall| (!repeatable(call)).then_some(open_calls::UNKNOWN);
        let results = self.run(&open, told, tell).await;
        session.add(of_user(results)).await
    }
}

impl Answer {
    /// The words of the answer.
    pub fn text(&self) -> String {
        let texts = self.reply.turn.blocks.iter().filter_map(|block| match &block.body {
            Body::Text { text, .. } | Body::Refusal(text) => Some(text),
            _ => None,
        });
        Text::concat(texts).contents().into_owned()
    }
}

fn calls_of(reply: &Reply) -> Vec<ToolCall> {
    let calls = reply.turn.blocks.iter().filter_map(|block| match &block.body {
        Body::ToolCall(call) => Some(call.clone()),
        _ => None,
    });
    calls.collect()
}

/// Once more is enough: who says nothing twice has nothing to say.
const MOST_SILENCES: usize = 1;

const NO_STEPS: &str = "This call was not run: the limit of steps for this answer is reached.";
