//! The shopping assistant's turn: one forced call classifies; then it answers, asks, searches or remembers.

use std::sync::{Arc, LazyLock};

use serde_json::{Value, json};

use super::ask::ask;
use super::classification::{Classification, DataStrategy, Rejected, SCHEMA, TOOL};
use super::classify::Reading;
use super::growing_text::GrowingText;
use super::output::Output;
use super::round::Round;
use super::{Assistants, Finished, TurnError, catalogue, conversation};
use crate::conversation::{Answers, ContextualQuestion, Conversation, Said, Session};
use crate::provider::{Message, Request, ToolSpec};
use crate::wire::{Event, EventName, MessageRef, MessageType};

const MOST_TOKENS: u32 = 2000;

/// The attempts at one classification.
const CLASSIFICATIONS: usize = 2;

static TOOLS: LazyLock<Arc<[ToolSpec]>> = LazyLock::new(|| {
    let description = "Says what the message is about, where its answer comes from, and what is missing. Write \
                       `ask_slots`, `simple_response` and `reasoning` first: the person reads them while you write."
        .to_owned();
    [ToolSpec { name: TOOL.to_owned(), description, input_schema: SCHEMA.as_value().clone() }].into()
});

pub(super) async fn answer(
    assistants: &Assistants,
    before: &Conversation,
    message: &Said,
    output: &mut Output,
) -> Result<Finished, TurnError> {
    let user = Message::user(&message.text);
    let mut reading = Reading::new(&output.begin_answer().await?);
    // Nothing is decided before the input is complete and valid.
    let said = classify(assistants, before, message, &mut reading, output).await?;
    let session = Session::after(before.session.as_ref(), &said, &message.text, &message.answers);
    // A message that needs no catalogue leaves open questions as they are, unless it answers one or leads to another.
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
        // After an answer to something else, the open question is shown again.
        DataStrategy::EsFetch | DataStrategy::None if said.ask_slots.is_empty() => {
            session.current_question().into_iter().collect()
        }
        _ => {
            let names = said.ask_slots.iter().map(|slot| &slot.slot_name);
            names.filter_map(|name| session.contextual_questions.get_key_value(name)).collect()
        }
    };
    output.send(vec![complete(&reading.message, &said, &asked, &session)]).await?;
    let response = said.simple_response.iter().map(|response| response.message.as_str());
    let words: Vec<&str> = response.chain(asked.iter().map(|(_, question)| question.message.as_str())).collect();
    let mut stop_reason = "end_turn".to_owned();
    let answer = match said.data_strategy {
        DataStrategy::MemoryOnly => recall(assistants, before, &user, output, &mut stop_reason).await?,
        DataStrategy::EsFetch if asked.is_empty() => search(&said, &session, output).await?,
        DataStrategy::None | DataStrategy::EsFetch => words.join("\n"),
    };
    let mut messages = vec![user];
    if !answer.trim().is_empty() {
        messages.push(Message::assistant(answer));
    }
    let conversation = Conversation { session: Some(session), ..before.with(&messages) };
    Ok(Finished { conversation, stop_reason })
}

/// Has the model classify the message. If the call is not valid, the model gets the errors and is asked once more.
async fn classify(
    assistants: &Assistants,
    before: &Conversation,
    message: &Said,
    reading: &mut Reading,
    output: &mut Output,
) -> Result<Classification, TurnError> {
    let (mut new, mut why) = (vec![Message::user(&message.text)], String::new());
    for _ in 0..CLASSIFICATIONS {
        let request = classify_request(before, message, &new);
        ask(&assistants.provider, &request, output, reading).await?;
        let never = || Err(Rejected { call: None, errors: vec!["the message was not classified".to_owned()] });
        match reading.verdict.take().unwrap_or_else(never) {
            Ok(said) => return Ok(said),
            Err(rejected) => {
                why = rejected.errors.join("; ");
                tracing::warn!(?why, "a classification is not valid");
                new.extend(rejected.into_messages());
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

/// Answers from the stored conversation with a second request, whose text streams.
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
    let mut round = Round::new(&block, &no_calls);
    ask(&assistants.provider, &request, output, &mut round).await?;
    let (said, rest) = round.finish();
    output.send(rest).await?;
    *stop_reason = said.stop_reason;
    Ok(said.message.map(|message| message.text()).unwrap_or_default())
}

/// Searches the catalogue.
async fn search(said: &Classification, session: &Session, output: &mut Output) -> Result<String, TurnError> {
    let kinds = said.category.iter().chain(&said.subcategories).map(|kind| kind.replace('_', " "));
    let answers: Vec<&[String]> = session.answers().collect();
    let (found, is_exact) = catalogue::search(&kinds.collect::<Vec<_>>().join(" "), &answers);
    let block = output.next_block();
    let items: Vec<_> = found.iter().map(|product| product.to_json()).collect();
    let products = MessageRef::new(EventName::Products, MessageType::Products, "products", &block);
    let mut events = vec![products.whole(json!({"items": items}))];
    let names: Vec<&str> = found.iter().map(|product| product.1).collect();
    let answer = match names.as_slice() {
        [] => "I have found nothing that fits.".to_owned(),
        names if is_exact => format!("I have found {}: {}.", names.len(), names.join(", ")),
        names => format!("Nothing fits all of that. The closest: {}.", names.join(", ")),
    };
    GrowingText::text("text", &block).push(&answer, &mut events);
    output.send(events).await?;
    Ok(answer)
}

/// Creates the event of the decision. Of the internal fields it has only the slots' names, which answers carry.
fn complete(
    message: &MessageRef,
    said: &Classification,
    asked: &[(&String, &ContextualQuestion)],
    session: &Session,
) -> Event {
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
    message.named(EventName::ClassificationComplete).whole(props)
}
