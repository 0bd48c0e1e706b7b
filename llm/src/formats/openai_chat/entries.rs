//! Finds the call that an entry of a chunk's list of calls belongs to, by its index, id and name. Servers may omit any
//! of these.

use crate::wire::*;

/// Reports an entry of a list of calls: a call, or a fragment of one.
pub(super) fn read_entry(
    here: &Here<'_>,
    id: &str,
    fragment: &Fragment<'_>,
    executor: Executor,
    emit: &mut Emitter<'_>,
) {
    let Fragment { name, input, is_raw, value } = *fragment;
    let entry = Entered {
        choice: here.choice,
        index: here.index(),
        id,
        name,
        has_arguments: !input.is_empty(),
        is_blank: input.trim_ascii().is_empty(),
    };
    let start = CallStart::new(name).id(id).executor(executor);
    let number = match find_call(&entry, emit) {
        Found::Call(number) => number,
        Found::New => match emit.calls().open(entry.slot(), if is_raw { start.raw() } else { start }) {
            Some(number) => number,
            None => return,
        },
        Found::Nobody if !entry.has_arguments => return,
        Found::Ended(number) if !entry.has_arguments => {
            emit.repeat_call(number, name, "");
            return;
        }
        // Arguments after the call's end are an error, unless they repeat the whole input.
        Found::Ended(number) if here.form == Form::SoFar && emit.state().said.had_input(number, input) => return,
        Found::Ended(number) if matches!(here.form, Form::Whole(_)) => {
            emit.repeat_call(number, name, input);
            return;
        }
        Found::Ended(number) => {
            value.as_piece_of(Text::Slot(entry.own_slot().digest()), false);
            return emit.calls().late(number);
        }
        Found::Nobody => {
            emit.note_piece_in(entry.own_slot(), value);
            return emit.calls().unplaced(entry.own_slot());
        }
    };
    // Some servers send the name in pieces too.
    let is_piece_of_name = here.form == Form::Noted && !entry.has_arguments && emit.calls().extend_name(number, name);
    emit.calls().identify(number, id, if is_piece_of_name { "" } else { name });
    match (input, here.form) {
        _ if !entry.has_arguments => {}
        (text, Form::Noted) if value.is_string() => {
            emit.note_piece_of(number, value);
            emit.calls().append(number, text);
        }
        (text, Form::SoFar) if value.is_string() => {
            if emit.calls().append_so_far(number, text) {
                emit.note_piece_of(number, value);
            } else {
                value.as_so_far(Text::Call(number));
            }
        }
        // An object in place of a string is the whole input. It may be repeated after the call's end.
        (whole, _) if emit.repeat_call(number, name, whole) => {}
        (whole, _) => emit.calls().whole_of(number, whole),
    }
}

/// The tool that an entry calls, and its input: a function with JSON text, or a custom tool with plain text.
pub(super) struct Fragment<'a> {
    name: &'a str,
    input: &'a str,
    is_raw: bool,
    /// The input as it stands in the event.
    pub(super) value: Node<'a>,
}

impl<'a> Fragment<'a> {
    /// Reads an entry, or a function without an entry around it.
    pub(super) fn of(entry: Node<'a>) -> Self {
        let [function, custom] = ["function", "custom"].map(|name| entry.member(name));
        for called in [function, custom] {
            if called.is_object() {
                called.enter()
            } else {
                called.torn()
            };
        }
        let is_raw = custom.is_object() || (entry.get("type").word() == "custom" && !function.is_object());
        let called = if is_raw {
            custom
        } else if function.is_object() {
            function
        } else {
            entry
        };
        let value = called.get(if is_raw { "input" } else { "arguments|parameters" });
        let input = match value.piece() {
            Some(text) if is_raw && value.is_string() => {
                value.as_raw();
                text
            }
            _ if is_raw => {
                value.odd(Mark::Torn);
                ""
            }
            _ => value.input(),
        };
        Self { name: called.text_at("name"), input, is_raw, value }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.name.is_empty() && self.input.is_empty()
    }

    /// Returns true if this fragment repeats `newer`, which was sent in the newer form.
    pub(super) fn repeats(&self, newer: &Self) -> bool {
        (self.name.is_empty() || self.name == newer.name) && self.input == newer.input
    }
}

/// The parts of an entry that identify its call.
struct Entered<'a> {
    choice: u64,
    index: Option<u64>,
    id: &'a str,
    name: &'a str,
    has_arguments: bool,
    /// True if the arguments are missing or only white space.
    is_blank: bool,
}

impl Entered<'_> {
    /// Returns true if the names differ and the entry or the call has arguments. Without arguments, the entry's name
    /// may be the next piece of the call's name.
    fn is_another_call(&self, call: &OpenCall) -> bool {
        call.is_called_otherwise(self.name) && (self.has_arguments || call.has_input())
    }

    /// Returns true if the entry can only continue this call, whatever its id: it has no name to start a call with, and
    /// its arguments are blank or the call's input is not a whole value yet.
    fn continues(&self, call: &OpenCall) -> bool {
        self.name.is_empty() && (self.is_blank || !call.has_whole_value())
    }

    /// Returns the slot that the entry names; [`Place::Nowhere`] if it has no index.
    fn own_slot(&self) -> Slot<'static> {
        Slot::new(self.choice, self.index.map_or(Place::Nowhere, Place::Index))
    }

    /// Returns the entry's slot; without an index, the slot that was used last.
    fn slot(&self) -> Slot<'static> {
        Slot::new(self.choice, self.index.map_or(Place::Latest, Place::Index))
    }
}

/// The call that an entry belongs to.
enum Found {
    Call(u64),
    New,
    /// A call that has ended. An error if the entry has arguments.
    Ended(u64),
    /// No call. An error if the entry has arguments.
    Nobody,
}

impl Found {
    /// Returns an earlier call and assigns the slot to it, so that fragments without an id continue it.
    fn call_again(number: u64, entry: &Entered<'_>, emit: &mut Emitter<'_>) -> Self {
        emit.known_mut().resume(entry.slot(), number);
        Self::Call(number)
    }
}

/// Finds an entry's call by its slot, or by its id if the two disagree: not all servers number their calls.
fn find_call(entry: &Entered<'_>, emit: &mut Emitter<'_>) -> Found {
    let with_id = if entry.id.is_empty() { None } else { emit.known().find_id(entry.choice, entry.id) };
    let in_slot = emit.known_mut().find_in(entry.slot());
    if entry.id.is_empty() {
        return find_without_id(entry, in_slot, emit);
    }
    let (Some(number), Some(_)) = (in_slot, entry.index) else {
        // A new index starts a new call, whatever the id. Without an index, the id decides.
        return match with_id {
            Some(number) if emit.known().open_call(number).is_some_and(|call| entry.is_another_call(call)) => {
                Found::New
            }
            Some(number) if entry.index.is_none() => Found::call_again(number, entry, emit),
            None if entry.index.is_none() && entry.has_arguments => {
                let only = emit.calls().find_open(entry.own_slot());
                let is_its_piece =
                    |number: &u64| emit.known().open_call(*number).is_some_and(|call| entry.continues(call));
                only.filter(is_its_piece).map_or(Found::New, Found::Call)
            }
            _ => Found::New,
        };
    };
    match (emit.known().open_call(number), with_id) {
        // The id is not unique: some servers send the same id with every call.
        (Some(call), _) if call.id() == entry.id && entry.is_another_call(call) => Found::New,
        (Some(call), _) if call.id().is_empty() || call.id() == entry.id => Found::Call(number),
        // Another id in a slot is another call, known or new. But some servers change the id with each fragment.
        (_, Some(known)) if emit.known().open_call(known).is_some_and(|call| entry.is_another_call(call)) => Found::New,
        (_, Some(known)) => Found::call_again(known, entry, emit),
        (Some(call), None) if entry.continues(call) => Found::Call(number),
        (_, None) => Found::New,
    }
}

fn find_without_id(entry: &Entered<'_>, in_slot: Option<u64>, emit: &mut Emitter<'_>) -> Found {
    // A server without indices continues its last call. If it sends an index elsewhere, the index is missing here.
    let has_lost_index = entry.index.is_none() && entry.name.is_empty() && emit.known().has_indices(entry.choice);
    let in_slot = if has_lost_index { emit.calls().find(Slot::new(entry.choice, Place::Nowhere)) } else { in_slot };
    let Some(number) = in_slot else {
        let is_start = !entry.name.is_empty() || (entry.index.is_none() && !has_lost_index && entry.has_arguments);
        return if is_start { Found::New } else { Found::Nobody };
    };
    let is_named_whole = !entry.name.is_empty() && entry.has_arguments;
    match emit.known().open_call(number) {
        // Without an id, a name with arguments after a whole value starts another call, since not all servers number
        // their calls. So does another name after the first fragment of arguments.
        Some(call) if is_named_whole && call.has_whole_value() && !emit.known().is_cumulative() => Found::New,
        Some(call) if call.has_input() && call.is_called_otherwise(entry.name) => Found::New,
        Some(_) => Found::Call(number),
        None if is_named_whole => Found::New,
        None => Found::Ended(number),
    }
}
