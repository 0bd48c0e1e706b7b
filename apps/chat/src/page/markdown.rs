//! `POST /api/markdown`: Markdown as a tree of the elements that the page may show.
//!
//! What a model writes is never markup here. The parser reads Markdown; of what it finds, only the elements below are
//! handed on, as data, and the page makes each of them itself. So there is no HTML to sanitize: HTML in the text stays
//! text, an image becomes a link to it, and a link leads to the web or to a mail address or nowhere.

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag};
use serde::Serialize;
use serde_json::json;

use crate::fields::{Fields, Unreadable};

/// How deep elements stand in one another at most. What is deeper stands at this depth.
const MOST_DEPTH: usize = 24;

/// How many of the parser's events the texts of a request may come to, all together: each is at most one element or piece
/// of text. A table's missing cells are elements too, so that a short text can ask for very many.
const MOST_EVENTS: usize = 10_000;

/// Where a link may lead.
const SCHEMES: [&str; 3] = ["http://", "https://", "mailto:"];

/// A piece of formatted text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Node {
    /// Text, as it stands.
    Text(String),
    /// An element with what is in it.
    Element {
        /// Its name in HTML, one of a fixed list.
        tag: &'static str,
        /// Where a link leads.
        #[serde(skip_serializing_if = "Option::is_none")]
        href: Option<String>,
        /// The first number of a list.
        #[serde(skip_serializing_if = "Option::is_none")]
        start: Option<u64>,
        /// What is in it, in order.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        children: Vec<Node>,
    },
}

/// Formats a text; nothing if it asks for too much, and is to be shown as it stands.
///
/// ```
/// use chat::page::format;
///
/// let nodes = format("Read [this](https://example.org), not [that](javascript:alert(1)).").unwrap();
/// assert_eq!(
///     serde_json::to_value(&nodes)?,
///     serde_json::json!([{"tag": "p", "children": [
///         "Read ", {"tag": "a", "href": "https://example.org", "children": ["this"]},
///         ", not ", {"tag": "span", "children": ["that"]}, "."
///     ]}])
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
pub fn format(text: &str) -> Option<Vec<Node>> {
    format_within(text, &mut { MOST_EVENTS })
}

/// Formats a text with no more events than are left.
fn format_within(text: &str, left: &mut usize) -> Option<Vec<Node>> {
    let mut tree = Tree { open: Vec::new(), done: Vec::new(), deeper: 0, is_head: false };
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    for event in Parser::new_ext(text, options) {
        *left = left.checked_sub(1)?;
        tree.take(event);
    }
    Some(tree.done)
}

/// The tree as it grows: the elements that are open, the outermost first.
struct Tree {
    open: Vec<Node>,
    done: Vec<Node>,
    /// How many elements are open beyond the greatest depth, and so were never made.
    deeper: usize,
    /// Whether a table's head is open: its cells have a name of their own.
    is_head: bool,
}

impl Tree {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.begin(&tag),
            Event::End(_) => self.end(),
            Event::Code(text) => self.add(element("code", vec![Node::Text(text.into_string())])),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::SoftBreak => self.text("\n"),
            Event::HardBreak => self.add(element("br", Vec::new())),
            Event::Rule => self.add(element("hr", Vec::new())),
            // Extensions that are not asked for.
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => self.text(&text),
            Event::TaskListMarker(_) => {}
        }
    }

    fn begin(&mut self, tag: &Tag<'_>) {
        if matches!(tag, Tag::TableHead) {
            self.is_head = true;
        } else if matches!(tag, Tag::TableRow) {
            self.is_head = false;
        }
        if self.open.len() == MOST_DEPTH {
            self.deeper += 1;
        } else {
            self.open.push(self.opened(tag));
        }
    }

    fn opened(&self, tag: &Tag<'_>) -> Node {
        let name = match tag {
            Tag::Heading { level: HeadingLevel::H1, .. } => "h2",
            Tag::Heading { level: HeadingLevel::H2, .. } => "h3",
            Tag::Heading { .. } => "h4",
            Tag::BlockQuote(_) => "blockquote",
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => "pre",
            Tag::List(Some(start)) => {
                return Node::Element { tag: "ol", href: None, start: Some(*start), children: Vec::new() };
            }
            Tag::List(None) => "ul",
            Tag::Item => "li",
            Tag::Table(_) => "table",
            Tag::TableHead | Tag::TableRow => "tr",
            Tag::TableCell if self.is_head => "th",
            Tag::TableCell => "td",
            Tag::Emphasis => "em",
            Tag::Strong => "strong",
            Tag::Strikethrough => "s",
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => return link(dest_url),
            _ => "p",
        };
        element(name, Vec::new())
    }

    fn end(&mut self) {
        if self.deeper > 0 {
            self.deeper -= 1;
        } else if let Some(node) = self.open.pop() {
            self.add(node);
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(Node::Text(last)) = self.place().last_mut() {
            last.push_str(text);
        } else {
            self.add(Node::Text(text.to_owned()));
        }
    }

    fn add(&mut self, node: Node) {
        self.place().push(node);
    }

    /// Where what comes next belongs.
    fn place(&mut self) -> &mut Vec<Node> {
        match self.open.last_mut() {
            Some(Node::Element { children, .. }) => children,
            _ => &mut self.done,
        }
    }
}

fn element(tag: &'static str, children: Vec<Node>) -> Node {
    Node::Element { tag, href: None, start: None, children }
}

fn link(address: &str) -> Node {
    let is_safe = SCHEMES
        .iter()
        .any(|scheme| address.get(..scheme.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(scheme)));
    if !is_safe {
        return element("span", Vec::new());
    }
    Node::Element { tag: "a", href: Some(address.to_owned()), start: None, children: Vec::new() }
}

/// What the page gets: of each text its elements, or nothing if it is to be shown as it stands.
#[derive(Serialize)]
struct Blocks {
    blocks: Vec<Option<Vec<Node>>>,
}

pub(super) async fn handle(headers: HeaderMap, body: Result<Bytes, BytesRejection>) -> Response {
    match Fields::of_body(&headers, body).and_then(read) {
        Ok(texts) => {
            let mut left = MOST_EVENTS;
            let blocks = texts.iter().map(|text| format_within(text, &mut left)).collect();
            Json(Blocks { blocks }).into_response()
        }
        Err(unreadable) => {
            let error = json!({"error": {"kind": "markdown", "message": unreadable.to_string()}});
            (unreadable.status(), Json(error)).into_response()
        }
    }
}

/// Texts, each to be formatted by itself.
fn read(mut fields: Fields) -> Result<Vec<String>, Unreadable> {
    let texts = fields.required("texts", "an array of strings")?;
    fields.end().map(|()| texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelt(text: &str) -> String {
        serde_json::to_string(&format(text)).unwrap()
    }

    /// All elements of a tree, with how deep each stands.
    fn elements(nodes: &[Node]) -> Vec<(&Node, usize)> {
        let mut left: Vec<(&Node, usize)> = nodes.iter().map(|node| (node, 1)).collect();
        let mut found = Vec::new();
        while let Some((node, depth)) = left.pop() {
            found.push((node, depth));
            if let Node::Element { children, .. } = node {
                left.extend(children.iter().map(|child| (child, depth + 1)));
            }
        }
        found
    }

    #[test]
    fn each_kind_of_block_becomes_its_element() {
        assert_eq!(spelt("# A *b*"), r#"[{"tag":"h2","children":["A ",{"tag":"em","children":["b"]}]}]"#);
        assert_eq!(
            spelt("3. a\n4. `b`"),
            r#"[{"tag":"ol","start":3,"children":[{"tag":"li","children":["a"]},{"tag":"li","children":[{"tag":"code","children":["b"]}]}]}]"#
        );
        assert_eq!(spelt("```rust\nlet a = 1;\n```"), r#"[{"tag":"pre","children":["let a = 1;\n"]}]"#);
        assert_eq!(
            spelt("|a|\n|-|\n|b|"),
            r#"[{"tag":"table","children":[{"tag":"tr","children":[{"tag":"th","children":["a"]}]},{"tag":"tr","children":[{"tag":"td","children":["b"]}]}]}]"#
        );
    }

    #[test]
    fn html_stays_text() {
        for html in [
            "<script>alert(1)</script>",
            "a <img src=x onerror=alert(1)> b",
            "<a href=\"javascript:alert(1)\">x</a>",
            "<!-- --><iframe srcdoc='<script>'></iframe>",
        ] {
            let nodes = format(html).unwrap();
            let text: String = elements(&nodes)
                .iter()
                .rev()
                .filter_map(|(node, _)| if let Node::Text(text) = node { Some(text.as_str()) } else { None })
                .collect();
            for (node, _) in elements(&nodes) {
                assert!(!matches!(node, Node::Element { tag, .. } if *tag != "p"), "{html}: {nodes:?}");
            }
            assert_eq!(text.len(), html.len(), "{html}: {text}");
        }
    }

    #[test]
    fn links_lead_to_the_web_or_nowhere() {
        let all = "javascript:alert(1) JaVaScRiPt:alert(1) java&#115;cript:alert(1) &#x01;javascript:alert(1) \
            data:text/html,<script> vbscript:x file:///etc/passwd //evil.example/x /api/chat/stop blob:x";
        for hostile in all.split(' ') {
            for text in [format!("[x]({hostile})"), format!("![x]({hostile})"), format!("[x]\n\n[x]: {hostile}")] {
                let nodes = format(&text).unwrap();
                let has_link =
                    elements(&nodes).iter().any(|(node, _)| matches!(node, Node::Element { href: Some(_), .. }));
                assert!(!has_link, "{text}: {nodes:?}");
            }
        }
        let image = r#"[{"tag":"p","children":[{"tag":"a","href":"https://evil.example/t.png","children":["x"]}]}]"#;
        assert_eq!(spelt("![x](https://evil.example/t.png)"), image, "an image is not loaded: it is a link");
        assert!(spelt("<MAILTO:a@b.example>").contains(r#""href":"MAILTO:a@b.example""#));
    }

    #[test]
    fn nesting_and_size_have_an_end() {
        for (open, count) in [("> ", 4000), ("- ", 4000), ("[", 9000), ("*a _b ", 3000), ("![", 9000)] {
            let text = format!("{}x", open.repeat(count));
            let Some(nodes) = format(&text) else { continue };
            let depth = elements(&nodes).iter().map(|(_, depth)| *depth).max().unwrap();
            assert!(depth <= MOST_DEPTH + 1, "{open}: {depth}");
            assert!(serde_json::to_string(&nodes).unwrap().contains('x'), "{open}: no text is lost");
        }
        // A header of many columns, and rows that have one cell each: what is missing would be filled in.
        let table = format!("{}|\n{}|\n{}", "|a".repeat(4000), "|-".repeat(4000), "|b\n".repeat(8000));
        assert_eq!(format(&table), None);
    }
}
