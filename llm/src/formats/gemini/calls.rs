//! The calls in Gemini's answers, which are sent whole or as values by path.

use alloc::vec::Vec;

use crate::wire::*;

pub(super) const FUNCTION_CALL: Rows = &[
    row("willContinue", Means::Switch),
    row(".", Means::Hook(read_call)),
    // The server accepts arguments under one name only.
    row("arguments|parameters|input", Means::Kept).back(&Back::Spoils),
];

/// Returns true if a part is one of several pieces of a call.
pub(super) fn is_piece(part: Node<'_>) -> bool {
    let call = part.member("functionCall");
    let goes_on = call.get("willContinue").is_true() || call.member("partialArgs").is_given();
    call.is_given() && (goes_on || call.get("name").is_nothing())
}

/// Reads a call, or a piece of one. Calls are sent one after another: a name starts a call and ends the one before.
/// Calls with ids may be interleaved.
fn read_call(emit: &mut Emitter<'_>, call: Node<'_>, here: &Here<'_>) {
    let (choice, latest) = (here.choice, here.slot());
    let (id, name, args) = (call.as_call().word_at("id"), name_of(call, "name"), arguments(call, "args"));
    call.member("id").odd(Mark::Torn);
    let mut values = Vec::new();
    call.each("partialArgs[]", &mut |value| values.push(value));
    // A `willContinue` that is not a boolean may mean true.
    let goes_on = !call.get("willContinue").is_nothing();
    let start = CallStart::new(name).id(id).input(args.spelt());
    let open = emit.calls().find_open(latest);
    let has_other_id = |call: &OpenCall| !call.id().is_empty() && call.id() != id;
    let is_another = !id.is_empty() && open.and_then(|open| emit.known().open_call(open)).is_some_and(has_other_id);
    let is_it = |number: &u64| {
        let call = emit.known().open_call(*number);
        call.is_some_and(|call| name.is_empty() || !call.is_called_otherwise(name))
    };
    let known = present(id).and_then(|id| emit.known().find_id(choice, id));
    if let Some(number) = known.filter(is_it) {
        emit.known_mut().resume(latest, number);
    } else if is_another && name.is_empty() && args.spelt().len() <= 2 {
        return emit.calls().unplaced(Slot::new(choice, Place::Nowhere));
    } else if let Some(number) = known.filter(|number| open == Some(*number)) {
        // The name contradicts the open call's.
        emit.calls().identify(number, "", name);
    }
    if !name.is_empty() && (known.is_none() || emit.calls().find_open(latest) != known) {
        if !is_another {
            emit.calls().stop(latest);
        }
        if !goes_on && values.is_empty() {
            emit.calls().whole_call(choice, start);
            // The arguments may be in unknown members.
            let is_other = |it: Node<'_>| !matches!(it.key(), "id" | "name") && !it.is_nothing();
            return emit.calls().set_incomplete(latest, !args.is_given() && call.children().any(is_other));
        }
        emit.calls().start(latest, start);
    } else if args.spelt() != "{}" {
        // Calls are not continued like this, but nothing may be lost: the arguments are the input, repeat it, or
        // contradict it.
        if !id.is_empty() && known.is_none() && !goes_on {
            return emit.calls().whole_call(choice, start);
        }
        // No open call can have these arguments.
        if args.is_given() && id.is_empty() && emit.calls().find_open(latest).is_none() {
            args.torn();
            return emit.calls().unplaced(latest);
        }
        emit.calls().whole(latest, args.spelt());
    }
    let is_piece = goes_on && name.is_empty() || !call.get("partialArgs").is_nothing();
    let has_all = values.into_iter().all(|value| set(choice, value, emit));
    if !has_all || is_piece && call.lacks("partialArgs[]") {
        emit.unknown_piece(latest, "partialArgs", call);
    }
    // A call that announces more, and ends without it, is not whole.
    emit.calls().set_incomplete(latest, goes_on);
    if !goes_on {
        emit.calls().stop(latest);
    }
}

/// Returns a call's name, the string in this member; `""` for any other type, which no server accepts.
pub(super) fn name_of<'e>(call: Node<'e>, member: &str) -> &'e str {
    let name = call.member(member);
    if !name.is_string() {
        name.odd(Mark::Torn);
        return "";
    }
    name.word()
}

/// Returns a call's arguments. Some gateways send them under another provider's name.
pub(super) fn arguments<'e>(call: Node<'e>, own: &str) -> Node<'e> {
    let mut names = [own, "args", "arguments", "parameters", "input"].into_iter();
    let given = names.find(|name| call.member(name).says_something());
    call.raw(given.unwrap_or(own)).as_input()
}

/// Adds a value by path to the call that was touched last. Returns false unless `arg` has exactly one value.
/// `nullValue` counts only if there is no other.
fn set(choice: u64, arg: Node<'_>, emit: &mut Emitter<'_>) -> bool {
    let members = ["stringValue", "numberValue", "boolValue", "nullValue"].map(|name| arg.member(name));
    let [string, number, switch, null] = members;
    let text = string.text();
    let value = match (members.iter().filter(|value| value.is_given()).count(), &text) {
        (1, Some(text)) => PathValue::Text { text, has_ended: arg.get("willContinue").is_nothing() },
        (1, None) if number.is_given() => PathValue::Number(number.spelt()),
        (1, None) if matches!(switch.spelt(), "true" | "false") => PathValue::Bool(switch.is_true()),
        (0 | 1, None) if null.is_there() && !string.is_given() && !switch.is_given() => PathValue::Null,
        _ => return false,
    };
    let _ = members.map(Node::as_raw);
    emit.calls().set(choice, arg.enter().word_at("jsonPath"), value);
    true
}

/// Reads a call of a tool that Google runs, which is sent whole.
pub(super) fn read_own_call(emit: &mut Emitter<'_>, call: Node<'_>, here: &Here<'_>) {
    if !call.is_object() {
        return call.odd(Mark::Torn);
    }
    let (id, name) = (call.word_at("id"), name_of(call, "toolType"));
    let is_code = call.key() == "executableCode";
    let (name, args) = if is_code { ("code_execution", call.as_raw()) } else { (name, call.raw("args").as_input()) };
    emit.calls().stop(here.slot());
    let start = CallStart::new(name).id(id).input(args.spelt());
    emit.calls().whole_call(here.choice, start.executor(Executor::Provider));
}
