//! Inputs that were once read wrongly, one file each.

mod inner_container_without_text;
mod member_with_an_odd_name;
mod number_as_a_struct;
mod whole_text_like_the_open_one;
