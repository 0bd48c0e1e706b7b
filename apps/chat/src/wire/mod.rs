//! What goes to the client: the message envelope, and how a client merges a stream of them.
