//! A limit on the computing time, the same for all commands that have one.

use std::{
    ops::ControlFlow,
    time::{Duration, Instant},
};

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

    /// Whether work goes on of which the fraction `share` is done: its first part always does, and so does work that is done.
    pub(crate) fn after(self, share: f64) -> ControlFlow<()> {
        let may_end = share > 0.0 && share < 1.0;
        if may_end && self.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
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
        let short = TimeLimit { seconds: Some(1e-12) }.start();
        let ends = [0.0, 0.5, 1.0].map(|share| short.after(share).is_break());
        assert_eq!(ends, [false, true, false]);
    }
}
