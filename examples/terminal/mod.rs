//! The examples' arguments, and their input in pieces like those of a network.

use std::error::Error;
use std::io::{self, Read};
use std::process::ExitCode;
use std::time::Duration;
use std::{env, iter, thread};

/// An iterator over the pieces of the input.
pub(crate) type Pieces = Box<dyn Iterator<Item = io::Result<Vec<u8>>>>;

/// Runs an example on its built-in text, one piece per `pause`, or as the arguments request.
pub(crate) fn main(
    example: &str,
    text: &'static [u8],
    mut pause: Duration,
    run: impl FnOnce(Pieces) -> Result<(), Box<dyn Error>>,
) -> ExitCode {
    let (mut pieces_left, mut reads_stdin) = (usize::MAX, false);
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--fast" => pause = Duration::ZERO,
            "--cut" => match arguments.next().and_then(|number| number.parse().ok()) {
                Some(number) => pieces_left = number,
                None => return usage(example),
            },
            "-" => reads_stdin = true,
            _ => return usage(example),
        }
    }
    let pieces = if reads_stdin { stdin_pieces() } else { token_pieces(text, pause) };
    match run(Box::new(pieces.take(pieces_left))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nerror: {error}");
            ExitCode::FAILURE
        }
    }
}

fn usage(example: &str) -> ExitCode {
    eprintln!("usage: {example} [--fast] [--cut N] [-]");
    ExitCode::from(2)
}

/// Divides a text into pieces of a token's size, at any byte, even inside an emoji, as a network may.
fn token_pieces(text: &'static [u8], pause: Duration) -> Pieces {
    let mut sizes = [4, 2, 5, 3, 7, 1, 6].into_iter().cycle();
    let mut rest = text;
    Box::new(iter::from_fn(move || {
        let (piece, behind) = rest.split_at(sizes.next()?.min(rest.len()));
        rest = behind;
        thread::sleep(pause);
        (!piece.is_empty()).then(|| Ok(piece.to_vec()))
    }))
}

/// Reads pieces of standard input as they arrive.
fn stdin_pieces() -> Pieces {
    let mut buffer = [0; 4096];
    Box::new(iter::from_fn(move || match io::stdin().read(&mut buffer) {
        Ok(0) => None,
        read => Some(read.map(|len| buffer[..len].to_vec())),
    }))
}
