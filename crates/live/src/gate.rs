//! Access control: every request passes here before anything is done for it.
//!
//! The server listens on the loopback address only, but every page in a browser can send requests there. So a request
//! must name exactly this address as its host (a foreign name that resolves to it is refused), must not come from
//! another page, and must know the token. There are three resources, no file paths, and nothing is decoded: a path that
//! is not literally one of them does not exist.

use crate::token::Token;
use hyper::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderName, ORIGIN};
use hyper::{Method, StatusCode, Uri};

/// A resource that can be requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resource {
    /// The page.
    Page,
    /// Frames and states after this number.
    Frames(u64),
    /// A command; its text is the body.
    Command,
}

/// Checks of requests.
pub(crate) struct Gate {
    token: Token,
    host: String,
    origin: String,
}

impl Gate {
    /// Makes the gate of a server at this port of the loopback address.
    pub fn new(token: Token, port: u16) -> Gate {
        // Browsers omit the default port.
        let host = if port == 80 { "127.0.0.1".to_string() } else { format!("127.0.0.1:{port}") };
        Gate { token, origin: format!("http://{host}"), host }
    }

    /// Returns the address of the page.
    pub fn address(&self) -> String {
        format!("{}/{}/", self.origin, self.token.text())
    }

    /// Returns the requested resource, or the status of a refusal.
    pub fn admit(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<Resource, StatusCode> {
        if uri.authority().is_some() || uri.scheme().is_some() {
            return Err(StatusCode::BAD_REQUEST);
        }
        if only(headers, &HOST)? != Some(self.host.as_str()) {
            return Err(StatusCode::MISDIRECTED_REQUEST);
        }
        let origin = only(headers, &ORIGIN)?;
        let foreign = origin.is_some_and(|origin| origin != self.origin);
        // If browsers send it, the origin must be the user (none) or our own page.
        let site = only(headers, &HeaderName::from_static("sec-fetch-site"))?;
        if foreign || site.is_some_and(|site| site != "none" && site != "same-origin") {
            return Err(StatusCode::FORBIDDEN);
        }
        let resource = self.resource(uri).ok_or(StatusCode::NOT_FOUND)?;
        match resource {
            Resource::Page | Resource::Frames(_) if method == Method::GET => Ok(resource),
            Resource::Command if method == Method::POST => {
                // This content type needs a preflight request from a foreign page, which we never grant.
                let is_ours = origin.is_some();
                let is_json = only(headers, &CONTENT_TYPE)? == Some("application/json");
                match (is_ours, is_json) {
                    (false, _) => Err(StatusCode::FORBIDDEN),
                    (_, false) => Err(StatusCode::UNSUPPORTED_MEDIA_TYPE),
                    _ => Ok(resource),
                }
            }
            _ => Err(StatusCode::METHOD_NOT_ALLOWED),
        }
    }

    fn resource(&self, uri: &Uri) -> Option<Resource> {
        let (token, rest) = uri.path().strip_prefix('/')?.split_once('/')?;
        if !self.token.is(token) {
            return None;
        }
        match (rest, uri.query()) {
            ("", None) => Some(Resource::Page),
            ("command", None) => Some(Resource::Command),
            ("frames", Some(query)) => {
                let number = query.strip_prefix("since=")?;
                let is_plain = number.bytes().all(|byte| byte.is_ascii_digit());
                number.parse().ok().filter(|_| is_plain).map(Resource::Frames)
            }
            _ => None,
        }
    }
}

/// Returns the value of a header, which must be text and occur at most once.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h str>, StatusCode> {
    let mut all = headers.get_all(name).iter();
    let first = all.next().map(|value| value.to_str().map_err(|_| StatusCode::BAD_REQUEST)).transpose()?;
    if all.next().is_some() { Err(StatusCode::BAD_REQUEST) } else { Ok(first) }
}
