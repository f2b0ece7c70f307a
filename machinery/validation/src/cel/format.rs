//! `'…%s…'.format([…])`: the clauses, which the checker and the evaluator read alike.

use std::fmt;

use crate::cel::types::Type;

/// What `%` and a letter ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clause {
    String,
    Decimal,
    Fixed(usize),
    Scientific(usize),
    Binary,
    Hex { upper: bool },
    Octal,
}

/// The most digits after the point that are written.
const MAX_PRECISION: usize = 100_000;

/// More digits after the point than any number of 64 bits has.
const MAX_DIGITS: usize = 1100;

impl Clause {
    /// Whether a clause can show values of a type.
    pub(crate) fn allows(self, ty: &Type) -> bool {
        if matches!(ty, Type::Dyn) {
            return true;
        }
        match self {
            Self::String => matches!(
                ty,
                Type::List(_)
                    | Type::Map(..)
                    | Type::Int
                    | Type::Uint
                    | Type::Double
                    | Type::Bool
                    | Type::String
                    | Type::Timestamp
                    | Type::Bytes
                    | Type::Duration
                    | Type::Meta(_)
                    | Type::Null
            ),
            Self::Decimal | Self::Octal => matches!(ty, Type::Int | Type::Uint),
            Self::Fixed(_) | Self::Scientific(_) => matches!(ty, Type::Double | Type::String),
            Self::Binary => matches!(ty, Type::Int | Type::Uint | Type::Bool),
            Self::Hex { .. } => matches!(ty, Type::Int | Type::Uint | Type::String | Type::Bytes),
        }
    }

    /// The error for a value of a type that the clause cannot show.
    pub(crate) fn error(self, ty: &str) -> String {
        let what = match self {
            Self::String => {
                "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, \
                 and timestamps"
            }
            Self::Decimal => "decimal clause can only be used on integers",
            Self::Fixed(_) => "fixed-point clause can only be used on doubles",
            Self::Scientific(_) => "scientific clause can only be used on doubles",
            Self::Binary => "only integers and bools can be formatted as binary",
            Self::Hex { .. } => "only integers, byte buffers, and strings can be formatted as hex",
            Self::Octal => "octal clause can only be used on integers",
        };
        format!("{what}, was given {ty}")
    }
}

/// Writes a text, with what `show` returns for each clause and the position of its argument.
pub(crate) fn format(
    text: &str,
    count: usize,
    mut show: impl FnMut(Clause, usize) -> Result<String, String>,
) -> Result<String, String> {
    let (mut out, mut rest, mut at) = (String::new(), text, 0);
    while let Some(start) = rest.find('%') {
        out.push_str(&rest[..start]);
        rest = &rest[start + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            out.push('%');
            rest = after;
            continue;
        }
        if at >= count {
            return Err(format!("index {at} out of range"));
        }
        if rest.is_empty() {
            return Err("unexpected end of string".to_owned());
        }
        let (clause, after) =
            clause(rest).map_err(|why| format!("could not parse formatting clause: {why}"))?;
        out.push_str(&show(clause, at)?);
        rest = after;
        at += 1;
    }
    out.push_str(rest);
    Ok(out)
}

fn clause(text: &str) -> Result<(Clause, &str), String> {
    let mut rest = text;
    let mut precision = 6;
    if let Some(after) = rest.strip_prefix('.') {
        let end = after.find(|c: char| !c.is_ascii_digit());
        let end = end.ok_or("error while parsing precision: could not find end of precision specifier")?;
        precision = after[..end].parse().ok().filter(|precision| *precision <= MAX_PRECISION).ok_or_else(|| {
            let why = if end == 0 { "invalid syntax" } else { "value out of range" };
            format!(
                "error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing \
                 {}: {why}",
                crate::text::quoted(&after[..end])
            )
        })?;
        rest = &after[end..];
    }
    let letter = rest.chars().next().unwrap_or_default();
    let clause = match letter {
        's' => Clause::String,
        'd' => Clause::Decimal,
        'f' => Clause::Fixed(precision),
        'e' => Clause::Scientific(precision),
        'b' => Clause::Binary,
        'x' | 'X' => Clause::Hex { upper: letter == 'X' },
        'o' => Clause::Octal,
        _ => return Err(format!("unrecognized formatting clause \"{letter}\"")),
    };
    Ok((clause, &rest[1..]))
}

/// A number with a fixed number of digits after the point, and commas between thousands, as upstream's locale has them.
pub(crate) fn fixed(number: f64, precision: usize) -> String {
    if !number.is_finite() {
        return not_finite(number);
    }
    let text = padded(format!("{number:.*}", precision.min(MAX_DIGITS)), precision);
    let (sign, digits) = text.strip_prefix('-').map_or(("", &*text), |digits| ("-", digits));
    let (whole, fraction) =
        digits.split_once('.').map_or((digits, None), |(whole, fraction)| (whole, Some(fraction)));
    let mut out = String::from(sign);
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    if let Some(fraction) = fraction {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

/// A number with a power of ten, as upstream's locale writes it.
pub(crate) fn scientific(number: f64, precision: usize) -> String {
    if !number.is_finite() {
        return not_finite(number);
    }
    let text = format!("{number:.*e}", precision.min(MAX_DIGITS));
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = padded(digits.to_owned(), precision);
    let (sign, exponent) = exponent.strip_prefix('-').map_or(("", exponent), |exponent| ("-", exponent));
    format!("{digits}\u{d7}10{}", superscript(&format!("{sign}{exponent:0>2}")))
}

/// Adds the zeros that follow all digits of a number.
fn padded(mut text: String, precision: usize) -> String {
    text.extend(std::iter::repeat_n('0', precision.saturating_sub(MAX_DIGITS)));
    text
}

fn superscript(text: &str) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    text.chars().map(|c| c.to_digit(10).map_or('\u{207b}', |digit| DIGITS[digit as usize])).collect()
}

fn not_finite(number: f64) -> String {
    if number.is_nan() {
        "NaN".to_owned()
    } else if number > 0.0 {
        "\u{221e}".to_owned()
    } else {
        "-\u{221e}".to_owned()
    }
}

/// Writes bytes as hexadecimal digits.
pub(crate) struct Hex<'b>(pub(crate) &'b [u8]);

impl fmt::LowerHex for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}
