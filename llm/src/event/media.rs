//! Content that is not text: [`Media`].

/// An image, sound, video or document, or a piece of one.
///
/// ```
/// use jsonspigot::PatternSet;
/// use jsonspigot_llm::{Provider, ProviderStream, StreamEvent, ToolCalls};
///
/// let mut stream = ProviderStream::new(Provider::Gemini, ToolCalls::new(&PatternSet::default()));
/// let part = r#"{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}"#;
/// let mut seen = 0;
/// stream.push_with(&format!(r#"{{"candidates":[{{"content":{{"parts":[{part}]}}}}]}}"#), |event| {
///     if let StreamEvent::Media(media) = event {
///         assert_eq!((media.media_type, media.data), (Some("image/png"), Some("iVBORw0KGgo=")));
///         seen += 1;
///     }
/// });
/// assert_eq!(seen, 1);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Media<'a> {
    /// The index of the answer that it belongs to; 0 where there is only one.
    pub choice: u64,
    /// The number of the block it belongs to, if it belongs to one.
    pub block: Option<u64>,
    /// The type, as `image/png`, if the provider says so.
    pub media_type: Option<&'a str>,
    /// The bytes in base64, as they came. Sound comes in pieces.
    pub data: Option<&'a str>,
    /// The address at which it can be fetched, in place of the bytes.
    pub url: Option<&'a str>,
}
