//! What a provider says went wrong: in an event of its own, inside another event, or in the body of an HTTP error.
//!
//! Owns the shapes of errors, which are much alike everywhere: where the message is, and where type and code are.

use alloc::borrow::{Cow, ToOwned};
use alloc::collections::BTreeMap;
use core::mem;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::wire::{self, Payload, Text, word};

/// A provider's error. What it does not say is empty.
#[derive(Debug, Default)]
pub(super) struct Failure<'a> {
    pub(super) message: Cow<'a, str>,
    pub(super) kind: Cow<'a, str>,
    pub(super) code: Cow<'a, str>,
}

/// The members that hold an error's parts, in the error itself or in the event around it.
#[derive(Default, Deserialize)]
struct Fields<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Text<'a>,
    #[serde(borrow, default)]
    event_type: Text<'a>,
    #[serde(borrow, default)]
    object: Text<'a>,
    /// At AWS: a namespace, `#` and the type.
    #[serde(rename = "__type", borrow, default)]
    aws_kind: Text<'a>,
    /// At Google, the type. Elsewhere it is the HTTP status, a number, which is not read.
    #[serde(borrow, default)]
    status: Text<'a>,
    #[serde(borrow, default)]
    code: Option<&'a RawValue>,
    #[serde(borrow, default)]
    message: Text<'a>,
    #[serde(rename = "Message", borrow, default)]
    aws_message: Text<'a>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    errors: Option<&'a RawValue>,
    #[serde(borrow, default)]
    detail: Option<&'a RawValue>,
    #[serde(borrow, default)]
    details: Option<&'a RawValue>,
}

/// The members found in bodies of HTTP errors. An object with any other member is not taken for such a body.
const BODY: [&str; 24] = [
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
    "object",
    "param",
    "path",
    "raw_status_code",
    "requestId",
    "request_id",
    "status",
    "statusCode",
    "status_code",
    "success",
    "timestamp",
    "title",
    "type",
];

impl<'a> Failure<'a> {
    /// Reads an error member, if it is there and says anything.
    pub(super) fn at(error: Option<&'a RawValue>) -> Option<Self> {
        non_empty(error).map(Self::new)
    }

    /// Reads the value of an error member: a message, an object, or anything else.
    fn new(error: &'a RawValue) -> Self {
        match Payload::new(Some(error)) {
            Payload::Text(message) => Self { message, ..Self::default() },
            Payload::Json(json) => wire::event::<Fields<'_>>(json).unwrap_or_default().failure(json),
        }
    }

    /// The error that an event is, whoever sent it, if the event says so itself: by its type, by an `error` member in
    /// place of a type, or as an exception under its name.
    pub(super) fn told_by(event: &'a str) -> Option<Self> {
        let fields: Fields<'_> = wire::event(event).ok()?;
        let is_untyped = fields.kind.as_str().is_empty() && fields.event_type.as_str().is_empty();
        match non_empty(fields.error) {
            Some(error) if is_untyped || fields.is_called_error() => Some(fields.around(error)),
            _ if fields.is_called_error() => Some(fields.failure(event)),
            _ => exception(event),
        }
    }

    /// The error that the only event of a stream is. It need not say so itself if it has nothing but members of an HTTP
    /// error's body.
    pub(super) fn alone(event: &'a str) -> Option<Self> {
        if let told @ Some(_) = Self::told_by(event) {
            return told;
        }
        let members: BTreeMap<Cow<'_, str>, &RawValue> = wire::event(event).ok()?;
        let is_body = members.keys().all(|name| BODY.contains(&name.as_ref()));
        let fields: Fields<'_> = wire::event(event).ok()?;
        (is_body && fields.has_words()).then(|| fields.failure(event))
    }
}

impl<'a> Fields<'a> {
    fn is_called_error(&self) -> bool {
        [&self.kind, &self.event_type, &self.object].iter().any(|name| name.as_str() == "error")
    }

    fn has_words(&self) -> bool {
        let parts = [self.error, self.errors, self.detail, self.details];
        [&self.message, &self.aws_message].iter().any(|words| !words.as_str().is_empty())
            || parts.into_iter().any(|part| non_empty(part).is_some())
    }

    /// The error inside these fields, which may hold what the error itself leaves out.
    fn around(self, error: &'a RawValue) -> Failure<'a> {
        let mut failure = Failure::new(error);
        let (words, is_text) = (self.message.into_cow(), error.get().starts_with('"'));
        if is_text && !words.is_empty() {
            // `{"error": "invalid_grant", "message": …}`: the error is only a name.
            failure.kind = mem::replace(&mut failure.message, words);
        }
        if failure.code.is_empty() {
            failure.code = word(self.code);
        }
        failure
    }

    /// The error that these fields make up; `json` is the whole of it.
    fn failure(self, json: &'a str) -> Failure<'a> {
        let elsewhere = [self.error, self.detail, self.details, self.errors].into_iter().find_map(non_empty);
        let message =
            [self.message.into_cow(), self.aws_message.into_cow()].into_iter().find(|words| !words.is_empty());
        let message = message.unwrap_or_else(|| match Payload::new(elsewhere) {
            Payload::Text(words) => words,
            Payload::Json("") => json.into(),
            Payload::Json(words) => words.into(),
        });
        let kind = self.kind.into_cow();
        let aws_kind = match self.aws_kind.into_cow() {
            Cow::Borrowed(name) => Cow::Borrowed(name.rsplit('#').next().unwrap_or_default()),
            Cow::Owned(name) => Cow::Owned(name.rsplit('#').next().unwrap_or_default().to_owned()),
        };
        let kinds = [if kind == "error" { Cow::default() } else { kind }, aws_kind, self.status.into_cow()];
        let kind = kinds.into_iter().find(|kind| !kind.is_empty()).unwrap_or_default();
        Failure { message, kind, code: word(self.code) }
    }
}

/// The exception that an event holds under its name, as AWS sends them.
fn exception(event: &str) -> Option<Failure<'_>> {
    let members: BTreeMap<Cow<'_, str>, &RawValue> = wire::event(event).ok()?;
    let mut members = members.into_iter();
    let (name, exception) =
        members.find(|(name, value)| name.ends_with("Exception") && value.get().starts_with('{'))?;
    Some(Failure { kind: name.into_owned().into(), ..Failure::new(exception) })
}

/// A member that is not empty.
fn non_empty(member: Option<&RawValue>) -> Option<&RawValue> {
    member.filter(|raw| !matches!(raw.get(), "\"\"" | "{}" | "[]" | "false" | "null"))
}
