//! A property took the member `\u0001` of `{"\u0001": …}` for absent. Only the property was wrong.

use super::super::properties::snapshots::find_their_members;

#[test]
fn a_member_with_an_odd_name_is_found() {
    let document = br#"{"a":1,"\u0001":[+],"#;
    find_their_members(document, &[4, 9, 12, 16, 18]);
    find_their_members(document, &[]);
}
