//! Plain data that the stages of bonafix exchange.
