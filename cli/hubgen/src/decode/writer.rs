//! How decoded values are printed.

use std::io::{self, Write};

use hubgen_manifest::{Format, fresh};
use serde_json::json;

use super::Output;

/// Values, one after the other.
pub struct Writer<W: Write> {
    out: W,
    /// The format.
    pub output: Output,
    count: usize,
}

impl<W: Write> Writer<W> {
    /// No values yet.
    pub fn new(out: W, output: Output) -> Self {
        Self { out, output, count: 0 }
    }

    /// An object.
    pub fn object(&mut self, key: Option<&str>, object: &serde_json::Value) -> io::Result<()> {
        if self.output == Output::Json {
            return match key {
                Some(key) => writeln!(self.out, "{}", json!({"key": key, "object": object})),
                None => write!(self.out, "{}", fresh(object, Format::Json)),
            };
        }
        self.start(key)?;
        write!(self.out, "{}", fresh(object, Format::Yaml))
    }

    /// Lines that are neither YAML nor JSON: a comment without a document in YAML, one string in JSON.
    pub fn wire(&mut self, key: Option<&str>, lines: &str) -> io::Result<()> {
        match self.output {
            Output::Json => match key {
                Some(key) => writeln!(self.out, "{}", json!({"key": key, "wire": lines})),
                None => writeln!(self.out, "{}", json!({"wire": lines})),
            },
            Output::Yaml => {
                self.start(key)?;
                lines.lines().try_for_each(|line| writeln!(self.out, "# {line}"))
            }
            Output::Wire => {
                if let Some(key) = key {
                    writeln!(self.out, "{key}:")?;
                }
                write!(self.out, "{lines}")
            }
        }
    }

    /// A line of JSON, whatever the format.
    pub fn line(&mut self, line: &serde_json::Value) -> io::Result<()> {
        writeln!(self.out, "{line}")
    }

    /// Writes what is buffered.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn start(&mut self, key: Option<&str>) -> io::Result<()> {
        self.count += 1;
        if self.count > 1 {
            writeln!(self.out, "---")?;
        }
        match key {
            Some(key) => writeln!(self.out, "# {key}"),
            None => Ok(()),
        }
    }
}
