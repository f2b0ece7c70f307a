//! Random schemas with random rules, and what must be true of them.
//!
//! A seed stands for one table: a kind with two or three versions, and rules that describe how they differ. The
//! generator refuses it, with file and line, or it keeps all laws of conversions: typed, and as JSON that is not decoded.
//! Compiled, it converts as it does when it is interpreted.

pub mod check;
mod choices;
pub mod compiled;
pub mod edits;
pub mod faults;
pub mod functions;
mod schema;
pub mod table;
pub mod written;
