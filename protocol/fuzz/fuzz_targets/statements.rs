//! Any text as a statement: nothing panics, and what the shapes say agrees.

#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::host::Text;
use protocol::json::Json;
use protocol::lanes::forward::{ForwardStatement, lane_high_water, partitioned_tables, split_forward};
use protocol::lanes::guard::statement_allowed_on_replica;
use protocol::lanes::rules::Rules;
use protocol::sql::{
    Params, PlainInsert, expiry_sweep, is_compound, is_proven_read, positional_bindings, splice_first,
    to_positional, write_target,
};

const RULES: &Rules = &Rules::DOCUMENTED;

fuzz_target!(|sql: &str| {
    let named = || {
        Params::Named(vec![
            (Text::new(":a"), Json::Null),
            (Text::new("b"), Json::from(1)),
        ])
    };
    let _ = positional_bindings(sql, &named());
    if let Ok(bound) = to_positional(sql, &named()) {
        let again = positional_bindings(&bound.sql, &Params::List(bound.params.clone()));
        assert_eq!(again.as_ref(), Ok(&bound), "what is bound stays bound");
    }
    let _ = PlainInsert::read(sql);
    if let Some(spliced) = splice_first(sql, "\"nid\"", "258") {
        assert!(
            splice_first(&spliced.sql, "\"nid\"", "258").is_none(),
            "an insert with its id has one"
        );
        let insert = PlainInsert::read(&spliced.sql);
        assert_eq!(
            insert.map(|insert| insert.values[0]),
            Some("258"),
            "a mark can be read"
        );
        assert_eq!(
            write_target(&spliced.sql),
            Some(&*spliced.table),
            "for that table"
        );
    }
    if let Some(table) = expiry_sweep(sql) {
        assert!(
            write_target(sql).is_some_and(|target| target.eq_ignore_ascii_case(table)),
            "a sweep is a delete"
        );
    }
    if statement_allowed_on_replica(RULES, sql) {
        assert!(!is_compound(sql), "one statement at a time");
    }
    assert!(
        !(is_proven_read(sql) && write_target(sql).is_some()),
        "a read has no target"
    );
    let statement = ForwardStatement {
        sql: Text::new(sql).into(),
        table: Text::new(write_target(sql).unwrap_or_default()).into(),
        minted: Text::new("watchdog").into(),
        ..ForwardStatement::default()
    };
    let split = split_forward(RULES, &[statement]);
    let _ = (
        partitioned_tables(RULES, &split.commit),
        lane_high_water(&split.commit),
    );
});
