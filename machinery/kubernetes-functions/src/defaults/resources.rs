//! Defaults of resource quantities.

use super::access::{ResourceList, add_missing, amounts, text};
use hubgen_machinery::defaults::Context;
use hubgen_machinery::reflect::{Reflect, SlotMut, Type};
use hubgen_machinery::scalar::Quantity;

/// Rounds every quantity in the struct's resource lists up to thousandths, away from zero.
pub fn round_up(object: &mut dyn Reflect, _: &Context) {
    let described = object.descriptor().share();
    for (index, field) in described.fields.iter().enumerate() {
        let Type::Map(node) = &field.ty else { continue };
        if !matches!(node.ty, Type::Quantity) {
            continue;
        }
        if let Some(list) = list_mut(object.write(index)) {
            for amount in list.values_mut() {
                *amount = rounded(amount);
            }
        }
    }
}

fn list_mut(slot: SlotMut<'_>) -> Option<&mut ResourceList> {
    match slot {
        SlotMut::Map(map) => map.downcast_mut(),
        SlotMut::Optional(value) if value.is_present() => list_mut(value.insert()),
        _ => None,
    }
}

/// The quantity in whole thousandths. Its text is rewritten, as upstream does after computing with
/// a quantity: `1.500` becomes `1500m`, `+5` becomes `5`.
fn rounded(amount: &Quantity) -> Quantity {
    let text = amount.as_str();
    let wanted = if is_binary(text) {
        // A quantity with a binary suffix is never a fraction.
        let sign = if text.starts_with('-') { "-" } else { "" };
        format!("{sign}{}", text.trim_start_matches(['+', '-']).trim_start_matches('0'))
    } else {
        // A quantity whose thousandths do not fit into 64 bits stays as it is.
        let Some(thousandths) = amount.milli() else { return amount.clone() };
        format!("{thousandths}000000{}", if is_exponent(text) { "e-9" } else { "n" })
    };
    wanted.parse().unwrap_or_else(|_| amount.clone())
}

fn is_binary(text: &str) -> bool {
    text.ends_with('i')
}

fn is_exponent(text: &str) -> bool {
    let last = text.as_bytes().last();
    text.contains(['e', 'E']) && last.is_some_and(u8::is_ascii_digit)
}

/// For a limit range item of type `Container`: the default limit is the maximum; the default
/// request is the default limit, or else the minimum.
pub fn limit_range(item: &mut dyn Reflect, _: &Context) {
    if text(item, "type") != "Container" {
        return;
    }
    for (from, to) in [("max", "default"), ("default", "defaultRequest"), ("min", "defaultRequest")] {
        let from = amounts(item, from).cloned().unwrap_or_default();
        add_missing(item, to, from);
    }
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn amounts_are_rounded_to_thousandths_away_from_zero() {
        for (amount, wanted) in [
            ("0", "0"),
            ("1", "1"),
            ("100m", "100m"),
            ("0.0001", "1m"),
            ("1.5m", "2m"),
            ("-1.5m", "-2m"),
            ("100n", "1m"),
            ("1.500", "1500m"),
            ("+5", "5"),
            ("1000", "1k"),
            ("1500", "1500"),
            ("1e3", "1e3"),
            ("1.5e-3", "2e-3"),
            ("1Gi", "1Gi"),
            ("1.5Gi", "1536Mi"),
            ("0.0001Ki", "103m"),
            ("12E", "12E"),
        ] {
            assert_eq!(rounded(&amount.parse().unwrap()).as_str(), wanted, "{amount}");
            assert_eq!(rounded(&wanted.parse().unwrap()).as_str(), wanted, "{wanted} again");
        }
    }
}
