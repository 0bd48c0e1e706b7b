//! The page's files and the headers they are served with.

use std::borrow::Cow;

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::call::CALL;
use super::code;

macro_rules! files {
    ($($folder:literal: $($name:literal)+;)+) => {
        const FILES: &[(&str, &str)] = &[$($(($name, include_str!(concat!($folder, $name))),)+)+];
    };
}

files! {
    "../../page/": "index.html" "style.css" "icon.svg" "api.js" "assistants.js" "conversations.js" "dom.js" "form.js"
        "inspector.js" "locale.js" "main.js" "merge.js" "parts.js" "raw.js" "result.js" "session.js" "sse.js" "timing.js"
        "view.js";
    "../../../../bindings/js/demo/": "player.js" "player.css";
}

/// The page's policy: it loads its own files and speaks to its own server. Text can't become a script or an element, because
/// trusted types are required and the page creates none.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

pub(super) async fn index() -> Response {
    respond("index.html")
}

pub(super) async fn file(Path(name): Path<String>) -> Response {
    respond(&name)
}

fn respond(name: &str) -> Response {
    let file = FILES.iter().find(|(known, _)| *known == name).map(|(_, text)| Cow::Borrowed(*text));
    let call = || (name == "call.js").then(|| Cow::Borrowed(CALL.as_str()));
    let Some(text) = file.or_else(call).or_else(|| code::page(name).map(Cow::Owned)) else {
        return (StatusCode::NOT_FOUND, "there is no such file\n").into_response();
    };
    let content_type = match name.rsplit('.').next() {
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        // Code is a page, too.
        _ => "text/html; charset=utf-8",
    };
    let headers = [
        (header::CONTENT_TYPE, content_type),
        (header::CACHE_CONTROL, "no-cache"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    (headers, text).into_response()
}
