//! One binary of integration tests: jobs and what they say, from the outside only.

mod page;
mod sample;
