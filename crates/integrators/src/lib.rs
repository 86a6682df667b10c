//! integrators
