//! The four files that the page links to, as pages with highlighted lines.

/// A file's name, and its text.
const FILES: [(&str, &str); 4] = [
    ("classify.rs", include_str!("../assistant/classify.rs")),
    ("tool_loop.rs", include_str!("../assistant/tool_loop.rs")),
    ("hidden_context.rs", include_str!("../assistant/hidden_context.rs")),
    ("form.rs", include_str!("../instructor/form.rs")),
];

const KEYWORDS: [&str; 26] = [
    "as", "async", "await", "const", "continue", "else", "enum", "expect", "fn", "for", "if", "impl", "in", "let",
    "match", "mod", "move", "mut", "pub", "return", "self", "static", "struct", "super", "use", "while",
];

/// Returns the page of a file.
pub(super) fn page(name: &str) -> Option<String> {
    let (_, text) = FILES.iter().find(|(known, _)| *known == name)?;
    let lines = text.lines().enumerate().map(|(at, line)| {
        let number = at + 1;
        format!("<a class=\"number\" id=\"L{number}\" href=\"#L{number}\">{number}</a>{}\n", highlighted(line))
    });
    let links: Vec<String> = FILES.iter().map(|(other, _)| format!("<a href=\"{other}\">{other}</a>")).collect();
    Some(format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{name}</title>\n<link rel=\"icon\" href=\"icon.svg\">\n<link rel=\"stylesheet\" href=\"style.css\">\n\
         <body class=\"code\">\n<nav><a href=\"./\">Back to the chat</a> · {}</nav>\n<h1>{name}</h1>\n\
         <pre tabindex=\"0\">{}</pre>\n</body>\n</html>\n",
        links.join(" · "),
        lines.collect::<String>()
    ))
}

/// Marks comments, strings and keywords of a line.
fn highlighted(line: &str) -> String {
    let (mut html, mut rest) = (String::new(), line);
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let (length, class) = match first {
            '/' if rest.starts_with("//") => (rest.len(), "comment"),
            '"' => (string_length(rest), "string"),
            _ if is_word(first) => {
                let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                (length, if KEYWORDS.contains(&&rest[..length]) { "keyword" } else { "" })
            }
            _ => (first.len_utf8(), ""),
        };
        let text = rest[..length].replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        html += &if class.is_empty() { text } else { format!("<span class=\"{class}\">{text}</span>") };
        rest = &rest[length..];
    }
    html
}

/// Returns the length of the string literal that a text begins with, as far as its line goes.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        if character == '"' && !is_escaped {
            return at + 1;
        }
        is_escaped = character == '\\' && !is_escaped;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_is_short_and_its_text_is_complete() {
        for (name, text) in FILES {
            assert!(text.lines().count() <= 120, "{name} has {} lines", text.lines().count());
            let page = page(name).unwrap();
            let shown = &page[page.find("<pre").unwrap()..page.find("</pre>").unwrap()];
            let mut plain = String::new();
            for (at, piece) in shown.split('<').enumerate().skip(1) {
                let text = piece.split_once('>').unwrap().1;
                // A line's number is no part of it.
                if at == 1 || !piece.starts_with("a ") {
                    plain += text;
                }
            }
            let plain = plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
            assert_eq!(plain, text, "{name}");
        }
        assert_eq!(page("main.rs"), None);
    }
}
