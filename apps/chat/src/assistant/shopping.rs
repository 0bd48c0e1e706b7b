//! The shopping assistant's turn: one forced call classifies; then it answers, asks, searches or remembers.

use std::sync::{Arc, LazyLock};

use serde_json::json;

use super::ask::{Reader, ask};
use super::classification::{Classification, DataStrategy, TOOL, schema};
use super::classify::{Reading, complete};
use super::output::{GrowingText, Output};
use super::round::Round;
use super::{Assistants, Finished, TurnError, conversation};
use crate::conversation::{Assistant, Conversation, Session, Turn};
use crate::provider::{Message, Request, ToolSpec};
use crate::wire::{Envelope, Event, EventName, MessageType};

const MOST_TOKENS: u32 = 2048;

static TOOLS: LazyLock<Arc<[ToolSpec]>> = LazyLock::new(|| {
    let description = "Says what the message is about, where its answer comes from, and what is missing.".to_owned();
    [ToolSpec { name: TOOL.to_owned(), description, input_schema: schema() }].into()
});

impl Reader for Reading {
    fn take(&mut self, event: jsonspigot::providers::StreamEvent<'_>) {
        self.take(event);
    }

    fn drain(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }
}

pub(super) async fn answer(
    assistants: &Assistants,
    before: &Conversation,
    message: &str,
    output: &mut Output,
) -> Result<Finished, TurnError> {
    let user = Message::user(message);
    let block = output.begin_answer().await?;
    let request = classify_request(before, &user);
    let reading = ask(&assistants.provider, &request, output, Reading::calls, || Reading::new(&block)).await?;
    // The message has come to its end: only now is anything decided.
    let said = reading.finish().map_err(TurnError::Classification)?;
    let session = Session::after(before.session.as_ref(), &said);
    let asked = match said.data_strategy {
        DataStrategy::EsFetch if said.ask_slots.is_empty() => session.current_question().into_iter().cloned().collect(),
        _ => said.ask_slots.clone(),
    };
    output.send(vec![complete(&block, &said, &asked)]).await?;
    let answer = match said.data_strategy {
        DataStrategy::None => said.simple_response.map(|response| response.message).unwrap_or_default(),
        DataStrategy::MemoryOnly => recall(assistants, before, &user, output).await?,
        DataStrategy::EsFetch if asked.is_empty() => search(assistants, &said, &session, output).await?,
        DataStrategy::EsFetch => asked.iter().map(|slot| slot.message.as_str()).collect::<Vec<_>>().join("\n"),
    };
    // What needs no look at the catalogue leaves the questions as they are.
    let session = match said.data_strategy {
        DataStrategy::EsFetch => session,
        _ => before.session.clone().filter(|open| open.assessment.currently_asking.is_some()).unwrap_or(session),
    };
    let mut messages = vec![user];
    if !answer.trim().is_empty() {
        messages.push(Message::assistant(answer));
    }
    let turn = Turn { assistant: Assistant::Shopping, messages, context: None, session: Some(session) };
    Ok(Finished { turn, stop_reason: "end_turn".to_owned() })
}

fn classify_request(before: &Conversation, user: &Message) -> Request {
    let mut system =
        "You are a shop's assistant. Classify the last message, and ask for what is missing. If a question is \
                      open and the message answers it, put it in `answered`."
            .to_owned();
    if let Some(session) = &before.session {
        system = format!("{system}\nSession: {}", json!(session));
    }
    Request {
        system,
        messages: conversation(&before.messages, std::slice::from_ref(user)),
        tools: TOOLS.clone(),
        forced_tool: Some(TOOL.to_owned()),
        max_tokens: MOST_TOKENS,
    }
}

/// The second call: an answer over the stored conversation, streamed as text.
async fn recall(
    assistants: &Assistants,
    before: &Conversation,
    user: &Message,
    output: &mut Output,
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
    Ok(said.message.map(|message| message.text()).unwrap_or_default())
}

/// Enough is known: the catalogue is searched.
async fn search(
    assistants: &Assistants,
    said: &Classification,
    session: &Session,
    output: &mut Output,
) -> Result<String, TurnError> {
    let mut words = said.search.clone();
    words.extend(session.assessment.fulfilled.values().cloned());
    let found = assistants.catalogue.search(&words);
    let block = output.next_block();
    let items: Vec<_> = found.iter().map(|product| json!({"name": product.name, "price": product.price()})).collect();
    let products = Envelope::whole(MessageType::Products, json!({"items": items})).of("products");
    let mut events = vec![Event::new(EventName::Products, products.in_block(block.as_str()))];
    let names: Vec<&str> = found.iter().map(|product| product.name.as_str()).collect();
    let answer = match names.as_slice() {
        [] => "I have found nothing that fits.".to_owned(),
        names => format!("I have found {}: {}.", names.len(), names.join(", ")),
    };
    GrowingText::new(EventName::Text, MessageType::Text, "text", &block).push(&answer, &mut events);
    output.send(events).await?;
    Ok(answer)
}
