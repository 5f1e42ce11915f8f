//! The object of a site, primary and lane, in the kernel: each flow from end to end, on both stores.

use protocol::host::{Method, Request};
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

on_both_stores! {
    records_chain
}

fn site<S: Store>() -> Site<S> {
    let mut site = Site::new(version());
    site.install(MAIN);
    site
}

fn records_chain<S: Store>() {
    let mut site = site::<S>();
    site.write(MAIN, &["INSERT INTO node (nid, title) VALUES (2, 'a')"]);
    site.write(
        MAIN,
        &[
            "UPDATE node SET title = 'b' WHERE nid = 2",
            "UPDATE node SET title = 'c' WHERE nid = 9",
        ],
    );
    // The sequence advances first: the first record builds on what it is after the first of six writes.
    assert_eq!(site.rows(MAIN, LOG), ["1|6|0", "6|7|0", "7|9|0"]);
    assert_eq!(site.meta(MAIN, "commit_seq"), "9");
}
