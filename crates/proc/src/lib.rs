//! The only place that starts a process: sandbox, group, deadline, limits, interruption.
