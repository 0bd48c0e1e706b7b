//! Types of widely used crates that are read out of a string: dates, ids, addresses.

use std::collections::BTreeMap;

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use serde::Deserialize;
use time::OffsetDateTime;
use url::Url;
use uuid::Uuid;

use super::{Row, TypeReader};

#[derive(Debug, Deserialize)]
struct Event {
    id: Uuid,
    day: NaiveDate,
    #[serde(default)]
    title: String,
    link: Option<Url>,
}

#[derive(Debug, Deserialize)]
struct Stamped {
    #[serde(with = "time::serde::rfc3339")]
    at: OffsetDateTime,
    #[serde(default, with = "time::serde::rfc3339::option")]
    until: Option<OffsetDateTime>,
    #[serde(default)]
    text: String,
}

#[derive(Debug, Deserialize)]
struct Seconds {
    #[serde(with = "time::serde::timestamp")]
    at: OffsetDateTime,
    #[serde(with = "chrono::serde::ts_seconds")]
    also: DateTime<Utc>,
    #[serde(default)]
    text: String,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Tagged {
    Link {
        url: Url,
        #[serde(default)]
        text: String,
    },
    Day {
        day: NaiveDate,
        id: Option<Uuid>,
    },
}

pub(super) fn rows() -> Vec<Row> {
    vec![
        Row::new("dates of chrono", reader!(Vec<NaiveDate>))
            .fits(&[r#"["2024-05-06","2024-12-31"]"#])
            .misfits(&[(r#"["2024-05-06","2024-13-01"¦]"#, "[1]"), (r#"["2024-05"¦,"2024-05-06"]"#, "[0]")])
            .shows(&[(r#"["2024-05-06","2024-12-3"#, "[2024-05-06]"), (r#"["2024-05-06"#, "[]")]),
        Row::new("times of chrono", reader!((NaiveTime, NaiveDateTime, DateTime<Utc>, DateTime<FixedOffset>)))
            .fits(&[r#"["12:34:56.7","2024-05-06T07:08:09","2024-05-06T07:08:09Z","2024-05-06T07:08:09+02:00"]"#])
            .misfits(&[(r#"["12:34:66"¦,"2024-05-06T07:08:09","2024-05-06T07:08:09Z","2024-05-06T07:08:09+02:00"]"#, "[0]")])
            .shows(&[("[\"12:34:56.7\",\"2024-05-06T07:08:09\",\"2024-05-06T07:08:09Z\",\"2024-05-06T07:08:09+02:00", "pending")]),
        Row::new("a date alone", reader!(DateTime<Utc>))
            .fits(&[r#""2024-05-06T07:08:09.123Z""#])
            .misfits(&[(r#""2024-05-06T07:08:09"¦"#, "$"), (r#""soon"¦"#, "$"), ("5¦ ", "$")])
            .shows(&[(r#""2024-05-06T07:08:09.123Z"#, "pending")]),
        Row::new("ids, days and links", reader!(Event))
            .fits(&[
                r#"{"id":"67e55044-10b1-426f-9247-bb680e5fe0c8","day":"2024-05-06","title":"ab","link":"https://a.b/c?d=e"}"#,
                r#"{"title":"ab","day":"2024-05-06","id":"67e5504410b1426f9247bb680e5fe0c8","link":null}"#,
            ])
            .misfits(&[
                (r#"{"id":"67e55044"¦,"day":"2024-05-06"}"#, "id"),
                (r#"{"title":"a","link":"a b"¦,"day":"2024-05-06"}"#, "link"),
                (r#"{"id":5,¦"day":"2024-05-06"}"#, "id"),
            ])
            .shows(&[
                (r#"{"id":"67e55044-10b1-426f-9247-bb680e5fe0c8","day":"2024-05-06"#, "pending"),
                (
                    r#"{"id":"67e55044-10b1-426f-9247-bb680e5fe0c8","day":"2024-05-06","title":"a"#,
                    r#"Event { id: 67e55044-10b1-426f-9247-bb680e5fe0c8, day: 2024-05-06, title: "a", link: None }"#,
                ),
                (
                    r#"{"id":"67e55044-10b1-426f-9247-bb680e5fe0c8","day":"2024-05-06","title":"ab","link":"https://a.b/c"#,
                    r#"Event { id: 67e55044-10b1-426f-9247-bb680e5fe0c8, day: 2024-05-06, title: "ab", link: None }"#,
                ),
            ]),
        Row::new("links in a map", reader!(BTreeMap<String, Url>))
            .fits(&[r#"{"a":"http://a.b","c":"mailto:d@e.f"}"#])
            .misfits(&[(r#"{"a":"a"¦,"c":"http://a.b"}"#, "a")]),
        Row::new("times of time", reader!(Stamped))
            .fits(&[
                r#"{"at":"2024-05-06T07:08:09Z","until":"2024-05-06T07:08:09.5Z","text":"ab"}"#,
                r#"{"text":"ab","until":null,"at":"2024-05-06T07:08:09+02:00"}"#,
            ])
            .misfits(&[
                (r#"{"at":"2024-05-06"¦,"text":"a"}"#, "at"),
                (r#"{"at":"2024-05-06T07:08:09Z","until":"no"¦}"#, "until"),
                (r#"{"text":"a"}¦"#, "$"),
            ])
            .shows(&[
                (r#"{"at":"2024-05-06T07:08:09Z"#, "pending"),
                (
                    r#"{"at":"2024-05-06T07:08:09Z","until":"2024-05-06T07:08:09.5Z"#,
                    r#"Stamped { at: 2024-05-06 7:08:09.0 +00:00:00, until: None, text: "" }"#,
                ),
            ]),
        Row::new("times as numbers", reader!(Seconds))
            .fits(&[r#"{"at":1714979289,"also":17,"text":"ab"}"#])
            .misfits(&[(r#"{"at":"17"¦,"also":1}"#, "at"), (r#"{"at":1.5,¦"also":1}"#, "at")])
            .shows(&[(r#"{"at":1714979289,"also":17"#, "pending")]),
        Row::new("dates and links in tagged enums", reader!(Vec<Tagged>))
            .fits(&[
                r#"[{"type":"link","url":"https://a.b/cd","text":"ab"},{"type":"day","day":"2024-05-06","id":"67e55044-10b1-426f-9247-bb680e5fe0c8"},{"url":"https://a.b/cd","type":"link"}]"#,
            ])
            .misfits(&[
                (r#"[{"type":"link","url":"a"}¦]"#, "[0]"),
                (r#"[{"type":"day","day":"2024-05-06","id":"67e5"}¦]"#, ""),
                (r#"[{"type":"day","day":"2024-05"}¦,{"type":"link"}]"#, "[0]"),
            ])
            .shows(&[
                (r#"[{"type":"link","url":"https://a.b/c"#, "[]"),
                (
                    r#"[{"type":"day","day":"2024-05-06","id":"67e5"#,
                    "[Day { day: 2024-05-06, id: None }]",
                ),
            ]),
    ]
}
