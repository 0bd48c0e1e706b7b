//! A macro for the two forms of each verb that reports events.

/// Defines each verb in two forms: the bare one returns its events, and the one with `_with` passes them to a callback.
/// The type defines what both do with the verb's input, in `events_of` and `take`.
macro_rules! verbs {
    ($taker:ident, $event:ident in $events:ident; $(
        $(#[$doc:meta])*
        $bare:ident, $with:ident $(<$life:lifetime>)? ($($argument:ident: $kind:ty),*) => $input:expr;
    )*) => {
        impl $taker { $(
            $(#[$doc])*
            pub fn $bare $(<$life>)? (&mut self $(, $argument: $kind)*) -> $events {
                self.events_of($input)
            }

            #[doc = concat!("Like [`", stringify!($bare), "`](Self::", stringify!($bare), "), but passes the events to")]
            #[doc = "`on_event` and copies nothing."]
            pub fn $with $(<$life>)? (&mut self $(, $argument: $kind)*, mut on_event: impl FnMut($event<'_>)) {
                self.take($input, &mut on_event);
            }
        )* }
    };
}

pub(crate) use verbs;
