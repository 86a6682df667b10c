//! pliant
fn main(){}
