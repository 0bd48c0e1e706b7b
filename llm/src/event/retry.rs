//! The chance that a request succeeds when it is repeated after an error: [`Retry`].

use core::time::Duration;

use crate::words::is_one_of;

/// The chance that the same request succeeds later, according to the error.
///
/// ```
/// use jsonspigot_llm::{Provider, ProviderStream, Retry, StreamEvent, ToolCalls};
///
/// let mut stream = ProviderStream::new(Provider::Anthropic, ToolCalls::default());
/// stream.push_with(r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, |event| {
///     if let StreamEvent::ProviderError { retry, .. } = event {
///         assert_eq!(retry, Retry::Later);
///     }
/// });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Retry {
    /// The error has no information about this.
    #[default]
    Unknown,
    /// The request will fail again: the request, the key or the account is at fault.
    Never,
    /// The request may succeed later.
    Later,
    /// The request may succeed after this delay.
    After(Duration),
}

/// Types and codes of temporary errors, in lower case.
const PASSING: &str = "408|409|425|429|500|502|503|504|529|aborted|api_error|deadline_exceeded|internal|\
    internal_server_error|internalserverexception|modelnotreadyexception|modelstreamerrorexception|\
    modeltimeoutexception|overloaded_error|rate_limit_error|rate_limit_exceeded|resource_exhausted|server_error|service_unavailable|\
    serviceunavailableexception|throttlingexception|timeout_error|unavailable";

/// Types and codes of permanent errors, in lower case. They take precedence: an account without credit is reported with
/// 429.
const STAYING: &str = "400|401|402|403|404|413|422|accessdeniedexception|authentication_error|billing_error|\
    context_length_exceeded|insufficient_quota|invalid_api_key|invalid_argument|invalid_request_error|\
    model_not_found|not_found_error|permission_denied|permission_error|request_too_large|unauthenticated|\
    validationexception";

impl Retry {
    /// Returns the name in lower case, as the command line prints it: `never`, `later`; `None` if it is unknown.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Unknown => None,
            Self::Never => Some("never"),
            Self::Later | Self::After(_) => Some("later"),
        }
    }

    /// Returns the delay in milliseconds; `None` if the error has none.
    #[must_use]
    pub fn after_ms(self) -> Option<u64> {
        match self {
            Self::After(delay) => u64::try_from(delay.as_millis()).ok(),
            _ => None,
        }
    }

    /// Classifies an error by its type, code and message, and the delay from a member of its own.
    pub(crate) fn of(kind: &str, code: &str, message: &str, delay: Option<Duration>) -> Self {
        let is_in = |list| is_one_of(kind, list) || is_one_of(code, list);
        if let Some(delay) = delay.or_else(|| in_words(message)) {
            Self::After(delay)
        } else if is_in(STAYING) {
            Self::Never
        } else if is_in(PASSING) {
            Self::Later
        } else {
            Self::Unknown
        }
    }
}

/// Reads the delay in OpenAI's messages: `Please try again in 1.2s.`, or `in 1m3s`.
fn in_words(message: &str) -> Option<Duration> {
    let (_, rest) = message.split_once("try again in ")?;
    seconds(rest)
}

/// Reads a duration with units, as in `34.07s`, `20ms`, `1m3s` or `1m 3s`, or a number of seconds without a unit.
/// Ignores any text after a unit. Uses integer arithmetic.
pub(crate) fn seconds(text: &str) -> Option<Duration> {
    let (mut rest, mut sum, mut last) = (text, None::<u64>, u128::MAX);
    loop {
        let len = rest.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
        let Some((number, after)) = rest.split_at_checked(len) else { break };
        let unit = after.strip_prefix(' ').unwrap_or(after);
        let unit_len = unit.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (unit, after_unit) = unit.split_at_checked(unit_len).unwrap_or_default();
        let unit = match unit {
            "" if after.is_empty() && sum.is_none() => "s",
            unit => unit,
        };
        // The units of one duration are in descending order.
        let Some(unit) = millis_of(unit).filter(|unit| *unit < last) else { break };
        let Some(number) = thousandths(number) else { break };
        let millis = u64::try_from(number.saturating_mul(unit) / 1000).unwrap_or(u64::MAX);
        sum = Some(sum.unwrap_or(0).saturating_add(millis));
        last = unit;
        rest = after_unit.strip_prefix(' ').unwrap_or(after_unit);
    }
    sum.map(Duration::from_millis)
}

/// Reads a decimal number in thousandths; further digits are ignored.
fn thousandths(number: &str) -> Option<u128> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let whole: u64 = whole.parse().ok()?;
    let digits = fraction.bytes().all(|byte| byte.is_ascii_digit()).then(|| fraction.bytes().chain(*b"000").take(3))?;
    Some(1000 * u128::from(whole) + digits.fold(0, |sum, digit| 10 * sum + u128::from(digit - b'0')))
}

/// Returns the length of a unit of time in milliseconds.
fn millis_of(unit: &str) -> Option<u128> {
    Some(match unit {
        "ms" | "msec" | "millisecond" | "milliseconds" => 1,
        "s" | "sec" | "secs" | "second" | "seconds" => 1000,
        "m" | "min" | "mins" | "minute" | "minutes" => 60_000,
        "h" | "hour" | "hours" => 3_600_000,
        "d" | "day" | "days" => 86_400_000,
        _ => return None,
    })
}
