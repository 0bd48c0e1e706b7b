//! What a wire's table is made of. A row says what stands at a path in an event, what it means, and where it goes in the
//! message that is sent back. A table is `const` data; what it cannot say is a named hook.

use crate::calls::Executor;
use crate::emitter::Emitter;
use crate::emitter::said::Scope;
use crate::event::{BlockKind, OpaqueKind};
use crate::json::{Node, Unreadable, sign};

/// A wire format: how its events are told apart, and what each of them means.
pub(crate) struct Wire {
    /// The member that names an event's type; `""` where events have no type.
    pub(crate) kind: &'static str,
    /// The member that names the block or call an event is about.
    pub(crate) place: Spot,
    /// Rows by the event's type: the first pattern that matches counts, in which `*` stands for anything and `|` for
    /// another pattern. An event that none matches is not known.
    pub(crate) events: ByType,
    /// Rows of every known event, read after its own.
    pub(crate) always: Rows,
    /// Tells whether an event without a type is this wire's.
    pub(crate) is_known: fn(Node<'_>) -> bool,
    /// Members that events of these types need, by patterns and paths: without one, an event is not known.
    pub(crate) needed: &'static [(&'static str, &'static str)],
    /// What is done before the rows are read, such as to read another wire's event that this one wraps. If that fails,
    /// the event can't be read.
    pub(crate) before: fn(Node<'_>, &mut Emitter<'_>) -> Result<(), Unreadable>,
    /// The form of what is said, where no row says otherwise.
    pub(crate) form: Form,
    /// True if each id is the place of a message with an answer of its own, where the answer is JSON.
    pub(crate) is_message_by_id: bool,
}

pub(crate) type Rows = &'static [Row];
pub(crate) type ByType = &'static [(&'static str, Rows)];

pub(crate) type Choose = fn(&mut Emitter<'_>, Node<'_>, &Here<'_>) -> Rows;

impl Wire {
    /// A wire without types, places and repetitions, to be completed.
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
    /// See [`Node::each`]; of several paths, divided by `|`, the first that has something.
    pub(super) path: &'static str,
    /// The signs of the members that the path begins with: an object without them has nothing for the row.
    pub(super) signs: u64,
    pub(super) means: Means,
    /// True if an event without it is unreadable.
    pub(super) is_required: bool,
    pub(super) form: Form,
    pub(super) place: Spot,
    /// Asked about the object that the path starts at.
    pub(super) when: Option<fn(Node<'_>) -> bool>,
    pub(super) back: Option<Back>,
}

/// A row with the usual attributes.
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

/// Returns the signs of the names that the paths begin with, or of all names where one begins with the object itself.
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
    /// An object whose rows depend on what came before, among all that it may have.
    Chosen(Rows, Choose),
    /// One of several answers, with its number in this member, or in a list by its place where that is empty, and rows of
    /// its own.
    Choice(&'static str, Rows),
    /// A value that is known and says nothing of the answer.
    Silent,
    /// A value that other rows read, and that may go back. With escapes that stand for half of a surrogate pair, the event
    /// can't be read.
    Kept,
    /// A switch that the conditions of other rows ask for.
    Switch,
    /// An event with such a value can't be read.
    Unreadable,

    /// A message begins.
    Begins {
        id: &'static str,
        model: &'static str,
    },
    /// An event is part of a message, which begins with the first such event.
    Belongs {
        id: &'static str,
        model: &'static str,
    },
    /// The same on wires that may make an id for each event: another message begins if this event says something under
    /// another id, and the last one has ended, or has said something under an id that it had before.
    Follows {
        id: &'static str,
        model: &'static str,
        says_anything: fn(Node<'_>) -> bool,
    },
    /// The answer stops for a reason. Without one, `is_end` says whether it ends all the same.
    Stops {
        reason: &'static str,
        sequence: &'static str,
        is_end: bool,
    },
    /// Nothing more comes of the stream's message.
    EndsStream,

    Text,
    Reasoning,
    Refusal,
    /// A block begins, with its id in this member; with [`Form::SoFar`], unless it has begun before.
    Starts(BlockKind, &'static str),
    /// The block or call in this place ends.
    Ends,
    /// The block in this place ends, where calls have ends of their own.
    EndsBlock,

    /// A call begins; with [`Form::Whole`] it is all there.
    Call(&'static Called),
    /// A piece of a call's input, or all of it.
    Input,
    /// A piece of a call's input, which always is text.
    Fragment,
    /// A part of a call's input that another row reads, or another event repeats.
    PartOfInput,
    Result(&'static Outcome),
    Approval {
        id: &'static str,
        call: &'static str,
    },

    /// A value that has to go back as it is.
    Opaque(OpaqueKind, Owner),
    Source(&'static Cited),
    Media(&'static Shown),
    Usage,
    Filter,
    /// The application's own, under this name; under the event's type where it is empty.
    Data(&'static str),

    /// An error that ends the answer.
    Fails,
    /// An error beside the answer.
    Reports,
    /// A part that is not known, of the type in this member, or by this name.
    Unknown(&'static str, &'static str),
    /// The same for a piece: without an id of its own, a call that is open in its place is not whole.
    UnknownPiece(&'static str, &'static str),
    /// An object that names pieces of a call by this path, and may have none: then the open call is not whole.
    Lacks(&'static str),
    /// What a table can't say.
    Hook(fn(&mut Emitter<'_>, Node<'_>, &Here<'_>)),
}

/// Whether a value is a piece of what is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// The form of the object around it.
    #[default]
    Same,
    Piece,
    /// A piece on a wire that repeats its pieces as a whole, so that they are remembered.
    Noted,
    /// All of it, which may repeat what came in pieces.
    Whole(Scope),
    /// All of it so far, or a piece: the wire sends either.
    SoFar,
    /// All of it so far, beside a piece of it.
    Beside,
    /// A piece that need not name its place: then it continues the last one that did.
    Chunk,
}

impl Form {
    /// All of something that never comes in pieces.
    pub(crate) const ALL: Self = Self::Whole(Scope::Place);
}

/// Where a table says the place of a block or call is.
#[derive(Clone, Copy)]
pub(crate) enum Spot {
    /// Where the event's is.
    Same,
    /// Nowhere: text belongs to the run that is open, and a call's parts to the call that was touched last.
    Run,
    /// At the index in this member.
    Index(&'static str),
    /// At the id in this member.
    Id(&'static str),
    /// At the number of the element in its list.
    Position,
}

/// Where a value is: in which answer, and at which place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Here<'e> {
    pub(crate) choice: u64,
    pub(crate) place: Placed<'e>,
    pub(crate) form: Form,
}

/// A place as an event spells it.
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
    /// The block, which begins with it if it has not begun.
    Begun(BlockKind),
    Call,
    /// The call in this place, or else the block.
    Either,
}

/// Where a call's parts are.
pub(crate) struct Called {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) input: &'static str,
    pub(crate) executor: fn(Node<'_>) -> Executor,
}

/// Where the parts of a call's result are.
pub(crate) struct Outcome {
    /// The id of the call.
    pub(crate) of: &'static str,
    pub(crate) has_failed: fn(Node<'_>) -> bool,
    /// What it comes to, apart from what is about the event.
    pub(crate) value: &'static str,
    /// What is reported; the object itself where it is empty or not there.
    pub(crate) shown: &'static str,
}

/// Where a source's parts are.
pub(crate) struct Cited {
    pub(crate) url: &'static str,
    pub(crate) title: &'static str,
    pub(crate) quote: &'static str,
    /// The members for start and end: the first pair of which the end is there. A start that is left out is 0.
    pub(crate) spans: &'static [(&'static str, &'static str)],
    /// What tells a source from others where the wire repeats them, each of which is reported once.
    pub(crate) once: &'static str,
    pub(crate) is_in_block: bool,
    pub(crate) is_source: fn(Node<'_>) -> bool,
}

/// Where the parts of content that is not text are.
pub(crate) struct Shown {
    /// The name of one whose content can't be found, if it has no type.
    pub(crate) name: &'static str,
    pub(crate) media_type: &'static str,
    pub(crate) data: &'static str,
    pub(crate) url: &'static str,
    pub(crate) is_in_block: bool,
}

/// Where a value goes in the message that is sent back.
#[derive(Clone, Copy)]
pub(crate) enum Back {
    /// A part of its own, at its place, inside objects of these names.
    Start(&'static [&'static str]),
    /// A part of its own, after the others.
    Push,
    /// The same for a call whose input is known at its end.
    PushCall,
    /// A piece of a text in this member of the part, whose type ends so.
    Text(&'static str, &'static str),
    /// The value of this member of the part.
    Set(&'static str, &'static str),
    /// A piece of JSON text for this member of the part.
    Json(&'static str, &'static str),
    /// An element of a list in this member of the part.
    Element(&'static str, &'static str),
    /// The same for a part inside objects of these names. A text or a value begins the part if it is new.
    Within(&'static [&'static str], &'static Back),
    /// A text, a list or another value for this member of the message itself: a piece of it, or all of it.
    Own(&'static str),
    /// A call in the form that chats had before there were lists of them.
    OlderCall,
    /// A list of all parts, if not as many have come before.
    All,
    /// Something of the message that can't go back.
    Spoils,
}

/// Returns true if a type matches a pattern of [`Wire::events`].
pub(crate) fn matches(patterns: &str, kind: &str) -> bool {
    patterns.split('|').any(|pattern| match pattern.split_once('*') {
        None => pattern == kind,
        Some((start, end)) => kind.len() >= start.len() + end.len() && kind.starts_with(start) && kind.ends_with(end),
    })
}
