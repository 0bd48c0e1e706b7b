//! Any sequence of calls on parsers of any configuration, against the recogniser's reading of what they were fed.

use jsonspigot::{Error, ErrorKind, Events, Parser, Retain};

use super::snapshots::with_snapshots;
use crate::driver::{Joined, Method, builder, pattern_set};
use crate::laws::Law;
use crate::model::closer::OpenAtoms;
use crate::model::log::{ModelEvent, ModelEventKind, ModelLog, Options, Verdict};
use crate::model::position::line_and_column;
use crate::model::{recogniser, replay};

/// A call of a parser's method.
#[derive(Clone, Debug)]
pub enum ParserCall {
    Feed(Vec<u8>, Method),
    Finish(Method),
    Look,
    Reset,
    /// From here on a clone gets the same calls, and must report the same.
    Clone,
}

/// The parser's options that the model does not have.
#[derive(Clone, Copy, Debug)]
pub struct Configuration {
    pub retain: Retain,
    /// `None` without snapshots.
    pub snapshots: Option<OpenAtoms>,
}

/// Checks that errors stick and nothing is lost; that a reset parser is as good as new, a clone continues like its
/// original, and an empty chunk changes nothing; and that nothing panics.
pub fn agree_with_the_model(options: &Options, configuration: Configuration, ops: &[ParserCall]) {
    let choices = builder(options).retain(configuration.retain);
    let choose_snapshots = |choices| match configuration.snapshots {
        Some(open_atoms) => with_snapshots(choices, open_atoms),
        None => choices,
    };
    let parser = choose_snapshots(choices).patterns(&pattern_set(options)).build();
    let mut all = vec![LoggedParser { parser, reported: Joined::default() }];
    let is_counted_by_the_model = options.lenient.iter().any(|name| matches!(*name, "comments" | "single-quotes"));
    let begin = || History { is_counted_by_the_model, ..History::default() };
    let mut history = begin();
    for op in ops {
        match op {
            ParserCall::Clone if all.len() < 4 => all.push(all[0].clone()),
            ParserCall::Clone => {}
            ParserCall::Reset => {
                all.iter_mut().for_each(LoggedParser::reset);
                history = begin();
            }
            ParserCall::Look => all.iter().for_each(|subject| subject.look(&history)),
            ParserCall::Feed(chunk, method) => {
                history.feed(chunk, options);
                all.iter_mut().for_each(|subject| subject.feed(chunk, *method, &history));
            }
            ParserCall::Finish(method) => {
                history.is_finished = true;
                all.iter_mut().for_each(|subject| subject.finish(*method));
            }
        }
    }
    let expected = history.expected(options, configuration);
    for subject in &all {
        subject.look(&history);
        assert_eq!(subject.log(&history), expected, "{configuration:?}");
    }
    if !ops.is_empty() {
        Law::NoPanics.mark_compared();
    }
    if expected.verdict.is_failed() {
        Law::ErrorsStick.mark_compared();
    }
}

/// The input since the last reset.
#[derive(Default)]
struct History {
    text: Vec<u8>,
    is_finished: bool,
    /// True if the last chunk was fed after a successful finish.
    is_after_the_end: bool,
    /// True if only the model knows the text between tokens: where comments and single quotes may be.
    is_counted_by_the_model: bool,
}

impl History {
    fn feed(&mut self, chunk: &[u8], options: &Options) {
        // Input after a finish is not part of the text, successful or not.
        self.is_after_the_end =
            self.is_finished && !chunk.is_empty() && recogniser::run(&self.text, options).verdict == Verdict::Complete;
        if !self.is_finished {
            self.text.extend_from_slice(chunk);
        }
    }

    fn expected(&self, options: &Options, configuration: Configuration) -> ModelLog {
        let mut options = Options { end_of_input: self.is_finished, ..options.clone() };
        let mut log = recogniser::run(&self.text, &options);
        if configuration.snapshots.is_some() {
            // All values are followed, as with the patterns `$` and `$..*`, and an error's path says so.
            options.patterns = replay::patterns();
            log.verdict = recogniser::run(&self.text, &options).verdict;
        }
        if configuration.retain == Retain::Nothing {
            log.events.iter_mut().for_each(forget);
        }
        log
    }

    /// Checks that an error's position, if it has one, is that of its byte.
    fn check_place(&self, error: &Error) {
        if self.is_counted_by_the_model {
            return;
        }
        let counted = line_and_column(&self.text, error.offset());
        assert_eq!((error.line(), error.column()), counted, "{error} of {:?}", String::from_utf8_lossy(&self.text));
    }
}

/// Removes the values of strings and containers, which do not have one if no text is kept.
fn forget(event: &mut ModelEvent) {
    if let ModelEventKind::End(text) = &mut event.kind
        && matches!(text.first(), Some(b'"' | b'[' | b'{'))
    {
        text.clear();
    }
}

/// Returns the result of a check after some of the events have been read.
fn check_anywhere(mut events: Events<'_>, some: usize) -> Result<(), Error> {
    let read = some.min(events.len().saturating_sub(1));
    let is_event = |event: Option<Result<_, _>>| event.is_some_and(|event| event.is_ok());
    assert!((0..read).all(|_| is_event(events.next())), "an error comes last");
    events.check()
}

#[derive(Clone)]
struct LoggedParser {
    parser: Parser,
    reported: Joined,
}

impl LoggedParser {
    fn reset(&mut self) {
        self.parser.reset();
        self.reported = Joined::default();
    }

    fn feed(&mut self, chunk: &[u8], method: Method, history: &History) {
        let before = self.reported.count();
        let checked = check_anywhere(self.parser.clone().feed(chunk), chunk.len());
        let result = self.reported.feed(&mut self.parser, chunk, method);
        assert_eq!(checked, result, "a check is the verdict alone");
        let _ = result.as_ref().inspect_err(|error| history.check_place(error));
        if history.is_after_the_end {
            assert_eq!(result.unwrap_err().kind(), ErrorKind::Finished);
            assert_eq!(self.reported.count(), before, "nothing is reported after the end");
        }
    }

    fn finish(&mut self, method: Method) {
        let checked = check_anywhere(self.parser.clone().finish(), 1);
        // Verdicts are compared with the model's at the end, where they are asked for again.
        assert_eq!(checked, self.reported.finish(&mut self.parser, method), "a check is the verdict alone");
    }

    /// Calls all methods that can be called at any time: none panics, and none takes an incomplete value for a complete
    /// one.
    fn look(&self, history: &History) {
        let parser = &self.parser;
        let is_whole = parser.complete().is_ok();
        assert!(!is_whole || history.is_finished);
        let is_read = parser.deserialize::<serde::de::IgnoredAny>().is_ok();
        if parser.has_snapshots() {
            // No text is needed.
            assert!(is_read || !is_whole);
            assert!(!is_read || history.is_finished && parser.snapshot().unwrap().is_complete());
        } else {
            assert_eq!(is_read, is_whole);
        }
        assert!(parser.text().is_err() || history.text.starts_with(parser.text().unwrap()));
        assert!(parser.offset() <= history.text.len() as u64);
        let asked = [
            parser.text().err(),
            parser.complete().err(),
            parser.deserialize::<serde::de::IgnoredAny>().err(),
            // From a snapshot alone it has a path and no place.
            parser.deserialize::<Vec<Option<u8>>>().err().filter(|error| error.kind() != ErrorKind::Data || is_whole),
            parser.error().cloned(),
            parser.stopped_by().cloned(),
        ];
        asked.iter().flatten().for_each(|error| history.check_place(error));
        if let Some(first) = parser.deviations().first() {
            // The first is the error, whatever comes later: nothing is whole, and no more text is kept.
            let error = parser.error().unwrap();
            assert_eq!(error.offset(), first.offset());
            assert!(!is_whole && !parser.is_complete());
            let before = &history.text[..first.offset() as usize];
            assert!(parser.text().is_err() || parser.text().unwrap() == before);
            let root = parser.snapshot();
            assert!(root.is_none_or(|root| !root.is_complete()));
        }
        assert!(!format!("{parser:?}").is_empty());
        let _ = parser.is_complete();
        if !parser.has_snapshots() {
            return;
        }
        let _ = (parser.revision(), parser.state_of("a[0]"), parser.state_of("$['b']"), parser.state_of("['b'"));
        if let Some(root) = parser.snapshot() {
            let printed = root.to_string();
            let read = serde_json::from_str::<serde::de::IgnoredAny>(&printed);
            assert!(read.is_ok(), "what is shown is JSON: {printed}");
            assert!(parser.snapshot() == Some(root) && (root.is_complete() || !is_whole));
        }
    }

    /// Returns the events so far, and the verdict as of now.
    fn log(&self, history: &History) -> ModelLog {
        let mut parser = self.parser.clone();
        let result = match history.is_finished {
            true => parser.finish_with(|_| panic!("an event after the end")),
            false => parser.feed_with("", |_| panic!("an event of nothing")),
        };
        self.reported.clone().into_log(&self.parser, result, history.is_finished)
    }
}
