//! Matches the events of a parser against a path, as users of a library without paths do by hand.
//!
//! [`Handler`] is a common interface for such events, so that one small driver per contender serves every task.

use crate::output::Sink;
use crate::payload::Step;

/// A handler of the events of a parser that reports only whole strings.
pub trait Handler {
    fn begin_object(&mut self);
    fn begin_array(&mut self);
    fn end(&mut self);
    fn key(&mut self, key: &str);
    fn string(&mut self, text: &str);
    fn number(&mut self, text: &str);
    fn bool(&mut self, value: bool);
    fn null(&mut self);
}

/// Tracks whether the next value is at the path, in constant time per event.
#[derive(Debug)]
pub struct Track {
    path: &'static [Step],
    /// The number of open containers.
    open: usize,
    /// The number of open containers, from the root, that are on the path.
    on_path: usize,
    /// True if the next value in the innermost open container is on the path.
    next: bool,
}

impl Track {
    pub fn new(path: &'static [Step]) -> Self {
        Self { path, open: 0, on_path: 0, next: true }
    }

    #[inline]
    pub fn begin(&mut self) {
        if self.next && self.on_path == self.open {
            self.on_path += 1;
        }
        self.open += 1;
        self.enter();
    }

    #[inline]
    pub fn end(&mut self) {
        self.on_path = self.on_path.min(self.open - 1);
        self.open -= 1;
        self.enter();
    }

    /// Enters a container. In an array a wildcard matches every element; in an object each key is matched separately.
    #[inline]
    fn enter(&mut self) {
        self.next = self.on_path == self.open && self.open > 0 && self.path.get(self.open - 1) == Some(&Step::Any);
    }

    #[inline]
    pub fn key(&mut self, key: &str) {
        if self.on_path == self.open {
            self.next = match self.path.get(self.open - 1) {
                Some(Step::Key(wanted)) => *wanted == key,
                Some(Step::Any) => true,
                None => false,
            };
        }
    }

    /// Returns true if the path selects the next value.
    #[inline]
    pub fn hit(&self) -> bool {
        self.next && self.on_path == self.open && self.open == self.path.len()
    }
}

/// A handler that passes the strings at a path to a sink.
#[derive(Debug)]
pub struct Picker<'s> {
    pub track: Track,
    pub sink: &'s mut Sink,
}

impl<'s> Picker<'s> {
    pub fn new(path: &'static [Step], sink: &'s mut Sink) -> Self {
        Self { track: Track::new(path), sink }
    }
}

impl Handler for Picker<'_> {
    #[inline]
    fn begin_object(&mut self) {
        self.track.begin();
    }
    #[inline]
    fn begin_array(&mut self) {
        self.track.begin();
    }
    #[inline]
    fn end(&mut self) {
        self.track.end();
    }
    #[inline]
    fn key(&mut self, key: &str) {
        self.track.key(key);
    }
    #[inline]
    fn string(&mut self, text: &str) {
        if self.track.hit() {
            self.sink.delta(text);
        }
    }
    #[inline]
    fn number(&mut self, _: &str) {}
    #[inline]
    fn bool(&mut self, _: bool) {}
    #[inline]
    fn null(&mut self) {}
}

/// A handler that ignores events, for validation.
#[derive(Debug)]
pub struct Ignore;

impl Handler for Ignore {
    #[inline]
    fn begin_object(&mut self) {}
    #[inline]
    fn begin_array(&mut self) {}
    #[inline]
    fn end(&mut self) {}
    #[inline]
    fn key(&mut self, _: &str) {}
    #[inline]
    fn string(&mut self, _: &str) {}
    #[inline]
    fn number(&mut self, _: &str) {}
    #[inline]
    fn bool(&mut self, _: bool) {}
    #[inline]
    fn null(&mut self) {}
}
