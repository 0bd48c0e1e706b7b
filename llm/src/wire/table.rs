//! The parts of a wire's table. A row maps a path in an event to a meaning and to a place in the message that is sent
//! back. A table is `const` data; a named hook does what a table cannot express.

use crate::calls::Executor;
use crate::emitter::Emitter;
use crate::emitter::blocks::At;
use crate::emitter::repetition::Scope;
use crate::event::{BlockKind, OpaqueKind};
use crate::json::{Node, Unreadable, sign};
use crate::message::{Back, Sent, Shape};

/// A wire format: the types of its events, and the rows of each type.
#[derive(Clone, Copy)]
pub(crate) struct Wire {
    /// The member that names an event's type; `""` where events have no type.
    pub(crate) kind: &'static str,
    /// The member that names the block or call an event is about.
    pub(crate) place: Spot,
    /// Rows by the event's type. The first matching pattern is used; `*` matches any text, and `|` separates
    /// alternatives. An event that matches no pattern is unknown.
    pub(crate) events: ByType,
    /// Rows of every known event, read after its own.
    pub(crate) always: Rows,
    /// Returns true if an event can be one of this wire, by its members.
    pub(crate) is_known: fn(Node<'_>) -> bool,
    /// Patterns of types with the paths of members that such events need. An event without one is unknown.
    pub(crate) needed: &'static [(&'static str, &'static str)],
    /// Runs before the rows are read, for example to read another wire's event that this one wraps. If it fails, the
    /// event is unreadable.
    pub(crate) before: fn(Node<'_>, &mut Emitter<'_>) -> Result<(), Unreadable>,
    /// True if the program that sends the events executes its calls itself.
    pub(crate) executes_calls: bool,
    /// The form of texts and inputs, unless a row has its own.
    pub(crate) form: Form,
    /// True if each id is a message of its own, which matters for structured answers.
    pub(crate) is_message_by_id: bool,
    /// The shape of the message that is sent back, if it is not the format's.
    pub(crate) shape: Option<Shape>,
}

pub(crate) type Rows = &'static [Row];
pub(crate) type ByType = &'static [Case];

/// The rows of some types.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    /// The types. `*` matches any text, and `|` separates alternatives.
    pub(super) patterns: &'static str,
    /// The signs of the types, which rule out most other types.
    pub(super) signs: u64,
    pub(super) rows: Rows,
}

/// Returns the rows of the types that match these patterns.
pub(crate) const fn on(patterns: &'static str, rows: Rows) -> Case {
    Case { patterns, signs: signs_of(patterns.as_bytes(), false), rows }
}

/// Two members.
pub(crate) type Pair = &'static [&'static str; 2];

/// The members with an object's type. The first versions of Codex's format named it `item_type`.
pub(super) const TYPE: &str = "type|item_type";

pub(crate) type Choose = fn(&mut Emitter<'_>, Node<'_>, &Here<'_>) -> Rows;

impl Wire {
    /// The defaults of a wire: no types, no places, no repetitions.
    pub(crate) const NEW: Self = Self {
        kind: "",
        place: Spot::Run,
        events: &[],
        always: &[],
        is_known: |_| true,
        needed: &[],
        before: |_, _| Ok(()),
        executes_calls: false,
        form: Form::Piece,
        is_message_by_id: false,
        shape: None,
    };
}

/// One line of a table.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    /// The path, as [`Node::each`] takes it. Of alternatives separated by `|`, the first with a value is used, or each
    /// if the meaning is that the value is known.
    pub(super) path: &'static str,
    /// The signs of the first names in the path: an object without any of them is skipped.
    pub(super) signs: u64,
    /// True if the path is the name of a member.
    pub(super) is_name: bool,
    pub(super) means: Means,
    /// True if an event without this value is unreadable.
    pub(super) is_required: bool,
    pub(super) form: Form,
    /// The source of the value's place; `None` for the place of the object around it.
    pub(super) place: Option<&'static Spot>,
    /// Returns true if the row applies to the object that the path starts at.
    pub(super) when: Option<fn(Node<'_>) -> bool>,
    pub(super) back: Option<&'static Back>,
}

/// Returns a row with the default attributes.
pub(crate) const fn row(path: &'static str, means: Means) -> Row {
    // An empty text takes no room in a program.
    let path = if matches!(path.as_bytes(), b".") { "" } else { path };
    Row {
        path,
        signs: signs_of(path.as_bytes(), true),
        is_name: is_name(path.as_bytes()),
        means,
        is_required: false,
        form: Form::Same,
        place: None,
        when: None,
        back: None,
    }
}

/// Returns true for a path that is one name.
const fn is_name(path: &[u8]) -> bool {
    let mut at = 0;
    while at < path.len() && !matches!(path[at], b'.' | b'|' | b'[') {
        at += 1;
    }
    at == path.len() && at > 0
}

/// Returns the signs of the first names in the paths, or all signs if a path begins with the object itself. Returns the
/// signs of types if these are patterns of types, and all signs if a pattern has a `*`.
const fn signs_of(alternatives: &[u8], are_paths: bool) -> u64 {
    let (mut signs, mut at, mut start, mut is_inside) = (0, 0, 0, false);
    while at <= alternatives.len() {
        let is_end = at == alternatives.len() || alternatives[at] == b'|';
        if !is_inside && (is_end || (are_paths && matches!(alternatives[at], b'.' | b'['))) {
            let name = alternatives.split_at(at).0.split_at(start).1;
            signs |= if are_paths && name.is_empty() { u64::MAX } else { sign(name) };
            is_inside = true;
        } else if !are_paths && !is_end && alternatives[at] == b'*' {
            signs = u64::MAX;
        }
        if is_end {
            (start, is_inside) = (at + 1, false);
        }
        at += 1;
    }
    signs
}

impl Row {
    pub(crate) const fn required(self) -> Self {
        Self { is_required: true, ..self }
    }

    pub(crate) const fn when(self, when: fn(Node<'_>) -> bool) -> Self {
        Self { when: Some(when), ..self }
    }

    pub(crate) const fn form(self, form: Form) -> Self {
        Self { form, ..self }
    }

    pub(crate) const fn at(self, place: &'static Spot) -> Self {
        Self { place: Some(place), ..self }
    }

    pub(crate) const fn back(self, back: &'static Back) -> Self {
        Self { back: Some(back), ..self }
    }
}

/// The meaning of a value.
#[derive(Clone, Copy)]
pub(crate) enum Means {
    /// An object with rows of its own.
    Object(Rows),
    /// An object whose rows depend on its type.
    ByType(ByType),
    /// An object whose rows depend on earlier events. The first list has all rows it may have.
    Chosen(&'static Rows, Choose),
    /// One of several answers, with rows of its own. Its number is in the member `index`.
    Choice(Rows),
    /// One of several answers, whose number is its position in the list.
    ChoiceInOrder(Rows),
    /// A known value without information about the answer.
    Silent,
    /// A value that other rows read and that may be sent back. If its escapes are half of a surrogate pair, the event is
    /// unreadable.
    Kept,
    /// A flag that the conditions of other rows read.
    Switch,
    /// A value that makes the event unreadable.
    Unreadable,
    /// Another event in base64, which is read before the rows.
    Wrapped,

    /// The start of a message, with its id and its model in these members.
    Begins(Pair),
    /// Part of a message with this id and model, which starts with the first such event.
    Belongs(Pair),
    /// Part of the message with this id and model. Each new id starts a message.
    BelongsById(Pair),
    /// Part of a message on a wire where servers may create an id for each event. An event with content under another
    /// id starts the next message if the last one has ended, or if two of its events with content shared an id. The
    /// function returns true for events with content.
    Follows(Pair, fn(Node<'_>) -> bool),
    /// Something of any kind that shows that a part has begun at the place's index.
    BeginsIndex,
    /// The beginning of an answer, even if there is nothing to report of it.
    BeginsAnswer,
    /// A reason to stop, after which more of the answer may be sent.
    Reason,
    /// The end of the answer, if there is a reason; the second member is the stop sequence.
    Stops(Pair),
    /// The end of the answer, whether or not there is a reason.
    EndsAnswer(&'static str),
    /// The end of the stream's message.
    EndsStream,

    Text,
    Reasoning,
    Refusal,
    /// The start of a block, with its id in this member. With [`Form::SoFar`], a block that is open is not started again.
    Starts(BlockKind, &'static str),
    /// The end of the block or call in this place.
    Ends,
    /// The end of the block in this place, on a wire where calls have ends of their own.
    EndsBlock,
    /// The end of a message or a step. Structured text that follows is another answer.
    EndsStructured,

    /// The start of a call. With [`Form::Whole`], the call is complete. With [`Form::SoFar`], a call that has ended is not
    /// started again.
    Call(&'static Called),
    /// A piece of a call's input, or the whole input.
    Input,
    /// A piece of a call's input that is always text.
    Fragment,
    /// A part of a call's input that another row reads, or another event repeats.
    PartOfInput,
    Result(&'static Outcome),
    /// A call whose result will be sent in pieces at this index, with the call's id in this member.
    AwaitsResult(&'static str),
    /// A piece of the result that is sent at this index. The function returns true if the tool has failed.
    PieceOfResult(fn(Node<'_>) -> bool),
    /// The cancellation of the call with the id in this member.
    Cancels(&'static str),
    /// A call that waits for approval, with the request's id and the call's in these members.
    Approval(Pair),

    /// A value that is sent back unchanged.
    Opaque(OpaqueKind, Owner),
    Source(&'static Cited),
    Media(&'static Shown),
    Usage,
    Filter,
    /// Data of the application, under this name or, if it is empty, under the event's type.
    Data(&'static str),

    /// An error that ends the answer.
    Fails,
    /// An error beside the answer.
    Reports,
    /// An unknown part, reported under its type or, if it has none, under this name.
    Unknown(&'static str),
    /// An unknown part that may be a piece of a call. Unless it has an id, an open call in its place is incomplete.
    UnknownPiece(&'static str),
    /// An object with pieces of a call at this path. If the pieces are missing, the open call is incomplete.
    Lacks(&'static str),
    /// An object in place of a list. If no row has found anything in it, it is no element of the list.
    Element,
    /// A function for what a table cannot express.
    Hook(fn(&mut Emitter<'_>, Node<'_>, &Here<'_>)),
}

/// The relation of a text or an input to those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// The form of the object around it.
    #[default]
    Same,
    Piece,
    /// A piece that a later event repeats as part of a whole, so it is remembered.
    Noted,
    /// The whole text, which may repeat earlier pieces.
    Whole(Scope),
    /// The whole text so far or a piece; the wire sends either.
    SoFar,
    /// The whole text so far, beside a piece of the same text.
    Beside,
}

impl Form {
    /// The form of a value that is never sent in pieces.
    pub(crate) const ALL: Self = Self::Whole(Scope::Place);

    /// Returns the form in the message that is sent back, which is made of pieces where there are any.
    pub(super) fn sent(self) -> Option<Sent> {
        match self {
            Self::Same | Self::Piece | Self::Noted => Some(Sent::Piece),
            Self::Whole(_) => Some(Sent::Whole),
            Self::SoFar => Some(Sent::SoFar),
            Self::Beside => None,
        }
    }
}

/// The source of the place of a block or call.
#[derive(Clone, Copy)]
pub(crate) enum Spot {
    /// No place: text continues the open run, and parts of a call continue the call that was used last.
    Run,
    /// The index in this member.
    Index(&'static str),
    /// The id in this member.
    Id(&'static str),
    /// The position of the element in its list.
    Position,
}

/// The location of a value: its answer, its place, and its form.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Here<'e> {
    pub(crate) choice: u64,
    pub(crate) place: At<'e>,
    pub(crate) form: Form,
}

/// The owner of an opaque value.
#[derive(Clone, Copy)]
pub(crate) enum Owner {
    Nothing,
    Block,
    /// The block, which is started if it is not open.
    Begun(BlockKind),
    Call,
    /// The call in this place or, if there is no call, the block.
    Either,
}

/// The paths of a call's parts.
pub(crate) struct Called {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) input: &'static str,
    pub(crate) executor: fn(Node<'_>) -> Executor,
}

impl Called {
    /// The defaults: no parts, and a call of the client's.
    pub(crate) const NEW: Self = Self { id: "", name: "", input: "", executor: |_| Executor::Client };
}

/// The paths of the parts of a call's result.
pub(crate) struct Outcome {
    /// The id of the call.
    pub(crate) of: &'static str,
    pub(crate) has_failed: fn(Node<'_>) -> bool,
    /// The result itself, without members about the event. Repetitions are compared by it.
    pub(crate) value: &'static str,
    /// The reported value. If the path is empty or the value is missing, the whole object is reported.
    pub(crate) shown: &'static str,
}

impl Outcome {
    /// The defaults: the whole object is reported.
    pub(crate) const NEW: Self = Self { of: "", has_failed: |_| false, value: "", shown: "" };
}

/// The paths of a source's parts.
pub(crate) struct Cited {
    pub(crate) url: &'static str,
    pub(crate) title: &'static str,
    pub(crate) quote: &'static str,
    /// The members for start and end. The first pair with an end is used, and a missing start is 0.
    pub(crate) spans: &'static [(&'static str, &'static str)],
    /// The key of a source on a wire that repeats sources: each key is reported once. Empty if none is repeated.
    pub(crate) once: &'static str,
    pub(crate) is_in_block: bool,
    pub(crate) is_source: fn(Node<'_>) -> bool,
}

impl Cited {
    /// The defaults: no parts, and no block.
    pub(crate) const NEW: Self =
        Self { url: "", title: "", quote: "", spans: &[], once: "", is_in_block: false, is_source: |_| true };
}

/// The paths of the parts of content that is not text.
pub(crate) struct Shown {
    /// The name under which content without data, URL and type is reported as an unknown part.
    pub(crate) name: &'static str,
    pub(crate) media_type: &'static str,
    pub(crate) data: &'static str,
    pub(crate) url: &'static str,
    pub(crate) is_in_block: bool,
}

impl Shown {
    /// The defaults: no parts, and no block.
    pub(crate) const NEW: Self = Self { name: "", media_type: "", data: "", url: "", is_in_block: false };
}
