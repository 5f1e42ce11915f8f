//! What lanes buy (`replica-lanes`, Scaling): clients that ask one page after another for as long as the document's did.

use protocol::host::Text;
use protocol::lanes::changes::hardened;
use protocol::lanes::object::Variables;
use protocol::lanes::object::Version;
use sim::kernel::storage::model::ModelStore;
use tests::lanes::load::{Served, admin_page};
use tests::lanes::pool::{Pool, of};

/// How long the document drove each number of lanes, in milliseconds.
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
