//! Tests that a stored conversation keeps how its client spelled each item.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use interlingua_dialects::native::Native;
use interlingua_dialects::{Dialect, find_dialect};
use interlingua_model::{
    Conversation, Extras, Ledger, Role, Spelling, SpellingSet, Turn, Verbatim, WrittenForm,
};
use interlingua_providers::Target;
use interlingua_wire::{JsonDoc, JsonLimits, JsonString, RawJson};

#[test]
fn every_spelling_survives_storing() {
    let chat = find_dialect("openai-chat").unwrap().id();
    let text = |text: &str| JsonString::new(text);
    let forms = [
        WrittenForm::Role(text("narrator \"n\"")),
        WrittenForm::NoId,
        WrittenForm::Id(text("")),
        WrittenForm::Id(text("call 1")),
        WrittenForm::UntypedPart,
        WrittenForm::PartType(text("")),
        WrittenForm::PartType(text("image \"x\"")),
        WrittenForm::Message(RawJson::parse(r#"{"id":"msg_1"}"#).unwrap()),
    ];
    let mut all = vec![Extras::default()];
    all[0].add_spellings(chat, SpellingSet::ALL);
    for spelling in SpellingSet::ALL.iter() {
        let mut extras = Extras::default();
        extras.add_spellings(chat, spelling);
        all.push(extras);
    }
    for form in forms {
        let mut extras = Extras::default();
        extras.push(chat, text("index"), RawJson::NULL);
        extras.set_written(chat, form);
        all.push(extras.clone());
        extras.add_spellings(chat, Spelling::LegacyForm);
        extras.retain(chat, |_, _| false);
        all.push(extras);
    }
    let mut conversation = Conversation::new(chat);
    conversation.turns =
        all.into_iter().map(|extras| Turn { extras, ..Turn::new(Role::User) }.into()).collect();
    let mut ledger = Ledger::default();
    let conversation = Verbatim::new(conversation);
    let stored = Native.encode_request(&conversation, &Target::default(), &mut ledger);
    let loaded = load(str::from_utf8(&stored).unwrap());
    assert_eq!(loaded.turns, conversation.turns);
}

/// Version 0.1.0 kept spellings as names among the extras.
#[test]
fn spellings_of_earlier_versions_are_read() {
    let loaded = load(
        r#"{"interlingua":1,"source":"openai-chat","turns":[
            {"role":"user","blocks":[],
             "extras":{"name":"n","unknown role":"narrator"},"extras_of":"openai-chat",
             "remembered":{"openai-chat":["held refusal","empty calls"]}},
            {"role":"assistant","blocks":[
              {"call":{"id":"a","name":"f","args":{}},
               "remembered":{"openai-chat":["no type","object arguments","no id"]}},
              {"call":{"id":"b","name":"f","args":{}},"remembered":{"gemini":["written id"]}},
              {"call":{"id":"c","name":"f","args":{}},
               "extras":{"written id":"x"},"extras_of":"gemini"},
              {"text":"t","extras":{"its message":{"id":"msg_1"}},"extras_of":"openai-responses"},
              {"text":"t","remembered":{"openai-chat":["part input_text"]}},
              {"image":{"url":"u"},"remembered":{"openai-chat":["part image_url string"]}}]}]}"#,
    );
    let [chat, gemini, responses] =
        ["openai-chat", "gemini", "openai-responses"].map(|name| find_dialect(name).unwrap().id());
    let turn = &loaded.turns[0].extras;
    assert_eq!(turn.fields_for(chat).len(), 1);
    assert_eq!(turn.written_role(chat), Some(&JsonString::new("narrator")));
    let expected = [Spelling::RefusalField, Spelling::EmptyToolCalls];
    assert_eq!(turn.spellings(chat), SpellingSet::new(&expected));
    let blocks = &loaded.turns[1].blocks;
    let expected = [Spelling::NoId, Spelling::NoType, Spelling::ObjectArguments];
    assert_eq!(blocks[0].extras.spellings(chat), SpellingSet::new(&expected));
    assert_eq!(blocks[1].extras.written(gemini), Some(&WrittenForm::NoId));
    assert_eq!(blocks[2].extras.written(gemini), Some(&WrittenForm::Id(JsonString::new("x"))));
    assert!(blocks[3].extras.written_message(responses).is_some());
    let part = WrittenForm::PartType(JsonString::new("input_text"));
    assert_eq!(blocks[4].extras.written(chat), Some(&part));
    assert!(blocks[5].extras.has(chat, Spelling::BareImageUrl));
}

fn load(body: &str) -> Verbatim<Conversation> {
    let doc = JsonDoc::parse(body.to_owned().into(), JsonLimits::default()).unwrap();
    let mut ledger = Ledger::default();
    let loaded = Native.decode_request(&doc, &mut ledger);
    assert!(ledger.is_empty(), "{:?}", ledger.entries);
    loaded
}
