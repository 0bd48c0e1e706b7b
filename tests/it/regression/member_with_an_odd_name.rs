//! A check took a name for absent from every object that `{"\u0001": …}` has: the fault was the check's alone.

use super::super::properties::snapshots::find_their_members;

#[test]
fn is_found_as_any_other() {
    let document = br#"{"a":1,"\u0001":[+],"#;
    find_their_members(document, &[4, 9, 12, 16, 18]);
    find_their_members(document, &[]);
}
