//! Checks that a request is meant for this server, and not for another name that resolves to it.
//!
//! Any page can have its own name resolve to this machine, and then shares an origin with this server. So a request has to
//! name an address, which is no site's name, `localhost`, or a name of the server. Requests that change something are
//! accepted only from this server's own pages, and from clients that are not browsers and send no origin.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::App;
use super::refusal::Refusal;

/// Answers a request that is meant for this server, and keeps responses that depend on its state out of caches.
pub(super) async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let is_state = request.uri().path().starts_with("/api/");
    let mut response = match app.hosts.check(&request) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    // Browsers cache even errors, such as 404 and 410, without it.
    if is_state || !response.headers().contains_key(CACHE_CONTROL) {
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

/// The names that are the server's own, besides `localhost` and addresses.
#[derive(Debug)]
pub(super) struct Hosts(pub(super) Vec<String>);

impl Hosts {
    /// Refuses a request for another host, or from another site's page.
    pub(super) fn check(&self, request: &Request) -> Result<(), Refusal> {
        let header = |name: HeaderName| {
            let values = request.headers().get_all(name).into_iter();
            values.map(|value| value.to_str().unwrap_or_default())
        };
        let mut hosts = header(HOST);
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            let words = "The request does not say, or not once, which host it is for.";
            return Err(Refusal::new(StatusCode::BAD_REQUEST, "bad_host", words));
        };
        let name = name_of(host).unwrap_or_default();
        let address = name.trim_start_matches('[').trim_end_matches(']');
        let is_own = name.eq_ignore_ascii_case("localhost") || address.parse::<IpAddr>().is_ok() || self.has(&name);
        if !is_own {
            let words = "This server answers to localhost and to its own address only. Start it with --host NAME if it \
                         has another name.";
            return Err(Refusal::new(StatusCode::MISDIRECTED_REQUEST, "foreign_host", words));
        }
        if request.method().is_safe() || header(ORIGIN).all(|origin| self.is_page(origin, host)) {
            return Ok(());
        }
        Err(Refusal::new(StatusCode::FORBIDDEN, "foreign_origin", "This comes from another site's page."))
    }

    /// Returns true if an origin is that of this server's pages. A proxy may have changed the host.
    fn is_page(&self, origin: &str, host: &str) -> bool {
        let origin = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        origin.is_some_and(|origin| {
            origin.eq_ignore_ascii_case(host) || name_of(origin).is_some_and(|name| self.has(&name))
        })
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|own| own.eq_ignore_ascii_case(name))
    }
}

/// Returns the name in a host and port.
fn name_of(host: &str) -> Option<String> {
    let authority = Authority::try_from(host).ok().filter(|_| !host.contains('@'))?;
    Some(authority.host().to_owned())
}
