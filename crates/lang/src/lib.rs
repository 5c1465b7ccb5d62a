//! What a language must provide, with a fake for tests.
