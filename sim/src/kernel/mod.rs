//! The simulated platform: time, order, choices, objects, storage, calls, alarms, faults. Knows no protocol.

pub mod storage;
