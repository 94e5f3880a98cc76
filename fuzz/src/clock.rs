//! The computing time of a case.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

/// Measures the time of the thread that created it, in any thread.
#[derive(Clone, Debug)]
pub struct Clock {
    wall: Instant,
    /// The directory of the thread, and its processor time at the start (s).
    busy: Option<(PathBuf, f64)>,
}

impl Clock {
    /// Starts now.
    #[must_use]
    pub fn start() -> Self {
        let thread = fs::read_link("/proc/thread-self").ok();
        let thread = thread.map(|link| PathBuf::from("/proc").join(link));
        let busy = thread.and_then(|thread| {
            let now = busy(&thread)?;
            Some((thread, now))
        });
        Self { wall: Instant::now(), busy }
    }

    /// Time since the start (s): the processor time of the thread, if the system provides it (Linux), and
    /// otherwise the elapsed time. On a shared machine the elapsed time is no measure of a solver.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        let busy = self.busy.as_ref().and_then(|(thread, start)| Some(busy(thread)? - start));
        busy.unwrap_or_else(|| self.elapsed())
    }

    /// Elapsed time since the start (s).
    #[must_use]
    pub fn elapsed(&self) -> f64 {
        self.wall.elapsed().as_secs_f64()
    }
}

/// Processor time of a thread so far (s).
fn busy(thread: &Path) -> Option<f64> {
    let statistics = fs::read_to_string(thread.join("schedstat")).ok()?;
    let nanoseconds: f64 = statistics.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds * 1e-9)
}

#[cfg(test)]
mod tests {
    use std::{thread, time::Duration};

    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn another_thread_reads_the_time_of_this_one() {
        let clock = Clock::start();
        let (same, mut sum) = (clock.clone(), 0_u64);
        while clock.elapsed() < 10.0 && clock.seconds() <= 0.03 {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        let seen = thread::spawn(move || same.seconds()).join().unwrap();
        assert!(seen >= 0.03 || clock.elapsed() >= 10.0, "{seen}, {sum}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_thread_that_sleeps_takes_no_time() {
        let clock = Clock::start();
        thread::sleep(Duration::from_millis(50));
        assert!(clock.seconds() < 0.04, "{}", clock.seconds());
        let mut sum = 0_u64;
        while clock.wall.elapsed() < Duration::from_millis(400) && clock.seconds() <= 0.02 {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        assert!(clock.seconds() > 0.0, "{sum}");
    }
}
