//! `/api/lessons`: lists, deletes, shares, exports and imports what was learned from rejections.

use bytes::Bytes;
use http::Response;
use http::header::{CONTENT_TYPE, HeaderValue};
use interlingua::ApiError;
use interlingua_model::ApiErrorKind;
use serde_json::json;

use crate::http_util::body::ResponseBody;
use crate::http_util::endpoint::{LessonsAction, LessonsRequest};
use crate::http_util::error_response::failure;
use crate::http_util::respond::json_response;
use crate::services::authentication::Caller;
use crate::services::keyring::KeyRight;
use crate::services::lessons::LessonFilter;
use crate::state::Gateway;

/// The lessons of all models, or the number of models whose lessons were deleted or shared.
pub(crate) async fn handle(
    gateway: &Gateway,
    caller: Caller<'_>,
    request: &LessonsRequest,
    body: &Bytes,
) -> Result<Response<ResponseBody>, ApiError> {
    caller.check_right(KeyRight::Lessons)?;
    let filter = LessonFilter {
        provider: request.provider.as_deref(),
        model: request.model.as_deref(),
        owner: request.key.as_deref(),
    };
    let lessons = &gateway.lessons;
    let result = match request.action {
        LessonsAction::List => lessons.list().await,
        LessonsAction::Delete => json!({"forgotten": lessons.delete(filter).await}),
        LessonsAction::Export => return Ok(lessons_file(lessons.export().await)),
        LessonsAction::Share | LessonsAction::Import if caller.is_issued => {
            let message = "this key was issued at run time and cannot share lessons: use a key of the configuration";
            return Err(ApiError { status: 403, ..failure(ApiErrorKind::Permission, message) });
        }
        LessonsAction::Share => json!({"shared": lessons.share(filter).await}),
        LessonsAction::Import => {
            let invalid = |message: &str| failure(ApiErrorKind::InvalidRequest, message);
            let file = std::str::from_utf8(body).map_err(|_| invalid("the file is not UTF-8"))?;
            let imported = lessons.import(file).await.map_err(|errors| invalid(&errors))?;
            json!({"imported": imported})
        }
    };
    Ok(json_response(result.to_string()))
}

fn lessons_file(file: String) -> Response<ResponseBody> {
    let mut response = json_response(file);
    response.headers_mut().insert(CONTENT_TYPE, JSON_LINES);
    response
}

const JSON_LINES: HeaderValue = HeaderValue::from_static("application/jsonl");
