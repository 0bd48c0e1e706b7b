//! A tree built from events, as users of an event parser build by hand to show a partial value.
//!
//! Open containers are on a stack, so an event needs no walk from the root. The tree can be read at any time.

use serde_json::{Map, Number, Value};

use crate::output::Seen;
use crate::track::Handler;

#[derive(Debug)]
enum Open {
    Object(Map<String, Value>, String),
    Array(Vec<Value>),
}

/// The document so far.
#[derive(Debug, Default)]
pub struct Tree {
    open: Vec<Open>,
    /// The open string, if the parser reports strings in pieces.
    text: Option<String>,
    root: Option<Value>,
}

impl Tree {
    /// Returns the finished document.
    pub fn into_value(self) -> Option<Value> {
        self.root
    }

    #[inline]
    fn add(&mut self, value: Value) {
        match self.open.last_mut() {
            Some(Open::Object(map, key)) => {
                map.insert(std::mem::take(key), value);
            }
            Some(Open::Array(items)) => items.push(value),
            None => self.root = Some(value),
        }
    }

    /// Appends a piece of an open string.
    #[inline]
    pub fn piece(&mut self, text: &str, last: bool) {
        let open = self.text.get_or_insert_default();
        open.push_str(text);
        if last {
            let whole = self.text.take().unwrap_or_default();
            self.add(Value::String(whole));
        }
    }

    /// Sets the key of the next member, from an owned string.
    #[inline]
    pub fn owned_key(&mut self, name: String) {
        if let Some(Open::Object(_, key)) = self.open.last_mut() {
            *key = name;
        }
    }

    pub fn float(&mut self, value: f64) {
        self.add(Number::from_f64(value).map_or(Value::Null, Value::Number));
    }
}

impl Handler for Tree {
    #[inline]
    fn begin_object(&mut self) {
        self.open.push(Open::Object(Map::new(), String::new()));
    }
    #[inline]
    fn begin_array(&mut self) {
        self.open.push(Open::Array(Vec::new()));
    }
    #[inline]
    fn end(&mut self) {
        match self.open.pop() {
            Some(Open::Object(map, _)) => self.add(Value::Object(map)),
            Some(Open::Array(items)) => self.add(Value::Array(items)),
            None => {}
        }
    }
    #[inline]
    fn key(&mut self, name: &str) {
        self.owned_key(name.to_owned());
    }
    #[inline]
    fn string(&mut self, text: &str) {
        self.add(Value::String(text.to_owned()));
    }
    #[inline]
    fn number(&mut self, text: &str) {
        let number = if let Ok(whole) = text.parse::<i64>() {
            Some(Number::from(whole))
        } else {
            text.parse::<f64>().ok().and_then(Number::from_f64)
        };
        self.add(number.map_or(Value::Null, Value::Number));
    }
    #[inline]
    fn bool(&mut self, value: bool) {
        self.add(Value::Bool(value));
    }
    #[inline]
    fn null(&mut self) {
        self.add(Value::Null);
    }
}

impl Seen for Tree {
    fn to_value(&self) -> Option<Value> {
        let mut inner = self.text.as_ref().map(|text| Value::String(text.clone()));
        for open in self.open.iter().rev() {
            inner = Some(match open {
                Open::Object(map, key) => {
                    let mut map = map.clone();
                    if let Some(value) = inner {
                        map.insert(key.clone(), value);
                    }
                    Value::Object(map)
                }
                Open::Array(items) => {
                    let mut items = items.clone();
                    items.extend(inner);
                    Value::Array(items)
                }
            });
        }
        inner.or_else(|| self.root.clone())
    }
}
