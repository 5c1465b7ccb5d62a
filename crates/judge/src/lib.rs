//! One file per technique, and the rule that makes one outcome of many findings.
