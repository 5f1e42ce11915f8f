//! Any text as a payload of the bridges: nothing panics, and what was read is read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::lanes::bridge::{SqlExec, SqlTxn, read_payload};
use protocol::lanes::guard::{Collector, GuardFacts, guard_call};
use protocol::lanes::rules::Rules;

const RULES: &Rules = &Rules::DOCUMENTED;

fuzz_target!(|json: &str| {
    for capability in ["cfwSqlTxn", "cfwSqlExec"] {
        for collector in [Collector::Present, Collector::Absent] {
            let _ = guard_call(
                RULES,
                &GuardFacts {
                    capability,
                    payload: json,
                    collector,
                },
            );
        }
    }
    if let Ok(transaction) = read_payload::<SqlTxn>(json) {
        let text = serde_json::to_string(&transaction).expect("a payload is written");
        let again = read_payload::<SqlTxn>(&text).expect("what was written is read");
        assert_eq!(serde_json::to_string(&again).expect("a payload is written"), text);
    }
    let _ = read_payload::<SqlExec>(json);
});
