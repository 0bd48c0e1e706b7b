//! The files that packagers install beside the command: completion scripts and the man page, made from the declared
//! arguments.

use std::fmt::Write as _;
use std::io::{self, Write};

use clap::CommandFactory;
use clap_complete::Generator;
use clap_complete::shells::{Bash, Fish, PowerShell, Zsh};
use clap_mangen::Man;
use roff::{Roff, bold, roman};

use crate::options::{EXIT_STATUS, Generated, LINES, Options};

impl Generated {
    /// Writes all of it, and flushes.
    pub(crate) fn write_to(self, output: &mut impl Write) -> io::Result<()> {
        // In one piece, since the generators write in many small ones.
        let text = match self {
            Self::Man => man_page()?,
            Self::CompleteBash => completions(&Bash)?,
            Self::CompleteZsh => completions(&Zsh)?,
            Self::CompleteFish => completions(&Fish)?,
            Self::CompletePowerShell => completions(&PowerShell)?,
        };
        output.write_all(&text)?;
        output.flush()
    }
}

fn completions(shell: &dyn Generator) -> io::Result<Vec<u8>> {
    let mut command = Options::command();
    // As `clap_complete::generate` does it, which panics if it can't write.
    command.set_bin_name("jsonspigot");
    command.build();
    let mut script = Vec::new();
    shell.try_generate(&command, &mut script)?;
    Ok(script)
}

fn man_page() -> io::Result<Vec<u8>> {
    // No date, so that the page is the same whenever it is made. Quoted here, since roff would write nothing for an
    // empty argument, and the version would stand in the date's place.
    let man = Man::new(Options::command()).date("\"\"");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    // Names in quotes stay whole, and no line is padded.
    page.extend_from_slice(Roff::new().control("nh", []).control("ad", ["l"]).to_roff().as_bytes());
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    let mut rest = Roff::new();
    rest.control("SH", ["OUTPUT"]);
    lay_out(LINES, &mut rest);
    rest.control("SH", ["EXIT STATUS"]);
    lay_out(EXIT_STATUS, &mut rest);
    page.extend_from_slice(rest.to_roff().as_bytes());
    man.render_version_section(&mut page)?;
    Ok(ascii(&String::from_utf8_lossy(&page)).into_bytes())
}

/// Help text as roff. It is laid out for a wide terminal: here a row is an entry with its explanation below, and what
/// stands between rows is filled, so that it reads well at any width.
fn lay_out(text: &str, page: &mut Roff) {
    let mut is_after_row = false;
    for line in text.lines() {
        if let Some(row) = line.strip_prefix("  ") {
            let (entry, explanation) = row.split_once("  ").unwrap_or((row, ""));
            page.control("TP", []).text([bold(entry)]);
            if !explanation.is_empty() {
                page.text([roman(explanation.trim_start())]);
            }
            is_after_row = true;
            continue;
        }
        if is_after_row || line.is_empty() {
            page.control("PP", []);
        }
        if !line.is_empty() {
            page.text([roman(line)]);
        }
        is_after_row = false;
    }
}

/// The page with all other characters as escapes, which readers of man pages understand in every locale.
fn ascii(page: &str) -> String {
    let mut ascii = String::with_capacity(page.len());
    for character in page.chars() {
        if character.is_ascii() {
            ascii.push(character);
        } else {
            // Writing to a string does not fail.
            let _ = write!(ascii, "\\[u{:04X}]", u32::from(character));
        }
    }
    ascii
}
