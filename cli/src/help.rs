//! The parts of the help that are not about one argument: the exit status, and every line of the output.

/// The meaning of the exit status.
pub(crate) const EXIT_STATUS: &str = "\
0 complete; 1 invalid or incomplete input; 2 wrong arguments, unreadable input or unwritable output.
A closed pipe ends it quietly with 0.";

/// The list of lines in the help. Rows are indented, and their columns are at least two blanks apart, which `generate`
/// relies on.
pub(crate) const LINES: &str = r#"Lines, each one JSON object, written as soon as it is known:
  {"event":"begin","pattern":0,"path":"…","kind":"string"}     a value has begun that PATTERN number 0 selects
  {"event":"delta","pattern":0,"path":"…","text":"…"}          new text of a string
  {"event":"raw","pattern":0,"path":"…","text":"…"}            with PATTERN `raw:a`: new text of the value's JSON, as it arrives
  {"event":"end","pattern":0,"path":"…","value":…}             the value is complete; spelt as in the input
  {"event":"inner-error","pattern":0,"path":"…","kind":"…","offset":N}     with PATTERN `a | b`: the text in a string is not JSON
  {"event":"snapshot","value":…}                               with --snapshots: the value so far, with brackets closed
  {"event":"patch","ops":[…]}                                  with --patches: the changes since the last one
  {"event":"deviation","kind":"comments","offset":N,"line":N,"column":N}     with --lenient: a deviation from JSON; at most 100
  {"event":"deviation","more":N}                               the number of further deviations, before the last line
  {"event":"done","bytes":N}                                   the text is complete; "value" with --value
  {"event":"error","kind":"…","offset":N,"line":N,"column":N,"path":"…"}     instead of "done"; the first bad byte

Lines with --documents: all have "document", the document's number from 0; offsets count from its first byte. Also:
  {"event":"document","document":0,"bytes":N}        the document is complete; "value" with --value
  {"event":"error","document":0,"kind":"…",…}        the document failed; the next one follows, except with concatenated
  {"event":"done","bytes":N,"documents":N}           the stream was read to its end, even if documents failed
The status is 1 if a document has an error.

Lines with --provider: the lines about matches have "call", the number of the call in the whole stream. Also:
  {"event":"call","call":0,"id":"…","name":"…","executed":"client"}      a call starts; "choice" if not in the first answer
  {"event":"fields-closed","call":0}                 with --closed: a value of each of its patterns has closed
  {"event":"call-closed","call":0}                   with --closed: the arguments have closed; "input" still has the verdict
  {"event":"input","call":0,"status":"complete","value":{…}}                               the call's arguments have ended
  {"event":"approval-request","id":"…","call":0,"value":{…}}      the provider executes the call if you approve
  {"event":"tool-result","call":0,"id":"…","value":{…}}           the result of a call that the provider has executed
  {"event":"call-cancelled","call":0,"id":"…","value":{…}}        the call's result is no longer needed
  {"event":"message-start","id":"…","model":"…"}     an answer begins
  {"event":"block-start","block":0,"kind":"text"}, "block-end"    around text or reasoning; with "id" and "phase" if known
  {"event":"text","text":"…","block":0}, "reasoning", "refusal"    other text of the assistant
  {"event":"source","url":"…","title":"…","value":{…}}      a source of the text; with "quote", "span" and "block" if known
  {"event":"opaque","kind":"signature","block":0,"value":"…"}      to be sent back: a signature, encrypted, container or compaction
  {"event":"media","media_type":"image/png","data":"…","block":0}     an image, sound or document: base64, or "url" instead
  {"event":"data","kind":"STATE_SNAPSHOT","value":{…}}     an application's own data, or a call's validated input
  {"event":"content-filter","value":{…}}             the findings of a filter or guardrail
  {"event":"usage","value":{…},"input":7,"output":9}     token counts; with "cached" and "reasoning" if known
  {"event":"stop","reason":"…","kind":"tool-use"}    with "native_reason" if a gateway sends it, and "stop_sequence"
  {"event":"incomplete","reason":"end-of-input"}     the stream broke off before the provider ended the answer, or a part is missing
  {"event":"provider-error","message":"…"}           with "type", "code", "retry", "retry_after_ms" and "value" if known
  {"event":"mismatch","kind":"text","block":0,"text":"…"}     the provider's repetition differs: text, reasoning, refusal, arguments, name, id
  {"event":"unknown-part","kind":"…","value":{…}}    an event, or a part of one, of an unknown kind
  {"event":"bad-frame","text":"…"}                   not an event's JSON, not UTF-8, or damaged; the stream continues
  {"event":"unknown-event","text":"…"}               JSON that is not an event of any provider; the stream continues
  {"event":"provider-event","value":{…}}             with --provider-events: an event, unchanged
  {"event":"text","agent":"toolu_1","text":"…"}      in any line: a sub-agent, by the call that started it or its run, or a session
  {"event":"call-error","call":0,"kind":"…"}         not-started (or never named), ended, mismatch, mixed, or a limit
  {"event":"warning","kind":"cumulative","call":0}   each fragment seems to repeat the arguments so far; see --cumulative
  {"event":"done","bytes":N}                         the stream was read to its end, even if calls failed
A "status" is complete; accepted (with --accept: "value" is that of the equivalent strict text, "deviations" has the
"kind" and "offset" of the first 100, and "more" the number of the others); empty (no text: the value is {}); raw (not
meant to be JSON: "raw" is its text); or truncated, malformed or trailing, with "raw", the text that arrived, and "error",
an object with "kind", "offset", "line", "column" and "path" as in the line "error" and, if truncated, "reason" (only
"kind" and "reason" if the place is unknown). If a trailing text consists of whole values, "values" has them, and
"repeated" is true if they are all equal.

"executed" is client or provider: do not execute the provider's calls yourself. A stop's "kind" is finished, tool-use,
stop-sequence, length, refusal, content-filter, pause, cancelled, error or other. "retry" is never or later.

The status is 0 if and only if an event had a meaning, every message that began has ended, every call has a name, every call
and, with --envelope, every payload is complete, accepted, empty or raw, nothing was a mismatch (results included), no frame
was bad or damaged, no limit was exceeded, the provider reported no error (a stop of the kind error is one), and no call, text
or error was left in unknown parts, as far as their names show. A stray fragment of a call that then arrived whole, and late
fragments of a whole call, leave it 0. With --text: the assistant's text, refusals included, and the matches.

Lines with --envelope: {"event":"text","text":"…"} around payloads; the lines about matches have "mark", the MARK as
given; {"event":"fragment","mark":"tag:think","text":"…"} for plain text as it arrives; at a payload's end
{"event":"payload","mark":"…","status":"…"} with "value", "raw", "error" (which has no "reason") and "values" as above (an
empty payload has none of them).
Offsets count from the byte after the opening delimiter. The status is 1 if a payload is truncated, malformed or trailing,
or the text is not UTF-8. With --text: the text around payloads, unchanged, and the matches.

Lines with --provider and --envelope: both of the above. The text around payloads is the assistant's, block by block.
Lines about payloads have "block" after "mark", and "choice" if not in the first answer. A payload that is still open at
the end of its block is truncated."#;
