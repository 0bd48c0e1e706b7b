//! A macro for iterators over owned events.

/// Defines a named iterator over owned events. All events have been read when it is created, so dropping it early only
/// loses events.
#[doc(hidden)]
#[macro_export]
macro_rules! owned_events {
    ($(#[$doc:meta])* $name:ident of $event:ty $(, $field:ident: $kept:ty)?) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        #[must_use = "the events have happened, and are lost unless they are looked at; `check` asks for errors alone"]
        pub struct $name {
            events: alloc::vec::IntoIter<$event>,
            $($field: $kept,)?
        }

        impl $name {
            pub(crate) fn new(events: alloc::vec::Vec<$event> $(, $field: $kept)?) -> Self {
                Self { events: events.into_iter(), $($field)? }
            }
        }

        impl Iterator for $name {
            type Item = $event;

            fn next(&mut self) -> Option<Self::Item> {
                self.events.next()
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.events.size_hint()
            }
        }

        impl DoubleEndedIterator for $name {
            fn next_back(&mut self) -> Option<Self::Item> {
                self.events.next_back()
            }
        }

        impl ExactSizeIterator for $name {}

        impl core::iter::FusedIterator for $name {}
    };
}

pub use owned_events;
