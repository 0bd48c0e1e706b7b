//! Saved state of the framing: which one it is, and its own part, which each framing writes itself.
//!
//! Where bytes are held anyway, the rest of a state is not saved: reading them again leads to it, and shows that they are
//! possible.

use std::num::NonZeroUsize;

use jsonspigot::{RestoreError, RestoreErrorKind};

use super::events::Events;
use super::messages::Messages;
use super::texts::Texts;
use super::{Framing, State, Undecided};
use crate::saved::{Reader, Saved, Writer, possible, with_added};

impl Framing {
    /// The state of what reads the frames, with how far the bytes have come. As it is, if nothing has been read.
    pub(crate) fn add_to(&self, state: Vec<u8>) -> Vec<u8> {
        if self.is_new() { state } else { with_added(&state, |out| self.save(out)) }
    }

    /// The framing that was saved, with the same limit.
    pub(crate) fn of(saved: &Saved<'_>, limit: NonZeroUsize) -> Result<Self, RestoreError> {
        let restored = saved.added(|reader| Self::restore(reader, limit))?;
        Ok(restored.unwrap_or_else(|| Self::new(limit)))
    }

    fn is_new(&self) -> bool {
        matches!(&self.state, State::Undecided(undecided) if undecided.first.is_empty() && undecided.events.is_new())
    }

    fn save(&self, out: &mut Writer<'_>) {
        match &self.state {
            State::Undecided(undecided) => {
                out.number(0);
                undecided.save(out);
            }
            State::Events(events) => {
                out.number(1);
                events.save(out);
            }
            State::Texts(texts) => {
                out.number(2);
                texts.save(out);
            }
            State::Messages(messages) => {
                out.number(3);
                messages.save(out);
            }
        }
    }

    fn restore(reader: &mut Reader<'_>, limit: NonZeroUsize) -> Result<Self, RestoreErrorKind> {
        let state = match reader.number()? {
            0 => State::Undecided(Undecided::restore(reader, limit)?),
            1 => State::Events(Events::restore(reader, limit)?),
            2 => State::Texts(Box::new(Texts::restore(reader, limit)?)),
            3 => State::Messages(Messages::restore(reader, limit)?),
            _ => return Err(RestoreErrorKind::Impossible),
        };
        Ok(Self { state, limit })
    }
}

impl Undecided {
    fn save(&self, out: &mut Writer<'_>) {
        let Self { first, events, len, has_bracket } = self;
        out.bytes(first);
        events.save(out);
        out.number(*len as u64);
        out.flag(*has_bracket);
    }

    fn restore(reader: &mut Reader<'_>, limit: NonZeroUsize) -> Result<Self, RestoreErrorKind> {
        let first = reader.bytes()?;
        let events = Events::restore(reader, limit)?;
        let (len, has_bracket) = (reader.size()?, reader.flag()?);
        // White space and a bracket make no event, and no prelude begins after them.
        possible(events.is_without_data() && (first.is_empty() || len == 0) && !(has_bracket && len == 0))?;
        let mut new = Self { first: Vec::new(), events, len, has_bracket };
        for byte in first {
            possible(new.look(*byte, limit).is_none())?;
        }
        possible(new.first == first && new.len == len)?;
        Ok(new)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::num::NonZeroUsize;

    use jsonspigot::RestoreErrorKind;

    use super::{Framing, Saved, with_added};
    use crate::framing::Frame;

    fn restored(bytes: &[u8], limit: NonZeroUsize) -> Result<Framing, RestoreErrorKind> {
        let framing = Saved::of(bytes).and_then(|saved| Framing::of(&saved, limit));
        framing.map_err(|error| error.kind())
    }

    /// The framing that a saved one goes on as.
    pub(in crate::framing) fn saved_and_restored(framing: &Framing) -> Framing {
        let bytes = framing.add_to(Vec::new());
        let new = restored(&bytes, framing.limit).unwrap();
        assert_eq!(new.add_to(Vec::new()), bytes, "what was restored is saved as it was");
        new
    }

    /// A prelude with the right checksum.
    fn prelude(total: u32, headers: u32) -> Vec<u8> {
        let lengths = [total.to_be_bytes(), headers.to_be_bytes()].concat();
        let checksum = crc32fast::hash(&lengths).to_be_bytes();
        [&lengths[..], &checksum].concat()
    }

    /// Inputs that come by all states.
    fn inputs() -> Vec<Vec<u8>> {
        let message = |total, rest: &str| [&prelude(total, 0)[..], rest.as_bytes()].concat();
        let long = "1, ".repeat(30);
        [
            "\u{feff}\n[ x\ndata: {}\n\n".as_bytes(),
            "data: {\"é\":1}\r\ndata\rdata:1\n\n: x\nevent: y\n\ndata: z".as_bytes(),
            format!("data: {long}\n\ndata: 1\n\n").as_bytes(),
            " {\"a\":\n[\"é\\n\"]}\n\nnoise\n[\n{},12,\n{\"a\":1}]\n{ \nx".as_bytes(),
            format!("{{\"a\":[\n{long}2]}}\n[{}{{}}, [{long}\n2], {{}}", " ".repeat(40)).as_bytes(),
            format!("{{}}\n{}\n{{}}\n[1]", "x".repeat(40)).as_bytes(),
            &message(20, "{}{}xxxx and more"),
            &[&message(120, &"x".repeat(108))[..], &prelude(16, 0), b"last"].concat(),
            &[&message(18, "{}xxxx")[..], b"\0\0\0\0\0\0\0\0\0\0\0\0\0\0"].concat(),
        ]
        .map(<[u8]>::to_vec)
        .to_vec()
    }

    const LIMIT: NonZeroUsize = NonZeroUsize::new(20).unwrap();

    /// The saved states of all these inputs after each byte, each with what follows it.
    fn states() -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut states = Vec::new();
        for input in inputs() {
            for cut in 0..=input.len() {
                let mut framing = Framing::new(LIMIT);
                framing.feed(&input[..cut], |_| {});
                states.push((with_added(b"", |out| framing.save(out)), input[cut..].to_vec()));
            }
        }
        states
    }

    fn told(framing: &mut Framing, rest: &[u8]) -> Vec<String> {
        let mut told = Vec::new();
        let mut on_frame = |frame: Frame<'_>| {
            if let Frame::Text(text) | Frame::Unreadable(text) | Frame::Exception(text) = frame {
                // Each byte that is not UTF-8 becomes three, and an event's name is put around it.
                assert!(text.len() <= 3 * LIMIT.get() + 30, "{text}");
            }
            told.push(format!("{frame:?}"));
        };
        framing.feed(rest, &mut on_frame);
        framing.finish(&mut on_frame);
        told
    }

    #[test]
    fn a_restored_framing_goes_on_as_the_saved_one() {
        for input in inputs() {
            let whole = told(&mut Framing::new(LIMIT), &input);
            assert!(!whole.is_empty());
            for cut in 0..=input.len() {
                let (mut framing, mut before) = (Framing::new(LIMIT), Vec::new());
                framing.feed(&input[..cut], |frame| before.push(format!("{frame:?}")));
                before.extend(told(&mut saved_and_restored(&framing), &input[cut..]));
                assert_eq!(before, whole, "{:?} cut at {cut}", String::from_utf8_lossy(&input));
            }
        }
    }

    #[test]
    fn cut_and_changed_bytes_are_refused() {
        for (state, _) in states() {
            for len in 0..state.len() {
                assert_eq!(restored(&state[..len], LIMIT).err(), (len > 2).then_some(RestoreErrorKind::Cut), "{len}");
            }
            for place in 0..state.len() {
                let mut changed = state.clone();
                changed[place] ^= 1 << (place % 8);
                let kind = restored(&changed, LIMIT).err();
                let expected: &[Option<RestoreErrorKind>] = match place {
                    // Those would be the library's to refuse.
                    0..3 => &[None],
                    3 => &[Some(RestoreErrorKind::NotSavedState)],
                    4 => &[Some(RestoreErrorKind::OtherVersion)],
                    5..21 => &[Some(RestoreErrorKind::Cut), Some(RestoreErrorKind::Changed)],
                    _ => &[Some(RestoreErrorKind::Changed)],
                };
                assert!(expected.contains(&kind), "{place}: {kind:?}");
            }
            let longer = [&state[..], b"\0"].concat();
            assert_eq!(restored(&longer, LIMIT).err(), Some(RestoreErrorKind::Changed));
        }
    }

    /// With the right checksum, bytes are impossible or as good as if they had been saved.
    #[test]
    fn bytes_that_were_made_up_are_refused_or_sound() {
        let header = with_added(b"", |_| {}).len();
        let (mut refused, mut sound) = (0, 0);
        for (state, rest) in states() {
            let added = &state[header..];
            let changes = (0..added.len()).flat_map(|place| {
                [0, 1, 2, 11, 20, 21, b'{', 0xFF].map(|byte| {
                    let mut changed = added.to_vec();
                    changed[place] = byte;
                    changed
                })
            });
            let cuts = (0..added.len()).map(|len| added[..len].to_vec());
            for made_up in changes.chain(cuts) {
                let state = with_added(b"", |out| out.raw(&made_up));
                match restored(&state, LIMIT) {
                    Err(kind) => {
                        assert_eq!(kind, RestoreErrorKind::Impossible);
                        refused += 1;
                    }
                    Ok(framing) => {
                        told(&mut saved_and_restored(&framing), &rest);
                        sound += 1;
                    }
                }
            }
        }
        assert!(refused > 1000 && sound > 1000, "{refused} {sound}");
    }
}
