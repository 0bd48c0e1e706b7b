//! What the shop has: a small local catalogue, and the search in it.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::words;

/// Something to buy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    /// Its name.
    pub name: String,
    /// The currency's code.
    pub currency: &'static str,
    /// Its price, in the currency's hundredths.
    pub price_cents: u32,
    /// Words that it is found by, in lower case.
    pub words: Vec<String>,
}

impl Product {
    /// What a client is told of it: the price in words, and for those who write prices otherwise.
    #[must_use]
    pub fn told(&self) -> Value {
        let Self { name, currency, price_cents: cents, .. } = self;
        let price = words::money((*cents).into(), currency);
        json!({"name": name, "price": price, "cents": cents, "currency": currency})
    }
}

/// The products.
#[derive(Clone, Debug)]
pub struct Catalogue {
    products: Vec<Product>,
}

impl Catalogue {
    /// A catalogue of these products.
    #[must_use]
    pub fn new(products: Vec<Product>) -> Self {
        Self { products }
    }

    /// The products that come closest to what is asked for: those with the most of its words, best first. What a text rules
    /// out is none of them.
    #[must_use]
    pub fn search(&self, asked: &[String]) -> Vec<&Product> {
        let word = |word: &str| word.trim_matches(['.', ',', ';', ':', '!', '?']).to_lowercase();
        let wanted: HashSet<String> = asked.iter().flat_map(|text| text.split_whitespace()).map(word).collect();
        let is_denied =
            |product: &&Product| product.words.iter().any(|word| asked.iter().any(|text| words::denies(text, word)));
        let score = |product: &Product| match is_denied(&product) {
            true => 0,
            false => product.words.iter().filter(|&word| wanted.contains(word)).count(),
        };
        let best = self.products.iter().map(score).max().unwrap_or_default();
        self.products.iter().filter(|product| best > 0 && score(product) == best).collect()
    }
}

impl Default for Catalogue {
    fn default() -> Self {
        let product = |name: &str, price_cents, words: &str| Product {
            name: name.to_owned(),
            currency: if words.contains('₹') { "INR" } else { "EUR" },
            price_cents,
            words: words.split(' ').map(str::to_owned).collect(),
        };
        Self::new(vec![
            product("Gold ring “Solstice”", 48_900, "ring gold 6 7"),
            product("Silver ring “Fjord”", 12_900, "ring silver 6 7 8"),
            product("Rosé ring “Dawn”", 39_900, "ring rosé “rosé” 7 8"),
            product("Desk lamp “Kontor”", 8_900, "lamp desk"),
            product("Floor lamp <Lys>", 15_900, "lamp floor"),
            product("Masala Crunch", 4_500, "chips spicy under ₹50"),
            product("Sea Salt Party Pack", 14_000, "chips classic salted ₹50–150"),
            product("Chilli Party Pack", 12_500, "chips spicy ₹50–150"),
            product("Lime & Tamarind Box", 22_000, "chips tangy over ₹150"),
            product("Mitten, size S", 1_900, "mitten mittens s"),
        ])
    }
}
