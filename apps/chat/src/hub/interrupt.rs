//! Interrupts of a turn from outside.

use tokio::sync::mpsc;

/// The reason why a turn is interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupt {
    /// On the stored inputs, this program sends other events than were sent.
    Diverged,
    /// A client has stopped the turn.
    Stopped,
    /// The store fails, another server has the turn, or is to have it.
    Lost,
}

/// Receives the interrupts of a turn.
pub type Interrupts = mpsc::UnboundedSender<Interrupt>;

/// Reports an interrupt and waits to be dropped with the turn.
pub(crate) async fn interrupt<T>(interrupts: &Interrupts, why: Interrupt) -> T {
    // The receiver lives as long as this is polled.
    let _ = interrupts.send(why);
    std::future::pending().await
}
