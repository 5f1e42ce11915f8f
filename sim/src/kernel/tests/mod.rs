//! What the kernel models of the platform, line by line.

mod alarms;
mod calls;
mod commits;
mod gates;
mod resets;
mod script;
mod turns;
mod world;
