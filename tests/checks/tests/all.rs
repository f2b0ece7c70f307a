//! The tests of the checks as one program: they share what they link, and Go builds beside the others.

mod codecs;
mod differential;
mod golden;
mod laws;
mod openapi;
mod scheme;
mod watches;
