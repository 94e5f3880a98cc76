//! Provenance of a run: machine, time and seed.

use std::time::{Duration, Instant, SystemTime};

/// The data that a reader needs to repeat a run and to compare its times.
///
/// It is not part of `results.json`, which depends on the seed and the effort alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// Version of percussion.
    pub version: String,
    /// The effort of the run, such as `quick` or `full`.
    pub effort: String,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Processor, number of hardware threads, and operating system.
    pub machine: String,
    /// The start time of the run.
    pub started: SystemTime,
    /// The duration of the run.
    pub elapsed: Duration,
    clock: Option<Instant>,
}

impl Provenance {
    /// Creates the provenance of a run that starts now on this machine.
    #[must_use]
    pub fn of_this_run(effort: &str, seed: u64) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            effort: effort.to_owned(),
            seed,
            machine: machine(),
            started: SystemTime::now(),
            elapsed: Duration::ZERO,
            clock: Some(Instant::now()),
        }
    }

    /// The same provenance with [`elapsed`](Self::elapsed) measured until now.
    #[must_use]
    pub fn finished(mut self) -> Self {
        self.elapsed = self.clock.map_or(self.elapsed, |clock| clock.elapsed());
        self
    }

    /// The start time of the run, such as `2026-03-01 14:05 UTC`.
    #[must_use]
    pub fn started_utc(&self) -> String {
        let since_1970 = self.started.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        utc(since_1970.as_secs())
    }
}

fn machine() -> String {
    let processor = processor().unwrap_or_else(|| "unknown processor".to_owned());
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let plural = if threads == 1 { "" } else { "s" };
    let (architecture, system) = (std::env::consts::ARCH, std::env::consts::OS);
    format!("{processor}, {threads} hardware thread{plural}, {system} on {architecture}")
}

/// The name of the processor, if the operating system provides it in a file.
fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    let (_, name) = line.split_once(':')?;
    Some(name.trim().to_owned())
}

/// Date and time of day of a number of seconds since the beginning of 1970.
fn utc(seconds: u64) -> String {
    let (days, time) = (seconds / 86_400, seconds % 86_400);
    // Counting from 1 March of year 0 puts the leap day at the end of the year. The lengths of the months before it
    // then follow one formula: (153 m + 2) / 5 days precede month m.
    let days = days + 719_468;
    let era = days / 146_097;
    let day_of_era = days % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = 400 * era + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02} UTC", time / 3_600, time / 60 % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_follow_the_calendar_through_leap_years() {
        assert_eq!(utc(0), "1970-01-01 00:00 UTC");
        assert_eq!(utc(951_782_399), "2000-02-28 23:59 UTC");
        assert_eq!(utc(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(utc(1_709_251_199), "2024-02-29 23:59 UTC");
        assert_eq!(utc(4_107_542_400), "2100-03-01 00:00 UTC");
    }
}
