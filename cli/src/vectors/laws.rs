//! The index of the command's laws, with the tests of each law.

use jsonspigot_check::laws;

laws! {
    Command:
    Vectors as vectors: [files_are_what_the_command_prints, coverage::each_event];
}
