//! Long computations that can be interrupted from the keyboard.

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Mutex,
    time::{Duration, Instant},
};

use pyo3::prelude::*;

/// Interval between two checks of the interpreter for an interrupt.
const PAUSE: Duration = Duration::from_millis(100);

/// Calls `step` this number of times with the interpreter released, until it fails or a signal arrives; the signal is then the error.
pub(crate) fn repeat<E: Send>(
    py: Python<'_>,
    times: usize,
    mut step: impl FnMut() -> Result<(), E> + Send,
) -> PyResult<Result<(), E>> {
    py.detach(|| {
        let mut asked = Instant::now();
        for _ in 0..times {
            if asked.elapsed() >= PAUSE {
                Python::attach(|py| py.check_signals())?;
                asked = Instant::now();
            }
            if let Err(error) = step() {
                return Ok(Err(error));
            }
        }
        Ok(Ok(()))
    })
}

/// The payload that unwinds the computation; no other panic has this type.
struct Interrupted;

/// Computes with the interpreter released. `compute` calls its argument regularly with the completed
/// fraction, and is ended there if a signal has arrived; `KeyboardInterrupt` is then the error.
///
/// The functions of the crates can only end early by returning, so the call unwinds out of them. They are
/// single calls without state that would outlive them.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    compute: impl FnOnce(&dyn Fn(f64)) -> T + Send,
) -> PyResult<T> {
    let asked = Mutex::new((Instant::now(), None));
    let progress = |_share: f64| {
        let Ok(mut asked) = asked.lock() else { return };
        if asked.0.elapsed() < PAUSE {
            return;
        }
        asked.0 = Instant::now();
        if let Err(error) = Python::attach(|py| py.check_signals()) {
            asked.1 = Some(error);
            drop(asked);
            resume_unwind(Box::new(Interrupted));
        }
    };
    let ended = py.detach(|| catch_unwind(AssertUnwindSafe(|| compute(&progress))));
    match ended {
        Ok(value) => Ok(value),
        Err(payload) if payload.is::<Interrupted>() => {
            let error = asked.into_inner().ok().and_then(|(_, error)| error);
            Err(error.unwrap_or_else(|| pyo3::exceptions::PyKeyboardInterrupt::new_err(())))
        }
        Err(payload) => resume_unwind(payload),
    }
}
