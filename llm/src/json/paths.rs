//! Paths from a value of an event to other values. A path consists of member names, separated by `.`; `name[]` selects
//! each element of a list. Alternative paths are separated by `|`; the first path that selects a non-empty value is used.

use super::tree::{NONE, Node};

impl<'e> Node<'e> {
    /// Returns the first non-empty value that one of these paths, separated by `|`, selects; a missing value if they
    /// select nothing. The path `.` or `""` selects the value itself.
    pub(crate) fn get(self, paths: &str) -> Self {
        let (mut found, mut paths) = (self.at(NONE), paths);
        loop {
            let len = paths.bytes().position(|byte| byte == b'|').unwrap_or(paths.len());
            let (path, rest) = paths.split_at(len);
            self.walk(path, false, &mut |node| {
                if found.at == NONE && !node.is_nothing() {
                    found = node;
                }
            });
            if found.at != NONE || rest.is_empty() {
                return found;
            }
            paths = rest.get(1..).unwrap_or_default();
        }
    }

    /// Returns the value at a path; a missing value if it is `null` or the path is empty.
    pub(crate) fn raw(self, path: &str) -> Self {
        let mut found = self.at(NONE);
        if !path.is_empty() {
            self.walk(path, true, &mut |node| found = node);
        }
        found
    }

    /// Returns true if a member on a path is present but empty, or if the list at its end has a `null` element.
    pub(crate) fn lacks(self, path: &str) -> bool {
        let mut value = self;
        for step in path.split('.') {
            value = value.member(step.trim_end_matches("[]"));
            if !value.is_anything() {
                return value.is_there();
            }
        }
        value.is_list() && !value.children().all(Self::is_given)
    }

    /// Returns the word at the first of these paths that has one, and marks it as read.
    pub(crate) fn word_at(self, paths: &str) -> &'e str {
        if paths.is_empty() { "" } else { self.read_at(paths, Self::word) }
    }

    /// Returns the text at the first of these paths that has one, and marks it as read. Unlike in
    /// [`word_at`](Self::word_at), a number is not a text.
    pub(crate) fn text_at(self, paths: &str) -> &'e str {
        self.read_at(paths, Self::said)
    }

    fn read_at(self, paths: &str, read: fn(Self) -> &'e str) -> &'e str {
        let mut found = "";
        self.each(paths, &mut |value| found = read(value));
        found
    }

    /// Returns the value as an index: a number, or a string with one, as some servers send it. Any other non-empty
    /// value is a flaw.
    pub(crate) fn index(self) -> Option<u64> {
        let digits = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit());
        let index =
            if self.is_string() { self.text().filter(digits).and_then(|text| text.parse().ok()) } else { self.whole() };
        if index.is_none() && (self.is_true() || self.is_object() && self.says_something() || self.is_list()) {
            self.flaw();
        }
        if index.is_some() || self.is_nothing() {
            self.read()
        } else {
            self.shown()
        };
        index
    }

    /// Returns the value as an id. A non-empty list or object is a flaw.
    pub(crate) fn id(self) -> &'e str {
        if self.is_list() || self.is_object() && self.says_something() {
            self.flaw();
        }
        self.word()
    }

    /// Passes each value at a path to `found`. With several paths, passes only the first non-empty value. A step
    /// `name[]` selects each element of a list; an object in place of the list counts as its only element. Marks the
    /// containers on the path as entered.
    pub(crate) fn each(self, paths: &str, found: &mut dyn FnMut(Self)) {
        if !paths.bytes().any(|byte| byte == b'|') {
            return self.walk(paths, true, found);
        }
        let Some(path) = paths.split('|').find(|path| self.get(path).is_there()) else { return };
        let mut is_first = true;
        self.walk(path, true, &mut |value| {
            if is_first && !value.is_nothing() {
                is_first = false;
                found(value);
            }
        });
    }

    fn walk(mut self, mut path: &str, is_entering: bool, found: &mut dyn FnMut(Self)) {
        while !matches!(path, "" | ".") {
            let (step, rest) = path.split_at(path.bytes().position(|byte| byte == b'.').unwrap_or(path.len()));
            path = rest.get(1..).unwrap_or_default();
            let (name, is_each) = step.strip_suffix("[]").map_or((step, false), |name| (name, true));
            let value = if name.is_empty() { self } else { self.member(name) };
            if is_entering && !name.is_empty() && (self.is_unread() || value.is_there()) {
                if self.is_object() {
                    self.enter()
                } else {
                    self.torn()
                };
            }
            if !value.is_given() {
                return;
            }
            if is_each && value.is_list() {
                if is_entering {
                    value.enter();
                }
                let elements = value.children().filter(|element| element.is_given());
                return elements.for_each(|element| element.walk(path, is_entering, found));
            }
            if is_each && !value.is_object() {
                if is_entering && value.is_unread() {
                    value.torn();
                }
                return;
            }
            self = value;
        }
        found(self);
    }
}
