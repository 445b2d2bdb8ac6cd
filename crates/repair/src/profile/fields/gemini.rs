//! The fields of generateContent, as Google's JSON parser knows them: "Cannot find field."

use interlingua_model::Role;

use super::{Fields, Foreign, LABELS, Part, Side, foreign};
use crate::shape::Kind::{
    Any, AnyCase, Base64, Each, Flag, Number, Object, Shape, Text, TextOr, Whole,
};
use crate::shape::{Key, key, need};

/// As AI Studio knows them.
pub(super) const STUDIO: Fields = Fields {
    either_case: true,
    open: false,
    body: Some(&[
        key("model", Text),
        key("contents", Any),
        key("systemInstruction", Any),
        key("tools", Any),
        key(
            "toolConfig",
            Shape(&[
                CALLING,
                key("retrievalConfig", Any),
                key("includeServerSideToolInvocations", Flag),
            ]),
        ),
        key("safetySettings", Each(&SAFETY)),
        key("generationConfig", Shape(GENERATION_OF_STUDIO)),
        key("cachedContent", Text),
        key("serviceTier", Any),
        key("store", Flag),
    ]),
    turns: &[
        (Role::User, &[]),
        (Role::Assistant, &[]),
        (Role::System, &[]),
        (Role::Developer, &[]),
    ],
    blocks: &[
        (Part::Text, PART_OF_STUDIO),
        (Part::Thinking, PART_OF_STUDIO),
        (Part::Redacted, PART_OF_STUDIO),
        (Part::Image, PART_OF_STUDIO),
        (Part::Document, PART_OF_STUDIO),
        (Part::Audio, PART_OF_STUDIO),
        (Part::Video, PART_OF_STUDIO),
        (Part::Call, PART_OF_STUDIO),
        (Part::Result, PART_OF_STUDIO),
    ],
    foreign: Some(&[
        own(&const { on_studio(CODE) }),
        own(&const { on_studio(OUTCOME) }),
        own(&const { on_studio(CALL) }),
        own(&const { on_studio(RESPONSE) }),
    ]),
    freeform: &[],
    part: "",
    takes: None,
    absent: &[],
    last_only: &[],
    labels: LABELS,
    plain_system: false,
    only_user_named: false,
    trusts: true,
    own_blocks_only: false,
};

/// As Vertex knows them.
pub(super) const VERTEX: Fields = Fields {
    body: Some(&[
        key("model", Text),
        key("contents", Any),
        key("systemInstruction", Any),
        key("tools", Any),
        key("toolConfig", Shape(&[CALLING_OF_VERTEX, key("retrievalConfig", Any)])),
        key("safetySettings", Each(&SAFETY_OF_VERTEX)),
        key("generationConfig", Shape(GENERATION_OF_VERTEX)),
        key("cachedContent", Text),
        key("serviceTier", Any),
        key("labels", Object),
        key("modelArmorConfig", Any),
    ]),
    blocks: &[
        (Part::Text, PART_OF_VERTEX),
        (Part::Thinking, PART_OF_VERTEX),
        (Part::Redacted, PART_OF_VERTEX),
        (Part::Image, PART_OF_VERTEX),
        (Part::Document, PART_OF_VERTEX),
        (Part::Audio, PART_OF_VERTEX),
        (Part::Video, PART_OF_VERTEX),
        (Part::Call, PART_OF_VERTEX),
        (Part::Result, PART_OF_VERTEX),
    ],
    foreign: Some(&[own(&const { on_vertex(CODE) }), own(&const { on_vertex(OUTCOME) })]),
    ..STUDIO
};

const ABOUT: Key = key("partMetadata", Object);
const PART_OF_STUDIO: &[Key] = &[
    key("thought", Flag),
    key("videoMetadata", Any),
    key("mediaResolution", Any),
    key("mediaProcessing", Any),
    key("speechMetadata", Any),
    ABOUT,
    key("inlineData", Shape(BLOB)),
    key("fileData", Shape(FILE)),
    key("functionCall", Shape(&[])),
    key("functionResponse", Shape(&[key("scheduling", Any), CONTINUES, PARTS])),
];
const PART_OF_VERTEX: &[Key] = &[
    key("thought", Flag),
    key("videoMetadata", Any),
    key("mediaResolution", Any),
    key("mediaProcessing", Any),
    key("speechMetadata", Any),
    key("inlineData", Shape(BLOB)),
    key("fileData", Shape(FILE)),
    key("functionCall", Shape(&[key("partialArgs", Any), CONTINUES])),
    key("functionResponse", Shape(&[key("scheduling", Any), PARTS])),
];
const PARTS: Key = key("parts", Any);
const CONTINUES: Key = key("willContinue", Flag);
const BLOB: &[Key] = &[key("mimeType", Text), key("data", Text), key("displayName", Text)];
const FILE: &[Key] = &[key("fileUri", Text), key("mimeType", Text), key("displayName", Text)];
const TOOL_CALL: &[Key] = &[key("id", Text), key("toolType", Any), key("args", Object)];
const TOOL_RESPONSE: &[Key] = &[key("id", Text), key("toolType", Any), key("response", Object)];

const CODE: Key = need(
    "executableCode",
    Shape(&[key("id", Text), key("language", AnyCase(LANGUAGES)), key("code", Text)]),
);
const OUTCOME: Key = need(
    "codeExecutionResult",
    Shape(&[key("id", Text), key("outcome", AnyCase(OUTCOMES)), key("output", Text)]),
);
const CALL: Key = need("toolCall", Shape(TOOL_CALL));
const RESPONSE: Key = need("toolResponse", Shape(TOOL_RESPONSE));

/// A part that only this dialect has, by what holds its data; and what may stand beside that.
const fn own(keys: &'static [Key]) -> Foreign {
    foreign(keys[0].name, Side::Anywhere, keys)
}

const fn on_studio(data: Key) -> [Key; 8] {
    let [thought, signature, video, resolution, processing, speech] = BESIDE;
    [data, thought, signature, video, resolution, processing, speech, ABOUT]
}

const fn on_vertex(data: Key) -> [Key; 7] {
    let [thought, signature, video, resolution, processing, speech] = BESIDE;
    [data, thought, signature, video, resolution, processing, speech]
}

const BESIDE: [Key; 6] = [
    key("thought", Flag),
    key("thoughtSignature", Base64),
    key("videoMetadata", Any),
    key("mediaResolution", Any),
    key("mediaProcessing", Any),
    key("speechMetadata", Any),
];

const CALLING: Key = key(
    "functionCallingConfig",
    Shape(&[key("mode", AnyCase(MODES)), key("allowedFunctionNames", TextOr(&Each(&Text)))]),
);
const CALLING_OF_VERTEX: Key = key(
    "functionCallingConfig",
    Shape(&[
        key("mode", AnyCase(MODES)),
        key("allowedFunctionNames", TextOr(&Each(&Text))),
        key("streamFunctionCallArguments", Flag),
    ]),
);
const SAFETY: crate::shape::Kind =
    Shape(&[key("category", AnyCase(CATEGORIES)), key("threshold", AnyCase(THRESHOLDS))]);
const SAFETY_OF_VERTEX: crate::shape::Kind = Shape(&[
    key("category", AnyCase(CATEGORIES)),
    key("threshold", AnyCase(THRESHOLDS)),
    key("method", Any),
]);

/// The settings that both know; those that the model holds are looked at as such.
const GENERATION: [Key; 22] = [
    key("temperature", Number),
    key("topP", Number),
    key("topK", Number),
    key("candidateCount", Whole),
    key("maxOutputTokens", Whole),
    key("stopSequences", TextOr(&Each(&Text))),
    key("seed", Whole),
    key("presencePenalty", Number),
    key("frequencyPenalty", Number),
    key("responseLogprobs", Flag),
    key("logprobs", Whole),
    key("responseMimeType", Text),
    key("responseSchema", Object),
    key("responseJsonSchema", Any),
    key("_responseJsonSchema", Any),
    key("responseFormat", Any),
    key("responseModalities", Any),
    key("mediaResolution", Any),
    key("speechConfig", Any),
    key("imageConfig", Any),
    key(
        "thinkingConfig",
        Shape(&[
            key("includeThoughts", Flag),
            key("thinkingBudget", Whole),
            key("thinkingLevel", AnyCase(LEVELS)),
        ]),
    ),
    key("enableAffectiveDialog", Flag),
];
const GENERATION_OF_STUDIO: &[Key] = &with::<1, 23>([key("enableEnhancedCivicAnswers", Flag)]);
const GENERATION_OF_VERTEX: &[Key] = &with::<4, 26>([
    key("audioTimestamp", Flag),
    key("routingConfig", Any),
    key("modelConfig", Any),
    key("modelSelectionConfig", Any),
]);

const fn with<const N: usize, const M: usize>(more: [Key; N]) -> [Key; M] {
    let mut keys = [key("", Any); M];
    let mut at = 0;
    while at < GENERATION.len() {
        keys[at] = GENERATION[at];
        at += 1;
    }
    while at < M {
        keys[at] = more[at - GENERATION.len()];
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
