//! The arguments: their declarations, their conflicts, and the parser that they describe.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{ArgGroup, CommandFactory, FromArgMatches, Parser, ValueHint};
use jsonspigot::{
    DocumentRewriter, Documents, DuplicateKeys, Framing, Leniency, Limits, ParserBuilder, PatternSet, Retain, Rewriter,
};
use jsonspigot_llm::{CallRewriter, Envelope, Provider, ProviderStream, ToolCalls};

use crate::convert::{Converted, Target};
use crate::document::Document;
use crate::documents::Texts;
use crate::editor::{Edited, Editor};
use crate::edits::Edits;
use crate::envelope::{Marks, Text, marks};
use crate::help::{EXIT_STATUS, LINES};
use crate::output::Snapshots;
use crate::provider::Stream;
use crate::report::Failure;
use crate::source::Source;
use crate::terminal::Controls;
use crate::values::{NoProvider, Wire, duplicate_keys, framing, leniency, one_or_more, retain, wire};

/// Follow values in JSON while it is still arriving.
///
/// Reads one JSON text and writes a line of JSON for each thing that becomes known about a value that a PATTERN
/// selects: its begin, each new piece of a string, its end; then "done" or "error". With `--provider` or `--envelope`
/// the JSON is in the calls of a provider's stream, or in payloads inside text.
#[derive(Parser, Debug)]
#[command(
    name = "jsonspigot",
    version,
    override_usage = "jsonspigot [OPTIONS] [--] [PATTERN]... [< FILE]",
    group = ArgGroup::new("rule").multiple(true).conflicts_with_all(["patterns", "value", "text", "snapshots", "patches", "structured", "provider_events", "envelope", "lenient"]),
    after_help = format!("Exit status: {EXIT_STATUS}"),
    after_long_help = format!("{LINES}\n\nExit status: {EXIT_STATUS}")
)]
pub(crate) struct Options {
    /// The values to follow: paths with wildcards as in RFC 9535, such as `ask_slots[*].message`; `$` is the whole
    /// value; `arguments | city` reads the JSON text in the string `arguments`; `raw:arguments` reports a value's JSON
    /// text as it arrives
    #[arg(value_name = "PATTERN", value_hint = ValueHint::Other)]
    pub(crate) patterns: Vec<String>,

    /// Read this file instead of standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    input: Option<PathBuf>,

    /// Feed exactly N bytes at a time, however they arrive
    #[arg(long, value_name = "N", value_hint = ValueHint::Other, value_parser = one_or_more)]
    pub(crate) chunk: Option<NonZeroUsize>,

    /// After every N chunks, save the whole state to bytes and resume from them; the output is the same
    ///
    /// A saved state lets a stream outlive its process. Here the bytes stay in the same process: the option shows that
    /// nothing is lost, and how much time saving takes.
    #[arg(long, value_name = "N", value_hint = ValueHint::Other, value_parser = one_or_more)]
    pub(crate) checkpoint: Option<NonZeroUsize>,

    /// Add the complete value to the line "done", or each document's to its line
    #[arg(long)]
    pub(crate) value: bool,

    /// Write plain text for people: strings and raw values as they grow, atoms as spelled, a newline after each
    #[arg(long, conflicts_with = "value")]
    pub(crate) text: bool,

    /// Pass control characters through to a terminal instead of showing them as `^[`, `<U+202E>` or (in JSON) `\u202e`
    ///
    /// Control characters other than line feed and tab can control the terminal, and bidirectional ones can make text
    /// look different from what it is. Output to a file or pipe is never changed.
    #[arg(long)]
    raw_control: bool,

    /// After each chunk that added to the value, write the value so far, with open strings and brackets closed
    #[arg(long, group = "partial", conflicts_with_all = ["text", "patches"])]
    snapshots: bool,

    /// After each chunk that added to the value, write the changes: RFC 6902 operations, and `append` for strings
    #[arg(long, group = "partial", conflicts_with = "text")]
    patches: bool,

    /// With --snapshots or --patches: also show numbers and literals that are still open, as far as they have arrived
    ///
    /// A number is shown as its longest prefix that is itself a number (`12.` shows 12, `-` nothing), a literal from
    /// its first letter on. A number may change as it grows; a patch then has a `replace` for it.
    #[arg(long, requires = "partial")]
    provisional: bool,

    /// The input is this provider's stream: follow each call's arguments
    ///
    /// Server-sent events, JSON texts (one per line or spread over several), an array of events, or Amazon's binary
    /// event stream: the first bytes decide. `auto` detects the provider by the first event that only it sends.
    #[arg(long, value_name = "NAME", value_parser = wire(),
        conflicts_with_all = ["value", "snapshots", "patches", "retain"])]
    pub(crate) provider: Option<Wire>,

    #[command(flatten)]
    target: Target,

    /// The input is many JSON texts: one per line (`lines`), one after another (`concatenated`), or an RFC 7464
    /// `sequence`
    ///
    /// Each text is a document with a number, offsets and limits of its own. With `lines` and `sequence` a bad document
    /// is reported and the next one is read; with `concatenated` it ends the run, since the next one can't be found.
    #[arg(long, value_name = "FRAMING", value_parser = framing(), conflicts_with_all = ["provider", "structured", "envelope"])]
    pub(crate) documents: Option<Framing>,

    /// The assistant's text is itself the JSON: each answer is written as a call without a name
    #[arg(long, requires = "provider")]
    structured: bool,

    /// With --provider: also write each event unchanged, before the lines about it
    ///
    /// For data that has no line of its own, such as the probabilities of tokens, costs and timings.
    #[arg(long, requires = "provider", conflicts_with = "text")]
    provider_events: bool,

    /// Each fragment of a call's arguments repeats the arguments so far
    ///
    /// Some servers send such fragments. This is never guessed; fragments that look like it give a line "warning".
    #[arg(long, requires = "provider", conflicts_with = "rule")]
    cumulative: bool,

    /// Report when a call's arguments close, before the provider ends the call, and when each of these PATTERNs has
    /// selected a value that has closed
    ///
    /// For work that starts early and is committed or discarded at the line "input", which still has the verdict. Takes
    /// all arguments up to the next option, so put the patterns to follow first or after `--`.
    #[arg(long, value_name = "PATTERN", num_args = 0.., requires = "provider", value_hint = ValueHint::Other,
        conflicts_with = "rule")]
    closed: Option<Vec<String>>,

    /// The input, or the assistant's text, has payloads that MARK describes: follow these, and write the text around
    /// them
    ///
    /// MARK is `comment:NAME`, `fence:INFO`, `fence:*` (any fence that holds an object or array), `tag:NAME`, `bare`
    /// (any object or array), `bare:object`, or `between:OPEN:CLOSE` with the texts around it, in which `\:`, `\,`,
    /// `\\` and `\n` stand for a colon, a comma, a backslash and a line feed. CLOSE may be empty. Append `:json` or
    /// `:raw` to state what a payload holds; `between:OPEN:CLOSE:led` is for an object with text before it. With
    /// --provider the text is the assistant's, a block at a time. Takes one argument, which may list several marks
    /// separated by commas, so patterns may follow: `--envelope comment:context --envelope fence:json 'a.b'`.
    #[arg(long, value_name = "MARK", value_parser = marks, value_hint = ValueHint::Other,
        conflicts_with_all = ["value", "snapshots", "patches", "structured"])]
    envelope: Vec<Marks>,

    /// With --envelope: the text begins inside a payload of the first MARK, whose opening delimiter is not part of it
    #[arg(long, requires = "envelope")]
    inside: bool,

    /// Tolerate these deviations from JSON and keep reading: names separated by commas, or `model-output`
    ///
    /// The names: control-characters, bad-escapes, lone-surrogates, trailing-commas, comments (`//`, `/* */`, `#`),
    /// single-quotes, bare-keys, python-literals (True, False, None), non-finite (NaN, Infinity, -Infinity: shown as
    /// null), byte-order-mark. `model-output` is the first five and byte-order-mark. Each deviation is written as a
    /// line. The text stays invalid unless --accept is given: after the first deviation, strings and containers end
    /// without a value, and that deviation is the error at the end. With --provider and --envelope only the error is
    /// written.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = leniency(), hide_possible_values = true)]
    lenient: Vec<Leniency>,

    /// With --lenient: accept a text with such deviations; its values are those of the equivalent strict JSON
    ///
    /// Deviations are still written as lines. Calls and payloads get the status "accepted", with the value and a list
    /// of the deviations.
    #[arg(long, requires = "lenient")]
    accept: bool,

    #[command(flatten)]
    edits: Edits,

    /// How much of the input to keep: all of it, the open matches, or nothing (then only atoms' ends have a value)
    ///
    /// By default, as much as the other options need. `text` is another name for `all`.
    #[arg(long, value_name = "WHAT", value_parser = retain())]
    retain: Option<Retain>,

    /// How to treat a repeated key in an object
    #[arg(long, value_name = "POLICY", value_parser = duplicate_keys(), default_value = "last-wins")]
    duplicate_keys: DuplicateKeys,

    /// Refuse more than N open arrays and objects [default: 127]
    #[arg(long, value_name = "N", value_hint = ValueHint::Other)]
    max_depth: Option<usize>,

    /// Refuse a key of more than N bytes between its quotes
    #[arg(long, value_name = "N", value_hint = ValueHint::Other)]
    max_key: Option<u64>,

    /// Refuse a string of more than N bytes between its quotes
    #[arg(long, value_name = "N", value_hint = ValueHint::Other)]
    max_string: Option<u64>,

    /// Refuse a number of more than N bytes
    #[arg(long, value_name = "N", value_hint = ValueHint::Other)]
    max_number: Option<u64>,

    /// Refuse more than N bytes of white space in a row [default with --provider: 65536]
    #[arg(long, value_name = "N", value_hint = ValueHint::Other)]
    max_blank: Option<u64>,

    /// Refuse a JSON text of more than N bytes: the input, or each document, each call's arguments, or each payload
    #[arg(long, value_name = "N", value_hint = ValueHint::Other)]
    max_total: Option<u64>,

    // Not in every build: see the features in `Cargo.toml`.
    /// Print the man page or a shell's completion script, and do nothing else
    #[cfg(feature = "generate")]
    #[arg(long, value_name = "KIND", exclusive = true)]
    pub(crate) generate: Option<crate::values::Generated>,
}

impl Options {
    /// Parses the arguments, of which the first is the command's own name.
    pub(crate) fn from_arguments(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, Failure> {
        let matches = Self::command().try_get_matches_from(arguments)?;
        let mut options = Self::from_arg_matches(&matches)?;
        options.edits.keep_order(&matches);
        if options.value && matches!(options.retain, Some(Retain::Matches | Retain::Nothing)) {
            let message = "the argument '--value' needs '--retain all', which keeps the whole value";
            return Err(Self::command().error(ErrorKind::ArgumentConflict, message).into());
        }
        let keeps_less = matches!(options.retain, Some(Retain::Matches | Retain::Nothing));
        if options.checkpoint.is_some() && !options.lenient.is_empty() && keeps_less {
            let message =
                "the argument '--checkpoint' with '--lenient' needs '--retain all', since the state is the text";
            return Err(Self::command().error(ErrorKind::ArgumentConflict, message).into());
        }
        Ok(options)
    }

    /// Returns an editor of the input.
    fn editor(&self) -> Result<Editor, Failure> {
        let mut command = Self::command();
        let rules = self.edits.rules(&mut command)?;
        let mut refuse = |error: &dyn std::error::Error| command.error(ErrorKind::ValueValidation, error);
        if let Some(Wire(provider)) = self.provider {
            let provider = provider.ok_or_else(|| refuse(&NoProvider))?;
            let calls = CallRewriter::with_parser(provider, self.parser(), rules);
            let calls = calls.map_err(|error| refuse(&error))?;
            let calls = if self.checkpoint.is_some() { calls.saveable(usize::MAX) } else { calls };
            return Ok(Editor::calls(calls));
        }
        let rewriter = Rewriter::with_parser(self.parser(), rules).map_err(|error| refuse(&error))?;
        Ok(match self.documents {
            Some(framing) => Editor::Documents(DocumentRewriter::new(framing, rewriter)),
            None => Editor::Text(rewriter),
        })
    }

    /// Returns the envelope that finds payloads in text.
    fn envelope(&self, patterns: &PatternSet) -> Envelope {
        let builder = Envelope::builder().parser(self.parser());
        let builder = if self.checkpoint.is_some() { builder.saveable(usize::MAX) } else { builder };
        let builder = if self.inside { builder.starts_inside() } else { builder };
        builder.build(self.envelope.iter().flat_map(|Marks(marks)| marks.clone()), patterns)
    }

    /// Returns the stream of a provider, or of one that is detected.
    fn stream(&self, provider: Option<Provider>, patterns: &PatternSet) -> Result<ProviderStream, Failure> {
        let calls = ToolCalls::builder().patterns(patterns).parser(self.parser());
        let calls = if self.cumulative { calls.cumulative() } else { calls };
        let calls = match &self.closed {
            Some(fields) => calls.report_closed(&PatternSet::new(fields)?),
            None => calls,
        };
        let calls = calls.build();
        let stream = match provider {
            Some(provider) => ProviderStream::new(provider, calls),
            None => ProviderStream::detecting(calls),
        };
        let stream = if self.structured { stream.structured() } else { stream };
        let stream = if self.provider_events { stream.with_provider_events() } else { stream };
        let stream = if self.checkpoint.is_some() { stream.saveable(usize::MAX) } else { stream };
        Ok(if self.envelope.is_empty() { stream } else { stream.with_envelope(self.envelope(patterns)) })
    }

    /// Returns the reader of the input, or its editor if there are rules.
    pub(crate) fn source(&self, patterns: &PatternSet) -> Result<Box<dyn Source + '_>, Failure> {
        if let (Some(Wire(provider)), Some(writer)) = (self.provider, self.target.writer(&mut Self::command())?) {
            let stream = Stream::new(self.stream(provider, patterns)?);
            let editor = if self.edits.is_empty() { None } else { Some((self.editor()?, stream.clone())) };
            return Ok(Box::new(Converted::new(stream, editor, writer, &self.target)));
        }
        let reader: Box<dyn Source> = if let Some(Wire(provider)) = self.provider {
            Box::new(Stream::new(self.stream(provider, patterns)?))
        } else if !self.envelope.is_empty() {
            Box::new(Text::new(self.envelope(patterns)))
        } else {
            let parser = self.parser().patterns(patterns).build();
            match self.documents {
                Some(framing) => Box::new(Texts::new(Documents::new(framing, parser), self.value)),
                None => Box::new(Document::new(parser, self.value)),
            }
        };
        if self.edits.is_empty() {
            return Ok(reader);
        }
        Ok(Box::new(Edited::new(self.editor()?, || self.editor(), self.provider.is_some().then_some(reader))))
    }

    /// Returns the builder of a parser with these options.
    pub(crate) fn parser(&self) -> ParserBuilder {
        let retain = self.retain.unwrap_or(match () {
            // Retaining less only shows in the path of an error: prose shows no value that was written before, and an
            // end's value lies within its match.
            () if self.value => Retain::All,
            // The same with and without checkpoints, so that the path of an error is the same.
            () if !self.lenient.is_empty() => Retain::All,
            () if self.text => Retain::Nothing,
            () => Retain::Matches,
        });
        let default = Limits::default();
        let limits = Limits::new()
            .depth(self.max_depth.unwrap_or(default.depth))
            .key(self.max_key.unwrap_or(default.key))
            .string(self.max_string.unwrap_or(default.string))
            .number(self.max_number.unwrap_or(default.number))
            .blank(self.max_blank.unwrap_or(default.blank))
            .total(self.max_total.unwrap_or(default.total));
        let builder = jsonspigot::Parser::builder().retain(retain).duplicate_keys(self.duplicate_keys).limits(limits);
        let builder = self.lenient.iter().fold(builder, |builder, leniency| builder.lenient(*leniency));
        let builder = if self.accept { builder.accept_deviations() } else { builder };
        match self.snapshots() {
            Some(_) if self.provisional => builder.provisional(),
            Some(_) => builder.snapshots(),
            None => builder,
        }
    }

    /// Returns the form in which the partial value is written; `None` if it is not written.
    pub(crate) fn snapshots(&self) -> Option<Snapshots> {
        match (self.snapshots, self.patches) {
            (true, _) => Some(Snapshots::Whole),
            (_, true) => Some(Snapshots::Patches),
            _ => None,
        }
    }

    /// Returns the form in which control characters are written.
    pub(crate) fn controls(&self, is_terminal: bool) -> Controls {
        match (is_terminal && !self.raw_control, self.text) {
            (false, _) => Controls::Raw,
            (true, true) => Controls::Shown,
            (true, false) => Controls::Escaped,
        }
    }

    /// Opens the input. `-` stands for standard input too.
    pub(crate) fn open(&self) -> Result<Box<dyn Read>, Failure> {
        match self.file() {
            Some(path) => match File::open(path) {
                Ok(file) => Ok(Box::new(file)),
                Err(error) => Err(self.unreadable(error)),
            },
            None => Ok(Box::new(io::stdin().lock())),
        }
    }

    /// Returns the failure to read the input.
    pub(crate) fn unreadable(&self, error: io::Error) -> Failure {
        let name = self.file().map_or_else(|| "standard input".to_owned(), |path| path.display().to_string());
        Failure::Unreadable { name, error }
    }

    fn file(&self) -> Option<&PathBuf> {
        self.input.as_ref().filter(|path| path.as_os_str() != OsStr::new("-"))
    }
}
