//! Long computations that an interrupt from the keyboard ends.

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::Mutex,
    time::{Duration, Instant},
};

use pyo3::prelude::*;

/// How often the interpreter is asked whether somebody has interrupted.
const PAUSE: Duration = Duration::from_millis(100);

/// Calls `step` so many times with the interpreter released, or until it fails or a signal comes in, which is then the error.
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

/// What unwinds the computation; nothing else has this type.
struct Interrupted;

/// Computes with the interpreter released. `compute` calls what it is given now and then, with the share that is done, and
/// ends there when a signal came in; `KeyboardInterrupt` is then the error.
///
/// The functions of the crates have no way to end early but to return, so that the call unwinds out of them. They are
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
