//! The computing time of a case.

use std::{fs, time::Instant};

/// Measures the time of the thread that created it.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    wall: Instant,
    busy: Option<f64>,
}

impl Clock {
    /// Starts now.
    #[must_use]
    pub fn start() -> Self {
        Self { wall: Instant::now(), busy: busy() }
    }

    /// Time since the start (s): the processor time of the thread, if the system provides it (Linux), and
    /// otherwise the elapsed time. On a shared machine the elapsed time is no measure of a solver.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        let both = self.busy.zip(busy());
        both.map_or_else(|| self.wall.elapsed().as_secs_f64(), |(start, now)| now - start)
    }
}

/// Processor time of this thread so far (s).
fn busy() -> Option<f64> {
    let statistics = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = statistics.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds * 1e-9)
}

#[cfg(test)]
mod tests {
    use std::{thread, time::Duration};

    use super::*;

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
