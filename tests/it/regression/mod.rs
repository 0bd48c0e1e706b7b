//! Inputs that were once read wrongly, a file each.

mod member_with_an_odd_name;
mod number_as_a_struct;
