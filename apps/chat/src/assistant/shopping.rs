//! The shopping assistant's turn: one forced call classifies; then it answers, asks, searches or remembers.

use std::sync::{Arc, LazyLock};

use serde_json::{Value, json};

use super::ask::{Reader, ask};
use super::classification::{Classification, DataStrategy, TOOL, schema};
use super::classify::{MESSAGE, Reading};
use super::growing_text::GrowingText;
use super::output::Output;
use super::round::Round;
use super::shown::Shown;
use super::{Assistants, Finished, TurnError, conversation};
use crate::conversation::{Answers, Assistant, ContextualQuestion, Conversation, Said, Session, Turn};
use crate::provider::{Message, Request, ToolSpec};
use crate::wire::{Envelope, Event, EventName, MessageType};

const MOST_TOKENS: u32 = 2000;

/// How often the model classifies a message at most.
const CLASSIFICATIONS: usize = 2;

static TOOLS: LazyLock<Arc<[ToolSpec]>> = LazyLock::new(|| {
    let description = "Says what the message is about, where its answer comes from, and what is missing. Write \
                       `ask_slots`, `simple_response` and `reasoning` first: the person reads them while you write."
        .to_owned();
    [ToolSpec { name: TOOL.to_owned(), description, input_schema: schema() }].into()
});

impl Reader for Reading {
    fn take(&mut self, event: jsonspigot_llm::StreamEvent<'_>) {
        self.take(event);
    }

    fn drain(&mut self) -> Vec<Event> {
        self.send_raw();
        std::mem::take(&mut self.events)
    }
}

pub(super) async fn answer(
    assistants: &Assistants,
    before: &Conversation,
    message: &Said,
    output: &mut Output,
) -> Result<Finished, TurnError> {
    let user = Message::user(&message.text);
    let block = output.begin_answer().await?;
    // The input has come to its end when this is done: only now is anything decided.
    let said = classify(assistants, before, message, &block, output).await?;
    let session = Session::after(before.session.as_ref(), &said, &message.text, &message.answers);
    // What needs no look at the catalogue leaves open questions as they are, unless it has answered one, or asks another.
    let is_open = |open: &Session| open.assessment.currently_asking.is_some();
    let session = match (said.data_strategy, &before.session) {
        (DataStrategy::None | DataStrategy::MemoryOnly, Some(open))
            if is_open(open) && message.answers.is_empty() && said.ask_slots.is_empty() =>
        {
            open.clone()
        }
        _ => session,
    };
    let asked: Vec<_> = match said.data_strategy {
        // After an answer to something else, the open question is there again, with its options.
        DataStrategy::EsFetch | DataStrategy::None if said.ask_slots.is_empty() => {
            session.current_question().into_iter().collect()
        }
        _ => {
            let names = said.ask_slots.iter().map(|slot| &slot.slot_name);
            names.filter_map(|name| session.contextual_questions.get_key_value(name)).collect()
        }
    };
    output.send(vec![complete(&block, &said, &asked, &session)]).await?;
    let response = said.simple_response.iter().map(|response| response.message.as_str());
    let words: Vec<&str> = response.chain(asked.iter().map(|(_, question)| question.message.as_str())).collect();
    let mut stop_reason = "end_turn".to_owned();
    let answer = match said.data_strategy {
        DataStrategy::MemoryOnly => recall(assistants, before, &user, output, &mut stop_reason).await?,
        DataStrategy::EsFetch if asked.is_empty() => search(assistants, &said, &session, output).await?,
        DataStrategy::None | DataStrategy::EsFetch => words.join("\n"),
    };
    let mut messages = vec![user];
    if !answer.trim().is_empty() {
        messages.push(Message::assistant(answer));
    }
    let turn = Turn { assistant: Assistant::Shopping, messages, context: None, session: Some(session) };
    Ok(Finished { turn, stop_reason })
}

/// The first call. If its input does not hold, the model is told why, once.
async fn classify(
    assistants: &Assistants,
    before: &Conversation,
    message: &Said,
    block: &str,
    output: &mut Output,
) -> Result<Classification, TurnError> {
    let mut new = vec![Message::user(&message.text)];
    let (mut shown, mut why) = (Shown::default(), String::new());
    for _ in 0..CLASSIFICATIONS {
        let request = classify_request(before, message, &new);
        let begun = shown.again();
        let reader = || Reading::new(block, begun.clone());
        let reading = ask(&assistants.provider, &request, output, Reading::calls, reader).await?;
        let (verdict, seen) = reading.finish();
        match verdict {
            Ok(said) => return Ok(said),
            Err(rejected) => {
                why = rejected.words();
                tracing::warn!(?why, "a classification does not hold");
                new.extend(rejected.as_messages());
                shown = seen;
            }
        }
    }
    Err(TurnError::Classification(why))
}

fn classify_request(before: &Conversation, message: &Said, new: &[Message]) -> Request {
    let mut system =
        "You are a shop's assistant. Classify the last message, and ask for what is missing, with options to \
                      choose from. If a question is open and the message answers it, it is a follow-up."
            .to_owned();
    if let Some(session) = &before.session {
        system = format!("{system}\nSession: {}", json!(session));
    }
    if !message.answers.is_empty() {
        system = format!("{system}\nAnswers: {}", json!(message.answers));
    }
    Request {
        system,
        messages: conversation(&before.messages, new),
        tools: TOOLS.clone(),
        forced_tool: Some(TOOL.to_owned()),
        max_tokens: MOST_TOKENS,
        temperature: Some(0.0),
    }
}

/// The second call: an answer over the stored conversation, streamed as text.
async fn recall(
    assistants: &Assistants,
    before: &Conversation,
    user: &Message,
    output: &mut Output,
    stop_reason: &mut String,
) -> Result<String, TurnError> {
    let request = Request {
        system: "You are a shop's assistant. Answer from this conversation alone.".to_owned(),
        messages: conversation(&before.messages, std::slice::from_ref(user)),
        max_tokens: MOST_TOKENS,
        ..Request::default()
    };
    let (block, no_calls) = (output.begin_answer().await?, Default::default());
    let round = ask(&assistants.provider, &request, output, Round::calls, || Round::new(&block, &no_calls)).await?;
    let (said, rest) = round.finish();
    output.send(rest).await?;
    *stop_reason = said.reason();
    Ok(said.message.map(|message| message.text()).unwrap_or_default())
}

/// Enough is known: the catalogue is searched.
async fn search(
    assistants: &Assistants,
    said: &Classification,
    session: &Session,
    output: &mut Output,
) -> Result<String, TurnError> {
    let kinds = said.category.iter().chain(&said.subcategories).map(|kind| kind.replace('_', " "));
    let answers: Vec<&[String]> = session.answers().collect();
    let (found, is_exact) = assistants.catalogue.search(&kinds.collect::<Vec<_>>().join(" "), &answers);
    let block = output.next_block();
    let items: Vec<_> = found.iter().map(|product| product.to_json()).collect();
    let products = Envelope::whole(MessageType::Products, json!({"items": items})).of("products");
    let mut events = vec![Event::new(EventName::Products, products.in_block(block.as_str()))];
    let names: Vec<&str> = found.iter().map(|product| product.name.as_str()).collect();
    let answer = match names.as_slice() {
        [] => "I have found nothing that fits.".to_owned(),
        names if is_exact => format!("I have found {}: {}.", names.len(), names.join(", ")),
        names => format!("Nothing fits all of that. The closest: {}.", names.join(", ")),
    };
    GrowingText::new(EventName::Text, MessageType::Text, "text", &block).push(&answer, &mut events);
    output.send(events).await?;
    Ok(answer)
}

/// The decision as the client may see it: the whole message. Of the internal fields it has only the slots' names, by which
/// an answer says where it belongs.
fn complete(block: &str, said: &Classification, asked: &[(&String, &ContextualQuestion)], session: &Session) -> Event {
    let public = |(slot, question): &(&String, &ContextualQuestion)| {
        let ContextualQuestion { message, kind, options, .. } = question;
        json!({"slot_name": slot, "message": message, "type": kind, "options": options})
    };
    let mut props = json!({"ask_slots": asked.iter().map(public).collect::<Vec<Value>>()});
    let answered = session.contextual_questions.iter().filter(|(_, question)| !question.answer.is_empty());
    let answers: Answers = answered.map(|(slot, question)| (slot.clone(), question.answer.clone())).collect();
    if !answers.is_empty() {
        props["answers"] = json!(answers);
    }
    if let Some(response) = &said.simple_response {
        props["simple_response"] = json!({"message": response.message});
        if !response.suggestions.is_empty() {
            props["simple_response"]["suggestions"] = json!(response.suggestions);
        }
    }
    if let Some(reasoning) = &said.reasoning {
        props["reasoning"] = json!(reasoning);
    }
    let whole = Envelope::whole(MessageType::Ask, props).of(MESSAGE).in_block(block);
    Event::new(EventName::ClassificationComplete, whole)
}
