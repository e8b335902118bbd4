//! Reading, export and validation against the recorded runs of the reference program, and over real logs.
//!
//! Both lie beside the repository; where they are absent each test says so and passes. Every difference is listed with its
//! reason, and a listed one that is none any more fails.

mod export;
mod reading;
mod recordings;
mod validate;
