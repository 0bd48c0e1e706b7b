//! Checks that the files generated from the declarations of a stream's events (`llm/src/event/declared.rs`), one for
//! each language, are current. With `JSONSPIGOT_UPDATE_EVENTS=1` it writes them.

use std::path::Path;
use std::{env, fs};

use jsonspigot_llm::{BlockKind, MismatchKind, OpaqueKind, StopKind, each_stream_event};

struct Declared {
    /// Its name on the line.
    name: &'static str,
    variant: &'static str,
    /// The type that it is made of, if it has one.
    part: Option<&'static str>,
    docs: String,
    members: Vec<Member>,
}

struct Member {
    name: &'static str,
    /// Its name in the type that the event is made of.
    from: &'static str,
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
            $part_name:literal $part_variant:ident($part:ident) {
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
                    part: None,
                    docs: docs(&[$(stringify!($meta)),*]),
                    members: vec![$(Member {
                        name: stringify!($member),
                        from: stringify!($member),
                        kind: stringify!($kind),
                        key: first!($($key,)? stringify!($member)),
                        words: words!($($of)?),
                        docs: docs(&[$(stringify!($member_meta)),*]),
                    },)*],
                },)*
                $(Declared {
                    name: $part_name,
                    variant: stringify!($part_variant),
                    part: Some(stringify!($part)),
                    docs: docs(&[$(stringify!($part_meta)),*]),
                    members: vec![$(Member {
                        name: stringify!($part_member),
                        from: first!($(stringify!($from),)? stringify!($part_member)),
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

    fn interface(event: &Declared) -> String {
        let mut out = wrapped(&event.docs, 0, "/** ", " * ", " */");
        let (name_of, extends) = (event.variant, event.members.iter().any(|member| member.kind == "json"));
        let extends = if extends { " extends WithJson" } else { "" };
        let _ = writeln!(out, "export interface {name_of}Event{extends} {{\n  readonly kind: \"{}\";", event.name);
        for member in &event.members {
            let typed = match member.kind {
                "number" | "choice" | "maybe_number" => "number".to_owned(),
                "text" | "maybe_text" => "string".to_owned(),
                "flag" => "boolean".to_owned(),
                "word" => member.words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" | "),
                "span" => "readonly [start: number, end: number]".to_owned(),
                // They have the words of `WithJson`.
                "json" => continue,
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

    fn record(event: &Declared) -> String {
        let fields = event.members.iter().map(|member| match member.kind {
            "number" | "choice" | "maybe_number" => format!(" #{}", name(member)),
            "text" | "maybe_text" | "word" => format!(" ${}", name(member)),
            "flag" => format!(" ?{}", name(member)),
            "json" | "maybe_json" => " {raw".to_owned(),
            "span" => " #start #end".to_owned(),
            "tokens" => " #input #output #cached #reasoning".to_owned(),
            "retry" => " $retry #retryAfterMs".to_owned(),
            other => panic!("{other}: a record has no field for this"),
        });
        format!("  \"{}{}\",\n", event.name, fields.collect::<String>())
    }

    pub(super) fn file(events: &[Declared]) -> String {
        let mut out = "// The events that the library declares (`llm/src/event/declared.rs`), written by `tests/it/declared_events.rs`.\n\n\
            import type { Json } from \"../core/values.js\";\n\n\
            /** The provider's own JSON: as a value, and as it was spelt. */\n\
            interface WithJson {\n  readonly value: Json;\n  readonly raw: string;\n}\n\n"
            .to_owned();
        out.extend(events.iter().map(interface));
        out += "export type DeclaredEvent =\n";
        out += &events.iter().map(|event| format!("  | {}Event", event.variant)).collect::<Vec<_>>().join("\n");
        out += ";\n\n// Their records, as `events.ts` has them.\nexport const DECLARED: readonly string[] = [\n";
        out.extend(events.iter().map(record));
        out + "];\n"
    }
}

mod python {
    use std::fmt::Write as _;

    use super::{Declared, Member, wrapped};

    /// A part of the Python object: its name, its type in Rust and in Python, and what it is made by.
    type Part = (String, &'static str, String, String);

    fn parts(event: &Declared) -> Vec<Part> {
        // Long members come last.
        let (json, others): (Vec<&Member>, Vec<_>) =
            event.members.iter().partition(|member| member.kind.ends_with("json"));
        others.into_iter().chain(json).flat_map(made).collect()
    }

    fn made(member: &Member) -> Vec<Part> {
        let (name, from) = (member.name, member.from);
        let one = |rust, python: &str, made: String| vec![(name.to_owned(), rust, python.to_owned(), made)];
        match member.kind {
            "text" => one("String", "str", format!("{from}.to_string()")),
            "maybe_text" => one("Option<String>", "str | None", format!("owned({from}.as_ref())")),
            "json" => one("String", "str", format!("on_one_line({from})")),
            "maybe_json" => one("Option<String>", "str | None", format!("{from}.as_deref().map(on_one_line)")),
            "number" | "choice" => one("u64", "int", format!("*{from}")),
            "maybe_number" => one("Option<u64>", "int | None", format!("*{from}")),
            "flag" => one("bool", "bool", format!("*{from}")),
            "span" => one("Option<(u64, u64)>", "tuple[int, int] | None", format!("*{from}")),
            "word" => {
                let words = member.words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ");
                one("String", &format!("Literal[{words}]"), format!("{from}.name().to_owned()"))
            }
            "tokens" => ["input", "output", "cached", "reasoning"]
                .map(|count| (count.to_owned(), "Option<u64>", "int | None".to_owned(), format!("{from}.{count}")))
                .to_vec(),
            "retry" => vec![
                (
                    "retry".to_owned(),
                    "Option<String>",
                    "Literal[\"never\", \"later\"] | None".to_owned(),
                    format!("{from}.name().map(str::to_owned)"),
                ),
                ("retry_after_ms".to_owned(), "Option<u64>", "int | None".to_owned(), format!("{from}.after_ms()")),
            ],
            other => panic!("{other}: Python has no type for this"),
        }
    }

    /// Returns the variants of the class, and their construction.
    pub(super) fn file(events: &[Declared]) -> String {
        let mut out = "//! The events that the library declares (`llm/src/event/declared.rs`), written by `tests/it/declared_events.rs`.\n\n".to_owned();
        out += "/// The class, of variants of its own and the declared ones, and how these are made.\n\
            macro_rules! with_declared_events {\n    ($(#[$meta:meta])* { $($own:tt)* }) => {\n        $(#[$meta])*\n        \
            pub(crate) enum StreamEvent {\n            $($own)*\n";
        for event in events {
            out += &wrapped(&event.docs.replace('`', "``"), 12, "/// ", "/// ", "");
            let parts = parts(event).into_iter().map(|(name, rust, ..)| format!("{name}: {rust}"));
            let _ = writeln!(out, "            {} {{ {} }},", event.variant, parts.collect::<Vec<_>>().join(", "));
        }
        out += "        }\n\n        \
            /// Returns the content of the object of a declared event; `None` for any other.\n        \
            fn declared(event: &jsonspigot_llm::StreamEvent<'_>) -> Option<StreamEvent> {\n            \
            use jsonspigot_llm::StreamEvent as CoreEvent;\n            Some(match event {\n";
        for event in events {
            let from: Vec<_> = event.members.iter().map(|member| member.from).collect();
            let (open, close) = match event.part {
                Some(part) => (format!("(jsonspigot_llm::{part} {{ "), " })"),
                None => (" { ".to_owned(), " }"),
            };
            let pattern = format!("CoreEvent::{}{open}{}, ..{close}", event.variant, from.join(", "));
            let parts: Vec<_> = parts(event).into_iter().map(|(name, _, _, made)| part(&name, &made)).collect();
            out += &arm(&pattern, &format!("StreamEvent::{}", event.variant), &parts);
        }
        out + "                _ => return None,\n            })\n        }\n    };\n}\n\npub(super) use with_declared_events;\n"
    }

    fn part(name: &str, made: &str) -> String {
        if name == made { name.to_owned() } else { format!("{name}: {made}") }
    }

    /// Returns an arm of a `match`, in as few lines as the formatter would take.
    fn arm(pattern: &str, made: &str, parts: &[String]) -> String {
        let (indent, in_one) = (" ".repeat(16), format!("{made} {{ {} }}", parts.join(", ")));
        let whole = format!("{indent}{pattern} => {in_one},\n");
        if whole.len() <= 121 {
            return whole;
        }
        if in_one.len() <= 100 {
            return format!("{indent}{pattern} => {{\n{indent}    {in_one}\n{indent}}}\n");
        }
        let parts: String = parts.iter().map(|part| format!("{indent}    {part},\n")).collect();
        format!("{indent}{pattern} => {made} {{\n{parts}{indent}}},\n")
    }

    /// The classes of the stub, without the docstrings, which are those of the module.
    pub(super) fn stubs(events: &[Declared]) -> String {
        let mut out = String::new();
        for event in events {
            let _ = writeln!(out, "    @final\n    class {}(StreamEvent):", event.variant);
            for (name, _, python, _) in parts(event) {
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
    let files = [
        (bindings.join("js/src/providers/declared-events.ts"), typescript::file(&events)),
        (bindings.join("python/src/provider/declared.rs"), python::file(&events)),
        (stubs, new_stubs),
    ];
    for (file, text) in files {
        if env::var_os("JSONSPIGOT_UPDATE_EVENTS").is_some() {
            fs::write(&file, text).unwrap();
        } else {
            let written = fs::read_to_string(&file).unwrap_or_default();
            assert!(written == text, "{}: write it anew with JSONSPIGOT_UPDATE_EVENTS=1", file.display());
        }
    }
}
