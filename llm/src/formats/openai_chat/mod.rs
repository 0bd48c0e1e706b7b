//! OpenAI Chat Completions, the older Completions, and compatible servers. `entries` finds the call that a fragment
//! belongs to.

mod entries;

use alloc::string::String;
use alloc::vec::Vec;

use self::entries::{Fragment, read_entry};
use crate::formats::{Format, Owns, tool_call};
use crate::wire::*;

pub(crate) const FORMAT: Format =
    Format { wire: |_, _| &WIRE, message: Some(Shape::WithCalls { list: "", ids: Ids::Needed }), ..Format::NEW };

pub(crate) const OWNS: Owns = Owns { members: owns_members, ..Owns::NEW };

fn owns_members(event: Node<'_>) -> bool {
    let object = event.get("object").peek();
    event.member("choices").is_given() || ["chat.completion.chunk", "text_completion"].contains(&object)
}

pub(crate) static WIRE: Wire = Wire {
    events: &[on(
        "",
        &[
            row(".", Means::Follows(&["id", "model"], says_more)),
            // Azure's filter results for the prompt.
            row("prompt_filter_results", Means::Filter),
            row("choices[]", Means::Choice(CHOICE)).form(Form::Whole(Scope::Item)),
            // Pages found by Perplexity and xAI, which repeat them in each chunk.
            row("search_results[]", Means::Source(&PAGE)),
            row("citations[]", Means::Source(&ADDRESS)),
            // Groq and Moonshot send the counts elsewhere.
            row("usage|x_groq.usage|choices[].usage", Means::Usage),
            row("x_groq.usage", Means::Silent),
            row("error", Means::Fails),
        ],
    )],
    is_known: |event| {
        let object = event.get("object").word();
        ["chat.completion", "text_completion"].iter().any(|name| object.starts_with(name))
            || event.member("choices").is_there()
            || event.get("usage|x_groq.usage").is_given()
    },
    ..Wire::NEW
};

/// An answer. A message in place of a delta, or beside the last one, is the whole answer. Beside other deltas, some
/// servers send a message with everything so far.
pub(crate) const CHOICE: Rows = &[
    row("delta", Means::Object(DELTA)).form(Form::Noted),
    row("text", Means::Text).form(Form::Piece).when(|choice| !says_text(choice.get("delta"))),
    row("text", Means::Hook(compare_text)).when(|choice| says_text(choice.get("delta"))),
    row("message", Means::Object(DELTA)).when(is_whole),
    row("message", Means::Object(WORDS)).form(Form::Beside).when(|choice| !is_whole(choice)),
    // Last, because some servers send a call and the stop reason in one chunk.
    row(".", Means::Hook(stop)),
    row("content_filter_results", Means::Filter),
    row("content_filter_offsets", Means::Filter),
    row("error", Means::Fails),
];

/// The text, refusal and reasoning of a delta or a message, which are also sent back with the next request.
const WORDS: Rows = &[
    row(".", Means::Hook(reason)),
    row("content", Means::Text).back(&Back::Own("content")),
    row("refusal", Means::Refusal).back(&Back::Own("refusal")),
    row("reasoning", Means::Kept).back(&Back::Own("reasoning")).when(|delta| delta.get("reasoning").is_string()),
    row("reasoning_content", Means::Kept)
        .back(&Back::Own("reasoning_content"))
        .when(|delta| delta.get("reasoning_content").is_string()),
];

const DELTA: Rows = &[
    WORDS[0],
    WORDS[3],
    WORDS[4],
    row("reasoning_content.signature|reasoning.signature", SIGNATURE),
    row("reasoning_details", Means::Kept).back(&Back::Own("reasoning_details")),
    row(
        "reasoning_details[]",
        Means::Object(&[row("signature", SIGNATURE), row(".", ENCRYPTED).when(|it| it.get("data").is_given())]),
    ),
    // LiteLLM's copy of Anthropic's thinking blocks.
    row("thinking_blocks", Means::Kept).back(&Back::Own("thinking_blocks")),
    row("thinking_blocks[]", Means::Object(&[row("signature", SIGNATURE), row("data", ENCRYPTED)])),
    WORDS[1],
    row("content[]", Means::ByType(PARTS)),
    row("audio.transcript", Means::Text).form(Form::Piece),
    row("audio", Means::Media(&SOUND)).when(|delta| delta.get("audio.data").is_given()),
    row("images[]", Means::Media(&IMAGE)),
    row("annotations[]", Means::Source(&ANNOTATION)),
    // Groq sends each call that it executes twice, the second time with its result.
    row(
        "executed_tools[]",
        Means::Object(&[
            row(".", Means::Result(&EXECUTED)).when(|it| it.get("output").is_given()),
            row(
                "arguments",
                Means::Hook(|_, arguments, _| {
                    arguments.input();
                }),
            ),
            row("output|browser_results|code_results|search_results", Means::Silent),
        ]),
    ),
    WORDS[2],
    row("role", Means::Silent),
    row("tool_calls[]", Means::Object(ENTRY)).at(&Spot::Index("index")),
    row(".", Means::Hook(older_call)).when(|delta| delta.get("function_call").is_object()),
    row("function_call", Means::Object(&[])).back(&Back::OlderCall),
];

const SIGNATURE: Means = Means::Opaque(OpaqueKind::Signature, Owner::Block);
const ENCRYPTED: Means = Means::Opaque(OpaqueKind::Encrypted, Owner::Begun(BlockKind::Reasoning));

/// The parts of `content` if it is a list, as Mistral sends it.
const PARTS: ByType = &[
    on("reference", &[row(".", Means::Source(&REFERENCE))]),
    on(
        "|text|thinking|image_url",
        &[
            row("image_url", Means::Media(&IMAGE)),
            row("thinking", Means::Reasoning).form(Form::Piece),
            row("thinking[]", Means::Object(&[row("text", Means::Reasoning).form(Form::Piece)])),
            row("text", Means::Text),
        ],
    ),
    on("*", &[row(".", Means::Unknown("content"))]),
];

/// An entry of a list of calls: a call, or a fragment of one.
pub(crate) const ENTRY: Rows = &[
    row("function.arguments|custom.input", Means::Kept),
    row(".", Means::Hook(entry)).when(|entry| !tool_call::is_unknown(entry)),
    tool_call::UNKNOWN,
    row("extra_content", Means::Hook(extra)),
];

const PAGE: Cited = Cited {
    url: "url",
    title: "title",
    quote: "content|snippet",
    spans: &[("start_index", "end_index")],
    once: "url",
    ..Cited::NEW
};
const ADDRESS: Cited = Cited { url: ".", once: ".", ..Cited::NEW };
const REFERENCE: Cited = Cited { is_in_block: true, ..Cited::NEW };
const ANNOTATION: Cited = Cited {
    url: "url_citation.url",
    title: "url_citation.title",
    quote: "url_citation.content|url_citation.snippet",
    spans: &[("url_citation.start_index", "url_citation.end_index")],
    is_in_block: true,
    ..Cited::NEW
};

const SOUND: Shown = Shown { name: "audio", data: "data", ..Shown::NEW };
const IMAGE: Shown = Shown { name: "image", url: "image_url.url|image_url|url|.", ..Shown::NEW };
const EXECUTED: Outcome = Outcome { ..Outcome::NEW };

/// Returns true if a choice has content, not only a stop reason and what accompanies it.
fn says_more(event: Node<'_>) -> bool {
    const MEMBERS: &str = "content|refusal|reasoning_content|reasoning|reasoning_details|thinking_blocks|tool_calls|\
        function_call";
    let is_content = |member: Node<'_>| !member.is_nothing() && matches(MEMBERS, member.key());
    let mut says_more = false;
    event.each("choices[]", &mut |choice| {
        says_more |= !choice.get("text").is_nothing()
            || ["delta", "message"].iter().any(|said| choice.member(said).members().any(is_content));
    });
    says_more
}

fn says_text(delta: Node<'_>) -> bool {
    !delta.get("content").is_nothing()
}

/// Returns true if a choice's message is the whole answer.
fn is_whole(choice: Node<'_>) -> bool {
    !choice.get("delta").is_object() || !reasons(choice)[0].is_empty()
}

/// Compares the `text` that some servers send beside a delta with the text that was reported.
fn compare_text(emit: &mut Emitter<'_>, text: Node<'_>, here: &Here<'_>) {
    let said = text.text().unwrap_or_default();
    let part = here.part(MismatchKind::Text);
    if !emit.state().said.is_late(&part, said) {
        emit.contradict(part, said);
    }
    text.read();
}

/// Reports reasoning. Servers may send several copies of it: reports the longest, and a mismatch if another copy is not
/// a prefix of it.
fn reason(emit: &mut Emitter<'_>, delta: Node<'_>, here: &Here<'_>) {
    const COPIES: [&str; 4] = ["reasoning_content", "reasoning", "reasoning_details[]", "thinking_blocks[]"];
    let (mut reasoning, mut contradicting) = (String::new(), Vec::new());
    for path in COPIES {
        let mut copy = String::new();
        delta.each(path, &mut |value| {
            let members = ["text", "summary", "thinking"].map(|member| value.member(member));
            for text in [value].into_iter().filter(|value| value.is_string()).chain(members) {
                copy += text.said();
            }
            if value.is_object() && !value.is_untouched() {
                value.enter();
            } else {
                value.odd(Mark::Odd);
            }
        });
        if copy.starts_with(&*reasoning) {
            reasoning = copy;
        } else if !reasoning.starts_with(&*copy) {
            contradicting.push(copy);
        }
    }
    say(MismatchKind::Reasoning, &reasoning, here, emit);
    for text in contradicting {
        emit.contradict(here.part(MismatchKind::Reasoning), &text);
    }
}

/// Returns the stop reason, the stop reason of the provider behind a gateway, and the stop sequence; each is empty if
/// missing.
fn reasons<'e>(choice: Node<'e>) -> [&'e str; 3] {
    let text = |name| choice.get(name).text().unwrap_or_default();
    // Some servers send the string `"null"` for a missing reason.
    let (given, native, other) = (text("finish_reason"), text("native_finish_reason"), text("stop_reason"));
    match () {
        () if !given.is_empty() && given != "null" => [given, native, other],
        () if !native.is_empty() => [native, "", other],
        () if other.is_empty() => [""; 3],
        // Some servers send the reason as `stop_reason`, which others use for the stop sequence.
        () if StopKind::of(other) != StopKind::Other => [other, "", ""],
        () => [""; 3],
    }
}

fn stop(emit: &mut Emitter<'_>, choice: Node<'_>, here: &Here<'_>) {
    let [reason, native, sequence] = reasons(choice);
    ["finish_reason", "native_finish_reason"].iter().for_each(|name| {
        choice.get(name).read();
    });
    if reason.is_empty() {
        // An answer may have unknown parts alone. Pieces of calls begin one if they have anything.
        let is_call = |name: &str| ["role", "tool_calls", "function_call"].contains(&name);
        let says = |member: Node<'_>| !is_call(member.key()) && !member.is_nothing();
        if choice.get("delta").children().any(says) {
            emit.state().begin(here.choice);
        }
        return;
    }
    choice.get("stop_reason").read();
    // The gateway's own reason may be `tool_calls` although the answer is incomplete.
    let is_cut = matches!(StopKind::of(native), StopKind::Length | StopKind::ContentFilter | StopKind::Error);
    let meant = if is_cut { &native } else { &reason };
    emit.end_blocks(Which::Of(here.choice));
    emit.calls().stop_choice(here.choice, meant);
    let kind = Some(StopKind::of(meant));
    emit.stop(here.choice, Stop { kind, native_reason: native, stop_sequence: sequence, ..reason.into() });
}

fn entry(emit: &mut Emitter<'_>, entry: Node<'_>, here: &Here<'_>) {
    let kind = entry.as_call().get("type").word();
    let executor = if kind.ends_with("_call") { Executor::Provider } else { Executor::Client };
    let (id, fragment) = (entry.word_at("id"), Fragment::of(entry));
    if id.is_empty() && fragment.is_empty() {
        entry.member("id").odd(Mark::Odd);
    }
    if id.is_empty()
        && fragment.is_empty()
        && has_unknown_member(entry)
        && emit.calls().find_open(here.slot()).is_some()
    {
        emit.leave_out("unknown-part");
    }
    read_entry(here, id, &fragment, executor, emit);
}

/// Returns true if an entry has an unknown member, which may be a piece of its call.
fn has_unknown_member(entry: Node<'_>) -> bool {
    let is_known = |name: &str| ["function", "custom", "type", "index", "id", "extra_content"].contains(&name);
    entry.children().any(|member| !is_known(member.key()) && member.says_something())
}

/// Keeps the `extra_content` that Google adds to calls, and reports its signature.
fn extra(emit: &mut Emitter<'_>, extra: Node<'_>, here: &Here<'_>) {
    let call = emit.known_mut().find_in(Slot::new(here.choice, Place::Latest));
    if let (Some(call), 0) = (call, here.choice) {
        emit.state().change_message(|message| message.extra(call, "extra_content", extra.given()));
    }
    let signature = extra.enter().raw("google.thought_signature").read();
    emit.opaque(OpaqueKind::Signature, here.choice, (None, call), signature);
}

/// Reads a call in the older form, which has at most one call and no id. Some servers repeat each fragment of the newer
/// form in it.
fn older_call(emit: &mut Emitter<'_>, delta: Node<'_>, here: &Here<'_>) {
    let (fragment, newer) = (Fragment::of(delta.get("function_call")), delta.get("tool_calls"));
    if newer.is_nothing() {
        let here = Here { place: At::Index(0, 0), ..*here };
        return read_entry(&here, "", &fragment, Executor::Client, emit);
    }
    let call = emit.known_mut().find_in(Slot::new(here.choice, Place::Latest));
    fragment.value.as_piece_of(Text::Older(call.unwrap_or_default()), false);
    if !newer.children().any(|entry| fragment.repeats(&Fragment::of(entry))) {
        emit.unknown_part("function_call", delta.get("function_call").shown());
    }
}
