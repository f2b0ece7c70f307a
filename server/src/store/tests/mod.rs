//! Tests of every store.
