//! The names under which decoding and encoding note what they change, one line each.

/// The dialect has no place for a field of the source's.
pub const NO_SUCH_FIELD: &str = "no-such-field";
/// The dialect has no place for a setting.
pub const NO_SUCH_SETTING: &str = "no-such-setting";
/// A setting is said in other terms, such as an effort as a budget.
pub const SETTING_CONVERTED: &str = "setting-converted";
/// The dialect has no such block.
pub const NO_SUCH_BLOCK: &str = "no-such-block";
/// The dialect has no such kind of tool.
pub const NO_SUCH_TOOL: &str = "no-such-tool";
/// Reasoning that another provider sealed, or nobody, stays behind.
pub const FOREIGN_SEAL: &str = "foreign-seal";
/// Arguments that are not an object travel inside one.
pub const ARGS_WRAPPED: &str = "args-wrapped";
/// Instructions stand in another place than the client put them.
pub const SYSTEM_MOVED: &str = "system-moved";
/// A tool's error flag is said in words.
pub const ERROR_IN_TEXT: &str = "error-in-text";
/// Several texts are one, where the dialect has place for one.
pub const TEXTS_JOINED: &str = "texts-joined";
/// Media that cannot stand where it stood goes into the turn after.
pub const MEDIA_MOVED: &str = "media-moved";
/// A tool that takes free text is offered as a function with one string.
pub const FREEFORM_WRAPPED: &str = "freeform-wrapped";
/// A cache mark has no place.
pub const NO_SUCH_CACHE: &str = "no-such-cache";
/// A citation has no place, or loses details.
pub const CITATION_REDUCED: &str = "citation-reduced";
/// Text and calls come in the order the dialect has for them.
pub const ORDER_CHANGED: &str = "order-changed";
/// Something in the body is of a type the dialect does not know there; it was read as what it most
/// likely means.
pub const ODD_INPUT: &str = "odd-input";
/// A key stands twice in an object; the last one counts.
pub const DUPLICATE_KEY: &str = "duplicate-key";
/// Something the dialect requires was missing and got its usual value.
pub const REQUIRED_ADDED: &str = "required-added";
/// A streamed event came out of its order and was put into it.
pub const STREAM_ORDER: &str = "stream-order";
/// A frame of a stream could not be read.
pub const BAD_FRAME: &str = "bad-frame";
/// A name is spelled with the letters the dialect allows.
pub const NAME_CHANGED: &str = "name-changed";
/// A file goes out under another type than it came in with.
pub const FORMAT_CHANGED: &str = "format-changed";
/// The dialect has no word for why the reply ended, and says the nearest.
pub const STOP_REDUCED: &str = "stop-reduced";
/// A provider paused a long turn, and was asked to go on with it.
pub const PAUSED_TURN: &str = "paused-turn";
