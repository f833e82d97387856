//! Long work lets itself be stopped.
//!
//! A game may have hundreds of millions of half-moves. Who reads or writes them one by one comes by here
//! now and then, and calls what the program has asked for: a server looks whether the query has been
//! cancelled, and unwinds if so.

use std::sync::OnceLock;

static HOOK: OnceLock<fn()> = OnceLock::new();

/// Has `hook` called now and then in long work, from now on; the first call decides.
pub fn set_hook(hook: fn()) {
    HOOK.get_or_init(|| hook);
}

/// Half-moves between two calls of the hook: some tenths of a millisecond.
const STEP: u32 = 1024;

/// Half-move `ply` has been dealt with.
#[inline]
pub(crate) fn pass(ply: u32) {
    if ply.is_multiple_of(STEP)
        && let Some(hook) = HOOK.get()
    {
        hook();
    }
}
