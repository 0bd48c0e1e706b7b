//! The open blocks of text and reasoning, and their places.
//!
//! In a format with blocks, each block has a place, by which its text is assigned. In a format without blocks, each run
//! of text or of reasoning is a block, which ends where the other kind or a call begins. In both cases the first piece
//! starts a block that is not open, so every piece has one.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use crate::event::{Block, BlockKind};

/// The place of a block or call, as it is written in an event. Blocks without a place belong to the current run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum At<'a> {
    /// The wire sends no places.
    #[default]
    Run,
    /// The index is missing.
    Nowhere,
    /// An index, and an index inside it.
    Index(u64, u64),
    /// The id may be empty.
    Id(&'a str),
}

impl From<Option<u64>> for At<'_> {
    fn from(index: Option<u64>) -> Self {
        index.map_or(Self::Nowhere, |index| Self::Index(index, 0))
    }
}

/// A selection of open blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Which<'a> {
    /// The block at a place. A run belongs to an answer.
    At(u64, At<'a>),
    /// All blocks at an index, whatever their inner index is.
    Item(u64),
    /// All blocks of an answer.
    Of(u64),
    All,
}

/// The open blocks, in the order in which they started.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks {
    open: Vec<Open>,
    /// The number of the next block.
    pub(crate) next: u64,
}

#[derive(Clone, Debug)]
struct Open {
    number: u64,
    choice: u64,
    kind: BlockKind,
    place: Place,
}

/// An owned [`At`].
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// The run of the answer with this index. Other places are shared by all answers.
    Run(u64),
    Index(u64, u64),
    Id(String),
}

impl Place {
    pub(crate) fn of(choice: u64, at: At<'_>) -> Self {
        match at {
            At::Run | At::Nowhere | At::Id("") => Self::Run(choice),
            At::Index(outer, inner) => Self::Index(outer, inner),
            At::Id(id) => Self::Id(id.to_owned()),
        }
    }

    pub(crate) fn is(&self, choice: u64, at: At<'_>) -> bool {
        match (self, at) {
            (Self::Run(own), At::Run | At::Nowhere | At::Id("")) => *own == choice,
            (Self::Index(outer, inner), At::Index(at_outer, at_inner)) => (*outer, *inner) == (at_outer, at_inner),
            (Self::Id(id), At::Id(at_id)) => id == at_id,
            _ => false,
        }
    }
}

impl Open {
    fn is_in(&self, which: Which<'_>) -> bool {
        match which {
            Which::At(choice, at) => self.place.is(choice, at),
            Which::Item(index) => matches!(self.place, Place::Index(outer, _) if outer == index),
            Which::Of(choice) => self.choice == choice,
            Which::All => true,
        }
    }

    fn block(&self) -> Block<'static> {
        Block { number: self.number, choice: self.choice, kind: self.kind, id: None, phase: None }
    }
}

impl Blocks {
    /// Returns true if no block is open.
    pub(crate) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Makes `next` the lowest number of the next block, because lower ones were used before.
    pub(crate) fn count_from(&mut self, next: u64) {
        self.next = self.next.max(next);
    }

    /// Returns the number and the kind of the selected block that was started last; `None` if there is none.
    pub(crate) fn find(&self, which: Which<'_>) -> Option<(u64, BlockKind)> {
        self.open.iter().rev().find(|open| open.is_in(which)).map(|open| (open.number, open.kind))
    }

    /// Starts a block, and ends the one at the same place. At most `most` blocks are open; the oldest is ended to make
    /// room. Returns the new block's number, and the ended blocks.
    pub(crate) fn start(
        &mut self,
        choice: u64,
        at: At<'_>,
        kind: BlockKind,
        most: usize,
    ) -> (u64, Vec<Block<'static>>) {
        let is_full = self.open.len() >= most.max(1);
        let oldest = self.open.first().map(|open| open.number).filter(|_| is_full);
        let ended = self.end(|open| open.place.is(choice, at) || oldest == Some(open.number));
        let place = Place::of(choice, at);
        let number = self.next;
        self.next += 1;
        self.open.push(Open { number, choice, kind, place });
        (number, ended)
    }

    /// Ends the selected blocks, and returns them.
    pub(crate) fn end_all(&mut self, which: Which<'_>) -> Vec<Block<'static>> {
        self.end(|open| open.is_in(which))
    }

    fn end(&mut self, is_meant: impl Fn(&Open) -> bool) -> Vec<Block<'static>> {
        let ended = self.open.iter().filter(|open| is_meant(open)).map(Open::block).collect();
        self.open.retain(|open| !is_meant(open));
        ended
    }
}
