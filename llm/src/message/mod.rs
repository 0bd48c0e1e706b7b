//! The assistant's message in the provider's own shape, composed from the events for the next request.
//!
//! Composed only if the caller asks for it. This module reads no events: the rows of the wire's table name the part and
//! the member to add a value to. Text keeps its original spelling, escapes included, because the concatenated pieces of
//! a JSON string are a piece of a JSON string.
//!
//! There is no message if a part of it is missing, because it exceeded the limit or an event could not be read.

mod accepted;
mod calls;
mod part;
mod send_back;
mod whole;

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

pub(crate) use self::send_back::{Back, Sent};
use crate::calls::{Numbered, ToolCall};
use crate::json::{Node, inside, quoted};
use crate::payload::Payload;

/// The code that composes a message of a shape. The functions are pointers, so that only programs that name a composer
/// link them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Composer {
    /// The shape of the assistant's message in the next request.
    shape: Shape,
    add: fn(&mut Turn, &'static Back, Node<'_>, Option<u64>, Sent),
    end_call: fn(&mut Turn, &ToolCall<'_>, &Payload<'_>),
}

impl Composer {
    pub(crate) fn new(shape: Shape) -> Self {
        Self { shape, add: Turn::add_value, end_call: Turn::add_call }
    }
}

/// The shape of a message around its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// An object of this role, with its parts in a list under this name.
    Object { role: &'static str, list: &'static str, ids: Ids },
    /// Like `Object` with the role `assistant`, but with the calls in another list, as in OpenAI's chat format.
    WithCalls { list: &'static str, ids: Ids },
    /// A list of OpenAI's items.
    Items,
    /// A list of Gemini's steps.
    Steps,
}

/// The use of call ids in a format's requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ids {
    /// A result refers to its call by id. Servers refuse calls without an id, or with another call's id.
    Needed,
    /// Results are matched with calls by order or by name.
    Optional,
}

/// A message that is being composed.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    composer: Composer,
    shape: Shape,
    /// The members of the message other than the list of parts.
    own: Part,
    parts: Numbered<Part>,
    /// The place after the last part.
    next: u64,
    /// The ended calls, and the additional members of open calls by call number.
    calls: String,
    extras: Numbered<String>,
    /// The calls that were reported as complete, for comparison with the calls in the message, and their total length.
    ended: Vec<Ended>,
    ended_len: usize,
    /// True if the message's call is in the deprecated form without a list.
    has_older_call: bool,
    /// The part of an open call whose arguments are sent as values by path.
    pending: Option<u64>,
    /// The length of the message and its limit.
    len: usize,
    most: usize,
    is_spoilt: bool,
    /// True if a call is not complete. Servers refuse it, and with it every request that contains the message.
    has_bad_call: bool,
    /// True if the message has ended and no other one has begun: the next event belongs to another message.
    pub(crate) is_over: bool,
    /// True if a part of the next message is missing.
    spoils_next: bool,
}

/// A call that was reported as complete.
#[derive(Clone, Debug)]
struct Ended {
    id: String,
    name: String,
    /// The JSON text of its value, or its text if the input is not JSON.
    input: String,
    is_client_s: bool,
}

/// The object that was sent at the part's start, and the members that were added or replaced since.
#[derive(Clone, Debug, Default)]
struct Part {
    /// The names of the objects that it is wrapped in, outermost first.
    wrapped: &'static [&'static str],
    base: String,
    /// The type and the id in that object.
    kind: String,
    id: String,
    changed: Vec<(&'static str, Value)>,
}

#[derive(Clone, Debug)]
enum Value {
    /// The text between the quotes of a string, with its escapes.
    Text(String),
    /// The text between the brackets of a list.
    List(String),
    /// Any value.
    Json(String),
}

/// The largest number of parts in a message whose parts have indices.
const MOST_PARTS: usize = 1 << 12;
/// The member for a call in the deprecated form without a list.
const OLDER_CALL: &str = "function_call";

/// The overhead that is counted for each part.
const PART_LEN: usize = 64;

impl Turn {
    /// Creates a message of at most `most` bytes.
    pub(crate) fn new(composer: Composer, most: usize) -> Self {
        Self {
            composer,
            shape: composer.shape,
            own: Part::default(),
            parts: Numbered::default(),
            next: 0,
            calls: String::new(),
            extras: Numbered::default(),
            ended: Vec::new(),
            ended_len: 0,
            has_older_call: false,
            pending: None,
            len: 0,
            most,
            is_spoilt: false,
            has_bad_call: false,
            is_over: false,
            spoils_next: false,
        }
    }

    /// Adds a value of the only answer, which stands in the part at `index` or in the last one.
    pub(crate) fn add(&mut self, back: &'static Back, value: Node<'_>, index: Option<u64>, sent: Sent) {
        (self.composer.add)(self, back, value, index, sent);
    }

    /// Adds a call of the only answer that has ended.
    pub(crate) fn end_call(&mut self, call: &ToolCall<'_>, input: &Payload<'_>) {
        (self.composer.end_call)(self, call, input);
    }

    /// Starts another message.
    pub(crate) fn begin(&mut self) {
        *self = Self { shape: self.shape, ..Self::new(self.composer, self.most) };
    }

    /// Ends the message: the next event belongs to another one.
    pub(crate) fn end(&mut self) {
        self.is_over = true;
    }

    /// Returns true if no part of the next message has been read, not even its shape.
    pub(crate) fn is_before_next(&self) -> bool {
        let is_empty = self.len + self.ended_len == 0 && self.pending.is_none();
        let is_new = if self.is_over { !self.spoils_next } else { is_empty && !self.is_spoilt && !self.has_bad_call };
        is_new && self.shape == self.composer.shape
    }

    /// Sets the shape of the message, for formats with two shapes.
    pub(crate) fn be(&mut self, shape: Shape) {
        self.shape = shape;
        self.calls.clear();
    }

    /// Records that a part of the message is missing, or of the next one if this one is over.
    pub(crate) fn spoil(&mut self) {
        if self.is_over {
            self.spoils_next = true;
        } else {
            self.refute();
        }
    }

    /// Records that this message is not what was reported, even if it is over.
    pub(crate) fn refute(&mut self) {
        self.begin();
        self.is_spoilt = true;
    }

    /// Begins the next message if this one is over.
    fn begin_next(&mut self) {
        if self.is_over {
            let is_spoilt = self.spoils_next;
            self.begin();
            self.is_spoilt = is_spoilt;
        }
    }

    /// Counts the length of an addition. Returns false if the message exceeds its limit or is incomplete.
    fn takes(&mut self, len: usize) -> bool {
        self.begin_next();
        self.len = self.len.saturating_add(len);
        if self.len > self.most && !self.is_spoilt {
            self.spoil();
        }
        !self.is_spoilt
    }

    /// Starts a part with this object, which may be missing.
    fn start(&mut self, place: u64, wrapped: &'static [&'static str], base: &str) {
        let is_too_much = self.parts.len() >= MOST_PARTS && place < self.next;
        // The previous part at this place would be lost.
        let is_lost = self.shape != Shape::Items
            && self.parts.get(place).is_some_and(|part| !part.changed.is_empty() || part.base != base);
        if is_too_much || (is_lost && !self.is_over) {
            self.spoil();
        }
        if self.takes(base.len() + PART_LEN) {
            self.parts.remove(place);
            self.parts.insert(place, Part::new(wrapped, base));
            self.next = self.next.max(place.saturating_add(1));
        }
    }

    /// Starts an empty part in this wrapping, unless there is a part at this place.
    fn start_if_new(&mut self, place: u64, wrapped: &'static [&'static str]) {
        self.begin_next();
        if !self.parts.contains(place) {
            self.start(place, wrapped, "");
        }
        self.expect_wrapped(place, wrapped);
    }

    /// Marks the message as incomplete if the part at a place has another wrapping, so what is added would not be sent
    /// back as part of it.
    fn expect_wrapped(&mut self, place: u64, wrapped: &[&str]) {
        if self.parts.get(place).is_some_and(|part| part.wrapped != wrapped) {
            self.spoil();
        }
    }

    /// Marks the message as incomplete if the type of the part at a place does not end with `end`.
    fn expect_type(&mut self, place: u64, end: &str) {
        if self.parts.get(place).is_some_and(|part| !part.kind.ends_with(end)) {
            self.spoil();
        }
    }

    /// Appends a part and returns its place.
    fn push(&mut self, base: &str) -> u64 {
        let place = self.next;
        self.start(place, &[], base);
        place
    }

    /// Returns the part at a place, or the message itself for `None`, to add `len` bytes to. Returns `None` if the
    /// limit is exceeded or the part's start was lost.
    fn part(&mut self, place: Option<u64>, len: usize) -> Option<&mut Part> {
        if !self.takes(len) {
            return None;
        }
        match place {
            Some(place) if !self.parts.contains(place) => {
                self.spoil();
                None
            }
            Some(place) => self.parts.get_mut(place),
            None => Some(&mut self.own),
        }
    }

    /// Appends a JSON string to a string member of a part or, for `None`, of the message itself.
    fn text(&mut self, place: Option<u64>, name: &'static str, piece: &str) {
        let Some(piece) = inside(piece, '"').filter(|piece| !piece.is_empty()) else { return };
        let Some(part) = self.part(place, piece.len()) else { return };
        match part.value(name, '"', Value::Text) {
            Value::Text(text) => text.push_str(piece),
            // Mistral sends some of its content as strings and some as lists.
            Value::List(list) => push_element(list, &text_part(piece)),
            Value::Json(_) => self.spoil(),
        }
    }

    /// Appends to a string member of the message itself. The text is a piece, or everything so far.
    fn so_far(&mut self, name: &'static str, text: &str) {
        self.begin_next();
        let known = self.own.changed.iter().find(|(known, _)| *known == name);
        let rest = match (known, inside(text, '"')) {
            (Some((_, Value::Text(known))), Some(text)) => text.strip_prefix(known.as_str()),
            _ => None,
        };
        match rest {
            Some(rest) => self.text(None, name, &["\"", rest, "\""].concat()),
            None => self.text(None, name, text),
        }
    }

    /// Appends an element to a list member.
    fn element(&mut self, place: Option<u64>, name: &'static str, element: &str) {
        if element.is_empty() {
            return;
        }
        let Some(part) = self.part(place, element.len() + 1) else { return };
        let value = part.value(name, '[', Value::List);
        if let Value::Text(text) = value {
            *value = Value::List(text_part(text));
        }
        match value {
            Value::List(list) => push_element(list, element),
            _ => self.spoil(),
        }
    }

    /// Sets a member to a value, replacing the previous one.
    fn set(&mut self, place: Option<u64>, name: &'static str, value: &str) {
        if value.is_empty() {
            return;
        }
        if let Some(part) = self.part(place, value.len()) {
            part.changed.retain(|(known, _)| *known != name);
            part.changed.push((name, Value::Json(value.to_owned())));
        }
    }

    /// Appends a piece of a member's JSON text.
    fn json(&mut self, place: Option<u64>, name: &'static str, piece: Node<'_>) {
        let Some(piece) = piece.text() else { return self.set(place, name, piece.given()) };
        if piece.is_empty() {
            return;
        }
        let Some(part) = self.part(place, piece.len()) else { return };
        match part.changed.iter_mut().find(|(known, _)| *known == name) {
            Some((_, Value::Json(json))) => json.push_str(piece),
            Some(_) => self.spoil(),
            None => part.changed.push((name, Value::Json(piece.to_owned()))),
        }
    }

    /// Returns true if the part at a place belongs to the call with this id.
    fn is_part_of(&self, place: u64, id: &str) -> bool {
        !id.is_empty() && self.parts.get(place).is_some_and(|part| part.id == id)
    }
}

/// The type of an item of reasoning, which OpenAI accepts only with the item that followed it.
const ITEM_OF_REASONING: &str = "reasoning";

/// Returns the text between a JSON string's quotes as a part of a list.
fn text_part(text: &str) -> String {
    [r#"{"type":"text","text":""#, text, "\"}"].concat()
}

fn push_element(list: &mut String, element: &str) {
    if !list.is_empty() {
        list.push(',');
    }
    list.push_str(element);
}
