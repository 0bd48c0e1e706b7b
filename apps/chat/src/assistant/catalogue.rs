//! The shop's products, and the search in them.

use serde_json::{Value, json};

/// A product: its category, its name, its price in hundredths, and the options that it fits.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Product(&'static str, pub(super) &'static str, u32, &'static [&'static str]);

const PRODUCTS: [Product; 14] = [
    Product("chips", "Masala Crunch", 4_500, &["Under ₹50", "Spicy"]),
    Product("chips", "Sea Salt Minis", 4_000, &["Under ₹50", "Classic salted"]),
    Product("chips", "Lime Twists", 4_800, &["Under ₹50", "Tangy"]),
    Product("chips", "Chilli Party Pack", 12_500, &["₹50–150", "Spicy"]),
    Product("chips", "Sea Salt Party Pack", 14_000, &["₹50–150", "Classic salted"]),
    Product("chips", "Tamarind Bites", 9_900, &["₹50–150", "Tangy"]),
    Product("chips", "Ghost Pepper Box", 19_900, &["Over ₹150", "Spicy"]),
    Product("chips", "Sea Salt Family Tin", 24_900, &["Over ₹150", "Classic salted"]),
    Product("chips", "Lime & Tamarind Box", 22_000, &["Over ₹150", "Tangy"]),
    Product("ring", "Gold ring “Solstice”", 48_900, &["Gold", "6", "7", "8"]),
    Product("ring", "Silver ring “Fjord”", 12_900, &["Silver", "6", "7", "8"]),
    Product("ring", "Rosé ring “Dawn”", 39_900, &["Rosé", "7", "8"]),
    Product("lamp", "Desk lamp “Kontor”", 8_900, &[]),
    Product("lamp", "Floor lamp “Lys”", 15_900, &[]),
];

impl Product {
    /// Returns the product for a client: the price as text, and as a number for pages that format it themselves.
    pub(super) fn to_json(&self) -> Value {
        let Self(category, name, cents, _) = self;
        let currency = if *category == "chips" { "INR" } else { "EUR" };
        json!({"name": name, "price": money((*cents).into(), currency), "cents": cents, "currency": currency})
    }
}

/// Returns the products of a category that fit the most answers, and whether they fit all of them. Each answer is a list of
/// options; a product that fits one of them fits the answer.
pub(super) fn search(category: &str, answers: &[&[String]]) -> (Vec<&'static Product>, bool) {
    let category = category.to_lowercase();
    let of_category = PRODUCTS.iter().filter(|Product(kind, ..)| category.contains(kind));
    let fits = |Product(.., options): &Product| {
        let fits_one = |answer: &&&[String]| answer.iter().any(|option| options.contains(&option.as_str()));
        answers.iter().filter(fits_one).count()
    };
    let most = of_category.clone().map(fits).max().unwrap_or_default();
    (of_category.filter(|product| fits(product) == most).collect(), most == answers.len())
}

/// Formats an amount in a sentence.
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
    fn every_choice_of_chips_finds_one_product_that_fits_it() {
        for budget in ["Under ₹50", "₹50–150", "Over ₹150"] {
            for flavor in ["Spicy", "Classic salted", "Tangy"] {
                let (found, is_exact) = search("chips_and_crisps", &[&[budget.to_owned()], &[flavor.to_owned()]]);
                assert!(is_exact && found.len() == 1, "{budget} {flavor}: {found:?}");
                assert!(found[0].3.contains(&budget) && found[0].3.contains(&flavor));
            }
        }
        let (found, is_exact) = search("ring", &[&["Rosé".to_owned()], &["6".to_owned()]]);
        assert_eq!((found.len(), is_exact), (3, false), "each of them fits one answer");
        assert_eq!(search("car", &[]).0.len(), 0);
        let amounts = [(1_250_000, "EUR"), (-31_999, "EUR"), (4_500, "INR"), (5, "EUR")];
        assert_eq!(amounts.map(|(cents, it)| money(cents, it)), ["€12,500.00", "−€319.99", "₹45.00", "€0.05"]);
    }
}
