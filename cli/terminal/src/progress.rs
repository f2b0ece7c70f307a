//! Progress bars.

use std::io::{self, IsTerminal};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Draws bars where somebody looks at them. Clones draw below each other.
#[derive(Clone, Debug)]
pub struct Progress {
    bars: MultiProgress,
    is_shown: bool,
}

/// Counts the things that are done, with a bar where bars are shown; dropping it removes the bar.
#[derive(Debug)]
pub struct Bar {
    bar: ProgressBar,
    progress: Progress,
}

/// Work that is done sooner shows no bar.
const PATIENCE: Duration = Duration::from_millis(500);

impl Progress {
    /// Bars on standard error if that is a terminal, and `is_wanted`.
    pub fn new(is_wanted: bool) -> Self {
        Self { bars: MultiProgress::new(), is_shown: is_wanted && io::stderr().is_terminal() }
    }

    /// No bars.
    pub fn hidden() -> Self {
        Self::new(false)
    }

    /// A bar for so many things.
    pub fn bar(&self, count: usize, things: &str) -> Bar {
        let bar = ProgressBar::with_draw_target(Some(count as u64), ProgressDrawTarget::hidden());
        let style =
            ProgressStyle::with_template(&format!("{{bar:40}} {{pos}}/{{len}} {things}, {{eta}} left"));
        let bar = bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Bar { bar, progress: self.clone() }
    }

    /// Runs what prints lines, with the bars out of its way.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        if self.is_shown { self.bars.suspend(print) } else { print() }
    }
}

impl Bar {
    /// One more is done.
    pub fn step(&self) {
        self.bar.inc(1);
        if self.progress.is_shown && self.bar.is_hidden() && self.bar.elapsed() > PATIENCE {
            self.progress.bars.add(self.bar.clone());
        }
    }

    /// How many are done.
    pub fn done(&self) -> u64 {
        self.bar.position()
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if self.progress.is_shown {
            self.bar.finish_and_clear();
        }
    }
}
