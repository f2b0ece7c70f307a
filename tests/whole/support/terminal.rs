//! Runs the commands of the documentation's `console` blocks in a shell, as a reader would.
//!
//! A line that begins with `$ ` is a command, with the lines that a here-document or a `\` at the
//! end adds. The lines after it are what it prints; `…` in them stands for any text. The commands
//! of a file share a shell and a folder, which contains links to everything in the repository and
//! a folder of manifests, and answers of an API server that other commands record. Programs that are built, or that need a cluster, have stand-ins there:
//! `hubgen` and `cargo` start the programs under test, `kubectl` and `etcdctl` print files.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use crate::markdown::Block;
use crate::pages::root;

/// A command as the documentation shows it.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The lines of the command, without the prompt.
    pub command: String,
    /// What it prints.
    pub output: String,
}

/// What became of a command.
#[derive(Debug)]
pub struct Done {
    /// What it printed, on standard output and standard error.
    pub output: String,
    /// Its exit code.
    pub code: i32,
}

/// The commands of a block.
pub fn commands(block: &Block) -> Vec<Shown> {
    let mut found: Vec<Shown> = Vec::new();
    let mut lines = block.text.lines();
    while let Some(line) = lines.next() {
        let Some(command) = line.strip_prefix("$ ") else {
            let shown = found.last_mut().unwrap_or_else(|| panic!("{block}: begin commands with `$ `"));
            shown.output.push_str(line);
            shown.output.push('\n');
            continue;
        };
        let mut command = command.to_owned();
        let mut add = |command: &mut String| {
            let line = lines.next().unwrap_or_else(|| panic!("{block}: a command is not whole"));
            command.push('\n');
            command.push_str(line);
            line
        };
        while command.ends_with('\\') {
            add(&mut command);
        }
        if let Some((_, word)) = command.split_once("<<") {
            let word: String =
                word.trim_start_matches('\'').chars().take_while(|c| c.is_alphanumeric()).collect();
            while add(&mut command) != word {}
        }
        found.push(Shown { command, output: String::new() });
    }
    found
}

/// A folder with stand-ins, in which commands run.
pub struct Terminal {
    folder: tempfile::TempDir,
}

/// The port that the documentation names. The server under test takes a free one.
const PORT: &str = "8001";

/// Manifests for commands that read a folder of them.
const MANIFEST: &str = "\
apiVersion: extensions/v1beta1
kind: Ingress
metadata:
  name: web
spec:
  backend:
    serviceName: web
    servicePort: 80
";

/// What `kubectl get hpa -o yaml` prints.
const AUTOSCALERS: &str = "\
apiVersion: v1
kind: List
items:
- apiVersion: autoscaling/v2
  kind: HorizontalPodAutoscaler
  metadata: {name: web}
  spec: {scaleTargetRef: {kind: Deployment, name: web}, maxReplicas: 3}
";

impl Terminal {
    /// A folder of its own.
    pub fn new() -> Self {
        let terminal = Self { folder: tempfile::tempdir().expect("there is room for a folder") };
        let work = terminal.folder.path().join("work");
        fs::create_dir_all(work.join("manifests")).expect("there is room for a folder");
        for entry in fs::read_dir(root()).expect("the repository can be read") {
            let path = entry.expect("the repository can be read").path();
            let name = path.file_name().expect("it has a name");
            // A command that generates code writes it into this folder, not into the repository.
            if name != "target" && name != "generated" {
                symlink(&path, work.join(name)).expect("links can be made");
            }
        }
        fs::write(work.join("manifests/web.yaml"), MANIFEST).expect("there is room for a file");
        let repository = "schemas = \"examples/cert-manager/schemas\"\n";
        fs::write(work.join("hubgen.toml"), repository).expect("there is room for a file");
        let recorded = "tests/whole/recorded/stored/server-1.37.jsonl";
        symlink(root().join(recorded), work.join("answers.jsonl")).expect("links can be made");
        terminal.stand_ins();
        terminal
    }

    fn stand_ins(&self) {
        let folder = self.folder.path().display();
        let root = root();
        let root = root.display();
        let hubgen = env!("CARGO_BIN_EXE_hubgen-under-test");
        let checks = env!("CARGO_BIN_EXE_hubgen-checks-under-test");
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
        let path = std::env::var("PATH").unwrap_or_default();
        // The server listens on a free port, and whoever asks the one in the documentation reaches it.
        self.program(
            "hubgen",
            &format!(
                "if [[ \"$*\" == *'--port {PORT}'* || \"$*\" == *'--port 0'* ]]; then\n    \
                     exec '{hubgen}' \"${{@/#{PORT}/0}}\" --ready-file '{folder}/address'\n\
                 fi\nexec '{hubgen}' \"$@\""
            ),
        );
        self.program(
            "curl",
            &format!("PATH='{path}' exec curl --connect-to \"::$(<'{folder}/address')\" \"$@\""),
        );
        // Checks without optimisation get fewer objects.
        self.program(
            "cargo",
            &format!(
                "case \"$*\" in\n\
                 'build --release --package hubgen') ;;\n\
                 'new --lib certs') mkdir -p certs/src && echo '[dependencies]' >certs/Cargo.toml ;;\n\
                 'run --release --package hubgen -- '*) shift 5; exec hubgen \"$@\" ;;\n\
                 'xtask check '*) shift 2; exec '{checks}' \"${{@/#10000/5}}\" ;;\n\
                 'xtask generate') PATH='{path}' exec '{cargo}' run --quiet --manifest-path '{root}/Cargo.toml' --bin xtask -- generate ;;\n\
                 *) echo \"no stand-in for: cargo $*\"; exit 99 ;;\nesac"
            ),
        );
        self.program(
            "kubectl",
            &format!(
                "[[ \"$*\" == 'get hpa -o yaml' ]] || {{ echo \"no stand-in for: kubectl $*\"; exit 99; }}\n\
                 cat <<'EOF'\n{AUTOSCALERS}EOF"
            ),
        );
        self.program(
            "etcdctl",
            &format!(
                "case \"$*\" in\n\
                 'get --prefix '*' -w json') exec cat '{root}/tests/whole/recorded/stored/etcd-1.37.json' ;;\n\
                 'snapshot save snapshot.db') cp '{root}/cli/stored/tests/snapshots/etcd-3.4.db' snapshot.db && echo 'Snapshot saved at snapshot.db' ;;\n\
                 'get '*' --print-value-only') exec hubgen encode <<'EOF' ;;\n{MANIFEST}EOF\n\
                 *) echo \"no stand-in for: etcdctl $*\"; exit 99 ;;\nesac"
            ),
        );
    }

    fn program(&self, name: &str, script: &str) {
        let bin = self.folder.path().join("bin");
        fs::create_dir_all(&bin).expect("there is room for a folder");
        let path = bin.join(name);
        fs::write(&path, format!("#!/usr/bin/env bash\n{script}\n")).expect("there is room for a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions can be set");
    }

    /// Runs commands one after the other, in one shell.
    pub fn run(&self, commands: &[&str]) -> Vec<Done> {
        let folder = self.folder.path();
        let script = folder.join("script");
        fs::write(&script, script_of(commands)).expect("there is room for a file");
        let path = std::env::var("PATH").unwrap_or_default();
        let shell = Command::new("bash")
            .arg(&script)
            .current_dir(folder.join("work"))
            .env("PATH", format!("{}:{path}", folder.join("bin").display()))
            .env("TMPDIR", folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .expect("bash starts");
        let group = format!("-{}", shell.id());
        let printed = shell.wait_with_output().expect("bash ends").stdout;
        // Servers in the background are of the same group.
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
        let printed = self.with_the_port_shown(&String::from_utf8_lossy(&printed));
        let done: Vec<Done> = printed.split_inclusive(END).filter_map(part).collect();
        assert_eq!(done.len(), commands.len(), "the shell ended early: {printed}");
        done
    }

    fn with_the_port_shown(&self, printed: &str) -> String {
        let address = fs::read_to_string(self.folder.path().join("address")).unwrap_or_default();
        match address.rsplit_once(':') {
            Some((_, port)) => printed.replace(&format!(":{port}"), &format!(":{PORT}")),
            None => printed.to_owned(),
        }
    }
}

/// What ends the output of a command, after its exit code.
const END: char = '\u{1e}';

/// What comes between the output and the exit code.
const CODE: char = '\u{1f}';

fn script_of(commands: &[&str]) -> String {
    let mut script = "exec 2>&1\n".to_owned();
    for command in commands {
        match command.strip_suffix('&') {
            // A reader sees the first line of the server before going on. It writes its address last.
            Some(command) => script.push_str(&format!(
                "rm -f \"$TMPDIR/address\"\n{command} >\"$TMPDIR/background\" 2>&1 &\n\
                 until [[ -s $TMPDIR/address ]] || ! kill -0 $!; do sleep 0.05; done\ncat \"$TMPDIR/background\"\n"
            )),
            None => script.push_str(&format!("{command}\n")),
        }
        script.push_str(&format!("printf '{CODE}%d{END}' $?\n"));
    }
    script
}

fn part(text: &str) -> Option<Done> {
    let (output, code) = text.strip_suffix(END)?.rsplit_once(CODE)?;
    Some(Done { output: output.to_owned(), code: code.parse().ok()? })
}
