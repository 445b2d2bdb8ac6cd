//! A reply that says nothing must not be what breaks the conversation.

use interlingua_agent::Session;

use crate::world::{Heard, MODELS, World};

/// After a result the model thinks, and says nothing; asked once more, it still does not.
const SILENT: &str = r#"
[[turn]]
when = { result = "boats", prompt = "Look" }
blocks = [{ text = "" }]
times = 2
"#;

#[tokio::test]
async fn an_empty_reply_is_not_kept_and_the_conversation_goes_on() {
    for (provider, model) in MODELS {
        let world = World::playing(SILENT);
        let (agent, heard) = (world.agent(provider, model), Heard::default());
        let mut session = Session::new();
        let said = "Look at the harbour.";
        let answer = agent.ask(&mut session, said, &mut heard.tell()).await.unwrap();
        assert_eq!((answer.text().as_str(), answer.steps), ("", 3), "{provider}");
        assert_eq!(session.turns().len(), 3, "{provider}: the last is the result");
        assert_eq!(heard.count("empty"), 1);
        let answer = agent.ask(&mut session, "Are you there?", &mut |_| {}).await.unwrap();
        assert!(!answer.text().is_empty(), "{provider}");
        world.assert_accepted();
    }
}
