//! `#[kind(…)]`.

use proc_macro2::Span;
use syn::meta::ParseNestedMeta;
use syn::parse::ParseStream;
use syn::spanned::Spanned;
use syn::token::Paren;
use syn::{Attribute, Ident, LitBool, LitInt, LitStr, Token, parenthesized};

use crate::from::From;
use crate::json;
use crate::keys::{AttributeName, ColumnKey, Key as _, KindKey, ScaleKey, expected};
use crate::values::{flag, name_of, quoted, text, texts, twice};

/// The keys of `#[kind(…)]`: what makes a struct a kind, and what its CustomResourceDefinition
/// specifies about it besides the schema.
#[derive(Default)]
pub struct KindAttributes {
    /// The group: `example.com`.
    pub group: String,
    /// The version: `v1`.
    pub version: String,
    /// The kind: `Widget`.
    pub kind: String,
    /// The last part of its path, if it is not the usual plural of the kind.
    pub plural: Option<LitStr>,
    /// The name of one object for users of the command line, if it is not the kind in lower case.
    pub singular: Option<LitStr>,
    /// The kind of lists, if it is not the kind with `List` at its end.
    pub list: Option<LitStr>,
    /// Short names for users of the command line.
    pub short: Vec<LitStr>,
    /// Names of groups of kinds, such as `all`.
    pub category: Vec<LitStr>,
    /// The key, if its objects are in namespaces.
    pub namespaced: Option<Span>,
    /// Whether objects are stored at this version.
    pub storage: bool,
    /// Whether the server serves the version: true, unless `served = false`.
    pub unserved: bool,
    /// Whether clients should stop using the version, and the warning that they receive.
    pub deprecated: Option<Option<LitStr>>,
    /// Whether it has a status subresource.
    pub status: bool,
    /// Where the scale subresource finds its numbers.
    pub scale: Option<Scale>,
    /// The columns that `kubectl get` prints.
    pub column: Vec<Column>,
    /// The paths of fields that field selectors can use.
    pub selectable: Vec<LitStr>,
    /// The paths at which objects of this version may be invalid after a conversion.
    pub may_be_invalid: Vec<LitStr>,
    /// Labels of the definition itself.
    pub label: Vec<(LitStr, LitStr)>,
    /// Annotations of the definition itself.
    pub annotation: Vec<(LitStr, LitStr)>,
    /// How the API server converts between versions: `spec.conversion` of the definition, as JSON.
    pub conversion: Option<LitStr>,
    /// Whether the API server keeps fields that no schema mentions, if it is written.
    pub preserve_unknown_fields: Option<LitBool>,
    /// How older versions differ.
    pub from: Vec<From>,
}

/// `scale(spec = ".spec.replicas", status = ".status.replicas", selector = ".status.selector")`.
pub struct Scale {
    /// The path of the number of replicas that somebody asked for.
    pub spec: LitStr,
    /// The path of the number of replicas that exist.
    pub status: LitStr,
    /// The path of the label selector of the replicas, as text.
    pub selector: Option<LitStr>,
}

/// `column("Ready" => ".status.ready", priority = 1)`.
pub struct Column {
    /// The heading.
    pub name: LitStr,
    /// The path of the value.
    pub path: LitStr,
    /// `string`, `integer`, `number`, `boolean` or `date`, if it does not follow from the field.
    pub ty: Option<LitStr>,
    /// The format, such as `int32`.
    pub format: Option<LitStr>,
    /// What the column shows.
    pub description: Option<LitStr>,
    /// Columns with a priority above 0 are shown in wide output only.
    pub priority: Option<i32>,
}

impl KindAttributes {
    pub(crate) fn parse(attributes: &[Attribute]) -> syn::Result<Option<Self>> {
        let mut out = Self::default();
        let mut names = Names::default();
        let mut first = None;
        for attribute in AttributeName::Kind.all(attributes) {
            first.get_or_insert(attribute);
            attribute.parse_nested_meta(|meta| out.take(&meta, &mut names))?;
        }
        let Some(attribute) = first else {
            let other = AttributeName::From.all(attributes).next();
            let message = "expected `#[from(…)]` on a kind: paths in it begin at the kind";
            return other.map_or(Ok(None), |other| Err(syn::Error::new(other.span(), message)));
        };
        let missing = |what| {
            syn::Error::new(
                attribute.span(),
                format!(
                    "expected `{what}`: `#[kind(group = \"example.com\", version = \"v1\", kind = \"Widget\")]`"
                ),
            )
        };
        out.from = From::parse_all(attributes)?;
        out.group = names.group.map_or_else(String::new, |text| text.value());
        out.version = names.version.ok_or_else(|| missing("version"))?.value();
        out.kind = names.kind.ok_or_else(|| missing("kind"))?.value();
        if out.storage && out.group.is_empty() {
            return Err(missing("group"));
        }
        Ok(Some(out))
    }

    fn take(&mut self, meta: &ParseNestedMeta<'_>, names: &mut Names) -> syn::Result<()> {
        let Some(key) = KindKey::at(&meta.path) else {
            return Err(meta.error(expected(&[KindKey::NAMES])));
        };
        if !key.may_be_repeated() && names.written.contains(&key) {
            return Err(twice(meta));
        }
        names.written.push(key);
        match key {
            KindKey::Group => names.group = Some(text(meta)?),
            KindKey::Version => names.version = Some(text(meta)?),
            KindKey::Kind => names.kind = Some(text(meta)?),
            KindKey::Plural => self.plural = Some(text(meta)?),
            KindKey::Singular => self.singular = Some(text(meta)?),
            KindKey::List => self.list = Some(text(meta)?),
            KindKey::Short => self.short.extend(texts(meta)?),
            KindKey::Category => self.category.extend(texts(meta)?),
            KindKey::Namespaced => self.namespaced = Some(flag(meta)?),
            KindKey::Storage => self.storage = flag(meta).map(|_| true)?,
            KindKey::Served => self.unserved = !boolean(meta)?.value,
            KindKey::Deprecated => {
                let warning = meta.input.peek(Token![=]).then(|| text(meta));
                self.deprecated = Some(warning.transpose()?);
            }
            KindKey::Status => self.status = flag(meta).map(|_| true)?,
            KindKey::Scale => self.scale = Some(scale(meta)?),
            KindKey::Column => self.column.push(column(meta)?),
            KindKey::Label => self.label.push(pair(meta)?),
            KindKey::Annotation => self.annotation.push(pair(meta)?),
            KindKey::Conversion => {
                let conversion = text(meta)?;
                json::object(&conversion, r#"{"strategy": "None"}"#)?;
                self.conversion = Some(conversion);
            }
            KindKey::PreserveUnknownFields => self.preserve_unknown_fields = Some(boolean(meta)?),
            KindKey::Selectable => self.selectable.extend(texts(meta)?),
            KindKey::MayBeInvalid => self.may_be_invalid.extend(texts(meta)?),
        }
        Ok(())
    }

    /// What concerns all versions and is written in this one, although it is not the storage version, each with its
    /// position. Names may be repeated. What is not written is the same in all versions.
    pub fn names_that_differ(&self, other: &Self) -> Vec<(&'static str, Span)> {
        let one = |name: &Option<LitStr>| name.iter().map(LitStr::value).collect::<Vec<_>>();
        let several = |names: &[LitStr]| names.iter().map(LitStr::value).collect::<Vec<_>>();
        let names = [
            ("plural", self.plural.as_ref().map(LitStr::span), one(&self.plural) == one(&other.plural)),
            (
                "singular",
                self.singular.as_ref().map(LitStr::span),
                one(&self.singular) == one(&other.singular),
            ),
            ("list", self.list.as_ref().map(LitStr::span), one(&self.list) == one(&other.list)),
            ("short", self.short.first().map(LitStr::span), several(&self.short) == several(&other.short)),
            (
                "category",
                self.category.first().map(LitStr::span),
                several(&self.category) == several(&other.category),
            ),
            ("namespaced", self.namespaced, other.namespaced.is_some()),
            ("label", self.label.first().map(|(name, _)| name.span()), false),
            ("annotation", self.annotation.first().map(|(name, _)| name.span()), false),
            ("conversion", self.conversion.as_ref().map(LitStr::span), false),
            ("preserve_unknown_fields", self.preserve_unknown_fields.as_ref().map(LitBool::span), false),
        ];
        let differ =
            names.into_iter().filter_map(|(key, span, is_equal)| Some((key, span.filter(|_| !is_equal)?)));
        differ.collect()
    }

    /// The last part of the path of its objects: the written one, or the English plural of the kind.
    pub fn plural_name(&self) -> String {
        self.plural.as_ref().map_or_else(|| plural(&self.kind.to_lowercase()), LitStr::value)
    }

    /// The name of one object for users of the command line.
    pub fn singular_name(&self) -> String {
        self.singular.as_ref().map_or_else(|| self.kind.to_lowercase(), LitStr::value)
    }

    /// The kind of lists.
    pub fn list_kind(&self) -> String {
        self.list.as_ref().map_or_else(|| format!("{}List", self.kind), LitStr::value)
    }

    /// Whether the derive makes the definition of the kind: at the storage version, if the source does not
    /// tell that there are older ones. Generated code makes all others.
    pub fn defines(&self) -> bool {
        self.storage && self.from.is_empty()
    }

    pub(crate) fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }
}

fn column_type(input: ParseStream<'_>) -> syn::Result<LitStr> {
    const TYPES: [&str; 5] = ["string", "integer", "number", "boolean", "date"];
    let ty = quoted(input)?;
    if TYPES.contains(&ty.value().as_str()) {
        return Ok(ty);
    }
    Err(syn::Error::new(ty.span(), format!("expected a `type` of {}", TYPES.join(", "))))
}

/// The plural of a kind in lower case: `certificates`, `policies`, `ingresses`, `gateways`.
pub fn plural(kind: &str) -> String {
    let before_y = kind.strip_suffix('y').filter(|rest| !rest.ends_with(['a', 'e', 'i', 'o', 'u']));
    match before_y {
        Some(rest) => format!("{rest}ies"),
        None if ["s", "x", "z", "ch", "sh"].iter().any(|end| kind.ends_with(end)) => format!("{kind}es"),
        None => format!("{kind}s"),
    }
}

impl KindKey {
    fn may_be_repeated(self) -> bool {
        matches!(
            self,
            Self::Short
                | Self::Category
                | Self::Column
                | Self::Selectable
                | Self::MayBeInvalid
                | Self::Label
                | Self::Annotation
        )
    }
}

#[derive(Default)]
struct Names {
    /// The keys that are written.
    written: Vec<KindKey>,
    group: Option<LitStr>,
    version: Option<LitStr>,
    kind: Option<LitStr>,
}

/// Reads `= true` or `= false`.
fn boolean(meta: &ParseNestedMeta<'_>) -> syn::Result<LitBool> {
    let key = name_of(meta);
    let wrong = |span| syn::Error::new(span, format!("expected `{key} = true` or `{key} = false`"));
    let value = meta.value().map_err(|_| wrong(meta.path.span()))?;
    value.parse().map_err(|error: syn::Error| wrong(error.span()))
}

/// Reads `label("name", "value")`.
fn pair(meta: &ParseNestedMeta<'_>) -> syn::Result<(LitStr, LitStr)> {
    let wrong = |span| syn::Error::new(span, "expected a name and a value: `label(\"app\", \"demo\")`");
    if !meta.input.peek(Paren) {
        return Err(wrong(meta.input.span()));
    }
    let span = meta.input.span();
    let texts = texts(meta).map_err(|error| wrong(error.span()))?;
    match <[LitStr; 2]>::try_from(texts) {
        Ok([name, value]) => Ok((name, value)),
        Err(_) => Err(wrong(span)),
    }
}

fn once(target: &mut Option<LitStr>, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if target.is_some() {
        return Err(twice(meta));
    }
    *target = Some(text(meta)?);
    Ok(())
}

fn scale(meta: &ParseNestedMeta<'_>) -> syn::Result<Scale> {
    let (mut spec, mut status, mut selector) = (None, None, None);
    meta.parse_nested_meta(|inner| match ScaleKey::at(&inner.path) {
        Some(ScaleKey::Spec) => once(&mut spec, &inner),
        Some(ScaleKey::Status) => once(&mut status, &inner),
        Some(ScaleKey::Selector) => once(&mut selector, &inner),
        None => {
            Err(inner
                .error(format!("{}, each with a path: `\".spec.replicas\"`", expected(&[ScaleKey::NAMES]))))
        }
    })?;
    match (spec, status) {
        (Some(spec), Some(status)) => Ok(Scale { spec, status, selector }),
        _ => Err(meta.error(
            "expected the paths of both numbers: `scale(spec = \".spec.replicas\", status = \".status.replicas\")`",
        )),
    }
}

fn column(meta: &ParseNestedMeta<'_>) -> syn::Result<Column> {
    const FORM: &str = "expected the heading and the path: `column(\"Ready\" => \".status.ready\")`";
    if !meta.input.peek(Paren) {
        return Err(meta.error(FORM));
    }
    let content;
    parenthesized!(content in meta.input);
    let text = |input: ParseStream<'_>| -> syn::Result<LitStr> {
        input.parse().map_err(|error| syn::Error::new(error.span(), FORM))
    };
    let name = text(&content)?;
    // Clippy takes attributes that are lists of names and values for duplicates, if two columns have the same type or
    // priority. With an arrow, an attribute is no such list.
    content.parse::<Token![=>]>().map_err(|error| syn::Error::new(error.span(), FORM))?;
    let path = text(&content)?;
    let mut column = Column { name, path, ty: None, format: None, description: None, priority: None };
    let mut written = Vec::new();
    while !content.is_empty() {
        content.parse::<Token![,]>()?;
        if content.is_empty() {
            break;
        }
        // `type` is a keyword.
        let name: Ident = syn::ext::IdentExt::parse_any(&content)?;
        let unknown = || syn::Error::new(name.span(), expected(&[ColumnKey::NAMES]));
        let key = ColumnKey::named(&name).ok_or_else(unknown)?;
        if written.contains(&key) {
            return Err(syn::Error::new(name.span(), format!("`{key}` is set twice; remove one of the two")));
        }
        written.push(key);
        content.parse::<Token![=]>()?;
        match key {
            ColumnKey::Type => column.ty = Some(column_type(&content)?),
            ColumnKey::Format => column.format = Some(quoted(&content)?),
            ColumnKey::Description => column.description = Some(quoted(&content)?),
            ColumnKey::Priority => {
                let wrong = |span| syn::Error::new(span, "expected a whole number, such as `priority = 1`");
                let number: LitInt = content.parse().map_err(|error: syn::Error| wrong(error.span()))?;
                column.priority = Some(number.base10_parse().map_err(|_| wrong(number.span()))?);
            }
        }
    }
    Ok(column)
}

#[cfg(test)]
mod tests {
    use super::plural;

    #[test]
    fn plurals_are_english() {
        for (kind, expected) in [
            ("certificate", "certificates"),
            ("policy", "policies"),
            ("gateway", "gateways"),
            ("ingress", "ingresses"),
            ("box", "boxes"),
            ("match", "matches"),
        ] {
            assert_eq!(plural(kind), expected);
        }
    }
}
