//! From two versions of a source file to what differs in terms of the program.
