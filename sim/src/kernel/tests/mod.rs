//! What the kernel models of the platform, line by line: a test is named after the line of `platform.md` or
//! `workerd.md` that it holds the kernel to. Whatever their store is, objects run scripts ([`script::Do`]).
//!
//! Lines that the kernel does not model yet, or not in a way that can be seen:
//!
//! | line | what | why not yet |
//! | --- | --- | --- |
//! | platform 1.3 | placement, moves | one latency for all pairs; a move is a reset |
//! | platform 1.4, `workerd.md` A12 | a name that is missing in a woken instance | no knob: an object always knows its name |
//! | platform 2.2, 2.3, T2 | storage awaits hold the gate; whether a digest opens it | the seam's storage is synchronous; a digest always opens it |
//! | platform 2.5, 4.5 (first half), T6, I5 to I7, I10, I11 | `blockConcurrencyWhile`, asynchronous transactions | not in the seam; the wider interface is to come |
//! | platform 2.7 | cursors across an await | the seam returns all rows |
//! | platform 3.3 (first half), 3.5 | hibernation replies, `allowUnconfirmed`, `sync()` | not in the seam |
//! | platform 4.2 (second half) | commits merged while the alarm is synced | the alarm is synced at once |
//! | platform 4.4, T4, T5 | callbacks and alarms inside a transaction, nesting | a transaction of the seam is a batch of statements |
//! | platform 4.6 (second half) | a deferred constraint violated at the commit | the commit runs no checks |
//! | platform 4.9, 6.14, T14 | `deleteAll()` | not in the seam |
//! | platform 5 | the other limits | tested where they stand: `storage/tests` |
//! | platform 6.1 | `t <= 0` throws; class without `alarm()` | the seam's time has no such values; every program has a handler |
//! | platform 6.4 | delivered twice by the manager | a run is repeated only where one was interrupted |
//! | platform 6.6 | limits and wall time; runs that do not count for ever | a machine's failure does not count; no other uncounted failure |
//! | platform 6.12, A7 | manager's and object's times differ | one copy of the alarm |
//! | platform 6.13 | `setAlarm(now)` in the handler gets stuck | no switch; it runs at once |
//! | platform 6.15 (second half) | `abort({retryAlarm: false})` | not in the seam |
//! | platform 6.16 (second half) | a constructor that throws | no constructor of a program can fail |
//! | platform 11.3 | `overloaded` by the platform | no queue limits (section 10) |
//! | platform 12.2 | a stub whose callee was reset while nothing was in flight on it | it reaches the next incarnation |
//! | platform 12.4 (second half) | automatic retries | no knob yet |
//! | platform 14.3 to 14.6 | restores, clones, read replicas | not yet |
//! | platform 15 | clock skew; a stale clock of an idle object | one clock |
//! | I15 | `waitUntil` | not in the seam; a task that another starts is like it |
//! | I8 | reading a body is a suspension | a request arrives with its body |
//! | A13, SQL table | class without alarm or SQL | every class has both |

mod alarm_ends;
mod alarms;
mod audits;
mod calls;
mod cancels;
mod clogs;
mod commit_faults;
mod commits;
mod duplicates;
mod episodes;
mod evictions;
mod gates;
mod partitions;
mod perpetual;
mod reset_causes;
mod resets;
mod script;
mod stale;
mod storage_errors;
mod stubs;
mod turns;
mod world;
