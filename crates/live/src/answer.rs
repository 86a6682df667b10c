//! Answers to admitted requests.

use crate::command::{Command, LONGEST};
use crate::feed::{Feed, Job};
use crate::gate::{Gate, Resource};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Request, Response, StatusCode};
use serde_json::json;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// Longest time that a request for frames waits for news.
const NEWS: Duration = Duration::from_secs(10);
/// Longest time for a request body to arrive.
const BODY: Duration = Duration::from_secs(3);
/// Longest time that a command waits for the current step.
const DONE: Duration = Duration::from_secs(20);

/// Policies of every answer: not cached, not framed, no type guessing, no referrer, isolated from other origins.
const POLICIES: [(&str, &str); 6] = [
    ("cache-control", "no-store"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
];

pub(crate) type Answer = Response<Full<Bytes>>;

/// Answers a request, or refuses it with a status code and an empty body.
pub(crate) async fn answer(gate: Arc<Gate>, feed: Arc<Feed>, request: Request<Incoming>) -> Result<Answer, Infallible> {
    Ok(match gate.admit(request.method(), request.uri(), request.headers()) {
        Err(status) => {
            // A refused client does not keep its connection.
            let mut refusal = whole(status, None, Bytes::new());
            refusal.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            refusal
        }
        Ok(Resource::Page) => whole(StatusCode::OK, Some("text/html; charset=utf-8"), feed.page.clone().into()),
        Ok(Resource::Frames(since)) => frames(feed, since).await,
        Ok(Resource::Command) => match command(&feed, request.into_body()).await {
            Ok(()) => whole(StatusCode::OK, Some("application/json"), Bytes::from_static(b"{}")),
            Err((status, words)) => {
                whole(status, Some("application/json"), json!({ "error": words }).to_string().into())
            }
        },
    })
}

async fn frames(feed: Arc<Feed>, since: u64) -> Answer {
    let _reader = feed.board.reader();
    // Without news in time the answer is empty.
    let _ = timeout(NEWS, feed.board.version().wait_for(|version| *version > since)).await;
    // Files may have to be read.
    match tokio::task::spawn_blocking(move || (feed.frames)(since)).await {
        Ok(bytes) => whole(StatusCode::OK, Some("application/octet-stream"), bytes.into()),
        Err(_) => whole(StatusCode::INTERNAL_SERVER_ERROR, None, Bytes::new()),
    }
}

async fn command(feed: &Feed, body: Incoming) -> Result<(), (StatusCode, String)> {
    let silent = |status| (status, String::new());
    let body = timeout(BODY, Limited::new(body, LONGEST).collect()).await;
    let body = body.map_err(|_| silent(StatusCode::REQUEST_TIMEOUT))?;
    let text = body.map_err(|_| silent(StatusCode::PAYLOAD_TOO_LARGE))?.to_bytes();
    let command = Command::parse(&text).map_err(|error| (StatusCode::BAD_REQUEST, error.to_string()))?;
    let refuse = |words: &str| (StatusCode::CONFLICT, words.to_string());
    let commands =
        feed.commands.as_ref().ok_or_else(|| refuse("these are the files of a run; view its scene to interfere"))?;
    let (sender, done) = oneshot::channel();
    commands.try_send(Job { command, answer: sender }).map_err(|_| refuse("too many commands wait; try again"))?;
    match timeout(DONE, done).await {
        Ok(Ok(result)) => result.map_err(|words| refuse(&words)),
        Ok(Err(_)) => Err(refuse("the simulation has ended; start it again")),
        Err(_) => Err(refuse("the step under way takes long; what you asked for is done after it")),
    }
}

fn whole(status: StatusCode, kind: Option<&'static str>, body: Bytes) -> Answer {
    let mut answer = Response::new(Full::new(body));
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    for (name, value) in POLICIES {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    let frames = HeaderValue::from_static("frame-ancestors 'none'");
    headers.insert(HeaderName::from_static("content-security-policy"), frames);
    if let Some(kind) = kind {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    }
    answer
}
