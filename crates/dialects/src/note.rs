//! Rule names of the ledger entries that decoding and encoding record.

/// The target dialect does not have a field of the source.
pub const NO_SUCH_FIELD: &str = "no-such-field";
/// The target dialect does not have a setting.
pub const NO_SUCH_SETTING: &str = "no-such-setting";
/// A setting is expressed differently, such as an effort as a budget.
pub const SETTING_CONVERTED: &str = "setting-converted";
/// The dialect has no such block.
pub const NO_SUCH_BLOCK: &str = "no-such-block";
/// The dialect has no such kind of tool.
pub const NO_SUCH_TOOL: &str = "no-such-tool";
/// Reasoning without a seal of the target provider is left out.
pub const FOREIGN_SEAL: &str = "foreign-seal";
/// Arguments that are not an object are wrapped in one.
pub const ARGS_WRAPPED: &str = "args-wrapped";
/// Instructions are moved to another position than the client's.
pub const SYSTEM_MOVED: &str = "system-moved";
/// A tool's error flag is expressed as text.
pub const ERROR_IN_TEXT: &str = "error-in-text";
/// Several texts are joined where the dialect allows only one.
pub const TEXTS_JOINED: &str = "texts-joined";
/// Media that are not allowed in their position move to the next turn.
pub const MEDIA_MOVED: &str = "media-moved";
/// A tool that takes free text is offered as a function with one string parameter.
pub const FREEFORM_WRAPPED: &str = "freeform-wrapped";
/// The target dialect does not support a cache breakpoint there.
pub const NO_SUCH_CACHE: &str = "no-such-cache";
/// A citation is left out or loses details.
pub const CITATION_REDUCED: &str = "citation-reduced";
/// Text and calls are reordered as the dialect requires.
pub const ORDER_CHANGED: &str = "order-changed";
/// A value has a type that the dialect does not allow there; its most likely meaning is used.
pub const ODD_INPUT: &str = "odd-input";
/// A key appears twice in an object; the last one counts.
pub const DUPLICATE_KEY: &str = "duplicate-key";
/// A required value was missing and got a default.
pub const REQUIRED_ADDED: &str = "required-added";
/// A streamed event arrived out of order and was reordered.
pub const STREAM_ORDER: &str = "stream-order";
/// A frame of a stream could not be decoded.
pub const BAD_FRAME: &str = "bad-frame";
/// A name was changed to the characters that the dialect allows.
pub const NAME_CHANGED: &str = "name-changed";
/// A file is sent with another type than it was received with.
pub const FORMAT_CHANGED: &str = "format-changed";
/// The dialect does not have the stop reason; the nearest one is used.
pub const STOP_REDUCED: &str = "stop-reduced";
/// A provider paused a long turn and was asked to continue it.
pub const PAUSED_TURN: &str = "paused-turn";
