//! The iterator form ended early at the end of a container inside a string, if the parser had reported no text inside
//! strings before, because it was new or restored.

use jsonspigot::{Parser, PatternSet};

#[test]
fn an_inner_container_without_text_is_reported_by_the_iterator() {
    let patterns = PatternSet::new(["a | $", "b | $..*", "c"]).unwrap();
    let document = r#"{"a":"[]","b":"[1,{}]","c":2}"#;
    for at in 0..document.len() {
        let mut first = Parser::new(&patterns);
        let mut reported = first.feed(&document[..at]).count();
        let mut restored = Parser::builder().patterns(&patterns).build().restore(&first.save().unwrap()).unwrap();
        reported += restored.feed(&document[at..]).map(Result::unwrap).count();
        let mut expected = 0;
        Parser::new(&patterns).feed_with(document, |_| expected += 1).unwrap();
        assert_eq!(reported, expected, "cut at {at}");
    }
}
