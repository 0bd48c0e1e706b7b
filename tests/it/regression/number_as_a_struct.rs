//! With serde_json's feature `arbitrary_precision`, a number appears as a map to a visitor of any type. A partial value
//! asked for any type, and read a number as a struct all of whose fields have defaults.

use std::collections::BTreeMap;

use jsonspigot::{Error, ErrorKind, Parser};
use serde::Deserialize;
use serde::de::DeserializeOwned;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Form {
    #[allow(dead_code, reason = "it is there to be left out")]
    title: String,
}

#[derive(Debug, Deserialize)]
enum Choice {
    #[allow(dead_code, reason = "it is there to be left out")]
    Of {
        #[serde(default)]
        title: String,
    },
}

fn read<T: DeserializeOwned>(text: &str) -> Result<(), Error> {
    let mut parser = Parser::builder().snapshots().build();
    parser.feed(text).check().unwrap();
    parser.finish().check().unwrap();
    parser.snapshot().unwrap().deserialize::<T>().map(drop)
}

#[test]
fn a_number_read_as_a_struct_is_an_error_in_every_build() {
    for number in ["0E2", "1", "-1.5", "18446744073709551616"] {
        let kind = |read: Result<(), Error>| read.map_err(|error| error.kind());
        assert_eq!(kind(read::<Form>(number)), Err(ErrorKind::Data), "{number}");
        assert_eq!(kind(read::<BTreeMap<String, String>>(number)), Err(ErrorKind::Data), "{number}");
        assert_eq!(kind(read::<Choice>(&format!(r#"{{"Of": {number}}}"#))), Err(ErrorKind::Data), "{number}");
        assert_eq!(kind(read::<serde_json::Value>(number)), Ok(()), "{number}");
        assert_eq!(kind(read::<serde_json::Number>(number)), Ok(()), "{number}");
    }
}
