//! MCP, the Model Context Protocol: its JSON-RPC 2.0 messages, in one direction or both.
//!
//! A `tools/call` request is a call, which comes whole, and the response to it its result. A request is for whoever
//! receives it to execute, and that is who reads the stream, so calls are the client's; in a recording of both
//! directions each is followed by its result. A call without a result is one that is still being executed, so the
//! stream is incomplete as long as there is one.
//!
//! JSON-RPC distinguishes the id `1` from the id `"1"`, and so does this: see [`id_text`].

use alloc::borrow::Cow;

use crate::calls::{CallStart, present};
use crate::emitter::Emitter;
use crate::emitter::failure::Failure;
use crate::event::StreamEvent;
use crate::formats::{Format, Look, Understood};
use crate::json::{Json, Text, Unreadable, objects};

objects! {
    struct Message<'a> {
        jsonrpc: Text<'a>,
        id: Json<'a>,
        method: Text<'a>,
        params: Option<Params<'a>>,
        result: Json<'a>,
        error: Json<'a>,
    }

    struct Params<'a> {
        name: Text<'a>,
        arguments: Json<'a>,
        /// The request that is cancelled.
        request_id: Json<'a> = "requestId",
    }

    struct CallResult<'a> {
        content: Json<'a>,
        structured_content: Json<'a> = "structuredContent",
        is_error: bool = "isError",
        /// The members of a client's answer to `sampling/createMessage` beside its content.
        role: Json<'a>,
        /// The user's answer.
        action: Json<'a>,
        /// The promise of a result for later.
        task: Json<'a>,
        /// The mark of an answer that is no result yet.
        kind: Text<'a> = "resultType",
    }
}

pub(crate) const FORMAT: Format = Format { name: "mcp", read, owns_type: |_| false, owns_members, terminal: None };

/// The beginnings of methods that no other protocol on JSON-RPC has.
const TELLING: [&str; 10] = [
    "completion/",
    "elicitation/",
    "logging/",
    "notifications/",
    "prompts/",
    "resources/",
    "roots/",
    "sampling/",
    "subscriptions/",
    "tools/",
];

fn owns_members(look: &Look<'_>) -> bool {
    let is_method = TELLING.iter().any(|family| look.method.starts_with(family));
    // Elsewhere, versions are numbers.
    let has_version = [look.params, look.result].into_iter().any(|it| it.member("protocolVersion").is_string());
    let is_list = |name| look.result.member(name).inside('[').is_some();
    let is_result = ["content", "prompts", "resources", "tools"].into_iter().any(is_list)
        || look.result.member("structuredContent").is_given();
    look.jsonrpc.as_str() == "2.0" && (is_method || has_version || is_result)
}

/// The beginnings of the methods that are known and say nothing of a call: they are about the connection, and about
/// what there is, which is the application's. What a server asks of a model or of a user is not among them.
const SILENT: [&str; 11] = [
    "completion/",
    "initialize",
    "logging/",
    "notifications/",
    "ping",
    "prompts/",
    "resources/",
    "roots/",
    "server/",
    "subscriptions/",
    "tools/list",
];

fn read(json: Json<'_>, emit: &mut Emitter<'_>) -> Result<Understood, Unreadable> {
    let Message { jsonrpc, id, method, params, result, error } = json.object()?;
    let has_params = params.is_some();
    let params = params.unwrap_or_default();
    if jsonrpc.as_str() != "2.0" {
        return Ok(Understood::No);
    }
    match &*method {
        "" if error.is_given() => {
            // The call has failed, and nobody else's is concerned.
            let id = id_text(id);
            if let Some(call) = emit.take_request(&id) {
                emit.result_of_request(Some(call), &id, true, error);
            }
            emit.report_failure(&Failure::at(error).unwrap_or_default());
        }
        "" => return read_result(json, id, result, emit),
        "tools/call" if id.is_given() => {
            let start = CallStart::new(params.name.as_str()).input(params.arguments.spelt());
            emit.request(&id_text(id), start);
        }
        "notifications/cancelled" => {
            let id = id_text(params.request_id);
            if let Some(call) = emit.take_request(&id) {
                emit.report(StreamEvent::CallCancelled {
                    call: Some(call),
                    call_id: present(&id),
                    json: json.spelt().into(),
                });
            }
        }
        method if SILENT.iter().any(|family| method.starts_with(family)) => {
            if has_params {
                emit.data(method, json);
            }
        }
        _ => return Ok(Understood::No),
    }
    Ok(Understood::Yes)
}

/// A request's id as a text that is no other's: a number as it is spelt, a string without its quotation marks, or with
/// them, if without them it could be taken for a number or for a string with them.
fn id_text(id: Json<'_>) -> Cow<'_, str> {
    let word = id.word();
    let is_clear = !word.starts_with(|first: char| first == '-' || first == '"' || first.is_ascii_digit());
    if is_clear || !id.is_string() { word } else { Cow::Borrowed(id.spelt()) }
}

/// A response. Whose it is, the id and what it looks like say; without the request, as in a recording of one direction,
/// only what it looks like.
fn read_result(
    json: Json<'_>,
    id: Json<'_>,
    result: Json<'_>,
    emit: &mut Emitter<'_>,
) -> Result<Understood, Unreadable> {
    if !result.is_object() {
        return Ok(Understood::No);
    }
    let CallResult { content, structured_content, is_error, role, action, task, kind } = result.object()?;
    // Each side numbers its own requests, so this may have the id of a call and answer another request, one of the
    // server.
    if role.is_given() || action.is_given() {
        return Ok(Understood::No);
    }
    let id = id_text(id);
    if content.inside('[').is_some() || structured_content.is_given() {
        let call = emit.take_request(&id);
        emit.result_of_request(call, &id, is_error, result);
    } else if emit.is_awaited(&id) {
        // It asks for more input, or promises a result for later. If it does neither, it is not the call's.
        if task.is_given() || !matches!(kind.as_str(), "" | "complete") {
            emit.take_request(&id);
        }
        return Ok(Understood::No);
    } else if result.members().next().is_some() {
        emit.data("result", json);
    }
    Ok(Understood::Yes)
}
