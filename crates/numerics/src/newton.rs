//! Newton.
