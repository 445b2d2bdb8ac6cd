//! Runs one attempt of a request on one route, until the reply is usable or has failed.

use std::mem;
use std::sync::Arc;

use http::Response;
use interlingua::{
    ApiError, ConversationPatch, Dialect, JsonDoc, JsonString, Ledger, ReplyContext,
    SegmentedBytes, Target, TranslatedRequest, decode_request,
};
use interlingua_guard::CallChecker;
use interlingua_model::ApiErrorKind;
use interlingua_providers::StopFlag;
use interlingua_repair::rejection;
use serde_json::json;

use crate::box_in_place::box_in_place;
use crate::client_name::ModelName;
use crate::config::{RepairMode, Route};
use crate::http_util::body::ResponseBody;
use crate::http_util::error_response::failure;
use crate::offload::BlockingPool;
use crate::proxy::call_provider::{RebuildBody, is_stream_content_type, provider_name};
use crate::proxy::continue_turn::TurnContinuation;
use crate::proxy::lesson_trial::LessonTrial;
use crate::proxy::provider_error::{AttemptError, ErrorCause};
use crate::proxy::reply::ProviderReply;
use crate::proxy::request::{Compaction, RoutedRequest};
use crate::proxy::request_log::RequestLog;
use crate::services::reasoning::{ConversationState, ReasoningRecorder, RecallResult};
use crate::telemetry::capture::CaptureStage;
use crate::telemetry::recent;

/// A translated request that is ready to be sent, with the guard's checker and the continuation.
struct PreparedRequest<'w> {
    translated: TranslatedRequest<SegmentedBytes>,
    watch: Option<CallChecker>,
    continuation: Option<Box<TurnContinuation>>,
    conversation: ConversationState,
    rebuild: RebuildBody<'w>,
    is_last_attempt: bool,
}

impl RoutedRequest<'_> {
    /// Sends the request on a route. An error means that the client has received nothing yet. On
    /// the last attempt a malformed tool call is passed to the client instead of being an error.
    pub(crate) async fn attempt(
        &self,
        body: JsonDoc,
        (route, model): (&Route, &ModelName),
        trial: &LessonTrial<'_>,
        is_last_attempt: bool,
        log: &mut Option<RequestLog>,
    ) -> Result<Response<ResponseBody>, AttemptError> {
        let to = self.dialect_and_flavor(route).0;
        let is_long = BlockingPool::should_offload(body.text().len());
        let (target, repair_mode) = self.attempt_target(route, model, trial, is_long);
        let client_body = body.text().as_bytes().clone();
        let decoded_request = decode_request(body, self.body_dialect, to, &target);
        let guard = &self.gateway.guard;
        let call_checker = guard.watch(self.config, decoded_request.conversation());
        let guard_answers =
            guard.recall_answers(self.config, self.owner, decoded_request.conversation()).await;
        let turn_id = log.as_ref().map(|log| log.turn_id).unwrap_or_default();
        let (conversation, origin) = (decoded_request.conversation(), self.origin(route));
        let (vault, key) = (&self.gateway.vault, self.conversation_key);
        let recall = vault.recall(conversation, self.owner, key, origin, turn_id);
        let RecallResult { restored, conversation: conversation_state } = recall.await;
        if let Some(log) = log {
            log.conversation_id = conversation_state.public_id();
        }
        let conversation_patch = ConversationPatch { guard_answers, restored_turns: restored };
        let (mut translated, conversation_patch) = if is_long {
            let decoded_request = decoded_request.into_owned();
            let translate = move || {
                (decoded_request.translate_segmented(&conversation_patch), conversation_patch)
            };
            let result = self.gateway.blocking_pool.run(target.stop.clone(), translate).await;
            result.ok_or_else(translation_timed_out)?
        } else {
            (decoded_request.translate_segmented(&conversation_patch), conversation_patch)
        };
        check_translated(&translated, trial, repair_mode)?;
        translated.reply_context.provider_model.clone_from(&target.model);
        if let Some(log) = log {
            log.record_repairs(&translated.ledger);
        }
        let is_passed_on = translated.reply_context.is_verbatim;
        let rebuild = || self.rebuild_body(client_body.clone(), to, &target, &conversation_patch);
        let turn_continuation =
            self.continuation(route, &target, &translated.body, &translated.reply_context);
        let prepared_request = PreparedRequest {
            translated,
            watch: call_checker.filter(|_| self.compaction.is_none() && !is_passed_on),
            continuation: turn_continuation,
            conversation: conversation_state,
            rebuild: &rebuild,
            is_last_attempt,
        };
        // Boxed: a future that holds this inline is memcpy'd at every await layer.
        let prepared_request = Box::new(prepared_request);
        let result =
            box_in_place(|| self.send_prepared(route, model, to, prepared_request, log)).await;
        result.map_err(|error| {
            let is_rejection = rejection::parse(to.id(), &error.response.failure).is_some()
                || trial.find_contradicted(&error).is_some();
            let rejected_body = is_rejection.then(rebuild).flatten();
            AttemptError { rejected_body: rejected_body.map(SegmentedBytes::into_bytes), ..error }
        })
    }

    /// What is known of the route's server for this attempt, and how much may be changed for it.
    fn attempt_target(
        &self,
        route: &Route,
        model: &ModelName,
        trial: &LessonTrial<'_>,
        is_long: bool,
    ) -> (Target, RepairMode) {
        let (to, flavor) = self.dialect_and_flavor(route);
        let (repair_mode, disabled_rules) =
            self.config.repair.resolve(provider_name(route), self.owner);
        let target = Target {
            model: Some(JsonString::new(model)),
            flavor,
            betas: self.betas(to),
            stream: self.stream,
            joins_instructions: self.joins_instructions(route),
            pass_unknown_fields: true,
            keeps_replies: true,
            conversation_key: self.conversation_key.opaque_name(),
            lessons: trial.lessons().clone(),
            is_verbatim: repair_mode == RepairMode::Verbatim,
            disabled_rules,
            max_schema_bytes: Some(self.config.limits.schema),
            stop: if is_long { StopFlag::new() } else { StopFlag::default() },
        };
        (target, repair_mode)
    }

    /// Sends the prepared request and waits until the reply is usable.
    async fn send_prepared(
        &self,
        route: &Route,
        model: &ModelName,
        to: &'static dyn Dialect,
        mut prepared_request: Box<PreparedRequest<'_>>,
        log: &mut Option<RequestLog>,
    ) -> Result<Response<ResponseBody>, AttemptError> {
        let body = mem::take(&mut prepared_request.translated.body);
        let turn_id = log.as_mut().map(|log| {
            let facts =
                || json!({"provider": provider_name(route), "model": &**model, "dialect": to.id().0});
            log.begin_stage(CaptureStage::ProviderRequest, facts, None);
            for part in body.parts() {
                log.append_stage_body(CaptureStage::ProviderRequest, part);
            }
            log.begin_attempt(provider_name(route), model)
        });
        let response = self.call_turn(route, model, body, prepared_request.rebuild).await;
        let response = response.map_err(AttemptError::from_connection)?;
        if let Some(log) = log {
            let facts = || json!({"status": response.status});
            let headers = log.capture.is_some().then(|| &*response.headers);
            log.begin_stage(CaptureStage::ProviderReply, facts, headers);
        }
        if !(200..300).contains(&response.status) {
            return Err(Box::pin(self.read_provider_error(response, to, log)).await);
        }
        let PreparedRequest {
            translated, watch, continuation, conversation, is_last_attempt, ..
        } = *prepared_request;
        let mut cx = translated.reply_context;
        cx.fallback_id = turn_id.map(|turn_id| JsonString::new(&turn_id.simple().to_string()));
        self.complete_reply_context(&mut cx, to);
        let streamed = is_stream_content_type(&response.headers);
        if let Some(log) = log.as_mut() {
            let capture = &self.config.capture;
            let captures = || (Arc::clone(&self.gateway.captures), !capture.redact);
            let reporter =
                || self.gateway.guard.reporter(self.owner, capture.enabled.then(captures));
            log.guard_reporter = watch.is_some().then(reporter);
            log.reasoning_recorder =
                Some(ReasoningRecorder::new(&self.gateway.vault, conversation));
            if self.client_dialect.id() == self.body_dialect.id()
                && !matches!(self.compaction, Some(Compaction::ByProvider))
            {
                let responses = &self.gateway.responses;
                let item_provider = (to.id() == self.client_dialect.id()
                    && self.compaction.is_none())
                .then(|| provider_name(route));
                let (owner, client) = (self.owner, self.client_dialect);
                log.response_recorder =
                    self.chain.recorder(responses, owner, client, item_provider, &cx);
            }
        }
        let ledger = translated.ledger;
        let body = response.body;
        let mut provider_reply = ProviderReply {
            request: self,
            provider_dialect: to,
            exchange: cx,
            ledger,
            body,
            watch,
            continuation,
            is_last_attempt,
        };
        let whole_body = if streamed { None } else { provider_reply.read_body().await? };
        if let Some(compaction) = self.compaction {
            let response = provider_reply.forward_compaction(compaction, whole_body, log);
            return Box::pin(response).await;
        }
        match (whole_body, self.stream) {
            (None, true) => provider_reply.forward_stream(log).await,
            (None, false) => Box::pin(provider_reply.collect_stream(log)).await,
            (Some(body), true) => Box::pin(provider_reply.stream_whole(body, log)).await,
            (Some(body), false) => provider_reply.forward_whole(body, log).await,
        }
    }

    /// Adds what the reply takes from the client's request.
    fn complete_reply_context(&self, cx: &mut ReplyContext, to: &'static dyn Dialect) {
        cx.client_model = Some(JsonString::new(self.model));
        cx.created_unix_secs = recent::unix_now();
        if self.conversation_key.supports_chaining
            && self.client_dialect.id() == self.body_dialect.id()
        {
            cx.echoed_fields = self.chain.echoed_fields.clone();
            // Not every provider gives each reply an id of its own.
            let own_id =
                || Some(JsonString::new(&format!("resp_{}", cx.fallback_id.as_ref()?.raw())));
            if to.id() != self.client_dialect.id() || self.compaction.is_some() {
                cx.override_id = own_id();
            } else if let Some(own_id) = own_id() {
                let responses = &self.gateway.responses;
                cx.taken_ids = Some(self.chain.taken_ids(responses, self.owner, own_id));
            }
        }
        cx.wants_json_array = self.stream_as_array;
        cx.carries_foreign_seals = true;
    }
}

/// Refuses a body that the provider has rejected already, and one that has lost something where
/// nothing may be lost.
fn check_translated(
    translated: &TranslatedRequest<SegmentedBytes>,
    trial: &LessonTrial<'_>,
    repair_mode: RepairMode,
) -> Result<(), AttemptError> {
    if trial.has_rejected(&translated.body) {
        let error = failure(ApiErrorKind::InvalidRequest, "the provider has rejected this body");
        return Err(AttemptError::new(ErrorCause::SameBody, error));
    }
    let losses = (repair_mode == RepairMode::RejectOnLoss).then(|| list_losses(&translated.ledger));
    let Some(error) = losses.flatten() else { return Ok(()) };
    // After a rejection, the provider's own error is more informative.
    let cause = if trial.was_rejected() { ErrorCause::SameBody } else { ErrorCause::Responded };
    Err(AttemptError::new(cause, error))
}

/// The error of a request of which a part would be left out; it lists the entries of the ledger.
fn list_losses(ledger: &Ledger) -> Option<ApiError> {
    let losses: Vec<_> = ledger.entries.iter().filter(|entry| entry.is_loss).collect();
    if losses.is_empty() {
        return None;
    }
    let listed = losses.iter().take(MAX_LISTED_LOSSES);
    let mut listed: Vec<String> = listed
        .map(|loss| format!("{} at {}: {}", loss.rule, loss.path, loss.description))
        .collect();
    if losses.len() > MAX_LISTED_LOSSES {
        listed.push(format!("and {} more", losses.len() - MAX_LISTED_LOSSES));
    }
    let listed = listed.join("; ");
    let message = format!(
        "the request was not sent, because parts of it would be left out (repair.mode is \
         reject-on-loss): {listed}"
    );
    Some(failure(ApiErrorKind::InvalidRequest, &message))
}

fn translation_timed_out() -> AttemptError {
    failure(ApiErrorKind::InvalidRequest, "the request takes too long to translate").into()
}

const MAX_LISTED_LOSSES: usize = 20;
