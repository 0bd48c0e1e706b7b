//! Damages to a stream.

use std::collections::{BTreeMap, HashMap, HashSet};

use jsonspigot::{DuplicateKeys, Parser};
use serde_json::{Value, json};

/// A damage to a stream, and its position.
#[derive(Clone, Debug)]
pub(super) enum Damage {
    /// Only the first events arrive.
    Cut(usize),
    Drop(usize),
    Repeat(usize),
    /// The event comes after the next one.
    Swap(usize),
    /// An object has an additional unknown member.
    Extend {
        at: usize,
        place: String,
    },
    /// An object has a member that objects in its place have in other events.
    Misplace {
        at: usize,
        place: String,
        member: String,
        value: Value,
    },
    /// A member is of another type.
    Retype {
        at: usize,
        place: String,
        was: Value,
        wrong: Value,
    },
}

impl Damage {
    /// Returns the number of events before the damage.
    pub(super) fn from(&self) -> usize {
        match *self {
            Self::Cut(at) | Self::Drop(at) | Self::Repeat(at) | Self::Swap(at) => at,
            Self::Extend { at, .. } | Self::Misplace { at, .. } | Self::Retype { at, .. } => at,
        }
    }

    /// Returns true if this member has become a number.
    pub(super) fn is_number_in(&self, member: &str) -> bool {
        matches!(self, Self::Retype { place, wrong, .. } if place == member && wrong.is_number())
    }

    /// Returns true if a meaningful member has another type, outside of texts of a model or a tool.
    pub(super) fn is_of_another_type(&self) -> bool {
        let Self::Retype { place, was, wrong, .. } = self else { return false };
        let kind = |value: &Value| match value {
            Value::Number(_) => 0,
            Value::Bool(_) => 1,
            Value::String(_) => 2,
            Value::Array(_) => 3,
            _ => 4,
        };
        let is_nothing = wrong.is_null() || *wrong == "" || *wrong == json!({}) || was.is_null();
        // A string that is replaced by a number may have been a piece of what a model wrote; in an object, it is the value.
        let own = ["input", "arguments", "args", "parameters", "executableCode", "functionInvocationInput"];
        let written = "action operation queries query revised_prompt pending_safety_checks environment changes";
        let is_piece = was.is_string() && !wrong.is_object();
        let (parents, last) = place.rsplit_once('/').unwrap_or_default();
        let is_own = place.split('/').any(|name| written.split(' ').any(|own| own == name))
            || parents.split('/').any(|name| own.contains(&name))
            || (own.contains(&last) && !is_piece)
            // The input of a step of Codex.
            || place == "/item/command";
        !is_nothing && kind(was) != kind(wrong) && !is_own
    }

    /// Returns true if an id has another type: the object then has no owner.
    pub(super) fn takes_an_id(&self) -> bool {
        let Self::Retype { place, .. } = self else { return false };
        place.ends_with("/id") || place.ends_with("_id") || place.ends_with("Id")
    }

    /// Returns true if the undamaged event was repeated: the other one repeats nothing now.
    pub(super) fn parts_a_repetition(&self, whole: &[String]) -> bool {
        whole.get(self.from()).is_some_and(|own| whole.iter().filter(|event| *event == own).count() > 1)
    }

    pub(super) fn events(&self, events: &[String]) -> Vec<String> {
        let mut events = events.to_vec();
        match self {
            Self::Cut(at) => events.truncate(*at),
            Self::Drop(at) => drop(events.remove(*at)),
            Self::Repeat(at) => events.insert(*at, events[*at].clone()),
            Self::Swap(at) => events.swap(*at, at + 1),
            Self::Extend { at, place } => {
                let mut event: Value = serde_json::from_str(&events[*at]).unwrap();
                event.pointer_mut(place).unwrap()["hologram"] = json!("what nobody has heard of");
                events[*at] = event.to_string();
            }
            Self::Misplace { at, place, member, value } => {
                let mut event: Value = serde_json::from_str(&events[*at]).unwrap();
                event.pointer_mut(place).unwrap()[member] = value.clone();
                events[*at] = event.to_string();
            }
            Self::Retype { at, place, wrong, .. } => {
                let mut event: Value = serde_json::from_str(&events[*at]).unwrap();
                *event.pointer_mut(place).unwrap() = wrong.clone();
                events[*at] = event.to_string();
            }
        }
        events
    }
}

/// Collects the pointers of all members and elements in an event.
pub(crate) fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(members) => {
            let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
            members.iter().map(|(name, value)| (format!("{at}/{}", escaped(name)), value)).collect()
        }
        Value::Array(elements) => {
            (0..).zip(elements).map(|(index, value): (usize, _)| (format!("{at}/{index}"), value)).collect()
        }
        _ => Vec::new(),
    };
    for (place, value) in inner {
        found.push(place.clone());
        places(value, &place, found);
    }
}

/// Reads an event, to damage its value. Nothing for one that has a member twice: its value would have lost the first.
fn read(event: &str) -> Option<Value> {
    let mut parser = Parser::builder().duplicate_keys(DuplicateKeys::Reject).build();
    parser.feed(event).check().ok()?;
    parser.finish().check().ok()?;
    parser.deserialize().ok()
}

/// Returns damages that add an unknown member to one object after the other, in the first of similar events.
pub(super) fn extended(events: &[String], _: bool) -> Vec<Damage> {
    let mut seen = HashSet::new();
    let mut damages = Vec::new();
    for (at, event) in events.iter().enumerate() {
        let Some(event) = read(event) else { continue };
        let mut found = vec![String::new()];
        places(&event, "", &mut found);
        let is_first = seen.insert(found.clone());
        // Texts of a model or a tool have members of their own.
        let written = [
            "action",
            "args",
            "arguments",
            "input",
            "operation",
            "output",
            "outputs",
            "parameters",
            "pending_safety_checks",
        ];
        let is_written = |place: &str| {
            place.strip_prefix("/response/output").unwrap_or(place).split('/').any(|name| written.contains(&name))
        };
        let is_meant =
            |place: &String| is_first && !is_written(place) && event.pointer(place).is_some_and(Value::is_object);
        let objects = found.into_iter().filter(is_meant);
        damages.extend(objects.map(|place| Damage::Extend { at, place }));
    }
    damages
}

/// Returns a value with its own words in place of each string that is not its type.
fn in_other_words(value: &Value) -> Value {
    match value {
        Value::String(_) => json!("what stands in the wrong place"),
        Value::Array(elements) => elements.iter().map(in_other_words).collect(),
        Value::Object(members) => {
            let other = |(name, value): (&String, &Value)| {
                (name.clone(), if name == "type" { value.clone() } else { in_other_words(value) })
            };
            Value::Object(members.iter().map(other).collect())
        }
        other => other.clone(),
    }
}

/// Returns damages that add a member of a similar object in another event, to one object after the other, in the first
/// of similar events.
pub(super) fn misplaced(events: &[String], is_full: bool) -> Vec<Damage> {
    let read: Vec<Option<Value>> = events.iter().map(|event| read(event)).collect();
    let mut known: BTreeMap<String, BTreeMap<&String, &Value>> = BTreeMap::new();
    for event in read.iter().flatten() {
        let mut found = vec![String::new()];
        places(event, "", &mut found);
        for place in found {
            if let Some(members) = event.pointer(&place).and_then(Value::as_object) {
                let of_place = known.entry(place).or_default();
                for (name, value) in members.iter().filter(|(name, _)| !["type", "event_type"].contains(&name.as_str()))
                {
                    of_place.entry(name).or_insert(value);
                }
            }
        }
    }
    let (mut seen, mut number) = (HashSet::new(), 0);
    let mut damages = Vec::new();
    for (at, event) in (0..).zip(&read).filter_map(|(at, event)| Some((at, event.as_ref()?))) {
        let mut found = vec![String::new()];
        places(event, "", &mut found);
        let kind = event["type"].to_string();
        if !seen.insert((kind, found.clone())) {
            continue;
        }
        // A call that has begun may say anything until it is done.
        let is_open = event["type"] == "response.output_item.added"
            && event["item"]["type"].as_str().is_some_and(|kind| kind.ends_with("_call"));
        for place in found.into_iter().filter(|place| !(is_open && place.starts_with("/item"))) {
            let Some(members) = event.pointer(&place).and_then(Value::as_object) else { continue };
            for (member, value) in &known[&place] {
                number += 1;
                if !members.contains_key(*member) && (is_full || number % 3 == 0) {
                    let (member, value) = ((*member).clone(), in_other_words(value));
                    damages.push(Damage::Misplace { at, place: place.clone(), member, value });
                }
            }
        }
    }
    damages
}

/// One in this many damages of a large number is tried.
const SAMPLE: usize = 13;

/// Returns the positions where events are dropped, repeated and swapped: at each event that differs in its members from
/// a neighbour, and at a sample of the others.
pub(super) fn places_of_change(events: &[String], is_full: bool) -> impl Iterator<Item = usize> {
    let members: Vec<_> = events
        .iter()
        .map(|event| {
            let mut found = Vec::new();
            places(&serde_json::from_str(event).unwrap_or_default(), "", &mut found);
            found
        })
        .collect();
    (0..events.len()).filter(move |&at| {
        let is_within = at > 0 && members.get(at + 1) == Some(&members[at]) && members[at - 1] == members[at];
        is_full || !is_within || at % SAMPLE == 0
    })
}

/// Returns damages that give each member every wrong type, in order.
pub(super) fn retyped(events: &[String], is_full: bool) -> Vec<Damage> {
    let read: Vec<Option<(Value, Vec<String>)>> = events
        .iter()
        .map(|event| {
            let event = read(event)?;
            let mut found = Vec::new();
            places(&event, "", &mut found);
            Some((event, found))
        })
        .collect();
    // Of events that are alike, the first and the last.
    let mut last: HashMap<&[String], usize> = HashMap::new();
    for (at, event) in read.iter().enumerate() {
        if let Some((_, places)) = event {
            last.insert(places, at);
        }
    }
    let mut seen: HashSet<&[String]> = HashSet::new();
    let mut damages = Vec::new();
    for (at, (event, found)) in read.iter().enumerate().filter_map(|(at, read)| Some((at, read.as_ref()?))) {
        if !seen.insert(found) && last[found.as_slice()] != at && !is_full {
            continue;
        }
        for place in found {
            for wrong in [json!(null), json!(5), json!(true), json!({}), json!({"x": 1}), json!([1]), json!("")] {
                let member = event.pointer(place).unwrap();
                if *member != wrong {
                    damages.push(Damage::Retype { at, place: place.clone(), was: member.clone(), wrong });
                }
            }
        }
    }
    if !is_full {
        let mut number = 0;
        damages.retain(|_| {
            number += 1;
            number % SAMPLE == 0
        });
    }
    damages
}
