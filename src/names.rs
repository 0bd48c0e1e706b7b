//! Macros that give an enum names, `Display` and `FromStr`.

use alloc::vec::Vec;
use core::fmt;

/// The error of parsing a string that is not one of the expected names.
///
/// ```
/// let error = "csv".parse::<jsonspigot::Framing>().unwrap_err();
/// assert_eq!(error.to_string(), "expected one of `lines`, `concatenated`, `sequence`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    known: Vec<&'static str>,
}

impl UnknownName {
    #[doc(hidden)]
    pub fn instead_of(known: impl Iterator<Item = &'static str>) -> Self {
        Self { known: known.collect() }
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected one of ")?;
        for (place, name) in self.known.iter().enumerate() {
            f.write_str(if place == 0 { "`" } else { ", `" })?;
            f.write_str(name)?;
            f.write_str("`")?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownName {}

/// Implements `ALL`, `name`, `Display` and `FromStr` for an enum without data.
#[doc(hidden)]
#[macro_export]
macro_rules! names {
    ($named:ty { $($variants:tt)+ }) => {
        $crate::named!($named { $($variants)+ });

        impl core::fmt::Display for $named {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.pad(self.name())
            }
        }

        impl core::str::FromStr for $named {
            type Err = $crate::UnknownName;

            /// Returns the value with this [name](Self::name).
            fn from_str(name: &str) -> Result<Self, Self::Err> {
                let known = || Self::ALL.iter().copied();
                known()
                    .find(|one| one.name() == name)
                    .ok_or_else(|| $crate::UnknownName::instead_of(known().map(Self::name)))
            }
        }
    };
}

/// Implements `ALL` and `name` for an enum without data.
#[doc(hidden)]
#[macro_export]
macro_rules! named {
    ($named:ty { $($variant:ident => $name:literal,)+ }) => {
        impl $named {
            /// All values, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the name in kebab case.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }
    };
}

pub use {named, names};
