//! The provider's errors: in an event of its own, inside another event, or in the body of an HTTP error.
//!
//! Knows the shapes of errors, which are similar for all providers: where the message is, and where the type and the
//! code are.

use alloc::borrow::Cow;
use core::time::Duration;

use crate::event::retry::seconds;
use crate::json::Node;
use crate::words::matches;

/// A provider's error. Fields that it does not have are empty.
#[derive(Debug, Default)]
pub(crate) struct Failure<'a> {
    pub(crate) message: Cow<'a, str>,
    pub(crate) kind: &'a str,
    pub(crate) code: &'a str,
    /// The delay after which the same request may succeed.
    pub(crate) delay: Option<Duration>,
    /// The JSON text of the error's object, which may have further members.
    pub(crate) json: &'a str,
}

/// A member of HTTP error bodies. An object with any other member is not recognized as one.
const BODY: u8 = 1;
/// A member whose text passes when everything unknown is redacted.
const PASSES: u8 = 2;
/// A member that may have an error's members inside.
const CAUSE: u8 = 4;

/// The members of errors.
const MEMBERS: [(&str, u8); 5] = [
    ("Message|detail|details|error|errors|message|messages", BODY | PASSES | CAUSE),
    (
        "__type|code|id|object|param|path|requestId|request_id|status|statusCode|status_code|success|timestamp|title|type",
        BODY | PASSES,
    ),
    ("error_description|instance|raw_status_code|result", BODY),
    ("base_resp|cause|innererror", PASSES | CAUSE),
    ("event_id|event_type|msg|reason|sequence_number|status_msg", PASSES),
];

fn is(name: &str, what: u8) -> bool {
    MEMBERS.iter().any(|(names, uses)| uses & what != 0 && matches(names, name))
}

/// Returns true if the text of an error's member is no answer, and may pass a redaction.
pub(crate) fn passes(name: &str) -> bool {
    is(name, PASSES)
}

/// Returns true if an error's member may have an error's members inside.
pub(crate) fn is_cause(name: &str) -> bool {
    is(name, CAUSE)
}

impl<'a> Failure<'a> {
    /// Reads an error member; `None` if it is missing or empty.
    pub(crate) fn at(error: Node<'a>) -> Option<Self> {
        error.is_anything().then(|| Self::new(error))
    }

    /// Reads the value of an error member: a message, an object, or anything else.
    pub(crate) fn new(error: Node<'a>) -> Self {
        error.text().map_or_else(|| Self::of(error), |message| Self { message: message.into(), ..Self::default() })
    }

    /// Reads the error in an otherwise unknown member of an event; `None` if the member is not an error.
    pub(crate) fn in_member(name: &str, value: Node<'a>) -> Option<Self> {
        match name {
            "error" => Self::at(value),
            BASE_RESP => Self::in_status(value),
            _ => None,
        }
    }

    /// Reads the error of a status that every event has; `None` if its code is 0.
    fn in_status(status: Node<'a>) -> Option<Self> {
        let code = status.member("status_code").peek();
        let message = words(status.member("status_msg")).into();
        let has_failed = !matches!(code, "" | "0");
        has_failed.then(|| Self { message, code, json: status.spelt(), ..Self::default() })
    }

    /// Returns true if a status has no error and no further information.
    pub(super) fn is_fine(status: Node<'_>) -> bool {
        let says_more =
            |member: Node<'_>| !matches!(member.key(), "status_code" | "status_msg") && member.says_something();
        status.member("status_code").peek() == "0" && !status.children().any(says_more)
    }

    /// Reads an event that is recognizable as an error for any provider: by its type, by an `error` member in an event
    /// without a type, or by an exception under its name. Returns `None` for other events.
    pub(crate) fn reported_by(event: Node<'a>) -> Option<Self> {
        if let failure @ Some(_) = Self::in_status(event.member(BASE_RESP)) {
            return failure;
        }
        let is_untyped = ["type", "event_type"].iter().all(|name| words(event.member(name)).is_empty());
        if inner(event).is_anything() && (is_untyped || is_called_error(event)) {
            Some(Self::around(event))
        } else if is_called_error(event) {
            Some(Self::of(event))
        } else {
            // An exception in a member that is named after it, as AWS sends it.
            let is_exception = |member: &Node<'_>| member.key().ends_with("Exception") && member.is_object();
            let exception = event.members().find(is_exception)?;
            Some(Self { kind: exception.key(), ..Self::new(exception) })
        }
    }

    /// Returns true if a member of the event around the error is the error, or a part of it.
    pub(super) fn has(&self, name: &str, member: Node<'_>) -> bool {
        let word = member.peek();
        member.spelt() == self.json
            || name == RETRY_AFTER && self.delay.is_some()
            || !word.is_empty() && [&*self.message, self.kind, self.code].contains(&word)
    }

    /// Reads a gateway's error page in HTML or XML, sent in place of a stream; `None` if the text is not markup.
    pub(crate) fn page(text: &'a str) -> Option<Self> {
        text.trim_start().starts_with('<').then(|| Self { message: text.into(), ..Self::default() })
    }

    /// Reads an error that is the only event of a stream. It need not be recognizable as an error if all of its members
    /// are members of HTTP error bodies.
    pub(crate) fn alone(event: Node<'a>) -> Option<Self> {
        if let reported @ Some(_) = Self::reported_by(event) {
            return reported;
        }
        let is_body = event.is_object() && event.children().all(|member| is(member.key(), BODY));
        (is_body && said(event).is_some()).then(|| Self::of(event))
    }

    /// Reads the error inside an event, whose members complete it.
    fn around(event: Node<'a>) -> Self {
        let mut failure = Self::new(inner(event));
        let words = words(event.member("message"));
        if event.member("error").is_string() && !words.is_empty() {
            // In `{"error": "invalid_grant", "message": …}`, the error is only a name.
            failure.kind = event.member("error").text().unwrap_or_default();
            failure.message = words.into();
        }
        if failure.code.is_empty() {
            failure.code = event.member("code").peek();
        }
        failure.delay = failure.delay.or_else(|| seconds(event.member(RETRY_AFTER).peek()));
        failure
    }

    /// Reads an error from its own members.
    fn of(error: Node<'a>) -> Self {
        let said = said(error).unwrap_or(error);
        let message = Some(words(said)).filter(|words| !words.is_empty());
        let message = message.unwrap_or_else(|| said.text_or_json()).into();
        let codes = [error.member("code"), error.member("error_code"), error.member("detail").member("errorcode")];
        let kind = Some(words(error.member("type"))).filter(|kind| *kind != "error").unwrap_or_default();
        // AWS: a namespace, `#` and the type.
        let aws_kind = words(error.member("__type")).rsplit('#').next().unwrap_or_default();
        // Google: the type. For others it is the HTTP status, a number, which is ignored.
        let kinds = [kind, aws_kind, words(error.member("status"))];
        // For Google, it is in one of the details.
        let details = error.member("details");
        let delay = details.elements().find_map(|detail| seconds(detail.member("retryDelay").peek()));
        Self {
            message,
            kind: kinds.into_iter().find(|kind| !kind.is_empty()).unwrap_or_default(),
            code: codes.map(Node::peek).into_iter().find(|code| !code.is_empty()).unwrap_or_default(),
            delay: delay.or_else(|| seconds(error.member(RETRY_AFTER).peek())),
            json: if error.is_object() || error.is_list() { error.spelt() } else { "" },
        }
    }
}

/// Returns true for an event whose type or code shows that it is an error. Databricks and Baidu send `error_code`.
fn is_called_error(event: Node<'_>) -> bool {
    let has_code = !matches!(event.member("error_code").peek(), "" | "0") && said(event).is_some();
    has_code || ["type", "event_type", "object"].iter().any(|name| words(event.member(name)) == "error")
}

/// Returns the error inside an event. Apigee has `fault` in place of `error`, with the message in `faultstring`.
fn inner(event: Node<'_>) -> Node<'_> {
    let error = event.member("error");
    if error.is_anything() { error } else { event.member("fault") }
}

/// Returns the first member with a description of the error, if any.
fn said(error: Node<'_>) -> Option<Node<'_>> {
    let own = ["message", "Message", "error_msg", "faultstring"].map(|name| error.member(name));
    let others = ["error", "detail", "details", "errors"].map(|name| error.member(name));
    own.into_iter().filter(|part| !words(*part).is_empty()).chain(others).find(|part| part.is_anything())
}

/// The name of the member with the delay after which the same request may succeed.
const RETRY_AFTER: &str = "retry_after";

/// The name of the member with the request's status in each event, which `MiniMax` sends.
pub(crate) const BASE_RESP: &str = "base_resp";

/// The members that may have the message of an error that is an object.
const WORDS: [&str; 4] = ["message", "msg", "detail", "error"];

/// Returns the message of an error: a string, or the message of a list's first element or of an object's member, up to
/// four levels deep. Empty if the error has no message.
fn words(mut error: Node<'_>) -> &str {
    for _ in 0..4 {
        if error.is_string() {
            break;
        }
        let member = || WORDS.map(|name| error.member(name)).into_iter().find(|member| member.is_anything());
        let Some(inner) = error.elements().next().or_else(member) else { break };
        error = inner;
    }
    error.text().unwrap_or_default()
}
