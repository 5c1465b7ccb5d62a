//! Inputs without expectations: seeds from developers' tests, random ones, searched ones; and small ones from large ones.
