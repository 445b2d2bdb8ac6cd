//! Fields of generateContent. Its protobuf JSON parser rejects others: "Cannot find field."

use interlingua_model::Role;

use super::{BILLING_PREFIXES, closed_kind};
use crate::profile::fields::{BlockKind, BlockPlacement, FieldProfile, ForeignKind};
use crate::shape::Shape::{
    Any, AnyObject, Base64, Bool, Closed, Integer, ListOf, Number, OneOfIgnoreCase, Text, TextOr,
};
use crate::shape::{FieldSpec, optional, required};

/// Fields of AI Studio.
pub(crate) const STUDIO: FieldProfile = FieldProfile {
    proto_json: true,
    ignores_unknown: false,
    body_fields: Some(&[
        optional("model", Text),
        optional("contents", Any),
        optional("systemInstruction", Any),
        optional("tools", Any),
        optional(
            "toolConfig",
            Closed(&[
                STUDIO_CALLING_CONFIG,
                optional("retrievalConfig", Any),
                optional("includeServerSideToolInvocations", Bool),
            ]),
        ),
        optional("safetySettings", ListOf(&STUDIO_SAFETY)),
        optional("generationConfig", Closed(STUDIO_GENERATION_CONFIG)),
        optional("cachedContent", Text),
        optional("serviceTier", Any),
        optional("store", Bool),
    ]),
    turn_fields: &[
        (Role::User, &[]),
        (Role::Assistant, &[]),
        (Role::System, &[]),
        (Role::Developer, &[]),
    ],
    block_fields: &[
        (BlockKind::Text, STUDIO_PART),
        (BlockKind::Reasoning, STUDIO_PART),
        (BlockKind::RedactedReasoning, STUDIO_PART),
        (BlockKind::Image, STUDIO_PART),
        (BlockKind::Document, STUDIO_PART),
        (BlockKind::Audio, STUDIO_PART),
        (BlockKind::Video, STUDIO_PART),
        (BlockKind::Call, STUDIO_PART),
        (BlockKind::Result, STUDIO_PART),
    ],
    foreign_kinds: Some(&[
        foreign_part(&const { with_studio_fields(CODE) }),
        foreign_part(&const { with_studio_fields(OUTCOME) }),
        foreign_part(&const { with_studio_fields(CALL) }),
        foreign_part(&const { with_studio_fields(RESPONSE) }),
    ]),
    freeform_fields: &[],
    part_prefix: "",
    accepts_item: None,
    forbidden_body_fields: &[],
    last_turn_kinds: &[],
    billing_prefixes: BILLING_PREFIXES,
    text_only_system: false,
    name_only_on_user: false,
    can_pass_unknown: true,
    drops_foreign_dialects: false,
};

/// Fields of Vertex AI.
pub(crate) const VERTEX: FieldProfile = FieldProfile {
    body_fields: Some(&[
        optional("model", Text),
        optional("contents", Any),
        optional("systemInstruction", Any),
        optional("tools", Any),
        optional("toolConfig", Closed(&[VERTEX_CALLING_CONFIG, optional("retrievalConfig", Any)])),
        optional("safetySettings", ListOf(&VERTEX_SAFETY)),
        optional("generationConfig", Closed(VERTEX_GENERATION_CONFIG)),
        optional("cachedContent", Text),
        optional("serviceTier", Any),
        optional("labels", AnyObject),
        optional("modelArmorConfig", Any),
    ]),
    block_fields: &[
        (BlockKind::Text, VERTEX_PART),
        (BlockKind::Reasoning, VERTEX_PART),
        (BlockKind::RedactedReasoning, VERTEX_PART),
        (BlockKind::Image, VERTEX_PART),
        (BlockKind::Document, VERTEX_PART),
        (BlockKind::Audio, VERTEX_PART),
        (BlockKind::Video, VERTEX_PART),
        (BlockKind::Call, VERTEX_PART),
        (BlockKind::Result, VERTEX_PART),
    ],
    foreign_kinds: Some(&[
        foreign_part(&const { with_vertex_fields(CODE) }),
        foreign_part(&const { with_vertex_fields(OUTCOME) }),
    ]),
    ..STUDIO
};

const PART_METADATA: FieldSpec = optional("partMetadata", AnyObject);
const STUDIO_PART: &[FieldSpec] = &[
    optional("thought", Bool),
    optional("videoMetadata", Any),
    optional("mediaResolution", Any),
    optional("mediaProcessing", Any),
    optional("speechMetadata", Any),
    PART_METADATA,
    optional("inlineData", Closed(BLOB)),
    optional("fileData", Closed(FILE)),
    optional("functionCall", Closed(&[])),
    optional("functionResponse", Closed(&[optional("scheduling", Any), WILL_CONTINUE, PARTS])),
];
const VERTEX_PART: &[FieldSpec] = &[
    optional("thought", Bool),
    optional("videoMetadata", Any),
    optional("mediaResolution", Any),
    optional("mediaProcessing", Any),
    optional("speechMetadata", Any),
    optional("inlineData", Closed(BLOB)),
    optional("fileData", Closed(FILE)),
    optional("functionCall", Closed(&[optional("partialArgs", Any), WILL_CONTINUE])),
    optional("functionResponse", Closed(&[optional("scheduling", Any), PARTS])),
];
const PARTS: FieldSpec = optional("parts", Any);
const WILL_CONTINUE: FieldSpec = optional("willContinue", Bool);
const BLOB: &[FieldSpec] =
    &[optional("mimeType", Text), optional("data", Text), optional("displayName", Text)];
const FILE: &[FieldSpec] =
    &[optional("fileUri", Text), optional("mimeType", Text), optional("displayName", Text)];
const TOOL_CALL: &[FieldSpec] =
    &[optional("id", Text), optional("toolType", Any), optional("args", AnyObject)];
const TOOL_RESPONSE: &[FieldSpec] =
    &[optional("id", Text), optional("toolType", Any), optional("response", AnyObject)];

const CODE: FieldSpec = required(
    "executableCode",
    Closed(&[
        optional("id", Text),
        optional("language", OneOfIgnoreCase(LANGUAGES)),
        optional("code", Text),
    ]),
);
const OUTCOME: FieldSpec = required(
    "codeExecutionResult",
    Closed(&[
        optional("id", Text),
        optional("outcome", OneOfIgnoreCase(OUTCOMES)),
        optional("output", Text),
    ]),
);
const CALL: FieldSpec = required("toolCall", Closed(TOOL_CALL));
const RESPONSE: FieldSpec = required("toolResponse", Closed(TOOL_RESPONSE));

/// A foreign part, named by the field with its data; the other fields may accompany it.
const fn foreign_part(keys: &'static [FieldSpec]) -> ForeignKind {
    closed_kind(keys[0].name, BlockPlacement::Anywhere, keys)
}

const fn with_studio_fields(data: FieldSpec) -> [FieldSpec; 8] {
    let [thought, signature, video, resolution, processing, speech] = COMMON_PART_FIELDS;
    [data, thought, signature, video, resolution, processing, speech, PART_METADATA]
}

const fn with_vertex_fields(data: FieldSpec) -> [FieldSpec; 7] {
    let [thought, signature, video, resolution, processing, speech] = COMMON_PART_FIELDS;
    [data, thought, signature, video, resolution, processing, speech]
}

const COMMON_PART_FIELDS: [FieldSpec; 6] = [
    optional("thought", Bool),
    optional("thoughtSignature", Base64),
    optional("videoMetadata", Any),
    optional("mediaResolution", Any),
    optional("mediaProcessing", Any),
    optional("speechMetadata", Any),
];

const STUDIO_CALLING_CONFIG: FieldSpec = optional(
    "functionCallingConfig",
    Closed(&[
        optional("mode", OneOfIgnoreCase(MODES)),
        optional("allowedFunctionNames", TextOr(&ListOf(&Text))),
    ]),
);
const VERTEX_CALLING_CONFIG: FieldSpec = optional(
    "functionCallingConfig",
    Closed(&[
        optional("mode", OneOfIgnoreCase(MODES)),
        optional("allowedFunctionNames", TextOr(&ListOf(&Text))),
        optional("streamFunctionCallArguments", Bool),
    ]),
);
const STUDIO_SAFETY: crate::shape::Shape = Closed(&[
    optional("category", OneOfIgnoreCase(CATEGORIES)),
    optional("threshold", OneOfIgnoreCase(THRESHOLDS)),
]);
const VERTEX_SAFETY: crate::shape::Shape = Closed(&[
    optional("category", OneOfIgnoreCase(CATEGORIES)),
    optional("threshold", OneOfIgnoreCase(THRESHOLDS)),
    optional("method", Any),
]);

/// Generation settings of both servers; those that the model has are checked by other rules.
const COMMON_GENERATION_CONFIG: [FieldSpec; 22] = [
    optional("temperature", Number),
    optional("topP", Number),
    optional("topK", Number),
    optional("candidateCount", Integer),
    optional("maxOutputTokens", Integer),
    optional("stopSequences", TextOr(&ListOf(&Text))),
    optional("seed", Integer),
    optional("presencePenalty", Number),
    optional("frequencyPenalty", Number),
    optional("responseLogprobs", Bool),
    optional("logprobs", Integer),
    optional("responseMimeType", Text),
    optional("responseSchema", AnyObject),
    optional("responseJsonSchema", Any),
    optional("_responseJsonSchema", Any),
    optional("responseFormat", Any),
    optional("responseModalities", Any),
    optional("mediaResolution", Any),
    optional("speechConfig", Any),
    optional("imageConfig", Any),
    optional(
        "thinkingConfig",
        Closed(&[
            optional("includeThoughts", Bool),
            optional("thinkingBudget", Integer),
            optional("thinkingLevel", OneOfIgnoreCase(LEVELS)),
        ]),
    ),
    optional("enableAffectiveDialog", Bool),
];
const STUDIO_GENERATION_CONFIG: &[FieldSpec] =
    &extend_generation_config::<1, 23>([optional("enableEnhancedCivicAnswers", Bool)]);
const VERTEX_GENERATION_CONFIG: &[FieldSpec] = &extend_generation_config::<4, 26>([
    optional("audioTimestamp", Bool),
    optional("routingConfig", Any),
    optional("modelConfig", Any),
    optional("modelSelectionConfig", Any),
]);

const fn extend_generation_config<const N: usize, const M: usize>(
    more: [FieldSpec; N],
) -> [FieldSpec; M] {
    let mut keys = [optional("", Any); M];
    let mut at = 0;
    while at < COMMON_GENERATION_CONFIG.len() {
        keys[at] = COMMON_GENERATION_CONFIG[at];
        at += 1;
    }
    while at < M {
        keys[at] = more[at - COMMON_GENERATION_CONFIG.len()];
        at += 1;
    }
    keys
}

const LANGUAGES: &[&str] = &["LANGUAGE_UNSPECIFIED", "PYTHON"];
const OUTCOMES: &[&str] =
    &["OUTCOME_UNSPECIFIED", "OUTCOME_OK", "OUTCOME_FAILED", "OUTCOME_DEADLINE_EXCEEDED"];
const MODES: &[&str] = &["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"];
const LEVELS: &[&str] = &["THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH"];
const THRESHOLDS: &[&str] = &[
    "HARM_BLOCK_THRESHOLD_UNSPECIFIED",
    "BLOCK_LOW_AND_ABOVE",
    "BLOCK_MEDIUM_AND_ABOVE",
    "BLOCK_ONLY_HIGH",
    "BLOCK_NONE",
    "OFF",
];
const CATEGORIES: &[&str] = &[
    "HARM_CATEGORY_UNSPECIFIED",
    "HARM_CATEGORY_HARASSMENT",
    "HARM_CATEGORY_HATE_SPEECH",
    "HARM_CATEGORY_SEXUALLY_EXPLICIT",
    "HARM_CATEGORY_DANGEROUS_CONTENT",
    "HARM_CATEGORY_CIVIC_INTEGRITY",
    "HARM_CATEGORY_JAILBREAK",
    "HARM_CATEGORY_IMAGE_HATE",
    "HARM_CATEGORY_IMAGE_DANGEROUS_CONTENT",
    "HARM_CATEGORY_IMAGE_HARASSMENT",
    "HARM_CATEGORY_IMAGE_SEXUALLY_EXPLICIT",
];
