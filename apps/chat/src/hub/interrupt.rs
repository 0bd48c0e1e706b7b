//! What ends a run of a turn that is not its own doing.

use tokio::sync::mpsc;

use crate::store::Input;

/// Why a turn does not go on as it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Interrupt {
    /// It is to be run again on these inputs.
    Again(Vec<Input>),
    /// Run on the same inputs, this program tells something else than was told.
    Diverged,
    /// Another server has it, or nobody: what this one does has no effect any more.
    Lost,
}

/// Whoever runs a turn hears of what interrupts it.
pub type Interrupts = mpsc::UnboundedSender<Interrupt>;

/// Stops here for good: whoever runs the turn drops it.
pub(crate) async fn interrupt<T>(interrupts: &Interrupts, why: Interrupt) -> T {
    // The receiver is there as long as this is polled.
    let _ = interrupts.send(why);
    std::future::pending().await
}
