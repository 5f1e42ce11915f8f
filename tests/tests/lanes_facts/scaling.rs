//! What lanes buy (`replica-lanes`, Scaling): simulated, the same drive as the document's.

use std::fmt::Write as _;
use std::path::Path;

use protocol::host::Text;
use protocol::lanes::changes::hardened;
use protocol::lanes::object::Variables;
use protocol::lanes::object::Version;
use sim::kernel::storage::model::ModelStore;
use tests::lanes::load::{Served, admin_page};
use tests::lanes::pool::{Pool, of};
use tests::pieces;

/// How long each cell of the document's tables was driven.
const WINDOW: u64 = 20_000;

/// How many paths are asked for: so many that they spread over all lanes.
const PATHS: u32 = 200;

/// A pool that does not grow by itself, as the document measures one.
fn pinned() -> Version {
    let version = of(hardened());
    Version {
        variables: Variables {
            replica_autoscale: Some(Text::new_static("0")),
            ..version.variables
        },
        ..version
    }
}

/// What clients are served by a pool of so many lanes, all of which serve before they come.
fn served(lanes: u32, clients: u32) -> Served {
    let mut pool = Pool::<ModelStore>::with_accounts(pinned(), clients);
    for lane in 1..=lanes {
        pool.provision(lane);
    }
    pool.passes(20_000);
    for lane in 1..=lanes {
        assert_eq!(pool.stage(lane), "SERVING", "lane {lane} of {lanes}");
    }
    // Interpreters boot, and the isolate hears of the pool, before anybody measures.
    pool.drive(4 * (lanes + 1), 4_000, |client, nth| {
        admin_page(1, client * 31 + nth)
    });
    pool.passes(4_000);
    pool.drive(clients, WINDOW, |client, nth| {
        admin_page(client + 1, (client.wrapping_mul(97) + nth * 13) % PATHS)
    })
}

/// "Below saturation a lane loses": one client after another waits for nobody, and a lane has nothing to take from it.
#[test]
fn below_saturation_a_lane_does_not_help() {
    let (none, one) = (served(0, 1).pages(), served(1, 1).pages());
    assert!(
        one <= none + none / 20,
        "one client: {none} pages without a lane, {one} with one"
    );
}

/// "Above saturation it is the difference": two objects render what one cannot.
#[test]
fn above_saturation_a_lane_helps() {
    let (none, one) = (served(0, 64).pages(), served(1, 64).pages());
    assert!(
        2 * one >= 3 * none,
        "64 clients: {none} pages without a lane, {one} with one"
    );
}

/// "A single object sheds every request at that load": what it does not answer within the window sixteen lanes do.
#[test]
fn sixteen_lanes_answer_what_one_object_sheds() {
    let (none, sixteen) = (served(0, 512), served(16, 512));
    assert!(
        4 * none.without >= 3 * 512,
        "one object leaves {} of 512 clients without a page",
        none.without
    );
    assert!(
        sixteen.without * 10 <= 512,
        "sixteen lanes leave {} of 512 clients without a page",
        sixteen.without
    );
    assert!(
        sixteen.pages() >= 10 * none.pages(),
        "one object serves {} pages, sixteen lanes {}",
        none.pages(),
        sixteen.pages()
    );
}

/// The document's routed table: lanes, and what 16 and 64 clients were served.
const ROUTED: [(u32, u32, u32); 6] = [
    (0, 62, 98),
    (1, 54, 78),
    (2, 79, 154),
    (4, 81, 147),
    (8, 128, 220),
    (16, 294, 445),
];

/// The table of the documentation, beside the document's.
fn table() -> String {
    let mut table = String::new();
    let head = "| lanes | 16 clients | the document's | median | 64 clients | the document's | median |";
    let _ = writeln!(table, "{head}\n| --- | --- | --- | --- | --- | --- | --- |");
    for (lanes, told_16, told_64) in ROUTED {
        let (few, many) = (served(lanes, 16), served(lanes, 64));
        let _ = writeln!(
            table,
            "| {lanes} | {} | {told_16} | {} ms | {} | {told_64} | {} ms |",
            few.pages(),
            few.median().0 / 1_000,
            many.pages(),
            many.median().0 / 1_000,
        );
    }
    table
}

/// The table in `scaling.md` is what the simulation gives.
#[test]
fn the_table_of_what_lanes_buy_is_not_stale() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lanes_facts/scaling.md");
    let (begins, ends) = ("<!-- simulated -->\n", "<!-- end -->");
    let text = std::fs::read_to_string(&path).expect("scaling.md is there");
    let (before, rest) = text.split_once(begins).expect("it says where the table begins");
    let (_, after) = rest.split_once(ends).expect("it says where the table ends");
    let due = format!("{before}{begins}{}{ends}{after}", table());
    if pieces::blesses() {
        std::fs::write(&path, due).expect("it can be written");
        return;
    }
    assert_eq!(
        text, due,
        "write it anew: DRYDOCK_BLESS=1 cargo test -p tests --test lanes_facts table"
    );
}
