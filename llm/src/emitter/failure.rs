//! The provider's errors: in an event of its own, inside another event, or in the body of an HTTP error.
//!
//! Knows the shapes of errors, which are similar for all providers: where the message is, and where the type and the
//! code are.

use alloc::borrow::{Cow, ToOwned};
use core::mem;
use core::time::Duration;

use crate::event::retry::seconds;
use crate::json::{Json, TextOrJson};

/// A provider's error. Fields that it does not have are empty.
#[derive(Debug, Default)]
pub(crate) struct Failure<'a> {
    pub(crate) message: Cow<'a, str>,
    pub(crate) kind: Cow<'a, str>,
    pub(crate) code: Cow<'a, str>,
    /// The delay after which the same request may succeed.
    pub(crate) delay: Option<Duration>,
    /// The error's object, which may have further members.
    pub(crate) json: Json<'a>,
}

/// The members that hold the parts of an error, in the error itself or in the event around it.
#[derive(Default)]
struct Fields<'a> {
    kind: Json<'a>,
    event_type: Json<'a>,
    object: Json<'a>,
    /// AWS: a namespace, `#` and the type.
    aws_kind: Json<'a>,
    /// Google: the type. For others it is the HTTP status, a number, which is ignored.
    status: Json<'a>,
    code: Json<'a>,
    /// Databricks and Baidu.
    error_code: Json<'a>,
    message: Json<'a>,
    aws_message: Json<'a>,
    error_msg: Json<'a>,
    error: Json<'a>,
    /// Apigee: in place of `error`, with the message in `faultstring`.
    fault: Json<'a>,
    faultstring: Json<'a>,
    /// `MiniMax`, in each event.
    base_resp: Json<'a>,
    errors: Json<'a>,
    detail: Json<'a>,
    details: Json<'a>,
    retry_after: Json<'a>,
}

/// The members of HTTP error bodies. An object with any other member is not recognized as one.
const BODY: [&str; 26] = [
    "Message",
    "__type",
    "code",
    "detail",
    "details",
    "error",
    "error_description",
    "errors",
    "id",
    "instance",
    "message",
    "messages",
    "object",
    "param",
    "path",
    "raw_status_code",
    "requestId",
    "request_id",
    "result",
    "status",
    "statusCode",
    "status_code",
    "success",
    "timestamp",
    "title",
    "type",
];

impl<'a> Failure<'a> {
    /// Reads an error member; `None` if it is missing or empty.
    pub(crate) fn at(error: Json<'a>) -> Option<Self> {
        says_anything(error).then(|| Self::new(error))
    }

    /// Reads the value of an error member: a message, an object, or anything else.
    pub(crate) fn new(error: Json<'a>) -> Self {
        match error.text_or_json() {
            TextOrJson::Text(message) => Self { message, ..Self::default() },
            TextOrJson::Json(_) => Fields::of(error).failure(error),
        }
    }

    /// Reads the error in an otherwise unknown member of an event; `None` if the member is not an error.
    pub(crate) fn in_member(name: &str, json: Json<'a>) -> Option<Self> {
        match name {
            "error" => Self::at(json),
            BASE_RESP => Self::in_status(json),
            _ => None,
        }
    }

    /// Reads the error of a status that every event has; `None` if its code is 0.
    fn in_status(status: Json<'a>) -> Option<Self> {
        let code = status.member("status_code").word();
        let message = words(status.member("status_msg"));
        let has_failed = !code.is_empty() && code != "0";
        has_failed.then(|| Self { message, code, json: status, ..Self::default() })
    }

    /// Returns true if a status has no error and no further information.
    pub(super) fn is_fine(status: Json<'_>) -> bool {
        let says_more = |(name, value): (Json<'_>, Json<'_>)| {
            !matches!(&*name.word(), "status_code" | "status_msg") && value.says_something()
        };
        status.member("status_code").word() == "0" && !status.members().any(says_more)
    }

    /// Reads an event that is recognizable as an error for any provider: by its type, by an `error` member in an event
    /// without a type, or by an exception under its name. Returns `None` for other events.
    pub(crate) fn reported_by(event: Json<'a>) -> Option<Self> {
        let fields = Fields::of(event);
        if let failure @ Some(_) = Self::in_status(fields.base_resp) {
            return failure;
        }
        let is_untyped = words(fields.kind).is_empty() && words(fields.event_type).is_empty();
        if says_anything(fields.inner()) && (is_untyped || fields.is_called_error()) {
            Some(fields.around())
        } else if fields.is_called_error() {
            Some(fields.failure(event))
        } else {
            exception(event)
        }
    }

    /// Returns true if a member of the event around the error is the error, or a part of it.
    pub(super) fn has(&self, name: &str, member: Json<'_>) -> bool {
        let (parts, word) = ([&self.message, &self.kind, &self.code], member.word());
        member == self.json
            || name == RETRY_AFTER && self.delay.is_some()
            || !word.is_empty() && parts.into_iter().any(|part| *part == word)
    }

    /// Reads a gateway's error page in HTML or XML, sent in place of a stream; `None` if the text is not markup.
    pub(crate) fn page(text: &'a str) -> Option<Self> {
        text.trim_start().starts_with('<').then(|| Self { message: text.into(), ..Self::default() })
    }

    /// Reads an error that is the only event of a stream. It need not be recognizable as an error if all of its members
    /// are members of HTTP error bodies.
    pub(crate) fn alone(event: Json<'a>) -> Option<Self> {
        if let reported @ Some(_) = Self::reported_by(event) {
            return reported;
        }
        let is_body = event.members().all(|(name, _)| BODY.contains(&&*name.word()));
        let fields = Fields::of(event);
        (is_body && fields.said().is_some()).then(|| fields.failure(event))
    }
}

impl<'a> Fields<'a> {
    /// Reads the members of an object.
    fn of(json: Json<'a>) -> Self {
        let mut fields = Self::default();
        for (name, value) in json.members().filter(|(_, value)| value.spelt() != "null") {
            let field = match &*name.word() {
                "type" => &mut fields.kind,
                "event_type" => &mut fields.event_type,
                "object" => &mut fields.object,
                "__type" => &mut fields.aws_kind,
                "status" => &mut fields.status,
                "code" => &mut fields.code,
                "error_code" => &mut fields.error_code,
                "message" => &mut fields.message,
                "Message" => &mut fields.aws_message,
                "error_msg" => &mut fields.error_msg,
                "error" => &mut fields.error,
                "fault" => &mut fields.fault,
                "faultstring" => &mut fields.faultstring,
                BASE_RESP => &mut fields.base_resp,
                "errors" => &mut fields.errors,
                "detail" => &mut fields.detail,
                "details" => &mut fields.details,
                RETRY_AFTER => &mut fields.retry_after,
                _ => continue,
            };
            *field = value;
        }
        fields
    }

    fn is_called_error(&self) -> bool {
        let has_code = !matches!(&*self.error_code.word(), "" | "0") && self.said().is_some();
        has_code || [self.kind, self.event_type, self.object].into_iter().any(|name| words(name) == "error")
    }

    /// Returns the error inside these fields.
    fn inner(&self) -> Json<'a> {
        if says_anything(self.error) { self.error } else { self.fault }
    }

    /// Returns the first field with a description of the error; `None` if there is none.
    fn said(&self) -> Option<Json<'a>> {
        let own = [self.message, self.aws_message, self.error_msg, self.faultstring];
        own.into_iter()
            .filter(|part| !words(*part).is_empty())
            .chain([self.error, self.detail, self.details, self.errors])
            .find(|part| says_anything(*part))
    }

    /// Reads the error inside these fields, which complete it.
    fn around(self) -> Failure<'a> {
        let mut failure = Failure::new(self.inner());
        let words = words(self.message);
        if self.error.is_string() && !words.is_empty() {
            // In `{"error": "invalid_grant", "message": …}`, the error is only a name.
            failure.kind = mem::replace(&mut failure.message, words);
        }
        if failure.code.is_empty() {
            failure.code = self.code.word();
        }
        failure.delay = failure.delay.or_else(|| seconds(&self.retry_after.word()));
        failure
    }

    /// Builds the error from its fields; `json` is the object that they are from.
    fn failure(self, json: Json<'a>) -> Failure<'a> {
        let said = self.said().unwrap_or(json);
        let message = Some(words(said)).filter(|words| !words.is_empty());
        let message = message.unwrap_or_else(|| said.text_or_json().into_cow());
        let codes = [self.code, self.error_code, self.detail.member("errorcode")];
        let code = codes.map(Json::word).into_iter().find(|code| !code.is_empty()).unwrap_or_default();
        let kind = words(self.kind);
        let aws_kind = match words(self.aws_kind) {
            Cow::Borrowed(name) => Cow::Borrowed(name.rsplit('#').next().unwrap_or_default()),
            Cow::Owned(name) => Cow::Owned(name.rsplit('#').next().unwrap_or_default().to_owned()),
        };
        let kinds = [if kind == "error" { Cow::default() } else { kind }, aws_kind, words(self.status)];
        let kind = kinds.into_iter().find(|kind| !kind.is_empty()).unwrap_or_default();
        // For Google, it is in one of the details.
        let delay = self.details.elements().find_map(|detail| seconds(&detail.member("retryDelay").word()));
        let delay = delay.or_else(|| seconds(&self.retry_after.word()));
        Failure {
            message,
            kind,
            code,
            delay,
            json: if json.is_object() || json.inside('[').is_some() { json } else { Json::default() },
        }
    }
}

/// Reads an exception in a member that is named after it, as AWS sends it; `None` if there is no such member.
fn exception(event: Json<'_>) -> Option<Failure<'_>> {
    let mut members = event.members().map(|(name, value)| (name.word(), value));
    let (kind, exception) = members.find(|(name, value)| name.ends_with("Exception") && value.is_object())?;
    Some(Failure { kind, ..Failure::new(exception) })
}

/// The name of the member with the delay after which the same request may succeed.
const RETRY_AFTER: &str = "retry_after";

/// The name of the member with the request's status in each event.
pub(crate) const BASE_RESP: &str = "base_resp";

/// The members that may have the message of an error that is an object.
const WORDS: [&str; 4] = ["message", "msg", "detail", "error"];

/// Returns the message of an error: a string, or the message of a list's first element or of an object's member, up to
/// four levels deep; empty if there is none.
fn words(mut error: Json<'_>) -> Cow<'_, str> {
    for _ in 0..4 {
        if error.is_string() {
            break;
        }
        let member = || WORDS.map(|name| error.member(name)).into_iter().find(|member| says_anything(*member));
        error = error.elements().next().or_else(member).unwrap_or_default();
    }
    error.text().ok().flatten().unwrap_or_default()
}

/// Returns true if a member is present and not empty.
fn says_anything(member: Json<'_>) -> bool {
    !matches!(member.spelt(), "" | "\"\"" | "{}" | "[]" | "false")
}
