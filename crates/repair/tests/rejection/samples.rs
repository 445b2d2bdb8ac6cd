//! Error messages as providers write them, with their expected parse results.

/// Dialect, error message, error body (may be empty), and expected result.
pub(crate) type Sample = (&'static str, &'static str, &'static str, &'static str);

pub(crate) const SAMPLES: &[Sample] = &[
    ("anthropic", "messages: text content blocks must be non-empty", "", "empty-text"),
    (
        "anthropic",
        "messages: text content blocks must contain non-whitespace text",
        "",
        "empty-text",
    ),
    (
        "anthropic",
        "messages.5.content.1.text: cache_control cannot be set for empty text blocks",
        "",
        "empty-text at messages.5.content.1",
    ),
    (
        "bedrock",
        "The text field in the ContentBlock object at messages.1.content.1 is blank. Add text to the text field, and try again.",
        "",
        "empty-text at messages.1.content.1",
    ),
    (
        "anthropic",
        "messages.3.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\".",
        "",
        "prefix at messages.3.content.0",
    ),
    (
        "anthropic",
        "messages.1.content.0: Invalid `signature` in `thinking` block",
        "",
        "seal at messages.1.content.0",
    ),
    (
        "bedrock",
        "The model returned the following errors: messages.1.content.0: Invalid `signature` in `thinking` block",
        "",
        "seal at messages.1.content.0",
    ),
    (
        "anthropic",
        "messages.1.content.2: Invalid `data` in `redacted_thinking` block",
        "",
        "seal at messages.1.content.2",
    ),
    (
        "openai-chat",
        "messages.1.content.62: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
        "",
        "modified at messages.1.content.62",
    ),
    (
        "openai-responses",
        "The encrypted content gAAA...DQ== could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
        "",
        "seal",
    ),
    (
        "openai-responses",
        "The encrypted content for item rs_1 could not be verified. Reason: x",
        "",
        "seal",
    ),
    ("gemini", "Corrupted thought signature.", "", "seal"),
    (
        "gemini",
        "Unable to submit request because Thought signature is not valid.. Learn more: https://cloud.google.com/vertex-ai",
        "",
        "seal",
    ),
    (
        "anthropic",
        "\"thinking.type.enabled\" is not supported for this model. Use \"thinking.type.adaptive\" and \"output_config.effort\" to control thinking behavior.",
        "",
        "thinking=adaptive",
    ),
    ("anthropic", "adaptive thinking is not supported on this model", "", "thinking=budget"),
    (
        "anthropic",
        "\"thinking.type.disabled\" is not supported for this model. Thinking defaults to adaptive mode when not specified; use \"thinking.type.enabled\" with \"budget_tokens\" for extended thinking.",
        "",
        "thinking=always",
    ),
    (
        "anthropic",
        "To turn thinking off on this model, send \"thinking\": {\"type\": \"between_tools\"} instead of {\"type\": \"disabled\"}. The model does not think before responding.",
        "",
        "thinking=between-tools",
    ),
    (
        "anthropic",
        "\"thinking.type.between_tools\" is not supported for this model.",
        "",
        "thinking=off",
    ),
    (
        "anthropic",
        "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).",
        "",
        "thinking=opens-loop",
    ),
    (
        "anthropic",
        "messages.1.content.0: If an assistant message contains any thinking blocks, the first block must be `thinking` or `redacted_thinking`. Found `text`.",
        "",
        "thinking=first",
    ),
    (
        "anthropic",
        "Thinking may not be enabled when tool_choice forces tool use.",
        "",
        "thinking=unforced",
    ),
    ("openai-chat", "Thinking mode does not support this tool_choice", "", "thinking=unforced"),
    (
        "openai-chat",
        "<400> InternalError.Algo.InvalidParameter: The tool_choice parameter does not support being set to required or object in thinking mode",
        "",
        "thinking=unforced",
    ),
    (
        "openai-chat",
        "The `reasoning_content` in the thinking mode must be passed back to the API.",
        "",
        "thinking=echo",
    ),
    (
        "openai-chat",
        "Missing `reasoning_content` field in the assistant message at message index 2. For more information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls",
        "",
        "thinking=echo",
    ),
    (
        "openai-chat",
        "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
        "",
        "thinking=echo",
    ),
    (
        "bedrock",
        "This model doesn't support the reasoningContent.reasoningText.text field for assistant messages. Remove reasoningContent.reasoningText.text and try again.",
        "",
        "thinking=redacted",
    ),
    (
        "gemini",
        "Budget 0 is invalid. This model only works in thinking mode.",
        "",
        "thinking=least",
    ),
    (
        "gemini",
        "Unable to submit request because The model does not support setting thinking_budget to 0",
        "",
        "thinking=least",
    ),
    (
        "gemini",
        "Thinking level is not supported for this model.",
        "",
        "field at generationConfig.thinkingConfig.thinkingLevel",
    ),
    (
        "gemini",
        "You can only set only one of thinking budget and thinking level.",
        "",
        "field at generationConfig.thinkingConfig.thinkingLevel",
    ),
    (
        "anthropic",
        "This model does not support the effort parameter.",
        "",
        "field at output_config.effort",
    ),
    (
        "openai-chat",
        "messages[4].reasoning: reasoning is not supported with this model",
        "",
        "field at messages.*.reasoning",
    ),
    (
        "openai-chat",
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        "",
        "field at max_tokens as max_completion_tokens",
    ),
    (
        "openai-chat",
        "Unsupported parameter: 'temperature' is not supported with this model.",
        "",
        "field at temperature",
    ),
    (
        "openai-responses",
        "Unsupported parameter: 'max_tokens'. In the Responses API, this parameter has moved to 'max_output_tokens'. Try again with the new parameter.",
        "",
        "field at max_tokens as max_output_tokens",
    ),
    (
        "openai-responses",
        "Unsupported parameter: max_output_tokens",
        "",
        "field at max_output_tokens",
    ),
    (
        "openai-chat",
        "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
        "",
        "field at temperature",
    ),
    (
        "openai-responses",
        "Unsupported value: 'none' is not supported with the 'gpt-5-pro' model. Supported values are: 'high'.",
        r#"{"error":{"param":"reasoning.effort","code":"unsupported_value"}}"#,
        "field at reasoning.effort",
    ),
    (
        "openai-chat",
        "Model grok-4 does not support parameter presencePenalty.",
        "",
        "field at presencePenalty",
    ),
    (
        "openai-chat",
        "Argument not supported on this model: presencePenalty",
        "",
        "field at presencePenalty",
    ),
    (
        "openai-chat",
        "invalid temperature: only 1 is allowed for this model",
        "",
        "field at temperature",
    ),
    ("anthropic", "`temperature` is deprecated for this model.", "", "field at temperature"),
    (
        "anthropic",
        "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.",
        "",
        "field at temperature",
    ),
    (
        "anthropic",
        "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.",
        "",
        "field at top_p",
    ),
    ("anthropic", "`top_k` must be unset when thinking is enabled.", "", "field at top_k"),
    (
        "anthropic",
        "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
        "",
        "field at top_p",
    ),
    (
        "anthropic",
        "messages.65.content.1.tool_use.caller: Extra inputs are not permitted",
        "",
        "field at messages.*.content.*.tool_use.caller",
    ),
    (
        "bedrock",
        "The model returned the following errors: context_management: Extra inputs are not permitted",
        "",
        "field at additionalModelRequestFields.context_management",
    ),
    (
        "openai-chat",
        "Extra inputs are not permitted",
        r#"{"message":{"detail":[{"type":"extra_forbidden","loc":["body","messages",1,"reasoning_content"],"msg":"Extra inputs are not permitted"}]}}"#,
        "field at messages.*.reasoning_content",
    ),
    (
        "bedrock",
        "Malformed input request: #: extraneous key [top_k] is not permitted, please reformat your input and try again.",
        "",
        "field at additionalModelRequestFields.top_k",
    ),
    ("openai-responses", "Unknown parameter: 'input[2].status'.", "", "field at input.*.status"),
    (
        "openai-chat",
        "Unrecognized request argument supplied: reasoning_effort",
        "",
        "field at reasoning_effort",
    ),
    (
        "openai-chat",
        "Additional properties are not allowed ('id' was unexpected) - 'messages.0'",
        "",
        "field at messages.*.id",
    ),
    (
        "openai-chat",
        "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]",
        "",
        "field at messages.*.reasoning_content",
    ),
    (
        "openai-chat",
        "messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is unsupported",
        "",
        "field at messages.*.assistant.reasoning_content",
    ),
    ("openai-chat", "property 'logit_bias' is unsupported", "", "field at logit_bias"),
    (
        "gemini",
        "Invalid JSON payload received. Unknown name \"x\" at 'contents[0].parts[0]': Cannot find field.",
        "",
        "field at contents.*.parts.*.x",
    ),
    (
        "gemini",
        "Invalid JSON payload received. Unknown name \"$schema\" at 'tools[0].function_declarations[0].parameters.properties[0].value': Cannot find field.",
        "",
        "field at tools.*.function_declarations.*.parameters.properties.*.$schema",
    ),
    (
        "openai-chat",
        "Invalid JSON payload received. Unknown name \"frequency_penalty\": Cannot find field.\nInvalid JSON payload received. Unknown name \"seed\": Cannot find field.",
        "",
        "field at frequency_penalty and seed",
    ),
    (
        "gemini",
        "Invalid JSON payload received. Unknown name \"x\" at 'generation_config': Cannot find field.\nInvalid JSON payload received. Unknown name \"labels\": Cannot find field.\nInvalid JSON payload received. Unknown name \"x\" at 'contents[0]': Cannot find field.\nInvalid JSON payload received. Unknown name \"x\" at 'contents[1]': Cannot find field.",
        "",
        "field at generation_config.x and contents.*.x and labels",
    ),
    (
        "gemini",
        "Invalid JSON payload received. Unknown name \"labels\": Cannot find field.",
        "",
        "field at labels",
    ),
    (
        "anthropic",
        "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6557392 bytes > 5242880 bytes",
        "",
        "image-size=5242880",
    ),
    (
        "anthropic",
        "image dimensions exceed max allowed size: 8412 pixels > 8000 pixels",
        "",
        "image-side=8000",
    ),
    (
        "anthropic",
        "messages.7.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
        "",
        "crowd-side=2000",
    ),
    // Errors that no lesson avoids.
    ("anthropic", "system: text content blocks must be non-empty", "", ""),
    ("anthropic", "prompt is too long: 213462 tokens > 200000 maximum", "", ""),
    ("anthropic", "messages.1.role: Input should be 'user' or 'assistant'", "", ""),
    ("bedrock", "tools.0.custom.defer_loading: Extra inputs are not permitted", "", ""),
    ("openai-chat", "Extra inputs are not permitted", "", ""),
    ("openai-chat", "Corrupted file.", "", ""),
    ("openai-responses", "Unsupported parameter: ", "", ""),
    ("gemini", "Request contains an invalid argument.", "", ""),
    (
        "anthropic",
        "max_tokens: 128001 > 128000, which is the maximum allowed number of output tokens for claude-opus-4-8",
        "",
        "max-tokens=128000",
    ),
    (
        "openai-chat",
        "max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000.",
        "",
        "max-tokens=16384",
    ),
    (
        "openai-chat",
        "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
        "",
        "max-tokens=8192",
    ),
    (
        "openai-chat",
        "<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]",
        "",
        "max-tokens=8192",
    ),
    (
        "openai-chat",
        "`max_tokens` must be less than or equal to `40960`, the maximum value for `max_tokens` is less than the `context_window` for this model",
        "",
        "max-tokens=40960",
    ),
    (
        "openai-responses",
        "Hosted tool 'web_search_preview' is not supported with gpt-5-2025-08-07.",
        r#"{"error":{"message":"Hosted tool 'web_search_preview' is not supported with gpt-5-2025-08-07.","type":"invalid_request_error","param":"tools","code":null}}"#,
        "search=none",
    ),
    (
        "openai-responses",
        "The following tools cannot be used with reasoning.effort 'minimal': web_search.",
        "",
        "search=none",
    ),
    (
        "anthropic",
        "'claude-3-haiku-20240307' does not support tool types: web_search_20250305. Did you mean one of computer_20241022?",
        "",
        "search=none",
    ),
    ("gemini", "Search Grounding is not supported.", "", "search=none"),
    (
        "openai-chat",
        "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...",
        "",
        "roles=alternate",
    ),
    (
        "openai-chat",
        "Error rendering prompt with jinja template: \"Conversation roles must alternate user/assistant/user/assistant/...\".",
        "",
        "roles=alternate",
    ),
    (
        "openai-chat",
        "\n------------\nWhile executing CallExpression at line 47, column 32 in source:\n...\nError: Jinja Exception: After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.",
        "",
        "roles=alternate",
    ),
    // llama.cpp without a projector: <https://github.com/ggml-org/llama.cpp/issues/15377>
    (
        "openai-chat",
        "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
        r#"{"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj","type":"server_error"}}"#,
        "image=none",
    ),
    (
        "anthropic",
        "audio input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
        "",
        "audio=none",
    ),
    // <https://github.com/ggml-org/llama.cpp/issues/17700>
    ("openai-chat", "unsupported content[].type", "", "document=none"),
    // vLLM 0.32, and <https://github.com/langchain-ai/openwiki/issues/63>
    ("openai-chat", "table is not a multimodal model", "", "media=none"),
    ("openai-chat", "Unknown part type: file", "", "document=none"),
    // <https://github.com/langchain-ai/openwiki/issues/171>
    ("openai-chat", "Unsupported chat content part type: 'file'", "", "document=none"),
    // Ollama: <https://github.com/ollama/ollama/issues/17301>
    (
        "anthropic",
        "this model does not support image input (ref: b8bd630e-4a39-4b57-82af-9158ee9d5703)",
        "",
        "image=none",
    ),
    // LM Studio: <https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/908>
    (
        "openai-chat",
        "Model does not support images. Please use a model that does.",
        r#"{"error":"Model does not support images. Please use a model that does."}"#,
        "image=none",
    ),
    // <https://github.com/zai-org/feedback/issues/570>
    ("openai-chat", "Model do not support image input.", "", "image=none"),
    // OpenRouter: <https://github.com/nexu-io/nexu/issues/733>
    ("openai-chat", "No endpoints found that support image input", "", "image=none"),
    // OpenAI: <https://github.com/vllm-project/vllm/issues/11629>
    (
        "openai-chat",
        "Invalid content type. image_url is only supported by certain models.",
        r#"{"error":{"message":"Invalid content type. image_url is only supported by certain models.","type":"invalid_request_error","param":"messages.[0].content.[1].type","code":null}}"#,
        "image=none",
    ),
    // DeepSeek: <https://github.com/open-webui/open-webui/issues/23188>
    (
        "openai-chat",
        "Failed to deserialize the JSON body into the target type: messages[0]: unknown variant `image_url`, expected `text` at line 1 column 9",
        "",
        "image=none",
    ),
    // <https://github.com/googleapis/go-genai/issues/48>
    ("gemini", "Image input modality is not enabled for models/gemini-1.5-flash", "", "image=none"),
    // <https://github.com/earendil-works/pi/issues/8960>
    (
        "bedrock",
        "This model doesn't support the image field for user messages. Remove image and try again.",
        "",
        "image=none",
    ),
    // <https://github.com/anomalyco/models.dev/pull/6821>
    ("bedrock", "This model doesn't support documents.", "", "document=none"),
    (
        "bedrock",
        "This model doesn't support the document field for user messages. Remove document and try again.",
        "",
        "document=none",
    ),
    // The position is rejected, not the kind.
    (
        "bedrock",
        "The image field in the ContentBlock object at messages.1.content.0 is only supported in user messages.",
        "",
        "",
    ),
];

/// Messages about the request that servers send with status 500.
pub(crate) const REQUEST_ERRORS: &[&str] = &[
    // llama.cpp 0.7.0
    "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
    "audio input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
    "unsupported content[].type",
    "Failed to parse tools: missing type; tools = [{\"name\":\"t\"}]",
    "Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] parse error at line 1, column 10: syntax error while parsing value - unexpected end of input",
    "Failed to parse messages: Unsupported content part type: \"file\"; messages = []",
    "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error",
    // <https://github.com/browser-use/browser-use/issues/1635>
    "Expected 'content' to be a string or an array",
    "Cannot determine type of 'item'",
    "Unable to generate parser for this template. Automatic parser generation failed: JSON schema error at #/properties/x: schema must be an object",
    // Chat templates under llama.cpp
    "\n------------\nWhile executing CallExpression at line 19, column 27 in source:\n...\nError: Jinja Exception: Tool call IDs should be alphanumeric strings with length 9!",
    "Only user and assistant roles are supported! at row 1, column 9:\n{{ raise_exception('Only user and assistant roles are supported!') }}",
    // and under llama-cpp-python 0.3.36, which has only their words
    "Conversation roles must alternate user/assistant/user/assistant/...",
    "System message must be at the beginning.",
    "System role not supported",
    "Message has tool role, but there was no previous assistant message with a tool call!",
    "This model only supports single tool-calls at once!",
    "[{'type': 'missing', 'loc': ('body', 'messages', 0, 'role'), 'msg': 'Field required', 'input': {}}]",
    "1 validation error:\n  {'type': 'missing', 'loc': ('body', 'messages'), 'msg': 'Field required'}",
];

/// Messages of servers that fail by themselves.
pub(crate) const OTHER_SERVER_ERRORS: &[&str] = &[
    "Internal Server Error",
    "The server had an error while processing your request. Sorry about that!",
    "Failed to parse input at pos 12: <tool_call>",
    "Failed to parse the response of the upstream server",
    "1 validation error for ChatCompletionResponse",
    "CUDA error: out of memory",
];
