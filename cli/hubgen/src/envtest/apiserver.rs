//! What the command does under the name `kube-apiserver`: `hubgen serve`, with the flags and defaults of a kube-apiserver.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{ArgAction, Parser};
use hubgen_server::Kinds;
use hubgen_terminal::{eprintln, print, println};

use super::flags::{Dialect, Flags, Given, WrongFlag, is_true};
use crate::{Command, serve};

/// Which flags there are.
const FLAGS: &str = include_str!("kube-apiserver.flags");

/// The options of `hubgen serve` for which a kube-apiserver has other defaults.
const DEFAULTS: [(&str, &str); 4] = [
    ("port", "6443"),
    ("bind", "0.0.0.0"),
    ("cert-dir", "/var/run/kubernetes"),
    ("authorization-mode", "AlwaysAllow"),
];
/// What a kube-apiserver does not do, and tests may want: the option, the variable of the environment that sets it, and what is
/// done without, as a kube-apiserver does it.
const CONTROLLERS: [(&str, &str, &str); 2] = [
    ("controllers", "HUBGEN_CONTROLLERS", "expiry-controller,kubernetes-service-controller"),
    ("stand-ins", "HUBGEN_STAND_INS", ""),
];

/// Serves as the arguments of a kube-apiserver say.
pub fn run(arguments: &[OsString]) -> ExitCode {
    let flags = Flags::read(Dialect::Posix, FLAGS);
    let arguments: Vec<String> =
        arguments.iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let given = match flags.parse(&arguments) {
        Ok(given) => given,
        Err(WrongFlag(why)) => return failed(&why),
    };
    let has = |name: &str| given.iter().any(|flag| flag.name == name && flag.value != "false");
    if has("help") {
        print!("{HELP}\nUsage:\n  kube-apiserver [flags]\n\nFlags:\n\n{}", flags.lines());
        return ExitCode::SUCCESS;
    }
    if has("version") {
        println!("Kubernetes {}", Kinds::reference_version());
        return ExitCode::SUCCESS;
    }
    let args = match crate::Args::try_parse_from(as_options(&given)) {
        Ok(crate::Args { command: Command::Serve(args), .. }) => args,
        Ok(_) => unreachable!("the options are those of hubgen serve"),
        Err(error) => return failed(error.to_string().trim_start_matches("error: ").trim_end()),
    };
    let without_effect: Vec<String> =
        given.iter().filter(|flag| flag.becomes.is_none()).map(|flag| format!("--{}", flag.name)).collect();
    // One line: whoever reads the output of a test wants that of the test.
    eprintln!(
        "kube-apiserver is hubgen {}: objects are in memory, not in etcd; without effect: {}",
        env!("CARGO_PKG_VERSION"),
        if without_effect.is_empty() { "nothing".to_owned() } else { without_effect.join(", ") }
    );
    serve::run(&args)
}

const HELP: &str = "\
hubgen under the name of a kube-apiserver, for test environments. It takes the flags of a kube-apiserver of the
reference release, and tells at the start which of those that it was given have no effect. HUBGEN_CONTROLLERS and
HUBGEN_STAND_INS in the environment are lists as of `hubgen serve --controllers` and `--stand-ins`.
";

/// A flag is wrong: the words and the code of a kube-apiserver.
fn failed(why: &str) -> ExitCode {
    eprintln!("Error: {why}");
    ExitCode::FAILURE
}

/// The arguments of `hubgen serve` that mean the same.
fn as_options(given: &[Given]) -> Vec<String> {
    let mut options = vec!["hubgen".to_owned(), "serve".to_owned(), "--in-memory".to_owned()];
    let command = crate::command();
    let serve = command.find_subcommand("serve");
    let is_switch = |option: &str| {
        let known = serve.into_iter().flat_map(clap::Command::get_arguments);
        let mut named = known.filter(|argument| argument.get_long() == Some(option));
        named.any(|argument| matches!(argument.get_action(), ArgAction::SetTrue))
    };
    let has = |option: &str| given.iter().any(|flag| flag.becomes == Some(option));
    for (option, value) in DEFAULTS {
        // A certificate that is named counts more than a folder, and a file tells all about who may.
        let instead = match option {
            "cert-dir" => "tls-cert-file",
            "authorization-mode" => "authorization-config",
            option => option,
        };
        if !has(option) && !has(instead) {
            options.push(format!("--{option}={value}"));
        }
    }
    options.push(format!("--enable-admission-plugins={}", serve::TAINT_NODES));
    // A kube-apiserver has no flags about controllers, so who wants some sets variables of the environment.
    for (option, variable, or) in CONTROLLERS {
        let value = std::env::var(variable).unwrap_or_else(|_| or.to_owned());
        options.push(format!("--{option}={value}"));
    }
    for Given { value, becomes, .. } in given {
        let Some(option) = becomes else { continue };
        match *option {
            "cert-dir" if has("tls-cert-file") => {}
            option if is_switch(option) => {
                options.extend(is_true(value).then(|| format!("--{option}")));
            }
            // A kube-apiserver names the component, of which there is one here.
            "emulated-version" => {
                options.push(format!("--emulated-version={}", value.strip_prefix("kube=").unwrap_or(value)));
            }
            option => options.push(format!("--{option}={value}")),
        }
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(arguments: &[&str]) -> Vec<String> {
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        as_options(&Flags::read(Dialect::Posix, FLAGS).parse(&arguments).unwrap())
    }

    #[test]
    fn flags_become_options_that_there_are() {
        let command = crate::command();
        let serve = command.find_subcommand("serve").unwrap();
        for (flag, option) in Flags::read(Dialect::Posix, FLAGS).with_effect() {
            let known = serve.get_arguments().any(|argument| argument.get_long() == Some(option));
            assert!(known, "--{flag} becomes --{option}, which hubgen serve does not have");
        }
        let flags = Flags::read(Dialect::Posix, FLAGS);
        let names = serve.get_arguments().filter_map(clap::Arg::get_long);
        for name in names.filter(|name| !matches!(*name, "help" | "version")) {
            assert!(flags.has_effect(name), "hubgen serve has --{name}, to which a kube-apiserver is deaf");
        }
    }

    #[test]
    fn defaults_are_those_of_a_kube_apiserver() {
        assert_eq!(
            options(&["--allow-privileged=true"])[2..],
            [
                "--in-memory",
                "--port=6443",
                "--bind=0.0.0.0",
                "--cert-dir=/var/run/kubernetes",
                "--authorization-mode=AlwaysAllow",
                "--enable-admission-plugins=TaintNodesByCondition",
                "--controllers=expiry-controller,kubernetes-service-controller",
                "--stand-ins=",
            ]
        );
        let given =
            ["--secure-port=1", "--bind-address=127.0.0.1", "--cert-dir=c", "--emulated-version=kube=1.36"];
        assert_eq!(
            options(&given)[7..],
            ["--port=1", "--bind=127.0.0.1", "--cert-dir=c", "--emulated-version=1.36"]
        );
        let given = ["--tls-cert-file=c", "--tls-private-key-file=k", "--cert-dir=d"];
        assert!(options(&given).iter().all(|option| !option.starts_with("--cert-dir")));
        let given = ["--authorization-config=a"];
        assert!(options(&given).iter().all(|option| !option.starts_with("--authorization-mode")));
    }
}
