//! Names of enums: each is printed and read back, and nothing else is a name.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use jsonspigot::UnknownName;

/// Holds the names of a whole enum.
pub fn check<T>(all: &[T], name: fn(T) -> &'static str)
where
    T: Copy + Debug + Display + PartialEq + FromStr<Err = UnknownName>,
{
    for &one in all {
        assert_eq!(name(one).parse(), Ok(one));
        assert_eq!(one.to_string(), name(one));
        assert_eq!(format!("{one:>30}"), format!("{:>30}", name(one)));
        for unknown in [name(one).to_uppercase(), format!("{one} "), format!("{one:?}?"), String::new()] {
            let error = unknown.parse::<T>().unwrap_err().to_string();
            assert!(error.starts_with("expected one of `") && error.contains(&format!("`{one}`")), "{error}");
        }
    }
    let mut names: Vec<_> = all.iter().map(|&one| name(one)).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all.len(), "each has a name of its own");
}
