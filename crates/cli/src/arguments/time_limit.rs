//! A limit on the computing time, the same for all commands that have one.

use std::time::{Duration, Instant};

use clap::Args;

use super::positive;

/// The option `--time-limit`.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct TimeLimit {
    /// Maximum computing time (s); when it is reached, results so far are written and missing ones are listed.
    #[arg(long = "time-limit", value_name = "SECONDS", value_parser = positive, allow_hyphen_values = true)]
    pub(crate) seconds: Option<f64>,
}

/// A limit that runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// `None` without a limit.
    end: Option<Instant>,
}

impl TimeLimit {
    /// Starts the clock.
    pub(crate) fn start(self) -> Clock {
        let left = self.seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        // A limit beyond the range of the clock is none.
        Clock { end: left.and_then(|left| Instant::now().checked_add(left)) }
    }
}

impl Clock {
    /// Whether the time is over.
    pub(crate) fn is_over(self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_limit_is_over_and_a_long_one_or_none_is_not() {
        let over = |seconds| TimeLimit { seconds }.start().is_over();
        assert!(over(Some(1e-12)));
        assert!(!over(Some(1e6)) && !over(Some(1e300)) && !over(None));
    }
}
