//! Callbacks that panic in a program that catches the panic: nothing more of the body is read, and that is reported.

use jsonspigot::ErrorKind;
use jsonspigot_check::panics::{panic_at, panics};
use jsonspigot_framing::{Damage, EventEditor, Frame, Frames, Utf8};
#[cfg(feature = "providers")]
use jsonspigot_llm::{ProviderStream, ToolCalls};

const BODIES: [&str; 4] = [
    "data: {\"n\":1}\n\ndata: [2]\n\ndata: x\n\n",
    "{\"n\":1}\n[2]\nx\n",
    "[{\"n\":1}, [2], 3",
    "x\ndata: {\"n\":\u{e9}}",
];

#[test]
fn frames_report_it_once() {
    for body in BODIES {
        let mut count = 0;
        let mut whole = Frames::new();
        whole.feed_with(body, |_| count += 1);
        whole.finish_with(|_| count += 1);
        for call in 0..count {
            for cut in [1, 5, body.len()] {
                let (mut frames, mut on_frame) = (Frames::new(), panic_at(call));
                assert!(panics(|| {
                    for chunk in body.as_bytes().chunks(cut) {
                        frames.feed_with(chunk, |_| on_frame());
                    }
                    frames.finish_with(|_| on_frame());
                }));
                let saved = frames.save_with("").unwrap();
                let (restored, _) = Frames::new().restore_with(&saved, |_| Ok(())).unwrap();
                for mut frames in [frames, restored] {
                    assert_eq!(frames.clone().finish().collect::<Vec<_>>(), [Frame::Damaged(Damage::Panicked)]);
                    assert_eq!(frames.feed("").collect::<Vec<_>>(), [Frame::Damaged(Damage::Panicked)]);
                    assert_eq!(frames.feed(body).next(), None);
                    assert_eq!(frames.finish().next(), None);
                }
            }
        }
    }
}

/// Checks a panic between the frames and the stream, which does not notice it.
#[cfg(feature = "providers")]
#[test]
fn a_stream_whose_frame_was_lost_is_not_finished() {
    let event = |text: &str| format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n");
    let end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let body = event("a") + &event("b") + end;
    for call in 0..4 {
        let mut stream = ProviderStream::detecting(ToolCalls::builder().build());
        let (mut frames, mut on_frame) = (Frames::new(), panic_at(call));
        assert!(panics(|| {
            frames.feed_with(&body, |frame| {
                on_frame();
                frame.push_to(&mut stream, |_| {});
            });
        }));
        frames.feed_with(end, |frame| frame.push_to(&mut stream, |_| {}));
        frames.finish_with(|frame| frame.push_to(&mut stream, |_| {}));
        assert!(stream.finish().check().is_err(), "{call}");
    }
}

#[test]
fn an_editor_passes_nothing_more_until_it_is_finished() {
    for body in BODIES {
        let whole = edited(body);
        for panicking in ["edit", "sink"] {
            for call in 0..3 {
                for cut in [1, 5, body.len()] {
                    let mut editor = EventEditor::new();
                    let mut on_call = panic_at(call);
                    let mut out = Vec::new();
                    let has_panicked = panics(|| {
                        for chunk in body.as_bytes().chunks(cut) {
                            let mut on_call = |callback| {
                                if callback == panicking {
                                    on_call();
                                }
                            };
                            if panicking == "edit" {
                                let edit = |_: Frame<'_>| {
                                    on_call("edit");
                                    None
                                };
                                editor.feed(chunk, edit, |bytes| out.extend_from_slice(bytes));
                            } else {
                                editor.feed(
                                    chunk,
                                    |_| None,
                                    |bytes| {
                                        on_call("sink");
                                        out.extend_from_slice(bytes);
                                    },
                                );
                            }
                        }
                    });
                    assert!(body.as_bytes().starts_with(&out));
                    if !has_panicked {
                        continue;
                    }
                    let saved = editor.save_with("").unwrap();
                    let (restored, ()) = EventEditor::new().restore_with(&saved, |_| Ok(())).unwrap();
                    for mut editor in [editor, restored] {
                        let mut told = Vec::new();
                        let mut edit = |frame: Frame<'_>| {
                            told.push(frame == Frame::Damaged(Damage::Panicked));
                            Some("more".to_owned())
                        };
                        editor.feed(body, &mut edit, |_| unreachable!());
                        editor.finish(&mut edit, |_| unreachable!());
                        assert_eq!(told, [true]);
                        assert_eq!(edited_by(&mut editor, body), whole);
                    }
                }
            }
        }
    }
}

fn edited(body: &str) -> Vec<u8> {
    edited_by(&mut EventEditor::new(), body)
}

fn edited_by(editor: &mut EventEditor, body: &str) -> Vec<u8> {
    let mut out = Vec::new();
    editor.feed(body, |_| None, |bytes| out.extend_from_slice(bytes));
    editor.finish(|_| None, |bytes| out.extend_from_slice(bytes));
    out
}

#[test]
fn text_ends_with_an_error() {
    for chunks in [[&b"a\n"[..], b"b"], [b"a\xC3", b"\xA9"]] {
        let mut utf8 = Utf8::new();
        assert!(panics(|| {
            let mut on_text = panic_at(1);
            chunks.iter().for_each(|chunk| utf8.feed_with(chunk, |_| on_text()).unwrap());
        }));
        let (restored, ()) = Utf8::new().restore_with(&utf8.save_with("").unwrap(), |_| Ok(())).unwrap();
        for mut utf8 in [utf8, restored] {
            let error = utf8.error().unwrap().clone();
            assert_eq!(error.kind(), ErrorKind::Panicked);
            assert_eq!(utf8.feed_with("more", |_| unreachable!()), Err(error.clone()));
            assert_eq!(utf8.finish(), Err(error));
        }
    }
}
