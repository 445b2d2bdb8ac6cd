//! A request that is sent as its model was learned to want it; refused for its shape, it is sent once
//! more with what may help, and what helped is learned. So it is where nothing but the model's luck is missing.

use std::time::Instant;

use bytes::Bytes;
use http::Response;
use interlingua::model::{FailureKind, Lesson, Lessons};
use interlingua::repair::ladder::{self, Complaint, Kind, Sent};
use interlingua::{Dialect, Doc, Ledger};
use metrics::counter;

use crate::asking::name_of;
use crate::attempt::Order;
use crate::config::Route;
use crate::learned::Teacher;
use crate::out::Out;
use crate::refusal::Refusal;
use crate::tale::Tale;

impl Order<'_> {
    /// One attempt, or two where the provider teaches something. `again` reads the request anew, and is
    /// there once in a turn.
    pub(crate) async fn taught(
        &self,
        body: Doc,
        again: &mut Option<impl FnOnce() -> Result<Doc, Refusal>>,
        route: &Route,
        tale: &mut Option<Tale>,
    ) -> Result<Response<Out>, Refusal> {
        let (to, model) = (self.speaks(route).0, Self::model_at(route));
        let teacher =
            Teacher { provider: name_of(route), dialect: to.id().0, model: model.as_str() };
        let learned = &self.gateway.learned;
        let known = learned.of(teacher).await;
        let first = match self.attempt(body, route, (&known, again.is_none()), tale).await {
            Ok(response) => return Ok(response),
            Err(refusal) => refusal,
        };
        if first.by_chance
            && self.gateway.ways.way(teacher.provider).budget.spend(Instant::now())
            && let Some(again) = again.take()
        {
            if let Some(tale) = tale {
                tale.stumbled(&first.failure);
            }
            return self.attempt(again()?, route, (&known, true), tale).await;
        }
        let Some((complaint, rungs)) = self.remedies(&first, to, &known) else {
            return Err(first);
        };
        let Some(rung) = again.is_some().then(|| learned.next(teacher, rungs)).flatten() else {
            return Err(first);
        };
        let Some(again) = again.take() else { return Err(first) };
        if let Some(tale) = tale {
            tale.stumbled(&first.failure);
        }
        let lessons = rung.iter().fold(known, |known, lesson| known.with(lesson.clone()));
        let second = match self.attempt(again()?, route, (&lessons, true), tale).await {
            Ok(response) => {
                learned.worked(teacher, &rung);
                told(teacher, &rung, "learned");
                return Ok(response);
            }
            Err(refusal) => refusal,
        };
        if has_helped(&complaint, ladder::read(to.id(), &second.failure).as_ref()) {
            learned.worked(teacher, &rung);
            told(teacher, &rung, "learned");
        } else if second.failure.kind == FailureKind::Shape {
            learned.failed(teacher, &rung);
            told(teacher, &rung, "in vain");
        }
        Err(second)
    }

    /// What a refusal complains about, and what may help.
    fn remedies(
        &self,
        refusal: &Refusal,
        to: &dyn Dialect,
        known: &Lessons,
    ) -> Option<(Complaint, Vec<Vec<Lesson>>)> {
        let complaint = ladder::read(to.id(), &refusal.failure)?;
        let body = interlingua::read_object(Bytes::clone(refusal.sent.as_ref()?)).ok()?;
        let conversation = to.decode_request(&body, &mut Ledger::default());
        let betas: Vec<String> =
            self.betas(to).iter().map(|beta| beta.contents().into_owned()).collect();
        let sent =
            Sent { conversation: &conversation, dialect: to.id(), betas: &betas, lessons: known };
        let rungs = ladder::rungs(&complaint, sent);
        (!rungs.is_empty()).then_some((complaint, rungs))
    }
}

/// Most providers name one thing at a time: who complains about the next has no complaint about the first.
fn has_helped(first: &Complaint, second: Option<&Complaint>) -> bool {
    let plain =
        |complaint: &Complaint| matches!(complaint.kind, Kind::Field { .. } | Kind::Image(_));
    second.is_some_and(|second| {
        let same = first.kind == second.kind && first.path == second.path;
        plain(first) && plain(second) && !same
    })
}

fn told(teacher: Teacher<'_>, rung: &[Lesson], outcome: &'static str) {
    let Some(lesson) = rung.first().map(ToString::to_string) else { return };
    let kind = lesson.split('=').next().unwrap_or_default().to_owned();
    let Teacher { provider, model, .. } = teacher;
    counter!(
        "interlingua_lessons_total",
        "provider" => provider.to_owned(), "lesson" => kind, "outcome" => outcome,
    )
    .increment(1);
    let more = rung.len() - 1;
    tracing::warn!(provider, model, lesson, more, outcome, "the provider refused a shape");
}
