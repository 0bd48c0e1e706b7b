//! Content that is not text: [`Media`].

use alloc::borrow::Cow;

use crate::payload::owned;

/// An image, sound, video or document, or a piece of one.
///
/// ```
/// use jsonspigot_llm::{Provider, ProviderStream, StreamEvent, ToolCalls};
///
/// let mut stream = ProviderStream::new(Provider::Gemini, ToolCalls::default());
/// let part = r#"{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}"#;
/// let mut seen = 0;
/// stream.push_with(&format!(r#"{{"candidates":[{{"content":{{"parts":[{part}]}}}}]}}"#), |event| {
///     if let StreamEvent::Media(media) = event {
///         assert_eq!((media.media_type.as_deref(), media.data.as_deref()), (Some("image/png"), Some("iVBORw0KGgo=")));
///         seen += 1;
///     }
/// });
/// assert_eq!(seen, 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Media<'a> {
    /// The index of the answer that it belongs to; 0 where there is only one.
    pub choice: u64,
    /// The number of the block it belongs to, if it belongs to one.
    pub block: Option<u64>,
    /// The type, such as `image/png`, if the provider sends it.
    pub media_type: Option<Cow<'a, str>>,
    /// The bytes in base64, as the provider sent them. Sound is sent in pieces.
    pub data: Option<Cow<'a, str>>,
    /// The address to fetch it from, in place of the bytes.
    pub url: Option<Cow<'a, str>>,
}

impl Media<'_> {
    /// Makes the media `'static` by copying its borrowed text.
    #[must_use]
    pub fn into_owned(self) -> Media<'static> {
        let Self { choice, block, media_type, data, url } = self;
        Media { choice, block, media_type: media_type.map(owned), data: data.map(owned), url: url.map(owned) }
    }
}
