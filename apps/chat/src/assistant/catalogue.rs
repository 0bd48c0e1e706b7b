//! What the shop has: a small local catalogue, and the search in it.

use serde_json::{Value, json};

/// Something to buy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    /// Its name.
    pub name: String,
    /// The currency's code.
    pub currency: &'static str,
    /// Its price, in the currency's hundredths.
    pub price_cents: u32,
    /// The kind of product, in lower case.
    pub category: String,
    /// The options that it fits.
    pub fits: Vec<String>,
}

impl Product {
    /// Returns what a client receives: the price as text, and as a number for pages that format it themselves.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let Self { name, currency, price_cents: cents, .. } = self;
        json!({"name": name, "price": money((*cents).into(), currency), "cents": cents, "currency": currency})
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

    /// Returns the products of a category that fit the most answers, and whether they fit all of them. Each answer is a
    /// list of options; a product that fits one of them fits the answer.
    #[must_use]
    pub fn search(&self, category: &str, answers: &[&[String]]) -> (Vec<&Product>, bool) {
        let category = category.to_lowercase();
        let of_category = self.products.iter().filter(|product| category.contains(&product.category));
        let fits = |product: &&Product| {
            answers.iter().filter(|options| options.iter().any(|option| product.fits.contains(option))).count()
        };
        let most = of_category.clone().map(|product| fits(&product)).max().unwrap_or_default();
        (of_category.filter(|product| fits(product) == most).collect(), most == answers.len())
    }
}

impl Default for Catalogue {
    fn default() -> Self {
        let product = |category: &str, name: &str, price_cents, fits: &str| Product {
            name: name.to_owned(),
            currency: if category == "chips" { "INR" } else { "EUR" },
            price_cents,
            category: category.to_owned(),
            fits: fits.split(", ").map(str::to_owned).collect(),
        };
        Self::new(vec![
            product("chips", "Masala Crunch", 4_500, "Under ₹50, Spicy"),
            product("chips", "Sea Salt Minis", 4_000, "Under ₹50, Classic salted"),
            product("chips", "Lime Twists", 4_800, "Under ₹50, Tangy"),
            product("chips", "Chilli Party Pack", 12_500, "₹50–150, Spicy"),
            product("chips", "Sea Salt Party Pack", 14_000, "₹50–150, Classic salted"),
            product("chips", "Tamarind Bites", 9_900, "₹50–150, Tangy"),
            product("chips", "Ghost Pepper Box", 19_900, "Over ₹150, Spicy"),
            product("chips", "Sea Salt Family Tin", 24_900, "Over ₹150, Classic salted"),
            product("chips", "Lime & Tamarind Box", 22_000, "Over ₹150, Tangy"),
            product("ring", "Gold ring “Solstice”", 48_900, "Gold, 6, 7, 8"),
            product("ring", "Silver ring “Fjord”", 12_900, "Silver, 6, 7, 8"),
            product("ring", "Rosé ring “Dawn”", 39_900, "Rosé, 7, 8"),
            product("lamp", "Desk lamp “Kontor”", 8_900, ""),
            product("lamp", "Floor lamp “Lys”", 15_900, ""),
        ])
    }
}

/// Formats an amount as the sentences do. The page formats amounts that are data for its reader.
pub(crate) fn money(cents: i64, currency: &str) -> String {
    let (minus, sign) = (if cents < 0 { "−" } else { "" }, if currency == "INR" { "₹" } else { "€" });
    let whole = (cents.abs() / 100).to_string();
    let thousands = whole.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect::<Vec<_>>().join(",");
    format!("{minus}{sign}{thousands}.{:02}", cents.abs() % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_of_chips_finds_what_was_chosen() {
        let catalogue = Catalogue::default();
        for budget in ["Under ₹50", "₹50–150", "Over ₹150"] {
            for flavor in ["Spicy", "Classic salted", "Tangy"] {
                let (budget, flavor) = ([budget.to_owned()], [flavor.to_owned()]);
                let (found, is_exact) = catalogue.search("chips_and_crisps", &[&budget, &flavor]);
                assert!(is_exact && found.len() == 1, "{budget:?} {flavor:?}: {found:?}");
                assert!(found[0].fits.contains(&budget[0]) && found[0].fits.contains(&flavor[0]));
            }
        }
        let (found, is_exact) = catalogue.search("ring", &[&["Rosé".to_owned()], &["6".to_owned()]]);
        assert_eq!((found.len(), is_exact), (3, false), "each of them fits one answer");
        assert_eq!(catalogue.search("car", &[]).0.len(), 0);
    }

    #[test]
    fn money_has_one_form() {
        let amounts = [(1_250_000, "EUR"), (-31_999, "EUR"), (4_500, "INR"), (5, "EUR")];
        assert_eq!(amounts.map(|(cents, it)| money(cents, it)), ["€12,500.00", "−€319.99", "₹45.00", "€0.05"]);
    }
}
