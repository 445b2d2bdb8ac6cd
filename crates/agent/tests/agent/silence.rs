//! Tests that an empty reply does not break the conversation.

use interlingua_agent::Session;

use crate::support::{MODELS, ProgressLog, TestEnv};

/// After a result the model's reply is empty, twice.
const SILENT: &str = r#"
[[turn]]
when = { result = "boats", prompt = "Look" }
blocks = [{ text = "" }]
times = 2
"#;

#[tokio::test]
async fn an_empty_reply_is_not_stored_and_the_conversation_continues() {
    for (provider, model) in MODELS {
        let env = TestEnv::with_script(SILENT);
        let (agent, progress_log) = (env.agent(provider, model), ProgressLog::default());
        let mut session = Session::new();
        let prompt = "Look at the harbour.";
        let output = agent.ask(&mut session, prompt, &mut progress_log.callback()).await.unwrap();
        assert_eq!((output.text().as_str(), output.steps), ("", 3), "{provider}");
        assert_eq!(session.turns().len(), 3, "{provider}: the last is the result");
        assert_eq!(progress_log.count("empty"), 1);
        let output = agent.ask(&mut session, "Are you there?", &mut |_| {}).await.unwrap();
        assert!(!output.text().is_empty(), "{provider}");
        env.assert_accepted();
    }
}
