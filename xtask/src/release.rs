//! `cargo xtask release --dry-run`: the crates that a release would publish, their order, and whether they build from their packages.

use anyhow::bail;
use serde_json::Value;

use crate::{package, tidy};

/// Prints the order of publication, then packs every crate and checks it using only its package.
pub(crate) fn dry_run() -> anyhow::Result<()> {
    let metadata = tidy::metadata()?;
    let order = order(&metadata)?;
    package::run()?;
    println!("a release publishes, in this order:");
    for name in order {
        println!("    cargo publish --package {name}");
    }
    Ok(())
}

/// The crates that are published, each after its dependencies.
fn order(metadata: &Value) -> anyhow::Result<Vec<&str>> {
    let mut waiting: Vec<&str> = tidy::published(metadata).collect();
    let mut order = Vec::new();
    while !waiting.is_empty() {
        let needs = |name: &str| {
            let package = packages(metadata).find(|package| package["name"] == name);
            let needed = package.and_then(|package| package["dependencies"].as_array());
            // Development dependencies without a version are omitted from published packages.
            let published = needed.into_iter().flatten().filter(|need| need["req"] != "*");
            published.filter_map(|need| need["name"].as_str()).any(|need| waiting.contains(&need))
        };
        let Some(place) = waiting.iter().position(|name| !needs(name)) else {
            bail!("{} need one another, expected an order", waiting.join(", "));
        };
        order.push(waiting.remove(place));
    }
    Ok(order)
}

fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn package(name: &str, needs: &[&str]) -> Value {
        let needs: Vec<_> =
            needs.iter().map(|need| json!({"name": need, "req": "^0.1.0"})).collect();
        json!({"name": name, "publish": null, "dependencies": needs})
    }

    #[test]
    fn a_crate_follows_what_it_needs() {
        let packages = [package("a", &["c", "serde"]), package("b", &["a"]), package("c", &[])];
        assert_eq!(order(&json!({"packages": packages})).unwrap(), ["c", "a", "b"]);
    }

    #[test]
    fn crates_that_need_one_another_have_no_order() {
        let packages = [package("a", &["b"]), package("b", &["a"])];
        let metadata = json!({"packages": packages});
        assert_eq!(
            order(&metadata).unwrap_err().to_string(),
            "a, b need one another, expected an order"
        );
    }
}
