//! Terminal and JSON reports, made from the run directory.
