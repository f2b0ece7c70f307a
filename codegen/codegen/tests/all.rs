//! The tests of the generator as one program: they share what they link, and run side by side.

mod adopt;
mod adopt_definitions;
mod draft;
mod features;
mod generate;
mod modules;
