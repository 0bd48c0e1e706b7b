//! Inputs that were once read wrongly, a file each.

mod number_as_a_struct;
