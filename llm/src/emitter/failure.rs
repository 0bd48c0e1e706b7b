//! The provider's errors: in an event of its own, inside another event, or in the body of an HTTP error.
//!
//! Owns the shapes of errors, which are much alike everywhere: where the message is, and where type and code are.

use alloc::borrow::{Cow, ToOwned};
use core::mem;
use core::time::Duration;

use crate::event::retry::seconds;
use crate::json::{Json, Text, TextOrJson, objects};

/// A provider's error. What it does not say is empty.
#[derive(Debug, Default)]
pub(crate) struct Failure<'a> {
    pub(crate) message: Cow<'a, str>,
    pub(crate) kind: Cow<'a, str>,
    pub(crate) code: Cow<'a, str>,
    /// After which time the same request may succeed.
    pub(crate) delay: Option<Duration>,
    /// The object that it is, which may say more.
    pub(crate) json: Json<'a>,
}

objects! {
    /// The members that hold an error's parts, in the error itself or in the event around it.
    struct Fields<'a> {
        kind: Text<'a> = "type",
        event_type: Text<'a>,
        object: Text<'a>,
        /// At AWS: a namespace, `#` and the type.
        aws_kind: Text<'a> = "__type",
        /// At Google, the type. Elsewhere it is the HTTP status, a number, which is not read.
        status: Text<'a>,
        code: Json<'a>,
        message: Text<'a>,
        aws_message: Text<'a> = "Message",
        error: Json<'a>,
        errors: Json<'a>,
        detail: Json<'a>,
        details: Json<'a>,
        retry_after: Json<'a>,
    }

    /// One of the details of Google's errors.
    struct Detail<'a> {
        retry_delay: Text<'a> = "retryDelay",
    }
}

/// The members found in bodies of HTTP errors. An object with any other member is not taken for such a body.
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
    /// Reads an error member, if it is there and says anything.
    pub(crate) fn at(error: Json<'a>) -> Option<Self> {
        says_anything(error).then(|| Self::new(error))
    }

    /// Reads the value of an error member: a message, an object, or anything else.
    pub(crate) fn new(error: Json<'a>) -> Self {
        match error.text_or_json() {
            TextOrJson::Text(message) => Self { message, ..Self::default() },
            TextOrJson::Json(_) => error.object::<Fields<'_>>().unwrap_or_default().failure(error),
        }
    }

    /// The error that an event is, whoever sent it, if the event says so itself: by its type, by an `error` member in
    /// place of a type, or as an exception under its name.
    pub(crate) fn reported_by(event: Json<'a>) -> Option<Self> {
        let fields: Fields<'_> = event.object().ok()?;
        let is_untyped = fields.kind.is_empty() && fields.event_type.is_empty();
        if says_anything(fields.error) && (is_untyped || fields.is_called_error()) {
            Some(fields.around())
        } else if fields.is_called_error() {
            Some(fields.failure(event))
        } else {
            exception(event)
        }
    }

    /// The error that a page is which stands in place of a stream: a gateway's, in markup.
    pub(crate) fn page(text: &'a str) -> Option<Self> {
        text.trim_start().starts_with('<').then(|| Self { message: text.into(), ..Self::default() })
    }

    /// The error that the only event of a stream is. It need not say so itself if it has nothing but members of an HTTP
    /// error's body.
    pub(crate) fn alone(event: Json<'a>) -> Option<Self> {
        if let reported @ Some(_) = Self::reported_by(event) {
            return reported;
        }
        let is_body = event.members().all(|(name, _)| BODY.contains(&&*name.word()));
        let fields: Fields<'_> = event.object().ok()?;
        (is_body && fields.has_words()).then(|| fields.failure(event))
    }
}

impl<'a> Fields<'a> {
    fn is_called_error(&self) -> bool {
        [&self.kind, &self.event_type, &self.object].iter().any(|name| name.as_str() == "error")
    }

    fn has_words(&self) -> bool {
        let parts = [self.error, self.errors, self.detail, self.details];
        [&self.message, &self.aws_message].iter().any(|words| !words.is_empty()) || parts.into_iter().any(says_anything)
    }

    /// The error inside these fields, which may hold what the error itself leaves out.
    fn around(self) -> Failure<'a> {
        let mut failure = Failure::new(self.error);
        let words = self.message.into_cow();
        if self.error.is_string() && !words.is_empty() {
            // `{"error": "invalid_grant", "message": …}`: the error is only a name.
            failure.kind = mem::replace(&mut failure.message, words);
        }
        if failure.code.is_empty() {
            failure.code = self.code.word();
        }
        failure
    }

    /// The error that these fields make up; `json` is the whole of it.
    fn failure(self, json: Json<'a>) -> Failure<'a> {
        let elsewhere =
            [self.error, self.detail, self.details, self.errors].into_iter().find(|part| says_anything(*part));
        let message =
            [self.message.into_cow(), self.aws_message.into_cow()].into_iter().find(|words| !words.is_empty());
        let message = message.unwrap_or_else(|| elsewhere.unwrap_or(json).text_or_json().into_cow());
        let kind = self.kind.into_cow();
        let aws_kind = match self.aws_kind.into_cow() {
            Cow::Borrowed(name) => Cow::Borrowed(name.rsplit('#').next().unwrap_or_default()),
            Cow::Owned(name) => Cow::Owned(name.rsplit('#').next().unwrap_or_default().to_owned()),
        };
        let kinds = [if kind == "error" { Cow::default() } else { kind }, aws_kind, self.status.into_cow()];
        let kind = kinds.into_iter().find(|kind| !kind.is_empty()).unwrap_or_default();
        let details = self.details.objects::<Detail<'_>>().unwrap_or_default();
        let delay = details.iter().find_map(|detail| seconds(&detail.retry_delay));
        let delay = delay.or_else(|| seconds(&self.retry_after.word()));
        Failure {
            message,
            kind,
            code: self.code.word(),
            delay,
            json: if json.is_object() { json } else { Json::default() },
        }
    }
}

/// The exception that an event holds under its name, as AWS sends them.
fn exception(event: Json<'_>) -> Option<Failure<'_>> {
    let mut members = event.members().map(|(name, value)| (name.word(), value));
    let (kind, exception) = members.find(|(name, value)| name.ends_with("Exception") && value.is_object())?;
    Some(Failure { kind, ..Failure::new(exception) })
}

/// Returns true if a member is there and not empty.
fn says_anything(member: Json<'_>) -> bool {
    !matches!(member.spelt(), "" | "\"\"" | "{}" | "[]" | "false")
}
