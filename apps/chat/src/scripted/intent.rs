//! What a line is, whatever it is about: a change of mind, an end, another language.

use super::turn::quoted;
use crate::words::{has, has_any, words};

/// Whether a line takes back something that was said before, and may say what is meant instead.
pub(super) fn changes_mind(text: &str) -> bool {
    let marks = "sorry|actually|instead|i meant|i mean|make it|make that|change|rather|wait|oops|correction";
    has_any(text, marks) || format!(" {}", text.to_lowercase()).contains(" no, ")
}

/// Whether a line ends what is going on.
pub(super) fn ends(text: &str) -> bool {
    let ends = "never mind|nevermind|forget it|forget that|forget about it|start over|start again|changed my mind";
    let cancels = "it|that|this|everything|my booking|the booking|my table|the table|my reservation|the reservation";
    let beside = ["ok", "okay", "please", "just", "oh", "now", "hmm", "whatever", "then", "no"];
    let mut said = words(text);
    said.retain(|word| !beside.contains(&word.as_str()));
    has_any(text, ends)
        || cancels.split('|').any(|what| has(text, &format!("cancel {what}")))
        || matches!(said.as_slice(), [word] if has_any(word, "cancel|stop|abort|reset|quit"))
}

/// Whether a line is not in English: most of its letters are in another script, or a third of its words are small ones of
/// German, French, Spanish, Italian or Portuguese that English has not.
pub(super) fn is_foreign(text: &str) -> bool {
    const SMALL: &str = "\
        bitte danke das dem den der ein eine einen für haben habe hallo ich ist kein keine mein meine mit nach \
        nicht sie und wann wie wir wo zu au aux avec bonjour ce combien dans des du elle est et il je la le les \
        merci nous où pas quel quelle que qui soir sur suis tu une voudrais vous con cuánto de del dónde el en \
        esta hola gracias los mi muy para por que quiero se un y al che chi ciao di dove gli grazie ho lo nel \
        posso quanto questo sono sul vorrei com dos em eu fazer gostaria meu minha não obrigado olá onde uma";
    let letters = |is_meant: fn(&char) -> bool| text.chars().filter(is_meant).count();
    let all = letters(|letter| letter.is_alphabetic());
    let others =
        letters(|letter| letter.is_alphabetic() && !matches!(letter, '\0'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}'));
    let said = words(text);
    let small = said.iter().filter(|word| SMALL.split(' ').any(|other| other == *word)).count();
    others * 2 > all || small * 3 >= said.len().max(1)
}

/// What is said to a line that no script can help with; `can` says what it can help with.
pub(super) fn elsewhere(said: &str, can: &str) -> String {
    let said_it = quoted(said);
    match is_foreign(said) {
        true => format!("I am a scripted model and know English only, so I do not understand {said_it}. {can}"),
        false => format!("You said {said_it}. I am a scripted model. {can}"),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn languages_and_ends_are_told() {
        for (text, is_foreign) in [
            ("wo ist meine Bestellung?", true),
            ("¿Cuánto gasté en comida el mes pasado?", true),
            ("quanto ho speso?", true),
            ("gostaria de reservar uma mesa", true),
            ("j'aimerais réserver une table ce soir", true),
            ("キャンセルしてください", true),
            ("ok, отмените заказ", true),
            ("ألغِ الحجز", true),
            ("do you ship to Norway", false),
            ("no clue lol", false),
            ("Osteria da Nonna in Le Marais, for two", false),
            ("🍕🍕🍕", false),
            ("7", false),
        ] {
            assert_eq!(super::is_foreign(text), is_foreign, "{text}");
        }
        for (text, ends) in [
            ("Cancel it, please", true),
            ("oh, never mind!", true),
            ("whatever, stop", true),
            ("don't stop there", false),
            ("forget the ring, do you have crisps?", false),
            ("cancel netflix", false),
        ] {
            assert_eq!(super::ends(text), ends, "{text}");
        }
    }
}
