//! What the shop has: a small local catalogue, and the search in it.

use serde::{Deserialize, Serialize};

/// Something to buy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Product {
    /// Its name.
    pub name: String,
    /// Its price.
    pub price_cents: u32,
    /// Words that it is found by, in lower case.
    #[serde(skip_serializing)]
    pub words: Vec<String>,
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

    /// The products that come closest to what is asked for: those with the most of its words, best first.
    #[must_use]
    pub fn search(&self, asked: &[String]) -> Vec<&Product> {
        let words: Vec<String> = asked.iter().flat_map(|text| text.split_whitespace()).map(str::to_lowercase).collect();
        let score = |product: &Product| words.iter().filter(|word| product.words.contains(word)).count();
        let best = self.products.iter().map(score).max().unwrap_or_default();
        self.products.iter().filter(|product| best > 0 && score(product) == best).collect()
    }
}

impl Default for Catalogue {
    fn default() -> Self {
        let product = |name: &str, price_cents, words: &str| Product {
            name: name.to_owned(),
            price_cents,
            words: words.split(' ').map(str::to_owned).collect(),
        };
        Self::new(vec![
            product("Gold ring “Solstice”", 48_900, "ring gold 6 7"),
            product("Silver ring “Fjord”", 12_900, "ring silver 6 7 8"),
            product("Rosé ring “Dawn”", 39_900, "ring rosé “rosé” 7 8"),
            product("Desk lamp “Kontor”", 8_900, "lamp desk"),
            product("Floor lamp <Lys>", 15_900, "lamp floor"),
            product("Mitten, size S", 1_900, "mitten mittens s"),
        ])
    }
}
