//! Tool schemas whose checks could take more than proportional time.

pub(crate) struct SchemaCase {
    pub name: &'static str,
    pub generate: fn(usize) -> String,
}

macro_rules! schema_cases {
    ($($name:ident)*) => {
        pub(crate) const ALL: &[SchemaCase] = &[$(SchemaCase { name: stringify!($name), generate: $name }),*];
    };
}

schema_cases! {
    required_names required_properties repeated_names flagged_properties odd_property_names
    alternatives_at_root merged_properties references referenced_siblings repeated_keywords
    references_to_root doubling_references nested_all_of
}

/// A request with one strict tool.
pub(crate) fn request(client: &str, schema: &str) -> String {
    match client {
        "openai-chat" => format!(
            r#"{{"model":"m","messages":[{{"role":"user","content":"a"}}],"tools":[{{"type":"function","function":{{"name":"t","strict":true,"parameters":{schema}}}}}]}}"#
        ),
        "anthropic" => format!(
            r#"{{"model":"m","max_tokens":9,"messages":[{{"role":"user","content":"a"}}],"tools":[{{"name":"t","strict":true,"input_schema":{schema}}}]}}"#
        ),
        "gemini" => format!(
            r#"{{"contents":[{{"role":"user","parts":[{{"text":"a"}}]}}],"tools":[{{"functionDeclarations":[{{"name":"t","parameters":{schema}}}]}}]}}"#
        ),
        "openai-responses" => format!(
            r#"{{"model":"m","input":"a","tools":[{{"type":"function","name":"t","strict":true,"parameters":{schema}}}]}}"#
        ),
        _ => format!(
            r#"{{"messages":[{{"role":"user","content":[{{"text":"a"}}]}}],"toolConfig":{{"tools":[{{"toolSpec":{{"name":"t","inputSchema":{{"json":{schema}}}}}}}]}}}}"#
        ),
    }
}

fn list(size: usize, item: impl Fn(usize) -> String) -> String {
    (0..size).map(item).collect::<Vec<_>>().join(",")
}

fn names(size: usize) -> String {
    list(size, |at| format!(r#""name_{at}""#))
}

fn required_names(size: usize) -> String {
    format!(r#"{{"type":"object","required":[{}]}}"#, names(size))
}

fn required_properties(size: usize) -> String {
    let properties = list(size, |at| format!(r#""name_{at}":{{"type":"string"}}"#));
    format!(
        r#"{{"type":"object","additionalProperties":false,"properties":{{{properties}}},"required":[{}]}}"#,
        names(size)
    )
}

/// The last name occurs twice, so the list is written again.
fn repeated_names(size: usize) -> String {
    let last = format!("name_{}", size - 1);
    format!(r#"{{"type":"object","required":[{},"{last}"]}}"#, names(size))
}

fn flagged_properties(size: usize) -> String {
    let properties = list(size, |at| format!(r#""name_{at}":{{"type":"string","required":true}}"#));
    format!(r#"{{"type":"object","required":[],"properties":{{{properties}}}}}"#)
}

fn odd_property_names(size: usize) -> String {
    let properties = list(size, |at| format!(r#""a[{at}]":{{"type":"string"}}"#));
    format!(r#"{{"type":"object","properties":{{{properties}}}}}"#)
}

fn alternatives_at_root(size: usize) -> String {
    let branches = list(size, |at| {
        format!(r#"{{"properties":{{"kind":{{"const":"{at}"}}}},"required":["kind","name_{at}"]}}"#)
    });
    format!(r#"{{"type":"object","oneOf":[{branches}]}}"#)
}

fn merged_properties(size: usize) -> String {
    let branches = list(size, |at| {
        format!(r#"{{"properties":{{"name_{at}":{{"type":"string"}}}},"required":["name_{at}"]}}"#)
    });
    format!(
        r#"{{"type":"object","properties":{{"a":{{"allOf":[{branches}]}}}},"allOf":[{branches}]}}"#
    )
}

fn references(size: usize) -> String {
    let properties = list(size, |at| format!(r##""name_{at}":{{"$ref":"#/$defs/def_{at}"}}"##));
    let definitions = list(size, |at| format!(r#""def_{at}":{{"type":"string"}}"#));
    format!(r#"{{"type":"object","properties":{{{properties}}},"$defs":{{{definitions}}}}}"#)
}

fn referenced_siblings(size: usize) -> String {
    let fields = list(size, |at| format!(r#""x_{at}":{at}"#));
    format!(
        r##"{{"type":"object","properties":{{"a":{{"$ref":"#/$defs/a",{fields}}}}},"$defs":{{"a":{{"type":"object",{fields}}}}}}}"##
    )
}

fn repeated_keywords(size: usize) -> String {
    let keywords = list(size, |_| r#""required":["a","a"],"minimum":1"#.to_owned());
    format!(r#"{{"type":"object","properties":{{"a":{{"type":"array"}}}},{keywords}}}"#)
}

/// Every branch refers to the whole schema.
fn references_to_root(size: usize) -> String {
    let branches = list(size, |_| r##"{"$ref":"#"}"##.to_owned());
    format!(r#"{{"type":"object","anyOf":[{branches}]}}"#)
}

/// Each definition refers twice to the next one: exponential, and as deep as there are definitions.
fn doubling_references(size: usize) -> String {
    let definitions = list(size, |at| {
        let next = at + 1;
        format!(
            r##""d{at}":{{"type":"object","properties":{{"a":{{"$ref":"#/$defs/d{next}"}},"b":{{"$ref":"#/$defs/d{next}"}}}}}}"##
        )
    });
    format!(
        r##"{{"type":"object","properties":{{"a":{{"$ref":"#/$defs/d0"}}}},"$defs":{{{definitions}}}}}"##
    )
}

fn nested_all_of(size: usize) -> String {
    let inner = list(size, |at| format!(r#"{{"minLength":{at}}}"#));
    let start = r#"{"allOf":["#.repeat(NESTING);
    let end = "]}".repeat(NESTING);
    format!(r#"{{"type":"object","properties":{{"a":{start}{inner}{end}}}}}"#)
}

const NESTING: usize = 20;
