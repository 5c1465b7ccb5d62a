//! Ctrl-C: a flag that every wait looks at.
//!
//! The first SIGINT or SIGTERM sets the flag; running jobs are killed with all they started and their waits return
//! [`crate::ProcError::Interrupted`]. The second one ends bonafix at once with exit code 130. Jobs die then too: their
//! keepers see the lifeline close.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

const EXIT_INTERRUPTED: i32 = 130;

fn seen() -> &'static Arc<AtomicBool> {
    static SEEN: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    SEEN.get_or_init(Arc::default)
}

/// Sets the handlers. Call once, early in `main`; further calls do nothing.
pub fn install() -> io::Result<()> {
    static INSTALLED: AtomicBool = AtomicBool::new(false);
    if INSTALLED.swap(true, Ordering::SeqCst) {
        return Ok(());
    }
    for signal in [SIGINT, SIGTERM] {
        // Order matters: the shutdown looks at the flag before the second action sets it.
        flag::register_conditional_shutdown(signal, EXIT_INTERRUPTED, Arc::clone(seen()))?;
        flag::register(signal, Arc::clone(seen()))?;
    }
    Ok(())
}

/// Whether an interruption was asked for.
pub fn is_set() -> bool {
    seen().load(Ordering::SeqCst)
}

/// Asks for an interruption from inside, as Ctrl-C would: every running job ends, no further one starts.
pub fn request() {
    seen().store(true, Ordering::SeqCst);
}
