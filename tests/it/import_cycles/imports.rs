//! Finds import cycles among a package's files.
//!
//! The files of a folder and its subfolders, each subfolder as one, are the nodes of a graph; its edges are the paths
//! in them that lead from one to another, through re-exports to the file that has the item. Each folder's graph must
//! have no cycle, so every file can be understood from those below it alone. A folder's own `mod.rs` (or `main.rs`,
//! `lib.rs`) is not a node of its folder's graph: it is the folder's interface and may share its types with the files
//! in it.
//!
//! The files are not parsed but split into words, which is enough for the paths in them: those after `use`, and those
//! that begin with `crate`, `self` or `super`. Paths that a macro builds from words are not found.

use std::collections::{BTreeMap, BTreeSet};

/// A module's path from the root of its package: `["output", "lines"]`; the root itself is empty.
pub(crate) type Module = Vec<String>;

/// The files of a package.
#[derive(Default)]
pub(crate) struct Imports {
    files: BTreeMap<Module, File>,
}

/// The imports of one file.
#[derive(Default)]
struct File {
    /// The items that it defines.
    items: BTreeSet<String>,
    /// The names that `use` brings in, with what they stand for.
    names: BTreeMap<String, Module>,
    /// The modules from which `use` imports all names.
    globs: Vec<Module>,
    /// All paths into the package that it names.
    paths: BTreeSet<Module>,
}

impl Imports {
    /// Reads files by their place below the package's source folder, such as `event/mod.rs`. `package` is how its
    /// binaries name its library.
    pub(crate) fn read<'a>(package: &str, sources: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let sources: Vec<_> = sources.into_iter().map(|(place, text)| (module(place), words(text))).collect();
        let modules: BTreeSet<Module> = sources.iter().map(|(module, _)| module.clone()).collect();
        let mut imports = Self::default();
        for (module, words) in &sources {
            let reader = Reader { package, modules: &modules, inline: module.clone(), braces: Vec::new() };
            reader.read(words, imports.files.entry(module.clone()).or_default());
        }
        imports
    }

    /// Returns the edges between files, over all paths.
    pub(crate) fn edges(&self) -> BTreeSet<(Module, Module)> {
        let paths = |(from, file): (&Module, &File)| {
            let from = from.clone();
            file.paths.iter().map(|path| (from.clone(), self.file_of(path))).collect::<Vec<_>>()
        };
        self.files.iter().flat_map(paths).filter(|(from, to)| from != to).collect()
    }

    /// Returns the first cycle of each folder, as a line that names the files:
    /// `output: lines -> stream_lines -> lines (…)`.
    pub(crate) fn cycles(&self) -> Vec<String> {
        let mut folders: BTreeMap<Module, Graph> = BTreeMap::new();
        for (from, to) in self.edges() {
            let common = from.iter().zip(&to).take_while(|(from, to)| from == to).count();
            // Between a folder's own file and what lies in there anything goes.
            let (Some(a), Some(b)) = (from.get(common), to.get(common)) else { continue };
            let folder = from[..common].to_vec();
            let edge = (a.clone(), b.clone());
            let example = format!("{} uses {}", from.join("/"), to.join("/"));
            folders.entry(folder).or_default().edges.entry(edge).or_insert(example);
        }
        folders.iter().filter_map(|(folder, graph)| Some(format!("{}: {}", folder.join("/"), graph.cycle()?))).collect()
    }

    /// Returns the file in which a path ends, beyond all re-exports.
    fn file_of(&self, path: &[String]) -> Module {
        self.resolve(path, 16).0
    }

    /// Returns the file in which a path ends, and true if the named item was found there. `fuel` ends circles of names.
    fn resolve(&self, path: &[String], fuel: usize) -> (Module, bool) {
        let mut at = Module::new();
        for (place, name) in path.iter().enumerate() {
            let below: Module = at.iter().cloned().chain([name.clone()]).collect();
            let known = self.files.get(&at);
            if self.files.keys().any(|file| file.starts_with(&below)) {
                at = below;
                continue;
            }
            let Some(file) = known.filter(|_| fuel > 0) else { return (at, false) };
            let rest = &path[place + 1..];
            let further = |start: &Module| self.resolve(&[start, rest].concat(), fuel - 1);
            return match file.names.get(name) {
                Some(other) => further(other),
                None if file.items.contains(name) => (at, true),
                None => {
                    let from_globs = file.globs.iter().map(|glob| [&glob[..], &path[place..]].concat());
                    let found = from_globs.map(|path| self.resolve(&path, fuel - 1)).find(|(_, is_found)| *is_found);
                    found.unwrap_or((at, false))
                }
            };
        }
        (at, true)
    }
}

/// The edges of one folder, each with the files that make it.
#[derive(Default)]
struct Graph {
    edges: BTreeMap<(String, String), String>,
}

impl Graph {
    /// Returns a cycle with its edges' files, if there is one: nodes without edges are removed until none is left, or
    /// all of the others have edges.
    fn cycle(&self) -> Option<String> {
        let mut left = self.edges.clone();
        loop {
            let before = left.len();
            let sources: BTreeSet<String> = left.keys().map(|(from, _)| from.clone()).collect();
            left.retain(|(_, to), _| sources.contains(to));
            if left.len() == before {
                break;
            }
        }
        let mut walk: Vec<&String> = vec![&left.keys().next()?.0];
        loop {
            let last = walk[walk.len() - 1];
            let (_, next) = left.keys().find(|(from, _)| from == last)?;
            let start = walk.iter().position(|node| *node == next);
            walk.push(next);
            if let Some(start) = start {
                let cycle = &walk[start..];
                let names: Vec<_> = cycle.iter().map(|name| name.as_str()).collect();
                let edge = |pair: &[&String]| left[&(pair[0].clone(), pair[1].clone())].clone();
                let examples: Vec<_> = cycle.windows(2).map(edge).collect();
                return Some(format!("{} ({})", names.join(" -> "), examples.join(", ")));
            }
        }
    }
}

/// Returns the module of a file.
fn module(place: &str) -> Module {
    let mut names: Module = place.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    let is_face = names.last().is_some_and(|name| name == "mod");
    let is_root = names.len() == 1 && ["lib", "main"].contains(&names[0].as_str());
    if is_face || is_root {
        names.pop();
    }
    names
}

/// Cuts code into words: names, `::`, and single other characters. Comments, literals and lifetimes are left out.
fn words(code: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let name = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let len = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(hashes) = raw_string(rest) {
            let end = format!("\"{}", "#".repeat(hashes));
            let start = rest.find('"').map_or(rest.len(), |quote| quote + 1);
            rest[start..].find(&end).map_or(rest.len(), |at| start + at + end.len())
        } else if first == '"' {
            1 + quoted(&rest[1..], '"')
        } else if first == '\'' {
            let mut after = rest[1..].chars();
            let is_character = after.next() == Some('\\') || after.next() == Some('\'');
            if is_character { 1 + quoted(&rest[1..], '\'') } else { 1 }
        } else if name > 0 {
            words.push(&rest[..name]);
            name
        } else {
            let len = if rest.starts_with("::") { 2 } else { first.len_utf8() };
            words.extend((!first.is_whitespace()).then_some(&rest[..len]));
            len
        };
        rest = &rest[len..];
    }
    words
}

/// Returns the number of `#` of a raw string that begins here, if one does.
fn raw_string(code: &str) -> Option<usize> {
    let marks = code.strip_prefix("br").or_else(|| code.strip_prefix('r'))?;
    let hashes = marks.len() - marks.trim_start_matches('#').len();
    marks[hashes..].starts_with('"').then_some(hashes)
}

/// Returns the length of a literal up to and with its closing quote.
fn quoted(code: &str, quote: char) -> usize {
    let mut is_escaped = false;
    let end = code.char_indices().find(|&(_, character)| {
        let ends = character == quote && !is_escaped;
        is_escaped = character == '\\' && !is_escaped;
        ends
    });
    end.map_or(code.len(), |(at, _)| at + quote.len_utf8())
}

/// Reads one file's words.
struct Reader<'a> {
    package: &'a str,
    modules: &'a BTreeSet<Module>,
    /// The module that is being read, inline ones included.
    inline: Module,
    /// For each open brace, whether it is an inline module's.
    braces: Vec<bool>,
}

impl Reader<'_> {
    fn read(mut self, words: &[&str], file: &mut File) {
        let file_depth = self.inline.len();
        let mut at = 0;
        while let Some(&word) = words.get(at) {
            let next = words.get(at + 1).copied().unwrap_or_default();
            let before = at.checked_sub(1).map_or("", |before| words[before]);
            at += 1;
            match word {
                "{" => self.braces.push(false),
                "}" if self.braces.pop() == Some(true) => {
                    self.inline.pop();
                }
                "mod" if words.get(at + 1) == Some(&"{") => {
                    self.inline.push(next.to_owned());
                    self.braces.push(true);
                    at += 2;
                }
                "use" if next != "<" => {
                    let end = words[at..].iter().position(|word| *word == ";").map_or(words.len(), |end| at + end);
                    let is_own = self.inline.len() == file_depth;
                    self.tree(&words[at..end], &[], is_own, file);
                    at = end;
                }
                "struct" | "enum" | "trait" | "type" | "fn" | "const" | "static" if self.inline.len() == file_depth => {
                    file.items.insert(next.to_owned());
                }
                // Not the `pub(in crate::output)` of a visibility.
                "crate" | "self" | "super" if next == "::" && !["::", "in"].contains(&before) => {
                    let mut path = vec![word];
                    while words.get(at) == Some(&"::")
                        && let Some(name) = words.get(at + 1).filter(|name| name.starts_with(char::is_alphabetic))
                    {
                        path.push(*name);
                        at += 2;
                    }
                    file.paths.extend(self.absolute(&path));
                }
                _ => {}
            }
        }
    }

    /// Reads the tree of names after `use`, below the names of `stem`.
    fn tree(&self, tree: &[&str], stem: &[&str], is_own: bool, file: &mut File) {
        let mut depth = 0;
        let parts = tree.split(|word| {
            depth += i32::from(*word == "{") - i32::from(*word == "}");
            *word == "," && depth == 0
        });
        for part in parts.filter(|part| !part.is_empty()) {
            if let Some(open) = part.iter().position(|word| *word == "{") {
                let stem: Vec<&str> = stem.iter().chain(names(&part[..open]).iter()).copied().collect();
                self.tree(&part[open + 1..part.len() - 1], &stem, is_own, file);
                continue;
            }
            let (path, alias) = match part.iter().position(|word| *word == "as") {
                Some(at) => (&part[..at], part.last()),
                None => (part, None),
            };
            let mut path: Vec<&str> = stem.iter().chain(names(path).iter()).copied().collect();
            let is_glob = path.pop_if(|last| *last == "*").is_some();
            path.pop_if(|last| *last == "self");
            let Some(absolute) = self.absolute(&path) else { continue };
            if is_own && is_glob {
                file.globs.push(absolute.clone());
            } else if is_own && let Some(name) = alias.or(path.last()) {
                file.names.insert((*name).to_owned(), absolute.clone());
            }
            file.paths.insert(absolute);
        }
    }

    /// Returns a path from the package's root, unless it leads out of the package.
    fn absolute(&self, path: &[&str]) -> Option<Module> {
        let (mut at, mut rest) = (self.inline.clone(), path);
        match path {
            ["crate", ..] => (at, rest) = (Module::new(), &path[1..]),
            [first, ..] if *first == self.package => (at, rest) = (Module::new(), &path[1..]),
            ["self" | "super", ..] => {
                while let [first @ ("self" | "super"), after @ ..] = rest {
                    if *first == "super" {
                        at.pop();
                    }
                    rest = after;
                }
            }
            [first, ..] => {
                let child: Module = at.iter().cloned().chain([(*first).to_owned()]).collect();
                if !self.modules.iter().any(|module| module.starts_with(&child)) {
                    return None;
                }
            }
            [] => return None,
        }
        at.extend(rest.iter().map(|name| (*name).to_owned()));
        Some(at)
    }
}

/// Returns the names of a path.
fn names<'a>(path: &[&'a str]) -> Vec<&'a str> {
    path.iter().copied().filter(|word| *word != "::").collect()
}
