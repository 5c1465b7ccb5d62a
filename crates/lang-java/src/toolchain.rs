//! Finds the JDK.
