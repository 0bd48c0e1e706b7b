//! MCP, the Model Context Protocol: its JSON-RPC 2.0 messages, in one direction or both.
//!
//! A `tools/call` request is a whole call, and the response to it is the call's result. The receiver of a request
//! executes it, and the receiver reads the stream, so the calls are the client's. In a recording of both directions,
//! each call is followed by its result. A call without a result is still being executed, so the stream is incomplete
//! until the result arrives.
//!
//! JSON-RPC distinguishes the id `1` from the id `"1"`, and so does this format: see [`id_text`].

use crate::formats::{Format, Owns};
use crate::wire::*;

pub(crate) const FORMAT: Format = Format { wire: |_, _| &WIRE, ..Format::NEW };

pub(crate) const OWNS: Owns = Owns { members: owns_members, ..Owns::NEW };

/// Methods that no other protocol on JSON-RPC has.
const TELLING: &str = "completion/*|elicitation/*|logging/*|notifications/*|prompts/*|resources/*|roots/*|sampling/*|\
    subscriptions/*|tools/*";

fn owns_members(event: Node<'_>) -> bool {
    let is_method = matches(TELLING, event.get("method").peek());
    // In other protocols, versions are numbers.
    let has_version = ["params", "result"].iter().any(|name| event.member(name).member("protocolVersion").is_string());
    let is_list = |name| event.member("result").member(name).is_list();
    let is_result = ["content", "prompts", "resources", "tools"].into_iter().any(is_list)
        || event.member("result").member("structuredContent").is_given();
    event.get("jsonrpc").peek() == "2.0" && (is_method || has_version || is_result)
}

static WIRE: Wire = Wire {
    kind: "method",
    events: &[
        on("tools/call", &[row("params", Means::Object(&[])), row(".", Means::Hook(request))]),
        on("notifications/cancelled", &[row("params", Means::Object(&[])), row(".", Means::Hook(cancel))]),
        // Methods about the connection and the available resources, whose messages are the application's data. A
        // server's requests to a model or a user are not among them.
        on(
            "completion/*|initialize*|logging/*|notifications/*|ping*|prompts/*|resources/*|roots/*|server/*|\
            subscriptions/*|tools/list*",
            &[
                row(".", Means::Data("")).when(|event| event.member("params").is_object()),
                row("params", Means::Object(&[])),
            ],
        ),
        on("", &[row(".", Means::Hook(respond))]),
    ],
    is_known: |event| {
        event.get("jsonrpc").word() == "2.0"
            && match event.get("method").word() {
                "tools/call" => event.raw("id").is_given(),
                "" => event.raw("error").is_given() || event.member("result").is_object(),
                _ => true,
            }
    },
    ..Wire::NEW
};

/// Returns a request's id as unambiguous text: a number as it is spelled, or a string without its quotation marks. The
/// quotation marks are kept if the string could otherwise be mistaken for a number or a quoted string.
fn id_text(id: Node<'_>) -> &str {
    let word = id.word();
    let is_clear = !word.starts_with(|first: char| first == '-' || first == '"' || first.is_ascii_digit());
    if is_clear || !id.is_string() { word } else { id.spelt() }
}

fn request(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    let (name, arguments) = (event.text_at("params.name"), event.raw("params.arguments").as_input());
    emit.request(id_text(event.raw("id")), CallStart::new(name).input(arguments.spelt()));
}

fn cancel(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    let id = id_text(event.raw("params.requestId"));
    if let Some(call) = emit.take_request(id) {
        let json = event.shown().spelt().into();
        emit.report(StreamEvent::CallCancelled { call: Some(call), call_id: present(id), json });
    }
}

/// Reads a response. Its id and its members show which request it answers. In a recording of one direction, where the
/// request is missing, only its members do.
fn respond(emit: &mut Emitter<'_>, event: Node<'_>, _: &Here<'_>) {
    let id = id_text(event.raw("id"));
    let (error, result) = (event.raw("error"), event.member("result"));
    let has = |name: &&str| result.raw(name).is_given();
    if error.is_given() {
        // The call has failed; other calls are not affected.
        let error = error.as_failure();
        if let Some(call) = emit.take_request(id) {
            emit.result_of(Some(call), id, true, error);
        }
        return emit.report_failure(&Failure::at(error).unwrap_or_default());
    }
    // Each side numbers its own requests, so a response with the id of a call may answer a request of the server
    // instead. A client's response to `sampling/createMessage` has a role, and a user's response has an action.
    let is_client_s = ["role", "action"].iter().any(has);
    if !is_client_s && (result.member("content").is_list() || has(&"structuredContent")) {
        let call = emit.take_request(id);
        return emit.result_of(call, id, result.get("isError").is_true(), result.read());
    }
    let is_awaited = emit.state().results.get(0, Place::Id(id)).is_some();
    if !is_client_s && !is_awaited {
        if result.children().next().is_some() {
            emit.data("result", event.shown());
        }
        return;
    }
    // The response asks for more input or announces a later result. Otherwise, it does not answer the call.
    if !is_client_s && (has(&"task") || !matches!(result.get("resultType").word(), "" | "complete")) {
        emit.take_request(id);
    }
    emit.unknown_event(event.shown());
}
