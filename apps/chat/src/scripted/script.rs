//! What the scripted provider answers: which script a request gets, and the faults that are asked for in what it says.

use super::directives::{Directives, FaultKind};
use super::random::random_text;
use super::scripts::{finance, form, restaurant, shopping};
use super::turn::{Block, Turn, text, tool};

/// An answer: blocks, and why it stops.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) blocks: Vec<Block>,
    pub(super) stop_reason: &'static str,
    /// Whether the last block is told without its end, as when it was cut.
    pub(super) is_cut: bool,
}

/// The answer to a request, with the faults that are in what it says.
pub(super) fn answer(turn: &Turn<'_>, directives: &Directives, faults: &[FaultKind]) -> Answer {
    let mut blocks = blocks(turn, directives);
    if (directives.think || turn.thinks) && turn.forced.is_none() && turn.round == 1 {
        let thought = format!("The user says “{}”. Let me think about what that needs.", turn.text);
        blocks.insert(0, Block::Thinking(thought));
    }
    // A thought does not count: ids have to be new in the conversation, in which only calls are known afterwards.
    let counted = blocks.iter_mut().filter(|block| !matches!(block, Block::Thinking(_)));
    for (number, block) in (turn.calls_so_far + 1..).zip(counted) {
        if let Block::Tool { id, .. } = block {
            *id = format!("toolu_{number:04}");
        }
    }
    let stop_reason = if blocks.iter().any(is_call) { "tool_use" } else { "end_turn" };
    let mut answer = Answer { blocks, stop_reason, is_cut: false };
    for fault in faults {
        answer.suffer(*fault);
    }
    answer
}

/// What the script that a turn gets has to say.
fn blocks(turn: &Turn<'_>, directives: &Directives) -> Vec<Block> {
    if let Some((seed, length)) = directives.random {
        return vec![text(random_text(seed, length))];
    }
    let calls = !directives.tools.is_empty() && turn.may_call;
    if calls && (turn.round == 1 || directives.forever) {
        let calls = directives.tools.iter().map(|(name, input)| tool(name, input.clone()));
        return [text("Let me see. ")].into_iter().chain(calls).collect();
    }
    if turn.forced == Some("classify_and_assess") {
        return shopping::classify(turn);
    }
    let said = match () {
        () if calls => vec![text(turn.retell_results())],
        () if turn.tools.contains(&"get_spending_summary") => finance::answer(turn),
        () if turn.tools.contains(&"find_restaurants") => restaurant::answer(turn),
        () if turn.system.contains("adviser on spending") => finance::advise(turn),
        () if turn.system.contains("JSON Schema") => form::answer(turn),
        () => shopping::recall(turn),
    };
    match turn.forced {
        // A tool that no script knows is called all the same.
        Some(name) if !said.iter().any(is_call) => vec![tool(name, "{}")],
        _ => said,
    }
}

fn is_call(block: &Block) -> bool {
    matches!(block, Block::Tool { .. })
}

impl Answer {
    fn suffer(&mut self, fault: FaultKind) {
        match (fault, self.blocks.last_mut()) {
            (FaultKind::Malformed, Some(Block::Tool { input, .. })) => {
                // A value without its quotes, as eager input streaming has brought it.
                *input = format!(r#"{{"note": Dave, {}"#, input.trim_start_matches('{'));
            }
            (FaultKind::Truncated, Some(Block::Tool { input: text, .. } | Block::Text(text))) => {
                let half = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
                text.truncate(half);
                (self.stop_reason, self.is_cut) = ("max_tokens", true);
            }
            (FaultKind::Twice, Some(call @ Block::Tool { .. })) => {
                let again = call.clone();
                self.blocks.push(again);
            }
            _ => {}
        }
    }
}
