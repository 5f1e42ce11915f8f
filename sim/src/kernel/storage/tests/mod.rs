//! What both stores must do, and that they do the same.

/// Cases that are run on each store, which the module has in scope.
macro_rules! on_both_stores {
    ($($case:ident),* $(,)?) => {
        mod sqlite {
            $(#[test] fn $case() { super::$case::<super::SqliteStore>() })*
        }
        mod model {
            $(#[test] fn $case() { super::$case::<super::ModelStore>() })*
        }
    };
}

mod agree;
mod alarm_table;
mod cases;
mod closed;
mod generate;
mod guard;
mod pool;
mod shapes;
mod tables;
mod writes;

use protocol::host::{Bytes, Rows, SqlError, SqlErrorKind, Statement, Text, Value};
use protocol::number::Number;

use super::limits::Limits;
use super::{Store, StoreError};

fn number(text: &str) -> Value {
    Value::Number(Number::parse(text))
}

fn blob(bytes: &[u8]) -> Value {
    Value::Bytes(Bytes(bytes.into()))
}

fn statement(sql: &str, params: &[Value]) -> Statement {
    Statement {
        sql: Text::new(sql),
        params: params.to_vec(),
    }
}

fn fresh<S: Store>() -> S {
    S::open(&S::Pool::default(), Limits::default())
}

fn run<S: Store>(store: &mut S, sql: &str, params: &[Value]) -> Vec<Vec<Value>> {
    match store.run(&statement(sql, params)).outcome {
        Ok(Rows { rows, .. }) => rows,
        Err(error) => panic!("{sql}: {error}"),
    }
}

fn refused<S: Store>(store: &mut S, sql: &str, params: &[Value]) -> SqlError {
    match store.run(&statement(sql, params)).outcome {
        Err(StoreError::Sql(error)) => error,
        other => panic!("{sql}: an error of the database was expected, not {other:?}"),
    }
}

fn kind_of_refusal<S: Store>(store: &mut S, sql: &str, params: &[Value]) -> SqlErrorKind {
    refused(store, sql, params).kind
}
