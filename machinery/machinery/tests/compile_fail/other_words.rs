use hubgen_machinery::{ApiType, Str};

#[derive(ApiType)]
enum NotMarked {
    Rsa,
    Other(Str),
}

#[derive(ApiType)]
enum Twice {
    Rsa,
    #[field(other)]
    Other(Str),
    #[field(other)]
    Another(Str),
}

#[derive(ApiType)]
enum NotAText {
    Rsa,
    #[field(other)]
    Other,
    #[field(other)]
    Number(i32),
}

#[derive(ApiType)]
enum WithName {
    Rsa,
    #[field(other, name = "Other", number = 1)]
    Other(Str),
}

#[derive(ApiType)]
enum WithValue {
    Rsa(Str),
    #[field(other)]
    Other(Str),
}

#[derive(ApiType)]
enum WithDefault {
    #[default]
    Rsa,
    #[field(other)]
    Other(Str),
}

#[derive(ApiType)]
enum TwoDefaults {
    #[default]
    Rsa,
    #[default]
    Ecdsa,
}

#[derive(ApiType)]
enum SameWord {
    Rsa,
    #[field(name = "Rsa")]
    Ecdsa,
}

#[derive(ApiType)]
struct OnAField {
    #[field(other)]
    algorithm: Str,
}

fn main() {}
