//! The Go program that converts with the operator's own functions.

use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use hubgen_kubernetes::machinery::scheme::KindEntry;
use serde_json::{Value, json};

/// The converted object, or why there is none.
pub type Answer = Result<Value, String>;

/// A line for the program.
pub struct Request(String);

impl Request {
    /// Asks for an object at another version. With the same version twice, it is only read and written.
    pub fn new(kind: &str, from: &KindEntry, to: &KindEntry, object: &Value) -> Self {
        let (from, to) = (from.api_version(), to.api_version());
        Self(json!({"kind": kind, "from": from, "to": to, "object": object}).to_string())
    }

    /// The line.
    pub fn to_json(&self) -> &str {
        &self.0
    }
}

/// The program, which answers one line after the other.
pub struct Program {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Program {
    pub fn start(path: &Path) -> Result<Self, String> {
        let child = Command::new(path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| format!("{}: {error}", path.display()))?;
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Ok(Self { child, input, output })
    }

    /// The answers to requests, in their order.
    pub fn ask(&mut self, requests: Vec<Request>) -> Result<Vec<Answer>, String> {
        let count = requests.len();
        let (input, output) = (&mut self.input, &mut self.output);
        std::thread::scope(|scope| {
            // The program may answer before it has read all.
            let writing = scope.spawn(move || {
                let lines: String = requests.into_iter().map(|Request(line)| line + "\n").collect();
                input.write_all(lines.as_bytes())
            });
            let answers = (0..count).map(|_| answer(output)).collect();
            let written = writing.join().expect("writing never panics");
            written.map_err(|error| format!("the Go program ended: {error}")).and(answers)
        })
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn answer(output: &mut BufReader<ChildStdout>) -> Result<Answer, String> {
    let mut line = String::new();
    match output.read_line(&mut line) {
        Ok(0) => return Err("the Go program ended before it had answered all requests".to_owned()),
        Ok(_) => {}
        Err(error) => return Err(format!("the Go program: {error}")),
    }
    let mut answer: Value =
        serde_json::from_str(&line).map_err(|error| format!("the Go program wrote {line:?}: {error}"))?;
    match (answer.get_mut("object").map(Value::take), answer["error"].as_str()) {
        (_, Some(error)) => Ok(Err(error.to_owned())),
        (Some(object), None) => Ok(Ok(object)),
        (None, None) => Err(format!("the Go program wrote {line:?}: expected `object` or `error`")),
    }
}
