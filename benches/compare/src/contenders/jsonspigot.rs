//! jsonspigot: both methods without retained text, and `feed_with` with all text retained, the default.

use std::time::{Duration, Instant};

use jsonspigot::{EventKind, Parser, PartialValue, PatternSet, Retain};
use serde_json::Value;

use super::{Contender, Done, FEED, FEED_WITH, KEEPING, Manner};
use crate::chunks::Input;
use crate::output::{Look, Seen, Sink};

/// The method and retention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    FeedWith,
    Feed,
    /// `feed_with` and [`Retain::All`].
    Keeping,
}

/// Reuses the compiled pattern between runs, and the parser for [`Contender::again`].
#[derive(Debug)]
pub(super) struct Spigot {
    method: Method,
    patterns: Option<(&'static str, PatternSet)>,
    parser: Option<Parser>,
}

impl Spigot {
    pub(super) fn new(method: Method) -> Self {
        Self { method, patterns: None, parser: None }
    }

    fn patterns(&mut self, input: &Input) -> &PatternSet {
        let wanted = input.kind.pattern();
        if self.patterns.as_ref().is_none_or(|(compiled, _)| *compiled != wanted) {
            let compiled = PatternSet::new([wanted]).expect("the payloads' patterns are valid");
            self.patterns = Some((wanted, compiled));
            self.parser = None;
        }
        let (_, patterns) = self.patterns.as_ref().expect("just compiled");
        patterns
    }

    fn retain(&self) -> Retain {
        if self.method == Method::Keeping { Retain::All } else { Retain::Nothing }
    }

    fn parser(&self, patterns: &PatternSet) -> Parser {
        Parser::builder().retain(self.retain()).patterns(patterns).build()
    }

    /// Returns a parser with snapshots and no patterns.
    fn snapshotting(&self) -> Parser {
        Parser::builder().retain(self.retain()).snapshots().build()
    }

    fn drive(
        &self,
        parser: &mut Parser,
        input: &Input,
        sink: &mut Sink,
        mut between: impl FnMut(Option<PartialValue<'_>>),
    ) -> Done {
        for chunk in input.chunks() {
            match self.method {
                Method::FeedWith | Method::Keeping => {
                    let reported = parser.feed_with(chunk, |event| {
                        if let Some(text) = event.delta() {
                            sink.delta(text);
                        }
                    });
                    reported.ok()?;
                }
                Method::Feed => {
                    for event in parser.feed(chunk) {
                        if let Some(text) = event.ok()?.delta() {
                            sink.delta(text);
                        }
                    }
                }
            }
            between(parser.snapshot());
        }
        parser.finish().check().ok()
    }
}

/// Measures the seconds to the first delta, creation of the parser included, and the longest `feed`, with snapshots.
/// Returns the minimum of many runs of each, to exclude other load of the machine.
pub fn latency(input: &Input) -> (f64, f64) {
    const RUNS: usize = 25;
    let patterns = PatternSet::new([input.kind.pattern()]).expect("the payloads' patterns are valid");
    let mut least = (Duration::MAX, Duration::MAX);
    for _ in 0..RUNS {
        let start = Instant::now();
        let mut parser = Parser::builder().retain(Retain::Nothing).snapshots().patterns(&patterns).build();
        let mut first = None;
        let mut worst = Duration::ZERO;
        for chunk in input.chunks() {
            let fed = Instant::now();
            let reported = parser.feed_with(chunk, |event| {
                if first.is_none() && matches!(event.kind, EventKind::Delta(_)) {
                    first = Some(start.elapsed());
                }
            });
            worst = worst.max(fed.elapsed());
            reported.expect("payloads are JSON");
        }
        least = (least.0.min(first.unwrap_or(Duration::MAX)), least.1.min(worst));
    }
    (least.0.as_secs_f64(), least.1.as_secs_f64())
}

impl Contender for Spigot {
    fn name(&self) -> &'static str {
        match self.method {
            Method::FeedWith => FEED_WITH,
            Method::Feed => FEED,
            Method::Keeping => KEEPING,
        }
    }

    fn manner(&self) -> Manner {
        Manner::Live
    }

    fn deltas(&mut self, input: &Input, sink: &mut Sink) -> Done {
        let patterns = self.patterns(input).clone();
        let mut parser = self.parser(&patterns);
        self.drive(&mut parser, input, sink, |_| {})
    }

    fn validate(&mut self, input: &Input) -> Done {
        let mut parser = self.parser(&PatternSet::default());
        self.drive(&mut parser, input, &mut Sink::default(), |_| {})
    }

    fn snapshots(&mut self, input: &Input, look: &mut Look<'_>) -> Done {
        let mut parser = self.snapshotting();
        self.drive(&mut parser, input, &mut Sink::default(), |snapshot| match snapshot {
            Some(snapshot) => look.see(&snapshot),
            None => look.nothing(),
        })
    }

    /// Shows the value deserialized from the retained text, or else the last snapshot.
    fn value(&mut self, input: &Input, look: &mut Look<'_>) -> Done {
        let keeps = self.method == Method::Keeping;
        let mut parser = if keeps { self.parser(&PatternSet::default()) } else { self.snapshotting() };
        self.drive(&mut parser, input, &mut Sink::default(), |_| {})?;
        if keeps {
            look.see(&parser.deserialize::<Value>().ok()?);
        } else {
            look.see(&parser.snapshot()?);
        }
        Some(())
    }

    fn again(&mut self, input: &Input, sink: &mut Sink) -> Done {
        let patterns = self.patterns(input).clone();
        let mut parser = self.parser.take().unwrap_or_else(|| self.parser(&patterns));
        parser.reset();
        self.drive(&mut parser, input, sink, |_| {})?;
        self.parser = Some(parser);
        Some(())
    }
}

impl Seen for PartialValue<'_> {
    fn to_value(&self) -> Option<Value> {
        PartialValue::to_value(*self).ok()
    }
}
