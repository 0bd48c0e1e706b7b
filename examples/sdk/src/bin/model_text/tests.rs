//! Tests with texts of open models, read one character at a time.

use super::*;

/// Reads a text. Returns the text around the calls, and each call's name, arguments, cities and status.
fn read(dialect: &str, pieces: impl IntoIterator<Item = String>) -> (String, Vec<[String; 4]>) {
    let dialect = DIALECTS.iter().find(|known| known.name == dialect).unwrap();
    let patterns = PatternSet::new(["..city"]).unwrap();
    let mut model = ModelText::new(dialect, ToolCalls::new(&patterns)).unwrap();
    let (mut shown, mut calls) = (String::new(), Vec::<[String; 4]>::new());
    let mut on_event = |event: ModelEvent<'_>| match event {
        ModelEvent::Text(text) => shown.push_str(text),
        ModelEvent::Call(CallEvent::Start { call }) => {
            calls.push([call.name.unwrap().into_owned(), String::new(), String::new(), String::new()]);
        }
        ModelEvent::Call(CallEvent::Fragment { text, .. }) => calls.last_mut().unwrap()[1].push_str(&text),
        ModelEvent::Call(CallEvent::Match { event, .. }) => {
            if let Some(text) = event.delta() {
                calls.last_mut().unwrap()[2].push_str(text);
            }
        }
        ModelEvent::Call(CallEvent::End { call, input }) => {
            calls[call.number as usize][3] = input.status().name().to_owned();
        }
        ModelEvent::Call(_) => {}
    };
    for piece in pieces {
        model.feed(&piece, &mut on_event);
    }
    model.finish(on_event);
    (shown, calls)
}

/// A dialect, a text in it, the text around its calls, and the calls: name, arguments, cities, status.
type Row = (&'static str, &'static str, &'static str, &'static [[&'static str; 4]]);

const OSLO: [&str; 4] = ["get_weather", r#"{"city": "Oslo"}"#, "Oslo", "complete"];
const ROME: [&str; 4] = ["get_weather", r#"{"city": "Rome", "days": [1, 2]}"#, "Rome", "complete"];
const NOW: [&str; 4] = ["now", "{}", "", "complete"];

const TEXTS: [Row; 44] = [
    ("hermes", "No call.", "No call.", &[]),
    ("hermes", "1 < 2, <tool> and </tool_call>", "1 < 2, <tool> and </tool_call>", &[]),
    (
        "hermes",
        "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>",
        "",
        &[OSLO],
    ),
    (
        "hermes",
        "Let me see.\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>\n<tool_call>\n{\"name\": \"now\", \"arguments\": {}}\n</tool_call> Done.",
        "Let me see.\n\n Done.",
        &[OSLO, NOW],
    ),
    // The arguments first, and an unknown member.
    (
        "hermes",
        "<tool_call>{\"arguments\": {\"city\": \"Oslo\"}, \"id\": 1, \"name\": \"get_weather\"}</tool_call>",
        "",
        &[OSLO],
    ),
    // A call without an end delimiter before another call.
    (
        "hermes",
        "<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n<tool_call>{\"name\": \"now\", \"arguments\": {}}",
        "",
        &[OSLO, NOW],
    ),
    (
        "hermes",
        "<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Os",
        "",
        &[["get_weather", "{\"city\": \"Os", "Os", "truncated"]],
    ),
    ("hermes", "<tool_call>{\"name\": \"n\\u006fw\", \"arguments\": {}}</tool_call>", "", &[NOW]),
    (
        "hermes",
        "<tool_call>{\"name\": \"say\", \"arguments\": {\"text\": \"</tool_call>\"}}</tool_call>!",
        "!",
        &[["say", "{\"text\": \"</tool_call>\"}", "", "complete"]],
    ),
    ("hermes", "<tool_call>{\"name\": \"now\", oops}</tool_call> x", " x", &[["now", "", "", "empty"]]),
    ("hermes", "<tool_call></tool_call>x", "x", &[]),
    ("mistral", "[1] and [TOOL_CALL]", "[1] and [TOOL_CALL]", &[]),
    ("mistral", "[TOOL_CALLS]get_weather[ARGS]{\"city\": \"Oslo\"}", "", &[OSLO]),
    ("mistral", "Hm. [TOOL_CALLS]get_weather[CALL_ID]a1[ARGS]{\"city\": \"Oslo\"}</s>", "Hm. </s>", &[OSLO]),
    ("mistral", "[TOOL_CALLS]get_weather[ARGS]{\"city\": \"Oslo\"}[TOOL_CALLS]now[ARGS]{}", "", &[OSLO, NOW]),
    ("mistral", "[TOOL_CALLS]get_weather{\"city\": \"Rome\", \"days\": [1, 2]}", "", &[ROME]),
    ("mistral", "[TOOL_CALLS]now", "[TOOL_CALLS]now", &[]),
    (
        "mistral",
        "[TOOL_CALLS]get_weather[ARGS]{\"city\": \"O",
        "",
        &[["get_weather", "{\"city\": \"O", "O", "truncated"]],
    ),
    (
        "mistral-list",
        "[TOOL_CALLS] [{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}, \"id\": \"x\"}]",
        "",
        &[OSLO],
    ),
    (
        "mistral-list",
        "So: [TOOL_CALLS][{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}, {\"arguments\": {}, \"name\": \"now\"}]</s>",
        "So: </s>",
        &[OSLO, NOW],
    ),
    ("mistral-list", "[TOOL_CALLS] []", "", &[]),
    ("mistral-list", "[TOOL_CALLS] none", "none", &[]),
    (
        "mistral-list",
        "[TOOL_CALLS] [{\"name\": \"get_weather\", \"arguments\": {\"city\": \"O",
        "",
        &[["get_weather", "{\"city\": \"O", "O", "truncated"]],
    ),
    ("llama3", "{\"name\": \"get_weather\", \"parameters\": {\"city\": \"Oslo\"}}", "", &[OSLO]),
    (
        "llama3",
        "<|python_tag|>{\"name\": \"get_weather\", \"parameters\": {\"city\": \"Oslo\"}}<|eom_id|>",
        "",
        &[OSLO],
    ),
    (
        "llama3",
        "<|python_tag|>{\"name\": \"get_weather\", \"parameters\": {\"city\": \"Oslo\"}}; {\"name\": \"now\", \"parameters\": {}}<|eot_id|>",
        "; ",
        &[OSLO, NOW],
    ),
    ("llama3", "{\"type\": \"function\", \"name\": \"now\", \"parameters\": {}}", "", &[NOW]),
    ("llama3", "a {b} c", "a {b} c", &[]),
    ("llama3", "<|python_tag|>print(1)", "print(1)", &[]),
    (
        "deepseek-v3",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{\"city\": \"Oslo\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        "",
        &[OSLO],
    ),
    (
        "deepseek-v3",
        "Well.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{\"city\": \"Oslo\"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>now\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        "Well.\n",
        &[OSLO, NOW],
    ),
    (
        "deepseek-v3",
        "<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{\"city\": \"Rome\", \"days\": [1, 2]}",
        "",
        &[ROME],
    ),
    (
        "deepseek-v3",
        "<｜tool▁call▁begin｜>function<｜tool▁sep｜>now",
        "<｜tool▁call▁begin｜>function<｜tool▁sep｜>now",
        &[],
    ),
    ("deepseek-v3", "a ｜ b <｜x｜>", "a ｜ b <｜x｜>", &[]),
    (
        "deepseek-v3.1",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{\"city\": \"Oslo\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        "",
        &[OSLO],
    ),
    (
        "deepseek-v3.1",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{\"city\": \"Oslo\"}<｜tool▁call▁begin｜>now<｜tool▁sep｜>{}<｜tool▁call▁end｜>",
        "",
        &[OSLO, NOW],
    ),
    ("deepseek-v3.1", "<｜tool▁calls▁begin｜>nothing<｜tool▁calls▁end｜>", "nothing", &[]),
    (
        "kimi-k2",
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{\"city\": \"Oslo\"}<|tool_call_end|><|tool_calls_section_end|>",
        "",
        &[OSLO],
    ),
    (
        "kimi-k2",
        "I'll look. <|tool_calls_section_begin|> <|tool_call_begin|>functions.get_weather:0 <|tool_call_argument_begin|> {\"city\": \"Oslo\"} <|tool_call_end|> <|tool_call_begin|>functions.now:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
        "I'll look.  ",
        &[OSLO, NOW],
    ),
    (
        "kimi-k2",
        "<|tool_call_begin|>functions.get_weather:12<|tool_call_argument_begin|>{\"city\": \"Rome\", \"days\": [1, 2]}<|tool_call_end|>",
        "",
        &[ROME],
    ),
    ("kimi-k2", "<|tool_call_begin|>functions.now<|tool_call_argument_begin|>{}<|tool_call_end|>.", ".", &[NOW]),
    (
        "kimi-k2",
        "<|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{\"city\": oops}<|tool_call_end|>x",
        "x",
        &[["get_weather", "{\"city\": ", "", "truncated"]],
    ),
    ("kimi-k2", "a | b <|", "a | b <|", &[]),
    ("kimi-k2", "é<|tool_calls_section_begin|>é", "éé", &[]),
];

#[test]
fn calls_are_read_one_character_at_a_time() {
    for (dialect, text, shown, calls) in TEXTS {
        let whole = read(dialect, [text.to_owned()]);
        let expected: Vec<[String; 4]> = calls.iter().map(|call| call.map(str::to_owned)).collect();
        assert_eq!(whole, (shown.to_owned(), expected), "{dialect}: {text}");
        assert_eq!(read(dialect, text.chars().map(String::from)), whole, "{dialect}: {text}");
        for (cut, _) in text.char_indices() {
            assert_eq!(
                read(dialect, [text[..cut].to_owned(), text[cut..].to_owned()]),
                whole,
                "{dialect}: {text} at {cut}"
            );
        }
    }
}
