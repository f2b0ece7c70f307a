//! The functions that the rules name, as a user writes them: one module for each rule, with one
//! function for each direction.

/// Days are a duration in hours. Part of a day is stored in the stash.
pub mod days {
    use hubgen_machinery::Str;

    /// Converts to the hub. Refuses what is no duration.
    pub fn to_hub(days: i32) -> Result<Str, String> {
        if days < 0 {
            return Err(format!("{days} days are no duration"));
        }
        Ok(format!("{}h", i64::from(days) * 24).into())
    }

    /// Converts from the hub.
    pub fn from_hub(duration: Str) -> i32 {
        let hours = duration.strip_suffix('h').and_then(|hours| hours.parse::<i64>().ok());
        hours.and_then(|hours| (hours / 24).try_into().ok()).unwrap_or_default()
    }
}

/// Two fields are entries of a map.
pub mod limits {
    use hubgen_machinery::StrMap;
    use hubgen_machinery::scalar::Quantity;

    /// Converts to the hub.
    pub fn to_hub(cpu: Option<Quantity>, memory: Option<Quantity>) -> StrMap<Quantity> {
        let both = [("cpu", cpu), ("memory", memory)].into_iter();
        both.filter_map(|(key, value)| Some((key, value?))).collect()
    }

    /// Converts from the hub.
    pub fn from_hub(mut limits: StrMap<Quantity>) -> (Option<Quantity>, Option<Quantity>) {
        (limits.remove("cpu"), limits.remove("memory"))
    }
}

/// A share is a number of percents, and 0 pauses.
pub mod weight {
    /// Converts to the hub.
    pub fn to_hub(share: Option<f64>, paused: bool) -> i64 {
        if paused { 0 } else { (share.unwrap_or(1.0) * 100.0).round() as i64 }
    }

    /// Converts from the hub.
    pub fn from_hub(weight: i64) -> (Option<f64>, bool) {
        let share = (weight != 0).then(|| weight as f64 / 100.0);
        (share, weight == 0)
    }
}

/// The only port has a name in the hub.
pub mod port {
    use hubgen_machinery::StrMap;
    use hubgen_machinery::scalar::IntOrString;

    /// Converts to the hub.
    pub fn to_hub(port: Option<IntOrString>) -> StrMap<IntOrString> {
        port.map(|port| ("main", port)).into_iter().collect()
    }

    /// Converts from the hub.
    pub fn from_hub(mut ports: StrMap<IntOrString>) -> Option<IntOrString> {
        ports.remove("main")
    }
}

/// A command is a program and its arguments.
pub mod command {
    use std::fmt;

    use hubgen_machinery::Str;

    /// Arguments, but nothing to pass them to.
    #[derive(Debug)]
    pub struct NoProgram;

    impl fmt::Display for NoProgram {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("arguments need a program")
        }
    }

    /// Converts to the hub.
    pub fn to_hub(mut command: Vec<Str>) -> (Str, Vec<Str>) {
        if command.is_empty() {
            return (Str::new(), command);
        }
        (command.remove(0), command)
    }

    /// Converts from the hub. Refuses what is no command.
    pub fn from_hub(program: Str, mut arguments: Vec<Str>) -> Result<Vec<Str>, NoProgram> {
        if program.is_empty() && !arguments.is_empty() {
            return Err(NoProgram);
        }
        if !program.is_empty() {
            arguments.insert(0, program);
        }
        Ok(arguments)
    }
}
