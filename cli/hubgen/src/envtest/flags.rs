//! The flags of a program that is not ours: which there are is data, and how they are read is that of Go's programs.

use std::net::IpAddr;

/// How a program reads its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// That of pflag, as a kube-apiserver has it: `--name`, some also `-n`, and `_` is `-`.
    Posix,
    /// That of Go's package flag, as etcd has it: `-name` is `--name`.
    Go,
}

/// What the value of a flag is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// True if there is no value.
    Bool,
    /// A text that need not be there.
    Optional,
    Int,
    Float,
    Duration,
    Ip,
    Text,
    /// Each time that the flag is given counts; of others, the last one does.
    List,
}

/// A flag that a program knows.
#[derive(Debug)]
struct Flag {
    name: &'static str,
    kind: Kind,
    becomes: Option<&'static str>,
}

/// The flags that a program knows.
#[derive(Debug)]
pub struct Flags {
    dialect: Dialect,
    flags: Vec<Flag>,
}

/// A flag that was given, with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    pub name: &'static str,
    pub value: String,
    /// The option of ours that it becomes, if it has an effect.
    pub becomes: Option<&'static str>,
}

/// What is wrong with the arguments, in the words of the program that knows the flags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongFlag(pub String);

impl Flags {
    /// Reads the lines of a file of flags: name, kind of value, and perhaps the option that it becomes.
    pub fn read(dialect: Dialect, text: &'static str) -> Self {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let flag = |line: &'static str| {
            let mut words = line.split(' ');
            let name = words.next()?;
            let kind = match words.next()? {
                "bool" => Kind::Bool,
                "optional" => Kind::Optional,
                "int" => Kind::Int,
                "float" => Kind::Float,
                "duration" => Kind::Duration,
                "ip" => Kind::Ip,
                "list" => Kind::List,
                _ => Kind::Text,
            };
            Some(Flag { name, kind, becomes: words.next() })
        };
        Self { dialect, flags: lines.filter_map(flag).collect() }
    }

    /// The flags that were given, those of which the last one counts once.
    ///
    /// # Errors
    /// If there is something else, or a value is missing or wrong.
    pub fn parse(&self, arguments: &[String]) -> Result<Vec<Given>, WrongFlag> {
        let mut given: Vec<Given> = Vec::new();
        let mut arguments = arguments.iter();
        let mut others: Vec<&String> = Vec::new();
        while let Some(argument) = arguments.next() {
            let Some((name, value)) = self.split(argument)? else {
                others.push(argument);
                // What follows `--`, and for Go what follows anything that is no flag, is none.
                if argument == "--" || self.dialect == Dialect::Go {
                    others.extend(arguments.by_ref());
                }
                continue;
            };
            let flag = self.named(&name)?;
            let value = match (value, flag.kind) {
                (Some(value), _) => value,
                (None, Kind::Bool | Kind::Optional) => "true".to_owned(),
                (None, _) => arguments.next().cloned().ok_or_else(|| self.missing(flag.name))?,
            };
            check(flag.kind, &value).map_err(|why| self.invalid(flag.name, &value, &why))?;
            if flag.kind != Kind::List {
                given.retain(|earlier| earlier.name != flag.name);
            }
            given.push(Given { name: flag.name, value, becomes: flag.becomes });
        }
        others.retain(|argument| *argument != "--");
        if others.is_empty() { Ok(given) } else { Err(self.no_flag(&others)) }
    }

    /// The name and the value of a flag; `None` if it is none.
    fn split(&self, argument: &str) -> Result<Option<(String, Option<String>)>, WrongFlag> {
        let parted = |text: &str| match text.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (text.to_owned(), None),
        };
        if argument == "--" || argument == "-" {
            return Ok(None);
        }
        if let Some(long) = argument.strip_prefix("--") {
            let (name, value) = parted(long);
            let name = if self.dialect == Dialect::Posix { name.replace('_', "-") } else { name };
            return Ok(Some((name, value)));
        }
        let Some(short) = argument.strip_prefix('-') else { return Ok(None) };
        if self.dialect == Dialect::Go {
            return Ok(Some(parted(short)));
        }
        let letter: String = short.chars().take(1).collect();
        let rest = &short[letter.len()..];
        match &*letter {
            "h" => Ok(Some(("help".to_owned(), None))),
            "v" => Ok(Some((
                "v".to_owned(),
                (!rest.is_empty()).then(|| rest.strip_prefix('=').unwrap_or(rest).to_owned()),
            ))),
            _ => Err(WrongFlag(format!("unknown shorthand flag: '{letter}' in {argument}"))),
        }
    }

    fn named(&self, name: &str) -> Result<&Flag, WrongFlag> {
        self.flags.iter().find(|flag| flag.name == name).ok_or_else(|| {
            WrongFlag(match self.dialect {
                Dialect::Posix => format!("unknown flag: --{name}"),
                Dialect::Go => format!("flag provided but not defined: -{name}"),
            })
        })
    }

    fn missing(&self, name: &str) -> WrongFlag {
        WrongFlag(match self.dialect {
            Dialect::Posix => format!("flag needs an argument: --{name}"),
            Dialect::Go => format!("flag needs an argument: -{name}"),
        })
    }

    fn invalid(&self, name: &str, value: &str, why: &str) -> WrongFlag {
        WrongFlag(match self.dialect {
            Dialect::Posix => format!("invalid argument {value:?} for \"--{name}\" flag: {why}"),
            Dialect::Go => format!("invalid value {value:?} for flag -{name}: {why}"),
        })
    }

    fn no_flag(&self, others: &[&String]) -> WrongFlag {
        WrongFlag(match self.dialect {
            Dialect::Posix => {
                let quoted: Vec<String> = others.iter().map(|other| format!("{other:?}")).collect();
                format!("\"kube-apiserver\" does not take any arguments, got [{}]", quoted.join(" "))
            }
            Dialect::Go => format!("{:?} is not a valid flag", others[0]),
        })
    }

    /// A line for each flag, as Go's programs list theirs: `  --name`.
    pub fn lines(&self) -> String {
        let line = |flag: &Flag| {
            let value = match flag.kind {
                Kind::Bool => "",
                Kind::Optional => "[=true]",
                Kind::Int => " int",
                Kind::Float => " float",
                Kind::Duration => " duration",
                Kind::Ip => " ip",
                Kind::Text => " string",
                Kind::List => " strings",
            };
            format!("      --{}{value}\n", flag.name)
        };
        self.flags.iter().map(line).collect()
    }

    /// Whether a flag has an effect, or is none.
    #[cfg(test)]
    pub fn has_effect(&self, name: &str) -> bool {
        self.named(name).map_or(true, |flag| flag.becomes.is_some())
    }

    /// The flags that have an effect, each with the option that it becomes.
    #[cfg(test)]
    pub fn with_effect(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.flags.iter().filter_map(|flag| Some((flag.name, flag.becomes?)))
    }
}

/// Whether a value is of a kind, in the words of Go's parsers if not.
fn check(kind: Kind, value: &str) -> Result<(), String> {
    let wrong = |parser: &str| format!("strconv.{parser}: parsing {value:?}: invalid syntax");
    match kind {
        Kind::Bool if !is_bool(value) => Err(wrong("ParseBool")),
        Kind::Int if value.parse::<i64>().is_err() => Err(wrong("ParseInt")),
        Kind::Float if value.parse::<f64>().is_err() => Err(wrong("ParseFloat")),
        Kind::Duration if !is_duration(value) => Err(format!("time: invalid duration {value:?}")),
        Kind::Ip if value.parse::<IpAddr>().is_err() => Err(format!("failed to parse IP: {value:?}")),
        _ => Ok(()),
    }
}

fn is_bool(value: &str) -> bool {
    is_true(value) || matches!(value, "0" | "f" | "F" | "false" | "False" | "FALSE")
}

/// Whether the value of a flag is one of Go's words for true.
pub fn is_true(value: &str) -> bool {
    matches!(value, "1" | "t" | "T" | "true" | "True" | "TRUE")
}

/// Whether it is a duration such as `1h30m` or `-1.5s`, or 0.
fn is_duration(value: &str) -> bool {
    let mut rest = value.trim_start_matches(['-', '+']);
    if rest == "0" {
        return true;
    }
    let mut has_part = false;
    while !rest.is_empty() {
        let number = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let units = ["ns", "us", "µs", "ms", "s", "m", "h"];
        // The longest unit that fits: `ms` is not minutes.
        let unit = units.iter().filter(|unit| number.starts_with(**unit)).max_by_key(|unit| unit.len());
        let Some(unit) = unit.filter(|_| number.len() < rest.len()) else { return false };
        rest = &number[unit.len()..];
        has_part = true;
    }
    has_part
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# flags\nhelp bool\nport int port\nquick bool\nlist list\nv int\nwait duration\n";

    fn parsed(dialect: Dialect, arguments: &[&str]) -> Result<String, String> {
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        let given = Flags::read(dialect, TEXT).parse(&arguments).map_err(|WrongFlag(why)| why)?;
        let words: Vec<String> = given.iter().map(|flag| format!("{}={}", flag.name, flag.value)).collect();
        Ok(words.join(" "))
    }

    #[test]
    fn flags_are_read_as_go_reads_them() {
        let posix = |arguments: &[&str]| parsed(Dialect::Posix, arguments);
        for (arguments, expected) in [
            (&["--port=1", "--quick"][..], Ok("port=1 quick=true")),
            (&["--port", "1", "--port", "2", "--list=a", "--list", "b"], Ok("port=2 list=a list=b")),
            (&["-v5", "-h"], Ok("v=5 help=true")),
            (&["-v=5"], Ok("v=5")),
            (&["--quick=false", "--wait", "1h30m"], Ok("quick=false wait=1h30m")),
            (&["--nope"], Err("unknown flag: --nope")),
            (&["-z"], Err("unknown shorthand flag: 'z' in -z")),
            (&["--port"], Err("flag needs an argument: --port")),
            (&["a", "b"], Err("\"kube-apiserver\" does not take any arguments, got [\"a\" \"b\"]")),
            (
                &["--port=a"],
                Err(
                    "invalid argument \"a\" for \"--port\" flag: strconv.ParseInt: parsing \"a\": invalid syntax",
                ),
            ),
            (&["--wait=5"], Err("invalid argument \"5\" for \"--wait\" flag: time: invalid duration \"5\"")),
        ] {
            assert_eq!(posix(arguments), expected.map(str::to_owned).map_err(str::to_owned), "{arguments:?}");
        }
        let go = |arguments: &[&str]| parsed(Dialect::Go, arguments);
        assert_eq!(go(&["-port=1", "--quick"]), Ok("port=1 quick=true".to_owned()));
        assert_eq!(go(&["-nope"]), Err("flag provided but not defined: -nope".to_owned()));
        assert_eq!(go(&["word", "--quick"]), Err("\"word\" is not a valid flag".to_owned()));
    }

    #[test]
    fn durations_are_those_of_go() {
        for good in ["0", "1s", "1.5h", "-3ms", "1h2m3s", "10us"] {
            assert!(is_duration(good), "{good}");
        }
        for bad in ["", "1", "s", "1x", "1s2", "-"] {
            assert!(!is_duration(bad), "{bad}");
        }
    }
}
