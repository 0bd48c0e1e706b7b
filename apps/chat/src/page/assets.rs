//! The page's files and the headers they are served with.

use std::borrow::Cow;

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::call::CALL;
use super::code;

macro_rules! files {
    ($($folder:literal $name:literal $content_type:expr,)+) => {
        const FILES: &[(&str, &str, &str)] = &[$(($name, $content_type, include_str!(concat!($folder, $name)))),+];
    };
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

files! {
    "../../page/" "index.html" "text/html; charset=utf-8",
    "../../page/" "style.css" "text/css; charset=utf-8",
    "../../page/" "icon.svg" "image/svg+xml",
    "../../page/" "api.js" SCRIPT,
    "../../page/" "assistants.js" SCRIPT,
    "../../page/" "conversations.js" SCRIPT,
    "../../page/" "dom.js" SCRIPT,
    "../../page/" "form.js" SCRIPT,
    "../../page/" "inspector.js" SCRIPT,
    "../../page/" "locale.js" SCRIPT,
    "../../page/" "main.js" SCRIPT,
    "../../page/" "merge.js" SCRIPT,
    "../../page/" "parts.js" SCRIPT,
    "../../page/" "raw.js" SCRIPT,
    "../../page/" "result.js" SCRIPT,
    "../../page/" "session.js" SCRIPT,
    "../../page/" "sse.js" SCRIPT,
    "../../page/" "timing.js" SCRIPT,
    "../../page/" "view.js" SCRIPT,
    "../../../../bindings/js/demo/" "player.js" SCRIPT,
    "../../../../bindings/js/demo/" "player.css" "text/css; charset=utf-8",
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
    let file = FILES
        .iter()
        .find(|(known, ..)| *known == name)
        .map(|(_, content_type, text)| (*content_type, Cow::Borrowed(*text)));
    let call = || (name == "call.js").then(|| (SCRIPT, Cow::Borrowed(CALL.as_str())));
    let code = || code::page(name).map(|page| ("text/html; charset=utf-8", Cow::Owned(page)));
    let Some((content_type, text)) = file.or_else(call).or_else(code) else {
        return (StatusCode::NOT_FOUND, "there is no such file\n").into_response();
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
