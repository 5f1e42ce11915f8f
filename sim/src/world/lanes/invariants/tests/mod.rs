//! That each check fires on what it is for, and does not on what is close to it; and that runs give it subjects.

mod fronts;
mod growth;
mod ids;
mod lanes;
mod log;
mod pages;
mod primary;
mod scene;
mod settings;
mod shown;
mod stages;
mod triage;
