//! Numbers of every width, and the types of the standard library that serde reads.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::ffi::CString;
use std::marker::PhantomData;
use std::num::{NonZeroI128, NonZeroU8, Saturating, Wrapping};
use std::ops::{Range, RangeFrom, RangeInclusive, RangeTo};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::time::{Duration, SystemTime};

use serde::Deserialize;

use super::{Row, TypeReader};

#[derive(Debug, Deserialize)]
struct Wrappers {
    a: Option<Cell<u8>>,
    b: Option<RefCell<String>>,
    c: Option<Mutex<Vec<String>>>,
    d: Option<Wrapping<i8>>,
    e: Option<Saturating<u16>>,
    f: Option<Reverse<String>>,
    g: Option<AtomicU32>,
    h: Option<AtomicBool>,
    i: PhantomData<u8>,
}

pub(super) fn rows() -> Vec<Row> {
    vec![
        Row::new("signed integers", reader!((i8, i16, i32, i64, isize)))
            .fits(&["[-128,-32768,-2147483648,-9223372036854775808,-1]", "[0,1,2,3,4]"])
            .misfits(&[
                ("[-129,¦0,0,0,0]", "[0]"),
                ("[0,32768,¦0,0,0]", "[1]"),
                ("[0,0,1.0,¦0,0]", "[2]"),
                ("[0,0,0,9223372036854775808,¦0]", "[3]"),
                ("[0,0,0,0,1e2¦]", "[4]"),
            ])
            .shows(&[("[0,1,2,3,4", "pending"), ("[0,1,2,3,4]", "(0, 1, 2, 3, 4)")]),
        Row::new("unsigned integers", reader!((u8, u16, u32, u64, usize)))
            .fits(&["[255,65535,4294967295,18446744073709551615,1]"])
            .misfits(&[
                ("[256,¦0,0,0,0]", "[0]"),
                ("[0,-1,¦0,0,0]", "[1]"),
                ("[0,0,0,18446744073709551616,¦0]", "[3]"),
                (r#"[0,0,0,0,"1"¦]"#, "[4]"),
            ]),
        Row::new("integers of 128 bits", reader!((i128, u128)))
            .fits(&["[-170141183460469231731687303715884105728,340282366920938463463374607431768211455]"])
            .misfits(&[
                ("[0,-1¦]", "[1]"),
                ("[0,340282366920938463463374607431768211456¦]", "[1]"),
                ("[1.5,¦0]", "[0]"),
            ]),
        Row::new("numbers that are not zero", reader!(Vec<(NonZeroU8, Option<NonZeroI128>)>))
            .fits(&["[[1,null],[255,-12]]"])
            .misfits(&[("[[0,¦null]]", "[0][0]"), ("[[1,0¦]]", "[0][1]"), ("[[256,¦1]]", "[0][0]")])
            .shows(&[("[[1,null],[255,-1", "[(1, None)]")]),
        Row::new("floats", reader!((f32, f64)))
            .fits(&["[1.5,-2e-7]", "[3,4]", "[1e5,0.1]"])
            .misfits(&[(r#"["1"¦,2]"#, "[0]"), ("[1,null¦]", "[1]"), ("[true¦,2]", "[0]")])
            .shows(&[("[1.5,-2e-7", "pending"), ("[1.5,-2e-7]", "(1.5, -2e-7)")]),
        Row::new("a number alone", reader!(u32))
            .fits(&["12", "7 ", " 0\n"])
            .misfits(&[("-1", "$"), ("1.5 ", "$"), (r#""1"¦"#, "$"), ("[1]¦", "$")])
            .shows(&[("7", "pending"), ("7 ", "7")]),
        Row::new("flags", reader!(Vec<bool>))
            .fits(&["[true,false]"])
            .misfits(&[("[true,null¦]", "[1]"), ("[0,¦true]", "[0]"), (r#"["true"¦]"#, "[0]")])
            .shows(&[("[true,fals", "[true]"), ("[true,false", "[true, false]")]),
        Row::new("nothing", reader!(Option<()>)).fits(&["null", " null "]).misfits(&[("0¦ ", "$"), ("{}¦", "$")]),
        Row::new("cells and wrappers", reader!(Wrappers))
            .fits(&[
                r#"{"a":12,"b":"xy","c":["a","bc"],"d":-7,"e":9,"f":"gh","g":1,"h":true,"i":null}"#,
                r#"{"i":null}"#,
            ])
            .misfits(&[
                (r#"{"a":300¦}"#, "a"),
                (r#"{"i":null,"f":5¦}"#, "f"),
                (r#"{"c":["a",1¦]}"#, "c[1]"),
                (r#"{"i":5¦}"#, "i"),
            ]),
        Row::new("durations and times", reader!(Vec<(Duration, SystemTime)>))
            .fits(&[r#"[[{"secs":1,"nanos":500},{"secs_since_epoch":12,"nanos_since_epoch":34}],[[2,3],[4,5]]]"#])
            .misfits(&[
                (r#"[[{"secs":1}¦,[1,2]]]"#, "[0][0]"),
                (r#"[[{"secs":1,"nanos":2,"x":3¦},[1,2]]]"#, ""),
                (r#"[[{"secs":-1,¦"nanos":2},[1,2]]]"#, "[0][0].secs"),
                (r#"[[[1]¦,[1,2]]]"#, "[0][0]"),
            ])
            .shows(&[(r#"[[{"secs":1,"nanos":500},{"secs_since_epoch":12,"nanos_since_epoch":34"#, "[]")]),
        Row::new("ranges", reader!((Range<u8>, RangeInclusive<String>, RangeFrom<u8>, RangeTo<u8>)))
            .fits(&[r#"[{"start":1,"end":2},{"start":"a","end":"bc"},{"start":3},{"end":4}]"#])
            .misfits(&[
                (r#"[{"start":1}¦,{"start":"a","end":"b"},{"start":3},{"end":4}]"#, "[0]"),
                (r#"[{"start":1,"end":"2"¦},{"start":"a","end":"b"},{"start":3},{"end":4}]"#, "[0].end"),
                (r#"[{"start":1,"stop":2¦,"end":3},{"start":"a","end":"b"},{"start":3},{"end":4}]"#, ""),
            ]),
        Row::new("a range alone", reader!(Range<String>))
            .fits(&[r#"{"start":"ab","end":"cd"}"#, r#"["ab","cd"]"#])
            .misfits(&[(r#"{"start":"a","end":5¦}"#, "end")])
            .shows(&[(r#"{"start":"ab""#, "pending"), (r#"{"start":"ab","end":"c"#, r#""ab".."c""#)]),
        Row::new("a C string", reader!(Vec<CString>))
            .fits(&["[[65,66],[67]]"])
            .misfits(&[("[[65,0]¦]", ""), ("[[256¦]]", "[0][0]")]),
    ]
}
