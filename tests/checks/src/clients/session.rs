//! One client program and one server.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::serving::Serving;

/// The longest time to wait for a line of a command that goes on.
const PATIENCE: Duration = Duration::from_secs(20);

/// One client program with a home of its own, for one server.
pub struct Session {
    program: PathBuf,
    /// What it is called in messages.
    name: &'static str,
    home: PathBuf,
    kubeconfig: PathBuf,
    /// Its variables.
    variables: Vec<(&'static str, PathBuf)>,
}

/// What a command has printed.
pub struct Output {
    command: String,
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Session {
    /// A session whose files are in a folder.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn new(name: &'static str, program: &Path, folder: &Path, serving: &Serving) -> Result<Self, String> {
        Self::at(name, program, folder, serving.kubeconfig())
    }

    /// As [`new`](Self::new), for the server of a kubeconfig.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn at(
        name: &'static str,
        program: &Path,
        folder: &Path,
        kubeconfig: PathBuf,
    ) -> Result<Self, String> {
        let home = folder.join("home");
        fs::create_dir_all(&home).map_err(|error| format!("{}: {error}", home.display()))?;
        Ok(Self { program: program.to_owned(), name, home, kubeconfig, variables: Vec::new() })
    }

    /// With a variable that names a file.
    pub fn with(mut self, variable: &'static str, file: PathBuf) -> Self {
        self.variables.push((variable, file));
        self
    }

    /// A file of the session.
    pub fn file(&self, name: &str) -> PathBuf {
        self.home.join(name)
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.env("HOME", &self.home).env("KUBECONFIG", &self.kubeconfig).env("LC_ALL", "C");
        command.envs(self.variables.iter().map(|(name, file)| (name, file))).current_dir(&self.home);
        command.args(words(line)).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a command; a word with spaces is between single quotes.
    ///
    /// # Errors
    /// If the program does not start.
    pub fn run(&self, line: &str) -> Result<Output, String> {
        self.run_with(line, "", &[])
    }

    /// Runs a command with a text on its standard input, and variables.
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    pub fn run_with(&self, line: &str, input: &str, variables: &[(&str, &str)]) -> Result<Output, String> {
        let context = |error: std::io::Error| format!("{} {line}: {error}", self.name);
        let mut command = self.command(line);
        let mut child =
            command.envs(variables.iter().copied()).stdin(Stdio::piped()).spawn().map_err(context)?;
        let mut stdin = child.stdin.take().ok_or("no standard input")?;
        // It may end without reading.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().map_err(context)?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(Output {
            command: format!("{} {line}", self.name),
            code: output.status.code().unwrap_or(-1),
            out: text(&output.stdout),
            err: text(&output.stderr),
        })
    }

    /// Runs a command that must succeed. Returns what it prints.
    ///
    /// # Errors
    /// If it does not.
    pub fn ok(&self, line: &str) -> Result<String, String> {
        self.run(line)?.success()
    }

    /// As [`ok`](Self::ok), with a text on its standard input.
    ///
    /// # Errors
    /// If it does not succeed.
    pub fn ok_with(&self, line: &str, input: &str) -> Result<String, String> {
        self.run_with(line, input, &[])?.success()
    }

    /// Runs a command that must succeed and print all these texts.
    ///
    /// # Errors
    /// If it does not.
    pub fn prints(&self, line: &str, texts: &[&str]) -> Result<(), String> {
        self.run(line)?.has(texts)
    }

    /// Runs a command that must fail, with this text among its errors.
    ///
    /// # Errors
    /// If it does not.
    pub fn fails(&self, line: &str, text: &str) -> Result<(), String> {
        let output = self.run(line)?;
        if output.code != 0 && output.err.contains(text) {
            return Ok(());
        }
        Err(output.wrong(&format!("to fail with `{text}`")))
    }

    /// An object or a list as JSON, of kubectl.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn json(&self, line: &str) -> Result<Value, String> {
        let text = self.ok(&format!("get {line} -o json"))?;
        serde_json::from_str(&text).map_err(|error| format!("kubectl get {line}: {error}"))
    }

    /// Starts a command that goes on.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start(&self, line: &str) -> Result<Running, String> {
        let mut child =
            self.command(line).stderr(Stdio::null()).spawn().map_err(|error| error.to_string())?;
        let out = child.stdout.take().ok_or("no standard output")?;
        let (told, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if told.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Running { command: format!("{} {line}", self.name), child, lines })
    }
}

/// A command that goes on. It ends when it is dropped.
pub struct Running {
    command: String,
    child: Child,
    lines: mpsc::Receiver<String>,
}

impl Running {
    /// Waits for a line with all these texts.
    ///
    /// # Errors
    /// If it does not come in time.
    pub fn line(&self, texts: &[&str]) -> Result<(), String> {
        let end = Instant::now() + PATIENCE;
        let mut seen = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            if texts.iter().all(|text| line.contains(text)) {
                return Ok(());
            }
            seen.push(line);
        }
        Err(format!("{}: expected a line with {texts:?}, found {seen:?}", self.command))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Output {
    /// What was printed, if the command has succeeded.
    ///
    /// # Errors
    /// If it has not.
    pub fn success(self) -> Result<String, String> {
        if self.code == 0 { Ok(self.out) } else { Err(self.wrong("to succeed")) }
    }

    /// Whether the command has succeeded and printed all these texts.
    ///
    /// # Errors
    /// If it has not.
    pub fn has(&self, texts: &[&str]) -> Result<(), String> {
        match texts.iter().find(|text| !self.out.contains(**text)) {
            None if self.code == 0 => Ok(()),
            None => Err(self.wrong("to succeed")),
            Some(text) => Err(self.wrong(&format!("to print `{text}`"))),
        }
    }

    /// A message about something else than what was expected.
    pub fn wrong(&self, expected: &str) -> String {
        let Self { command, code, out, err } = self;
        format!("expected `{command}` {expected}, found code {code}\n{out}{err}")
    }
}

/// The words of a line. Single quotes keep spaces.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), String::new(), false);
    for c in line.chars() {
        match c {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.extend((!word.is_empty()).then(|| std::mem::take(&mut word))),
            c => word.push(c),
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_words_together() {
        assert_eq!(words("get cm  -o 'jsonpath={.a} b' x"), ["get", "cm", "-o", "jsonpath={.a} b", "x"]);
        assert_eq!(words(""), Vec::<String>::new());
    }
}
