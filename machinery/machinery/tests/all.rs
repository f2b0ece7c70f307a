//! The tests of the run time as one program: each file alone would link it again, which takes longer than the file runs.

mod compile_fail;
mod convert;
mod derive;
mod embedded;
mod expect;
mod flatten;
mod float;
mod frame;
mod hub_change;
mod keys;
mod laws;
mod leaf;
mod open_enum;
mod presence;
mod protobuf;
mod rest;
mod rfc3339;
mod runtime;
mod structural;
mod unknown;
mod unsigned;
mod view;
