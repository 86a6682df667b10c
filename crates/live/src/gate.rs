//! Who may ask for what: every request passes here before anything is done for it.
//!
//! The server listens on the loopback address only, but every page that a browser shows can send requests there. So a request
//! must name this very address as its host (a name that was made to point here does not), must not come from another page,
//! and must know the token. There are three places, no file paths, and nothing is decoded: what is not literally one of them
//! does not exist.

use crate::token::Token;
use hyper::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderName, ORIGIN};
use hyper::{Method, StatusCode, Uri};

/// What may be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The page.
    Page,
    /// Frames and states after this number.
    Frames(u64),
    /// A command; its text is the body.
    Command,
}

/// What requests are held against.
pub(crate) struct Gate {
    token: Token,
    host: String,
    origin: String,
}

impl Gate {
    /// The gate of a server at this port of the loopback address.
    pub fn new(token: Token, port: u16) -> Gate {
        // Browsers leave out the port that is usual.
        let host = if port == 80 { "127.0.0.1".to_string() } else { format!("127.0.0.1:{port}") };
        Gate { token, origin: format!("http://{host}"), host }
    }

    /// The address of the page.
    pub fn address(&self) -> String {
        format!("{}/{}/", self.origin, self.token.text())
    }

    /// What a request asks for, or why it gets nothing.
    pub fn admit(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<Place, StatusCode> {
        if uri.authority().is_some() || uri.scheme().is_some() {
            return Err(StatusCode::BAD_REQUEST);
        }
        if only(headers, &HOST)? != Some(self.host.as_str()) {
            return Err(StatusCode::MISDIRECTED_REQUEST);
        }
        let origin = only(headers, &ORIGIN)?;
        let foreign = origin.is_some_and(|origin| origin != self.origin);
        // Where browsers say who asks, it is a person (none) or our own page.
        let site = only(headers, &HeaderName::from_static("sec-fetch-site"))?;
        if foreign || site.is_some_and(|site| site != "none" && site != "same-origin") {
            return Err(StatusCode::FORBIDDEN);
        }
        let place = self.place(uri).ok_or(StatusCode::NOT_FOUND)?;
        match place {
            Place::Page | Place::Frames(_) if method == Method::GET => Ok(place),
            Place::Command if method == Method::POST => {
                // Of all methods and types that change something only this needs a page to be asked first, and we never agree.
                let is_ours = origin.is_some();
                let is_json = only(headers, &CONTENT_TYPE)? == Some("application/json");
                match (is_ours, is_json) {
                    (false, _) => Err(StatusCode::FORBIDDEN),
                    (_, false) => Err(StatusCode::UNSUPPORTED_MEDIA_TYPE),
                    _ => Ok(place),
                }
            }
            _ => Err(StatusCode::METHOD_NOT_ALLOWED),
        }
    }

    fn place(&self, uri: &Uri) -> Option<Place> {
        let (token, rest) = uri.path().strip_prefix('/')?.split_once('/')?;
        if !self.token.is(token) {
            return None;
        }
        match (rest, uri.query()) {
            ("", None) => Some(Place::Page),
            ("command", None) => Some(Place::Command),
            ("frames", Some(query)) => {
                let number = query.strip_prefix("since=")?;
                let is_plain = number.bytes().all(|byte| byte.is_ascii_digit());
                number.parse().ok().filter(|_| is_plain).map(Place::Frames)
            }
            _ => None,
        }
    }
}

/// The value of a header, which must be text and there once at most.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h str>, StatusCode> {
    let mut all = headers.get_all(name).iter();
    let first = all.next().map(|value| value.to_str().map_err(|_| StatusCode::BAD_REQUEST)).transpose()?;
    if all.next().is_some() { Err(StatusCode::BAD_REQUEST) } else { Ok(first) }
}
