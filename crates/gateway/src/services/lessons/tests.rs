//! Tests of stored lessons: their forms, whom they serve, and that they can be deleted.

use std::sync::Arc;

use bytes::Bytes;
use interlingua_model::{Lesson, RejectedField};
use interlingua_store::{MemoryStore, Record, RecordKind, RecordStore};

use super::*;

fn name(text: &str) -> ModelName {
    ModelName::parse(text).expect("a valid name")
}

fn model_key<'t>(owner: &'t str, model: &'t ModelName) -> ModelKey<'t> {
    ModelKey { owner, provider: "p", dialect: "openai-chat", model }
}

fn lesson(line: &str) -> Lesson {
    line.parse().expect("a lesson")
}

fn stores() -> (Arc<dyn RecordStore>, Arc<LessonStore>) {
    let store: Arc<dyn RecordStore> = Arc::new(MemoryStore::default());
    (Arc::clone(&store), Arc::new(LessonStore::new(store)))
}

async fn lines(lessons: &Arc<LessonStore>, owner: &str, model: &str) -> Vec<String> {
    let model = name(model);
    lessons.refresh().await;
    lessons.get(model_key(owner, &model), LessonMode::On).iter().map(ToString::to_string).collect()
}

fn put_lines(store: &dyn RecordStore, key: &str, lessons: &str) {
    store.put(Record {
        kind: RecordKind::Lesson,
        owner: String::new(),
        keys: vec![key.to_owned()],
        body: Bytes::from(format!("{key}\n{lessons}")),
    });
}

async fn stored(store: &dyn RecordStore) -> Vec<Record> {
    store.list_records(RecordKind::Lesson).await
}

#[tokio::test]
async fn a_line_end_in_a_stored_model_name_teaches_nothing() {
    let (store, lessons) = stores();
    put_lines(&*store, "p\nopenai-chat\nvictim\nmax-tokens=1\nfield=tools", "field=temperature");
    put_lines(&*store, "p\nopenai-chat\nvictim\r", "field=temperature");
    put_lines(&*store, "p\nopenai-chat\nhonest", "field=temperature");
    assert!(lines(&lessons, "ann", "victim").await.is_empty());
    assert_eq!(lines(&lessons, "ann", "honest").await, ["field=temperature"]);
    assert_eq!(stored(&*store).await.len(), 1, "damaged records are deleted");
}

#[tokio::test]
async fn a_record_of_version_0_1_0_is_replaced_by_json() {
    let (store, lessons) = stores();
    put_lines(&*store, "p\nopenai-chat\nm", "field=temperature");
    assert_eq!(lines(&lessons, "", "m").await, ["field=temperature"]);
    let model = name("m");
    lessons.record_success(model_key("", &model), &[lesson("max-tokens=100")]);
    let records = stored(&*store).await;
    assert_eq!(records.len(), 1, "{records:?}");
    let json: serde_json::Value = serde_json::from_slice(&records[0].body).expect("JSON");
    assert_eq!(json["lessons"], serde_json::json!(["field=temperature", "max-tokens=100"]));
    let restarted = Arc::new(LessonStore::new(store));
    assert_eq!(lines(&restarted, "", "m").await, ["field=temperature", "max-tokens=100"]);
}

#[tokio::test]
async fn a_lesson_serves_its_owner_until_another_owner_learns_the_same() {
    let (store, lessons) = stores();
    let model = name("m");
    lessons.record_success(model_key("ann", &model), &[lesson("field=temperature")]);
    lessons.record_success(model_key("ann", &model), &[lesson("max-tokens=1")]);
    assert_eq!(lines(&lessons, "ann", "m").await.len(), 2);
    assert!(lines(&lessons, "bob", "m").await.is_empty());
    // Another node learns from the same store.
    let other_node = Arc::new(LessonStore::new(Arc::clone(&store)));
    assert!(lines(&other_node, "bob", "m").await.is_empty());
    other_node.record_success(model_key("bob", &model), &[lesson("field=temperature")]);
    let restarted = Arc::new(LessonStore::new(store));
    for node in [&other_node, &restarted] {
        assert_eq!(lines(node, "eve", "m").await, ["field=temperature"]);
        assert_eq!(lines(node, "ann", "m").await, ["field=temperature", "max-tokens=1"]);
    }
}

#[tokio::test]
async fn the_operator_shares_the_lessons_of_one_key() {
    let (_, lessons) = stores();
    let model = name("m");
    lessons.record_success(model_key("ann", &model), &[lesson("field=temperature")]);
    lessons.record_success(model_key("bob", &model), &[lesson("max-tokens=1")]);
    let filter = LessonFilter { owner: Some("ann"), ..LessonFilter::default() };
    assert_eq!(lessons.share(filter).await, 1);
    assert_eq!(lines(&lessons, "eve", "m").await, ["field=temperature"]);
    assert_eq!(lessons.delete(filter).await, 1);
    assert_eq!(lines(&lessons, "eve", "m").await, ["field=temperature"]);
    assert_eq!(lessons.delete(LessonFilter::default()).await, 1);
    assert!(lines(&lessons, "bob", "m").await.is_empty());
}

#[tokio::test]
async fn deleted_lessons_do_not_return() {
    let (store, lessons) = stores();
    put_lines(&*store, "p\nopenai-chat\nm", "field=temperature");
    let model = name("m");
    assert_eq!(lines(&lessons, "ann", "m").await, ["field=temperature"]);
    lessons.record_success(model_key("ann", &model), &[lesson("max-tokens=1")]);
    let filter = LessonFilter { provider: Some("p"), model: Some("m"), ..LessonFilter::default() };
    assert_eq!(lessons.delete(filter).await, 1);
    assert!(stored(&*store).await.is_empty());
    put_lines(&*store, "unreadable", "");
    assert_eq!(lessons.delete(LessonFilter::default()).await, 0);
    assert!(stored(&*store).await.is_empty());
    let restarted = Arc::new(LessonStore::new(store));
    assert!(lines(&restarted, "ann", "m").await.is_empty());
}

#[tokio::test]
async fn a_field_name_that_would_be_read_as_another_lesson_is_not_learned() {
    let (_, lessons) = stores();
    let model = name("m");
    let field = |path: &str, betas: &[&str]| {
        let betas = betas.iter().map(|beta| (*beta).to_owned()).collect();
        Lesson::RejectedField(RejectedField { path: path.to_owned(), rename_to: None, betas })
    };
    let storable = vec![field("temperature", &["a", "b"])];
    for invalid in [
        field("x as=messages", &[]),
        field("x\nfield=tools", &[]),
        field("x", &["a as=tools"]),
        field(&"x".repeat(600), &[]),
    ] {
        let candidates = vec![vec![invalid], storable.clone()];
        let candidate = lessons.next_untried(model_key("ann", &model), candidates);
        assert_eq!(candidate, Some(storable.clone()));
    }
}

#[tokio::test]
async fn the_lessons_of_one_owner_do_not_displace_those_of_another() {
    let (store, lessons) = stores();
    let honest = name("honest");
    lessons.record_success(model_key("ann", &honest), &[lesson("field=temperature")]);
    for number in 0..MAX_MODELS_PER_OWNER + 10 {
        let model = name(&format!("m{number}"));
        lessons.record_success(model_key("eve", &model), &[lesson("field=temperature")]);
    }
    assert_eq!(lines(&lessons, "ann", "honest").await, ["field=temperature"]);
    assert_eq!(stored(&*store).await.len(), MAX_MODELS_PER_OWNER + 1);
    let model = name("m");
    for number in 0..MAX_LESSONS + 10 {
        let learned = lesson(&format!("field=f{number}"));
        lessons.record_success(model_key("eve", &model), &[learned]);
    }
    assert_eq!(lines(&lessons, "eve", "m").await.len(), MAX_LESSONS);
}
