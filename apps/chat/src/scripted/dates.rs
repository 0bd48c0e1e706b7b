//! Days in what a person says, as seen from the day that the prompt names. What is no day is said to be none.

use chrono::{Datelike, Days, NaiveDate};

use crate::words::has;

#[rustfmt::skip]
const MONTHS: [&str; 12] = [
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
];

const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Which year is meant where none is named: that of the last such day, or of the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Toward {
    Past,
    Future,
}

/// The first and the last day that are meant, or in words why there are none.
pub(super) type Span = Result<(NaiveDate, NaiveDate), String>;

/// The day that the prompt says it is.
pub(super) fn today(system: &str) -> NaiveDate {
    let named = system.split_once("oday is ").and_then(|(_, day)| day.get(..10)?.parse().ok());
    named.unwrap_or_else(|| chrono::Utc::now().date_naive())
}

/// A day in words; what is none stays as it is.
pub(super) fn told(day: &str) -> String {
    day.parse::<NaiveDate>().map_or_else(|_| day.to_owned(), in_words)
}

pub(super) fn in_words(day: NaiveDate) -> String {
    day.format("%-d %B %Y").to_string()
}

/// Whether a name is a day's or a month's.
pub(super) fn is_in_calendar(name: &str) -> bool {
    MONTHS.iter().chain(&WEEKDAYS).any(|day| has(name, day))
}

/// The day or month that a text names.
pub(super) fn span(text: &str, today: NaiveDate, toward: Toward) -> Option<Span> {
    let text = text.to_lowercase();
    if toward == Toward::Past
        && let Some((_, since)) = text.split_once("since ")
    {
        // It goes on until now.
        return span(since, today, toward).map(|span| span.map(|(from, _)| (from, today)));
    }
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|word| !word.is_empty()).collect();
    let mut days = words.iter().filter(|word| is_iso(word));
    let day = |iso: &&str| iso.parse::<NaiveDate>().map_err(|_| format!("There is no day {iso}."));
    if let Some(first) = days.next() {
        let last = days.next().unwrap_or(first);
        return Some(day(first).and_then(|first| Ok((first, day(last)?))));
    }
    if let Some(slashed) = slashed(&text) {
        return slashed.map_or_else(|none| Some(Err(none)), |day| span(&day, today, toward));
    }
    if let Some(at) = (0..words.len()).find(|&at| month_at(&words, at).is_some()) {
        return Some(named(&words, at, today, toward));
    }
    let first = today.with_day(1).expect("a month has a first day");
    let before = first.pred_opt().expect("there was a day before");
    let day = |day: Option<NaiveDate>| day.map(|day| Ok((day, day)));
    let weekday = words.iter().find_map(|word| WEEKDAYS.iter().position(|name| name == word));
    match () {
        () if weekday.is_some() => {
            let now = today.weekday().num_days_from_monday() as usize;
            let away = weekday.unwrap_or(now);
            day(match toward {
                Toward::Past => today.checked_sub_days(Days::new(((now + 6 - away) % 7 + 1) as u64)),
                Toward::Future => today.checked_add_days(Days::new(((away + 7 - now) % 7) as u64)),
            })
        }
        () if words.contains(&"weekend") && toward == Toward::Future => {
            let away = (5 + 7 - today.weekday().num_days_from_monday()) % 7;
            let saturday = today.checked_add_days(Days::new(u64::from(away)))?;
            Some(Ok((saturday, saturday.succ_opt()?)))
        }
        () if text.contains("last week") || text.contains("this week") => Some(Ok((today - Days::new(6), today))),
        () if text.contains("last month") => Some(Ok((before.with_day(1)?, before))),
        () if text.contains("this month") => Some(Ok((first, last_day(first)))),
        () if text.contains("this year") => Some(Ok((today.with_ordinal(1)?, today))),
        () if words.contains(&"yesterday") => day(today.pred_opt()),
        () if words.contains(&"tomorrow") => day(today.succ_opt()),
        () if words.contains(&"today") || words.contains(&"tonight") => day(Some(today)),
        () => None,
    }
}

/// A day as `30/12`, `12/30` or `30/12/2026`, with its month's name. A month that could be either is the second number;
/// `24/7` is none.
fn slashed(text: &str) -> Option<Result<String, String>> {
    let mut words = text.split(|c: char| !c.is_ascii_digit() && c != '/');
    let word = words.find(|word| word.len() == 5 && word.find('/') == Some(2) || word.matches('/').count() == 2)?;
    let parts: Vec<usize> = word.split('/').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let (day, month) = if parts[1] > 12 { (parts[1], parts[0]) } else { (parts[0], parts[1]) };
    let name = month.checked_sub(1).and_then(|at| MONTHS.get(at)).ok_or_else(|| format!("There is no day {word}."));
    Some(name.map(|name| format!("{day} {name} {}", parts.get(2).map(usize::to_string).unwrap_or_default())))
}

fn is_iso(word: &str) -> bool {
    word.len() == 10
        && word
            .bytes()
            .enumerate()
            .all(|(at, byte)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() })
}

/// The month that a word names, from 1. “may” and “march” are verbs more often, unless a number stands beside them.
fn month_at(words: &[&str], at: usize) -> Option<u32> {
    let is = |name: &str| {
        words[at] == name || (words[at] == &name[..3] && name != "may") || words[at] == "sept" && name == "september"
    };
    let month = MONTHS.iter().position(|name| is(name))?;
    let is_verb = matches!(words[at], "may" | "march" | "mar")
        && day_beside(words, at).is_none()
        && year_behind(words, at).is_none();
    (!is_verb).then_some(month as u32 + 1)
}

/// A number of at most two digits, as in `31st of October` and `October 31`.
fn day_beside(words: &[&str], at: usize) -> Option<u32> {
    let number = |at: usize| {
        let word = words.get(at)?;
        let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
        digits.parse().ok().filter(|_| digits.len() <= 2)
    };
    let before = at.checked_sub(if at > 0 && words[at - 1] == "of" { 2 } else { 1 });
    before.and_then(number).or_else(|| number(at + 1))
}

fn year_behind(words: &[&str], at: usize) -> Option<i32> {
    let year = |at: usize| words.get(at)?.parse().ok().filter(|year| (1900..2200).contains(year));
    year(at + 1).or_else(|| year(at + 2))
}

fn named(words: &[&str], at: usize, today: NaiveDate, toward: Toward) -> Span {
    let month = month_at(words, at).unwrap_or(1);
    let (day, year) = (day_beside(words, at), year_behind(words, at));
    let years = match (year, toward) {
        (Some(year), _) => vec![year],
        (None, Toward::Past) => vec![today.year(), today.year() - 1],
        (None, Toward::Future) => vec![today.year(), today.year() + 1],
    };
    let spans = years.iter().filter_map(|&year| match day {
        Some(day) => NaiveDate::from_ymd_opt(year, month, day).map(|day| (day, day)),
        None => NaiveDate::from_ymd_opt(year, month, 1).map(|first| (first, last_day(first))),
    });
    let spans: Vec<_> = spans.collect();
    let fits =
        |(from, to): &&(NaiveDate, NaiveDate)| if toward == Toward::Past { *from <= today } else { *to >= today };
    let name = MONTHS[month as usize - 1];
    let name = format!("{}{}", name[..1].to_uppercase(), &name[1..]);
    let found = spans.iter().find(fits).or_else(|| spans.last()).copied();
    found.ok_or_else(|| format!("There is no {name} {}.", day.unwrap_or_default()))
}

fn last_day(first: NaiveDate) -> NaiveDate {
    let next = first.checked_add_months(chrono::Months::new(1)).expect("there is a month after it");
    next.checked_sub_days(Days::new(1)).expect("a month has a last day")
}
