//! The model behind the shopping assistant: one forced call that classifies and asks.
//!
//! What must never reach the client begins with `internal-`, or is a word that stands for itself, so that it can be
//! looked for.

use serde_json::{Value, json};

use crate::scripted::intent::{changes_mind, elsewhere, ends, is_foreign};
use crate::scripted::turn::{Block, Turn, object, quoted, text, tool};
use crate::words::{self, NOT, denies, has, words};

/// What there is to buy, and the words for it.
const KINDS: [(&str, &str); 4] = [
    ("ring", "ring|rings|jewelry|jewellery"),
    ("chips", "chips|crisps|snack|snacks"),
    ("lamp", "lamp|lamps|lampe|lampen"),
    ("mittens", "mitten|mittens|gloves|twins"),
];

const CAN: &str = "I know nothing but my shop: rings, chips, lamps and mittens.";

/// The question of those who have not said what they look for.
const TOPIC: &str = "ASK_USER_TOPIC";

pub(in crate::scripted) fn classify(turn: &Turn<'_>) -> Vec<Block> {
    let session = line(turn.system, "Session: ");
    let chosen = line(turn.system, "Answers: ");
    let has_chosen = chosen.as_object().is_some_and(|slots| slots.keys().any(|slot| slot != TOPIC));
    let asking = session["assessment"]["currently_asking"].as_str();
    // What is not understood answers nothing, whatever it names.
    let is_denial = named(turn, &session).iter().any(|(.., option)| denies(&turn.text, option));
    let is_understood = is_denial || !is_foreign(&turn.text);
    let follow_up = if is_understood { follow_up(turn, &session, asking) } else { None };
    let wanted = kind(&turn.text);
    let before = kind(&format!(
        "{} {}",
        session["assessment"]["original_query"], session["contextual_questions"][TOPIC]["answer"]
    ));
    // Another kind of thing is a change of mind; the same one belongs to an answer, as in “a gold ring”.
    let is_new = wanted.filter(|_| wanted != before || follow_up.is_none());
    let verdict = match () {
        () if turn.says("what did i|you remember") => Verdict { strategy: "memory_only", ..Verdict::usual() },
        () if has_chosen => Verdict { follow_up: Some("high"), ..Verdict::usual() },
        () if is_new.is_some() => Verdict { slots: slots(wanted), ..Verdict::usual() },
        () if ends(&turn.text) => Verdict {
            slots: vec![what()],
            ..Verdict::words(
                "ended",
                format!("All right, that is off, and nothing was ordered. I am a scripted model. {CAN}"),
            )
        },
        () if follow_up == Some("low") => {
            let said = quoted(&turn.text);
            let words = format!("I am not sure whether {said} is meant as an answer, so I ask again.");
            Verdict { follow_up, ..Verdict::words("unsure", words) }
        }
        () if follow_up.is_some() => {
            let response = changed(turn, &session).map(|words| ("changed", words));
            Verdict { follow_up, response, ..Verdict::usual() }
        }
        () if turn.has("order|orders|refund|return|returns|exchange|delivery|arrived|complaint|broken|support") => {
            let said = quoted(&turn.text);
            let words = format!("I am a scripted model and see no orders, so I can't help with {said}. {CAN}");
            Verdict { route: "support", ..Verdict::words("support", words) }
        }
        () if turn.has("hello|hi|hey|good morning|hallo|hola|bonjour") => Verdict::words(
            "bot_identity",
            format!("Hello! You said {}. I can help you find \"just the thing\". 🛍️", quoted(&turn.text)),
        ),
        () => Verdict::words("off_topic", elsewhere(&turn.text, CAN)),
    };
    let is_elsewhere = verdict.strategy == "none" && asking.is_none();
    let slots = if is_elsewhere { vec![what()] } else { verdict.slots.clone() };
    let domain = match (wanted, session["domain"].as_str()) {
        (Some("chips"), _) => "f_and_b",
        (None, Some(domain)) => domain,
        _ => "other",
    };
    vec![tool("classify_and_assess", Verdict { slots, ..verdict }.to_json(turn, domain, wanted))]
}

/// The last kind of thing that a text names, but for those that it rules out: “no ring, chips”.
fn kind(text: &str) -> Option<&'static str> {
    let said = words(text);
    let is_ruled_out = |name: &str| denies(text, name) || has(text, &format!("forget the {name}"));
    let named = |word: &String| words::named(word, &KINDS).first().copied();
    said.iter().rev().filter(|word| !is_ruled_out(word)).find_map(named)
}

/// The options of the session's questions that a text names, with whether they answer what is still open.
fn named<'s>(turn: &Turn<'_>, session: &'s Value) -> Vec<(bool, &'s Value, &'s str)> {
    let questions = session["contextual_questions"].as_object().into_iter().flatten();
    let options = questions.flat_map(|(_, question)| {
        let options = question["options"].as_array().into_iter().flatten().filter_map(Value::as_str);
        options.map(move |option| (question["answer"].is_null(), &question["answer"], option))
    });
    options.filter(|(.., option)| has(&turn.text, option)).collect()
}

/// What a text changes of what was answered before, in words.
fn changed(turn: &Turn<'_>, session: &Value) -> Option<String> {
    let options = named(turn, session);
    let (_, before, _) = options.iter().find(|(is_open, ..)| !is_open)?;
    let of_it = options.iter().filter(|(_, answer, option)| answer == before && !denies(&turn.text, option));
    let now: Vec<&str> = of_it.map(|(.., option)| *option).collect();
    let before: Vec<&str> = before.as_array()?.iter().filter_map(Value::as_str).collect();
    (!now.is_empty() && now != before).then(|| format!("Changed: {} instead of {}.", now.join(", "), before.join(", ")))
}

/// How sure it is that a text answers the session's questions, be it once more; `None` if it does not.
fn follow_up(turn: &Turn<'_>, session: &Value, asking: Option<&str>) -> Option<&'static str> {
    /// What may stand beside a number that is an answer.
    const BESIDE: [&str; 22] = [
        "about", "around", "under", "over", "up", "to", "at", "most", "max", "maybe", "size", "it's", "is", "a", "i",
        "think", "please", "and", "or", "half", "rupees", "euros",
    ];
    let named = named(turn, session);
    let is_change = changes_mind(&turn.text);
    let (is_named, is_denied) = (
        !named.is_empty() && (asking.is_some() || is_change),
        named.iter().any(|(.., option)| denies(&turn.text, option)),
    );
    let asking = asking.unwrap_or(TOPIC);
    let said = words(&turn.text);
    // A “not” that rules out an option says which are left; any other leaves it open what is meant.
    let is_doubtful =
        turn.text.contains('?') || !is_denied && !is_change && said.iter().any(|word| NOT.contains(&word.as_str()));
    let is_number = |word: &String| word.parse::<u32>().is_ok();
    let is_amount = ["BUDGET", "SIZE"].iter().any(|of| asking.contains(of))
        && said.iter().any(is_number)
        && said.iter().all(|word| is_number(word) || BESIDE.contains(&word.as_str()));
    let is_any = asking != TOPIC && turn.has("surprise me|whatever|don't care|doesn't matter|no preference|you choose");
    match () {
        () if is_any => Some("medium"),
        () if is_named && is_doubtful => Some("low"),
        () if is_named => Some("high"),
        () if is_amount && !is_doubtful => Some("medium"),
        () => None,
    }
}

/// What is to be known before the search.
fn slots(kind: Option<&str>) -> Vec<Value> {
    match kind {
        Some("chips") => vec![
            slot("BUDGET", "Great! What's your budget range for chips?", &["Under ₹50", "₹50–150", "Over ₹150"]),
            slot("PREFERENCES", "What flavor are you in the mood for?", &["Spicy", "Classic salted", "Tangy"]),
        ],
        Some("mittens") => {
            vec![slot("FIRST_SIZE", "Which size?", &["S", "M"]), slot("SECOND_SIZE", "Which size?", &["L", "XL"])]
        }
        Some("ring") => vec![
            slot("METAL", "Great choice! Which metal should the ring be of?", &["gold", "silver", "“rosé”"]),
            slot("SIZE", "And which size does she wear? 💍", &["6", "7", "8"]),
        ],
        _ => Vec::new(),
    }
}

fn what() -> Value {
    slot("TOPIC", "What are you looking for?", &["A ring", "Chips for a party", "A lamp"])
}

/// The second call of `memory_only`: it is asked over the stored conversation.
pub(in crate::scripted) fn recall(turn: &Turn<'_>) -> Vec<Block> {
    let said: Vec<String> = turn.earlier.iter().map(|text| format!("“{text}”")).collect();
    vec![text(match said.as_slice() {
        [] => "You have not told me anything before this.".to_owned(),
        said => format!("Before this you told me: {}.", said.join(", then ")),
    })]
}

struct Verdict {
    route: &'static str,
    strategy: &'static str,
    /// How sure it is that this follows up what was asked.
    follow_up: Option<&'static str>,
    /// Its kind, and the words.
    response: Option<(&'static str, String)>,
    slots: Vec<Value>,
}

impl Verdict {
    fn usual() -> Self {
        Self { route: "product", strategy: "es_fetch", follow_up: None, response: None, slots: Vec::new() }
    }

    /// An answer in words alone.
    fn words(kind: &'static str, words: String) -> Self {
        Self { route: "general", strategy: "none", response: Some((kind, words)), ..Self::usual() }
    }

    fn to_json(&self, turn: &Turn<'_>, domain: &str, kind: Option<&str>) -> String {
        let is_product = self.route == "product";
        // Wrong, or wrong until it is told so.
        let is_wrong = |words: &str| turn.says(words) && (turn.round == 1 || !turn.says("at first"));
        let is_follow_up = if is_wrong("wrong type") { json!("yes") } else { json!(self.follow_up.is_some()) };
        let strategy = if is_wrong("unknown value") { "internal-guess" } else { self.strategy };
        let category = match kind {
            Some("chips") => "chips_and_crisps",
            Some("lamp") => "lamp",
            _ => "gifts",
        };
        let fetch: &[&str] =
            if self.strategy == "es_fetch" && self.slots.is_empty() { &["search_products"] } else { &[] };
        let response = self.response.as_ref();
        object(&[
            ("reasoning", json!(format!("The user said {}, so the next step is clear.", quoted(&turn.text)))),
            ("route", json!(self.route)),
            ("data_strategy", json!(strategy)),
            ("is_follow_up", is_follow_up),
            ("follow_up_confidence", json!(self.follow_up.unwrap_or("high"))),
            ("domain", json!(domain)),
            ("category", json!(category)),
            ("subcategories", json!(["internal-subcategory"])),
            ("product_intent", if is_product { json!("show_me_options") } else { Value::Null }),
            // Above the questions, and so before them.
            (
                "simple_response",
                response.map_or(Value::Null, |(kind, words)| json!({"message": words, "response_type": kind})),
            ),
            ("ask_slots", json!(self.slots)),
            ("fetch_functions", json!(fetch)),
        ])
    }
}

fn slot(name: &str, message: &str, options: &[&str]) -> Value {
    json!({"slot_name": format!("ASK_USER_{name}"), "message": message, "options": options})
}

/// The JSON that the prompt has on a line of its own.
fn line(system: &str, name: &str) -> Value {
    let line = system.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default()
}
