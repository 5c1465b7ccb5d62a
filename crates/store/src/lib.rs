//! The run directory and the content cache: the only writer of results.
