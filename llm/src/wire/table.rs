//! The parts of a wire's table. A row maps a path in an event to a meaning and to a place in the message that is sent
//! back. A table is `const` data; a named hook does what a table cannot express.

use crate::calls::Executor;
use crate::emitter::Emitter;
use crate::emitter::said::Scope;
use crate::event::{BlockKind, OpaqueKind};
use crate::json::{Node, Unreadable, sign};

/// A wire format: the types of its events, and the rows of each type.
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
    /// The form of texts and inputs, unless a row has its own.
    pub(crate) form: Form,
    /// True if each id is a message of its own, which matters for structured answers.
    pub(crate) is_message_by_id: bool,
}

pub(crate) type Rows = &'static [Row];
pub(crate) type ByType = &'static [(&'static str, Rows)];

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
        form: Form::Piece,
        is_message_by_id: false,
    };
}

/// One line of a table.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    /// The path, as [`Node::each`] takes it. Of alternatives separated by `|`, the first with a value is used.
    pub(super) path: &'static str,
    /// The signs of the first names in the path: an object without any of them is skipped.
    pub(super) signs: u64,
    pub(super) means: Means,
    /// True if an event without this value is unreadable.
    pub(super) is_required: bool,
    pub(super) form: Form,
    pub(super) place: Spot,
    /// Returns true if the row applies to the object that the path starts at.
    pub(super) when: Option<fn(Node<'_>) -> bool>,
    pub(super) back: Option<Back>,
}

/// Returns a row with the default attributes.
pub(crate) const fn row(path: &'static str, means: Means) -> Row {
    Row {
        path,
        signs: signs_of(path.as_bytes()),
        means,
        is_required: false,
        form: Form::Same,
        place: Spot::Same,
        when: None,
        back: None,
    }
}

/// Returns the signs of the first names in the paths, or all signs if a path begins with the object itself.
const fn signs_of(paths: &[u8]) -> u64 {
    let (mut signs, mut at, mut start, mut is_inside) = (0, 0, 0, false);
    while at <= paths.len() {
        let is_end = at == paths.len() || paths[at] == b'|';
        if !is_inside && (is_end || paths[at] == b'.' || paths[at] == b'[') {
            signs |= if at == start { u64::MAX } else { sign(paths.split_at(at).0.split_at(start).1) };
            is_inside = true;
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

    pub(crate) const fn at(self, place: Spot) -> Self {
        Self { place, ..self }
    }

    pub(crate) const fn back(self, back: Back) -> Self {
        Self { back: Some(back), ..self }
    }
}

/// The meaning of a value.
#[derive(Clone, Copy)]
pub(crate) enum Means {
    /// An object with rows of its own.
    Object(Rows),
    /// An object whose rows depend on the type in this member.
    ByType(&'static str, ByType),
    /// An object whose rows depend on earlier events. The first list has all rows it may have.
    Chosen(Rows, Choose),
    /// One of several answers, with rows of its own. Its number is in this member or, if that is empty, its position in
    /// the list.
    Choice(&'static str, Rows),
    /// A known value without information about the answer.
    Silent,
    /// A value that other rows read and that may be sent back. If its escapes are half of a surrogate pair, the event is
    /// unreadable.
    Kept,
    /// A flag that the conditions of other rows read.
    Switch,
    /// A value that makes the event unreadable.
    Unreadable,

    /// The start of a message.
    Begins {
        id: &'static str,
        model: &'static str,
    },
    /// Part of a message, which starts with the first such event.
    Belongs {
        id: &'static str,
        model: &'static str,
    },
    /// Part of a message on a wire where servers may create an id for each event. An event with content under another
    /// id starts the next message if the last one has ended, or if two of its events with content shared an id.
    Follows {
        id: &'static str,
        model: &'static str,
        says_anything: fn(Node<'_>) -> bool,
    },
    /// The end of the answer, with a reason. If there is no reason, the answer ends only if `is_end` is true.
    Stops {
        reason: &'static str,
        sequence: &'static str,
        is_end: bool,
    },
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

    /// The start of a call. With [`Form::Whole`], the call is complete.
    Call(&'static Called),
    /// A piece of a call's input, or the whole input.
    Input,
    /// A piece of a call's input that is always text.
    Fragment,
    /// A part of a call's input that another row reads, or another event repeats.
    PartOfInput,
    Result(&'static Outcome),
    Approval {
        id: &'static str,
        call: &'static str,
    },

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
    /// An unknown part, reported under the type in this member or, if there is no type, under this name.
    Unknown(&'static str, &'static str),
    /// An unknown part that may be a piece of a call. Unless it has an id, an open call in its place is incomplete.
    UnknownPiece(&'static str, &'static str),
    /// An object with pieces of a call at this path. If the pieces are missing, the open call is incomplete.
    Lacks(&'static str),
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
    /// A piece that may omit its place. Then it continues the last piece with a place.
    Chunk,
}

impl Form {
    /// The form of a value that is never sent in pieces.
    pub(crate) const ALL: Self = Self::Whole(Scope::Place);
}

/// The source of the place of a block or call.
#[derive(Clone, Copy)]
pub(crate) enum Spot {
    /// The event's place.
    Same,
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
#[derive(Clone, Debug, Default)]
pub(crate) struct Here<'e> {
    pub(crate) choice: u64,
    pub(crate) place: Placed<'e>,
    pub(crate) form: Form,
}

/// A place, as it is written in an event.
#[derive(Clone, Debug, Default)]
pub(crate) enum Placed<'e> {
    #[default]
    Run,
    /// The index may be missing.
    Index(Option<u64>),
    Id(alloc::borrow::Cow<'e, str>),
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

/// The paths of the parts of content that is not text.
pub(crate) struct Shown {
    /// The name under which content without data, URL and type is reported as an unknown part.
    pub(crate) name: &'static str,
    pub(crate) media_type: &'static str,
    pub(crate) data: &'static str,
    pub(crate) url: &'static str,
    pub(crate) is_in_block: bool,
}

/// The destination of a value in the message that is sent back.
#[derive(Clone, Copy)]
pub(crate) enum Back {
    /// A new part at its place, inside objects of these names.
    Start(&'static [&'static str]),
    /// A new part after the others.
    Push,
    /// A new part after the others for a call, whose input is set when the call ends.
    PushCall,
    /// A piece of the text in this member of a part. The second name is the end of the part's type.
    Text(&'static str, &'static str),
    /// The value of this member of a part.
    Set(&'static str, &'static str),
    /// A piece of the JSON text of this member of a part.
    Json(&'static str, &'static str),
    /// An element of the list in this member of a part.
    Element(&'static str, &'static str),
    /// A destination in a part inside objects of these names. A text or a value creates the part if it is new.
    Within(&'static [&'static str], &'static Back),
    /// A text, a list or another value, or a piece of it, for this member of the message itself.
    Own(&'static str),
    /// A call in the older form of chats, which had one call and no list.
    OlderCall,
    /// A list of all parts, which replaces the parts so far if it is longer.
    All,
    /// A value that the message cannot be sent back with.
    Spoils,
}

/// Returns true if a type matches a pattern of [`Wire::events`].
pub(crate) fn matches(patterns: &str, kind: &str) -> bool {
    patterns.split('|').any(|pattern| match pattern.split_once('*') {
        None => pattern == kind,
        Some((start, end)) => kind.len() >= start.len() + end.len() && kind.starts_with(start) && kind.ends_with(end),
    })
}
