//! The index of the command's laws: which tests hold each one.

use jsonspigot_check::laws;

laws! {
    Command:
    Vectors as vectors: [files_are_what_the_command_prints, coverage::each_event];
}
