//! Types of `example.com/v1` in a module below it.

use hubgen_machinery::{ApiType, Str};

#[derive(ApiType)]
pub struct PrivateKey {
    pub algorithm: Option<Algorithm>,
}

#[derive(ApiType)]
pub enum Algorithm {
    #[field(name = "RSA")]
    Rsa,
    #[field(name = "ECDSA")]
    Ecdsa,
    #[field(other)]
    Other(Str),
}
