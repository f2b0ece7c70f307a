//! Servers inside tests, as clients see them over HTTP.

mod api;
mod clock;
mod faults;
mod seeds;
mod side_by_side;
mod snapshots;
mod tokens;
