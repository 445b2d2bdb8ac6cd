//! `/api/turns` and `/api/events`: recent turns, and a stream of their begins and ends.

use std::time::Duration;

use http::Response;
use http::header::HeaderValue;
use interlingua::ApiError;
use interlingua_model::ApiErrorKind;

use crate::http_util::body::ResponseBody;
use crate::http_util::error_response::failure;
use crate::http_util::respond::{json_response, set_stream_headers};
use crate::state::Gateway;

/// Recent turns, or the details of one.
pub(crate) async fn show(
    gateway: &Gateway,
    owner: &str,
    turn: Option<&str>,
) -> Result<Response<ResponseBody>, ApiError> {
    let Some(turn) = turn else {
        let recent = gateway.recent_turns.turns(owner);
        return Ok(json_response(gateway.captures.list_turns(owner, recent).await.to_string()));
    };
    // With stages, the full record is in the store soon; the summary would be returned instead of
    // it.
    let has_stages = gateway.config.load().capture.stages;
    let recent = if has_stages { None } else { gateway.recent_turns.turn(owner, turn) };
    let details = gateway.captures.get_turn(owner, turn, recent).await;
    details.map(|details| json_response(details.to_string())).ok_or_else(|| {
        let message =
            "nothing is stored of this turn; `stages = true` in [capture] stores all turns";
        failure(ApiErrorKind::NotFound, message)
    })
}

pub(crate) fn events(
    gateway: &Gateway,
    owner: &str,
    heartbeat: Duration,
) -> Response<ResponseBody> {
    let events = gateway.recent_turns.subscribe(owner, heartbeat);
    let mut response = Response::new(ResponseBody::stream(events));
    let content_type = HeaderValue::from_static("text/event-stream");
    set_stream_headers(response.headers_mut(), content_type);
    response
}
