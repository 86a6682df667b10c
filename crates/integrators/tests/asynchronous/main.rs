//! Asynchronous backward Euler against its equations, and against other methods where they agree.

mod agreement;
mod bars;
mod contact;
mod equations;
mod momentum;
#[path = "../problems/mod.rs"]
mod problems;
mod refusals;
mod stability;
mod work;
