//! `/api/lessons`: lists, deletes and shares what was learned from rejections.

use http::Response;
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
        LessonsAction::Share if caller.is_issued => {
            let message = "this key was issued at run time and cannot share lessons: use a key of the configuration";
            return Err(ApiError { status: 403, ..failure(ApiErrorKind::Permission, message) });
        }
        LessonsAction::Share => json!({"shared": lessons.share(filter).await}),
    };
    Ok(json_response(result.to_string()))
}
