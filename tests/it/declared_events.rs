//! Checks that the files generated from the declarations of a stream's events (`llm/src/event/declared.rs`), one for
//! each language, are current. With `JSONSPIGOT_UPDATE_EVENTS=1` it writes them.

use std::path::Path;
use std::{env, fs};

use jsonspigot_llm::{BlockKind, MismatchKind, OpaqueKind, StopKind, each_stream_event};

struct Declared {
    /// Its name on the line.
    name: &'static str,
    variant: &'static str,
    docs: String,
    members: Vec<Member>,
}

struct Member {
    name: &'static str,
    kind: &'static str,
    /// Its name on the line.
    key: &'static str,
    /// The names of all values, if it has one of a few.
    words: Vec<&'static str>,
    docs: String,
}

impl Member {
    fn optional(&self) -> &'static str {
        if self.kind.starts_with("maybe") || self.kind == "span" { "?" } else { "" }
    }
}

/// Returns the text of documentation comments, with the words of links.
fn docs(attributes: &[&str]) -> String {
    let lines = attributes.iter().filter_map(|attribute| attribute.strip_prefix("doc =").map(str::trim));
    let lines = lines.map(|line| line.trim_start_matches('r').trim_matches('"').trim());
    let mut text = lines.collect::<Vec<_>>().join(" ");
    while let Some(at) = text.find("](") {
        let open = text[..at].rfind('[').expect("a link has a text");
        let close = at + text[at..].find(')').expect("a link has an end");
        let words = text[open + 1..at].to_owned();
        text.replace_range(open..=close, &words);
    }
    text
}

macro_rules! first {
    ($first:expr $(, $rest:expr)*) => {
        $first
    };
}

macro_rules! words {
    () => {
        Vec::new()
    };
    ($of:ty) => {
        <$of>::ALL.iter().map(|word| word.name()).collect()
    };
}

macro_rules! declared {
    (
        $(
            $(#[$meta:meta])*
            $name:literal $variant:ident {
                $($(#[$member_meta:meta])* $member:ident: $kind:ident $(($of:ty))? $(as $key:literal)?,)*
            }
        )*
        made of types:
        $(
            $(#[$part_meta:meta])*
            $part_name:literal $part_variant:ident($(#[$type_meta:meta])* $part:ident) {
                $(
                    $(#[$part_member_meta:meta])*
                    $part_member:ident $(= $from:ident)?: $part_kind:ident $(($part_of:ty))? $(as $part_key:literal)?,
                )*
            }
        )*
    ) => {
        fn declared() -> Vec<Declared> {
            vec![
                $(Declared {
                    name: $name,
                    variant: stringify!($variant),
                    docs: docs(&[$(stringify!($meta)),*]),
                    members: vec![$(Member {
                        name: stringify!($member),
                        kind: stringify!($kind),
                        key: first!($($key,)? stringify!($member)),
                        words: words!($($of)?),
                        docs: docs(&[$(stringify!($member_meta)),*]),
                    },)*],
                },)*
                $(Declared {
                    name: $part_name,
                    variant: stringify!($part_variant),
                    docs: docs(&[$(stringify!($part_meta)),*]),
                    members: vec![$(Member {
                        name: stringify!($part_member),
                        kind: stringify!($part_kind),
                        key: first!($($part_key,)? stringify!($part_member)),
                        words: words!($($part_of)?),
                        docs: docs(&[$(stringify!($part_member_meta)),*]),
                    },)*],
                },)*
            ]
        }
    };
}

each_stream_event! { declared {} }

/// Breaks a comment into lines.
fn wrapped(text: &str, indent: usize, first: &str, next: &str, last: &str) -> String {
    let (mut lines, width) = (vec![String::new()], 124 - indent);
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is one");
        if !line.is_empty() && line.len() + word.len() + first.len() + last.len() >= width {
            lines.push(word.to_owned());
        } else {
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(word);
        }
    }
    let indent = " ".repeat(indent);
    if let [only] = &lines[..] {
        return format!("{indent}{first}{only}{last}\n");
    }
    if last.is_empty() {
        return lines.iter().fold(String::new(), |out, line| out + &format!("{indent}{first}{line}\n"));
    }
    let lines = lines.iter().fold(String::new(), |out, line| out + &format!("{indent}{next}{line}\n"));
    format!("{indent}{}\n{lines}{indent}{}\n", first.trim_end(), last)
}

mod typescript {
    use std::fmt::Write as _;

    use super::{Declared, Member, wrapped};

    /// Returns the member's name in JavaScript; `kind` is the event's.
    fn name(member: &Member) -> String {
        if member.key == "kind" {
            return "type".to_owned();
        }
        let mut words = member.key.split('_');
        let first = words.next().unwrap_or_default().to_owned();
        words.fold(first, |name, word| name + &word[..1].to_uppercase() + &word[1..])
    }

    /// Returns the interface that has a member with these words already.
    fn base(member: &Member) -> Option<&'static str> {
        match (member.kind, &*member.docs) {
            ("json", _) => Some("WithJson"),
            ("choice", "The index of the answer; 0 where there is only one.") => Some("InAnswer"),
            _ => None,
        }
    }

    fn interface(event: &Declared) -> String {
        let mut out = wrapped(&event.docs, 0, "/** ", " * ", " */");
        let bases: Vec<_> = event.members.iter().filter_map(base).collect();
        let extends = if bases.is_empty() { String::new() } else { format!(" extends {}", bases.join(", ")) };
        let (name_of, kind) = (event.variant, event.name);
        let _ = writeln!(out, "export interface {name_of}Event{extends} {{\n  readonly kind: \"{kind}\";");
        for member in event.members.iter().filter(|member| base(member).is_none()) {
            let typed = match member.kind {
                "number" | "choice" | "maybe_number" => "number".to_owned(),
                "text" | "maybe_text" => "string".to_owned(),
                "flag" => "boolean".to_owned(),
                "word" => member.words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" | "),
                "span" => "readonly [start: number, end: number]".to_owned(),
                "maybe_json" => {
                    out += &wrapped(&member.docs, 2, "/** ", " * ", " */");
                    out += "  readonly value?: Json;\n  /** As it was spelt. */\n  readonly raw?: string;\n";
                    continue;
                }
                "tokens" => {
                    for count in ["input", "output", "cached", "reasoning"] {
                        let _ = writeln!(out, "  readonly {count}?: number;");
                    }
                    continue;
                }
                "retry" => {
                    out += &wrapped(&member.docs, 2, "/** ", " * ", " */");
                    out += "  readonly retry?: \"never\" | \"later\";\n  readonly retryAfterMs?: number;\n";
                    continue;
                }
                other => panic!("{other}: TypeScript has no type for this"),
            };
            out += &wrapped(&member.docs, 2, "/** ", " * ", " */");
            let _ = writeln!(out, "  readonly {}{}: {typed};", name(member), member.optional());
        }
        out + "}\n\n"
    }

    /// Returns the members that a line leaves out, with what their absence means.
    fn defaults(event: &Declared) -> Option<String> {
        let defaults = event.members.iter().filter_map(|member| match member.kind {
            "choice" => Some(format!("{}: 0", name(member))),
            "flag" => Some(format!("{}: false", name(member))),
            _ => None,
        });
        let defaults: Vec<_> = defaults.collect();
        (!defaults.is_empty()).then(|| format!("  \"{}\": {{ {} }},\n", event.name, defaults.join(", ")))
    }

    pub(super) fn file(events: &[Declared]) -> String {
        let mut out = "// The events that the library declares (`llm/src/event/declared.rs`), written by `tests/it/declared_events.rs`.\n\n\
            import type { Json } from \"../core/values.js\";\n\n\
            /** The provider's own JSON: as a value, and as it was spelt. */\n\
            interface WithJson {\n  readonly value: Json;\n  readonly raw: string;\n}\n\n\
            interface InAnswer {\n  /** The index of the answer; 0 where there is only one. */\n  readonly choice: number;\n}\n\n"
            .to_owned();
        out.extend(events.iter().map(interface));
        out += "export type DeclaredEvent =\n";
        out += &events.iter().map(|event| format!("  | {}Event", event.variant)).collect::<Vec<_>>().join("\n");
        out += ";\n\n/** The members that a line leaves out. */\nexport const DEFAULTS: { readonly [kind: string]: object | undefined } = {\n";
        out.extend(events.iter().filter_map(defaults));
        out + "};\n"
    }
}

mod python {
    use std::fmt::Write as _;

    use super::{Declared, Member};

    /// Returns the name and the type of each part of the Python object that a member becomes.
    fn parts(member: &Member) -> Vec<(&'static str, String)> {
        let number = || "int | None".to_owned();
        let kind = match member.kind {
            "text" | "json" => "str".to_owned(),
            "maybe_text" | "maybe_json" => "str | None".to_owned(),
            "number" | "choice" => "int".to_owned(),
            "maybe_number" => number(),
            "flag" => "bool".to_owned(),
            "span" => "tuple[int, int] | None".to_owned(),
            "word" => {
                let words = member.words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>();
                format!("Literal[{}]", words.join(", "))
            }
            "tokens" => return ["input", "output", "cached", "reasoning"].map(|count| (count, number())).to_vec(),
            "retry" => {
                let retry = "Literal[\"never\", \"later\"] | None".to_owned();
                return vec![("retry", retry), ("retry_after_ms", number())];
            }
            other => panic!("{other}: Python has no type for this"),
        };
        vec![(member.name, kind)]
    }

    /// The classes of the stub, without the docstrings, which are those of the module.
    pub(super) fn stubs(events: &[Declared]) -> String {
        let mut out = String::new();
        for event in events {
            let _ = writeln!(out, "    class {}(StreamEvent):", event.variant);
            // Long parts come last.
            let (json, others): (Vec<_>, Vec<_>) =
                event.members.iter().flat_map(parts).partition(|(name, _)| *name == "json");
            for (name, python) in others.into_iter().chain(json) {
                let _ = writeln!(out, "        {name}: {python}");
            }
        }
        out
    }
}

/// Returns the stub's lines without docstrings.
fn without_docstrings(stub: &str) -> String {
    let mut is_docs = false;
    let is_code = |line: &&str| {
        let quotes = line.matches("\"\"\"").count();
        let was_docs = is_docs;
        is_docs ^= quotes == 1;
        quotes == 0 && !was_docs
    };
    stub.split_inclusive('\n').filter(is_code).collect()
}

/// Replaces the part of a file between two of its lines.
fn between(text: &str, begin: &str, end: &str, part: &str) -> String {
    let from = text.find(begin).expect("there is the first line") + begin.len();
    let to = from + text[from..].find(end).expect("there is the last line");
    [&text[..from], part, &text[to..]].concat()
}

#[test]
fn the_files_made_of_the_declarations_are_current() {
    let bindings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bindings");
    let events = declared();
    let stubs = bindings.join("python/python/jsonspigot/_native.pyi");
    let old_stubs = fs::read_to_string(&stubs).unwrap();
    let (begin, end) = ("    # Declared events.\n", "    # Their end.\n");
    // `bindings/python/tests/stubs.py` writes the docstrings.
    let new_stubs = between(&old_stubs, begin, end, &python::stubs(&events));
    let is_current = without_docstrings(&old_stubs) == without_docstrings(&new_stubs);
    let new_stubs = if is_current { old_stubs } else { new_stubs };
    let files = [(bindings.join("js/src/providers/declared-events.ts"), typescript::file(&events)), (stubs, new_stubs)];
    for (file, text) in files {
        if env::var_os("JSONSPIGOT_UPDATE_EVENTS").is_some() {
            fs::write(&file, text).unwrap();
        } else {
            let written = fs::read_to_string(&file).unwrap_or_default();
            assert!(written == text, "{}: write it anew with JSONSPIGOT_UPDATE_EVENTS=1", file.display());
        }
    }
}
