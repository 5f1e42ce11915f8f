//! The object of a site, primary and lane, in the kernel: each flow from end to end, on both stores.

use protocol::host::{Method, Request, Response};
use sim::kernel::storage::Store;
use sim::kernel::storage::model::ModelStore;
use sim::kernel::storage::sqlite::SqliteStore;
use tests::lanes::Site;
use tests::lanes::application::version;
use tests::lanes::world::transaction;

/// The primary, and its first lane.
const MAIN: &str = "example.com";
const LANE: &str = "example.com#r1";

const LOG: &str = "SELECT parent, generation, overflowed FROM cfw_repl_log ORDER BY generation";

const NODES: &str = "SELECT nid, title FROM node ORDER BY nid";

/// Makes a test of each flow for each store.
macro_rules! on_both_stores {
    ($($flow:ident)*) => {$(
        mod $flow {
            use super::*;

            #[test]
            fn on_model() {
                super::$flow::<ModelStore>();
            }

            #[test]
            fn on_sqlite() {
                super::$flow::<SqliteStore>();
            }
        }
    )*};
}

mod copies;
mod serving;
mod writes;

fn site<S: Store>() -> Site<S> {
    let mut site = Site::new(version());
    site.install(MAIN);
    site
}

/// Copies the site to the lane and lets it catch up.
fn serving_pool<S: Store>() -> Site<S> {
    let mut site = site::<S>();
    let copied = site.post(MAIN, "action=provision&lane=1", "");
    assert_eq!(copied.status, 200, "{}", copied.body.to_text());
    site.wait(1);
    assert_eq!(site.meta(LANE, "replica_stage"), "SERVING", "{}", site.story());
    site
}

fn text(response: &Response) -> String {
    response.body.to_text().to_string()
}

fn batch(parent: u32, sql: &str, table: &str) -> String {
    format!(r#"{{"statements":[{{"sql":"{sql}","table":"{table}"}}],"parent":{parent},"partitioned":[]}}"#)
}

fn record(parent: u32, generation: u32, titles: &[&str]) -> String {
    let statements = titles
        .iter()
        .map(|title| format!(r#"{{"sql":"UPDATE node SET title = ? WHERE nid = 1","params":["{title}"]}}"#));
    let statements: Vec<String> = statements.collect();
    format!(
        r#"{{"generation":{generation},"parent":{parent},"schemaVersion":"p1","fingerprint":"f","overflowed":false,"statements":[{}]}}"#,
        statements.join(",")
    )
}
