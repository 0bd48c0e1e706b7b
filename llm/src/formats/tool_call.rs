//! A tool call as OpenAI's chat spells it, which Cohere and Ollama have taken over.

use crate::calls::Executor;
use crate::json::{Around, Field, Id, Json, Others, Piece, Spelt, Text, TextOrJson, Unreadable, objects};
use crate::wire::{Called, Means, Node, Row, row};

/// A call, or the beginning of one.
pub(crate) const CALL: Row = row(".", Means::Call(&CALLED)).when(|entry| entry.member("function").is_object());

/// A call of a type that nobody knows.
pub(crate) const UNKNOWN: Row = row(".", Means::UnknownPiece("type", "")).when(is_unknown);

pub(crate) fn is_unknown(entry: Node<'_>) -> bool {
    let is_known = matches!(&*entry.get("type").word(), "" | "function" | "custom");
    !is_known && !["function", "custom"].iter().any(|called| entry.member(called).is_object())
}

const CALLED: Called =
    Called { id: "id", name: "function.name", input: "function.arguments", executor: |_| Executor::Client };

objects! {
    /// A piece of a call, or all of it.
    pub(crate) struct ToolCall<'a> {
        pub(crate) index: Option<u64>,
        pub(crate) id: Id<'a>,
        /// `function`, `custom`, or at xAI what the provider executes itself: `web_search_call`.
        pub(crate) kind: Text<'a> = "type",
        pub(crate) function: Around<Function<'a>>,
        pub(crate) custom: Around<Custom<'a>>,
        pub(crate) extra_content: Option<Spelt<'a, Extra<'a>>>,
        pub(crate) others: Others<'a> = "*",
    }

    /// A call whose input is text.
    pub(crate) struct Custom<'a> {
        pub(crate) name: Text<'a>,
        pub(crate) input: Piece<'a>,
    }

    /// Google's additions to calls in the form of OpenAI's.
    pub(crate) struct Extra<'a> {
        pub(crate) google: Option<Google<'a>>,
    }

    pub(crate) struct Google<'a> {
        pub(crate) thought_signature: Json<'a>,
    }

    pub(crate) struct Function<'a> {
        pub(crate) name: Text<'a>,
        /// A string with the JSON text, or where a server knows no better, the JSON itself.
        pub(crate) arguments: Arguments<'a>,
    }
}

/// A piece of the arguments, or all of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arguments<'a>(Json<'a>);

impl<'a> Arguments<'a> {
    pub(crate) fn text_or_json(self) -> TextOrJson<'a> {
        self.0.text_or_json()
    }
}

impl<'a> Field<'a> for Arguments<'a> {
    fn read(&mut self, json: Json<'a>) -> Result<(), Unreadable> {
        self.0.read(json)?;
        // Some languages have no empty object.
        if json.spelt() != "[]" {
            self.0.aside().piece()?;
        }
        Ok(())
    }
}
