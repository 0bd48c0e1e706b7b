//! The example of async streams, which is built with this package, since it needs a runtime.

mod running;

#[test]
fn prints_text_before_the_last_chunk() {
    running::check_reply_printer("async_stream");
}
