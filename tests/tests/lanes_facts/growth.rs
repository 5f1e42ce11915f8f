//! When the pool grows by itself (`replica-lanes`, Autoscaling; `replica-settings`, REPLICA_AUTOSCALE, REPLICA_MAX_LANES).

use protocol::host::{Millis, Request, Statement, Text, Value};
use protocol::json::Json;
use protocol::lanes::app::catalogue::{Ask, Visitor};
use protocol::lanes::object::{Policy, Variables, Version, labels};
use protocol::number::Number;
use sim::kernel::Micros;
use sim::kernel::storage::sqlite::SqliteStore;
use tests::lanes::load::admin_hop;
use tests::lanes::pool::{Pool, documented, of, visitor};

use super::{variants, without};

/// A site without lanes, and how demand for it goes on.
struct Site {
    pool: Pool<SqliteStore>,
    asked: u32,
}

impl Site {
    /// A site whose alarm has just fired after a window without requests.
    fn quiet(version: Version) -> Self {
        let mut site = Site {
            pool: Pool::installed_under(version),
            asked: 0,
        };
        site.window();
        site
    }

    fn firings(&self) -> usize {
        let notes = self.pool.notes.0.iter();
        let primarys = notes.filter(|(who, note)| who == "site/shop" && note.label == labels::ALARM);
        primarys.count()
    }

    /// Lets the window go on to its end.
    fn window(&mut self) {
        let before = self.firings();
        let until = self.pool.kernel.now().after(Micros::from_millis(300_000));
        while self.firings() == before {
            assert!(
                self.pool.goes_on() && self.pool.kernel.now() <= until,
                "the primary's alarm does not fire within five minutes"
            );
        }
    }

    /// So many requests come at once, and are all answered. The first one waits for something of its own and holds the
    /// gate meanwhile: all others wait for the gate.
    fn burst(&mut self, requests: u32) {
        let first = self.waits_for_its_own(400);
        self.pool.passes(100);
        let last = (1..requests).map(|_| self.request()).last().unwrap_or(first);
        assert!(self.pool.answer(last, 29_000).is_some());
    }

    fn request(&mut self) -> u32 {
        self.asked += 1;
        self.pool.post(self.pool.primary, admin_hop(1, self.asked))
    }

    fn waits_for_its_own(&mut self, milliseconds: u64) -> u32 {
        self.pool.post(self.pool.primary, waits(milliseconds))
    }

    /// Windows in which so many requests come at once.
    fn windows(&mut self, bursts: &[u32]) {
        for requests in bursts {
            self.burst(*requests);
            self.window();
        }
    }

    /// A window in which two requests are inside at once, and none waits: a page waits for something of its own, and one from
    /// the cache passes it by.
    fn overlapping_window(&mut self) {
        let node = Ask::Node {
            nid: 1,
            history: false,
        };
        let waits = self.waits_for_its_own(4_000);
        self.pool.passes(1_000);
        let cached = Pool::<SqliteStore>::hop(&node, &Visitor::default(), "cached");
        let cached = self.pool.send(self.pool.primary, cached);
        assert_eq!(cached.headers.get("x-cfw-cache"), Some("HIT"));
        assert!(self.pool.answer(waits, 20_000).is_some());
        self.window();
    }

    /// How many lanes there are when a copy that was begun is done.
    fn lanes(&mut self) -> u32 {
        self.pool.passes(5_000);
        self.counted()
    }

    fn counted(&mut self) -> u32 {
        let read = Statement::new(
            "SELECT v FROM cfw_meta WHERE k = ?",
            [Value::text("lanes_provisioned")],
        );
        let rows = self
            .pool
            .kernel
            .read(self.pool.primary, &read)
            .expect("it is read");
        let text = rows.first().and_then(Value::as_text).map(Text::new);
        text.map_or(0, |text| {
            Number::parse(&text).to_u32_exact().expect("a number of lanes")
        })
    }
}

/// A page that waits for something of its own, and holds the gate meanwhile.
fn waits(milliseconds: u64) -> Request {
    let waiting = Ask::Waiting {
        nid: 2,
        pause: Millis(milliseconds),
    };
    Pool::<SqliteStore>::hop(&waiting, &visitor(1), "waits")
}

fn with_variables(version: Version, set: impl FnOnce(&mut Variables)) -> Version {
    let mut version = version;
    set(&mut version.variables);
    version
}

/// "Three consecutive windows must all show waiting before a lane is provisioned." Of both variants.
#[test]
fn three_contended_windows_and_not_two_make_a_lane() {
    for (name, version) in variants() {
        let mut site = Site::quiet(version);
        site.windows(&[4, 4]);
        assert_eq!(site.lanes(), 0, "{name}: after two contended windows");
        site.window();
        site.windows(&[4, 4, 4]);
        assert_eq!(site.lanes(), 1, "{name}: after three contended windows");
    }
}

/// "A quiet window clears the run." Of both variants.
#[test]
fn a_quiet_window_clears_the_run() {
    for (name, version) in variants() {
        let mut site = Site::quiet(version);
        site.windows(&[4, 4, 1, 4, 4]);
        assert_eq!(site.lanes(), 0, "{name}: the quiet window is in the middle");
        site.windows(&[4]);
        assert_eq!(site.lanes(), 1, "{name}: three windows after it");
    }
}

/// "A burst that clears inside one window provisions nothing." Of the hardened variant. The documented one counts the
/// waits of its last 64 requests in every window: the burst makes a lane two windows after it, in which nobody waits.
#[test]
fn a_burst_inside_one_window_makes_no_lane() {
    let after_burst = |version| {
        let mut site = Site::quiet(version);
        let node = Pool::<SqliteStore>::hop(
            &Ask::Node {
                nid: 1,
                history: false,
            },
            &Visitor::default(),
            "first",
        );
        assert_eq!(site.pool.send(site.pool.primary, node).status, 200);
        site.burst(8);
        site.window();
        site.overlapping_window();
        site.overlapping_window();
        site.lanes()
    };
    assert_eq!(after_burst(of(protocol::lanes::changes::hardened())), 0);
    assert_eq!(
        after_burst(documented()),
        1,
        "the documented ring has forgotten the burst"
    );
    assert_eq!(after_burst(without("count-each-wait-once")), 1);
}

/// "A PHP render holds it for the whole render, so a waiting request is the queue." False of both variants where renders let
/// nothing in: who waits for the thread has not come yet as far as the object can see, and nobody waits for the gate.
/// However long the queue before such an object, its pool does not grow.
#[test]
fn a_queue_before_renders_that_let_nothing_in_makes_no_lane() {
    for (name, version) in variants() {
        let mut site = Site::quiet(version);
        for _ in 0..4 {
            let asking: Vec<u32> = (0..20).map(|_| site.request()).collect();
            let waited = site.pool.answer_all(asking);
            assert!(
                waited.0 > 3_000_000,
                "{name}: whoever came last has waited for the others: {waited}"
            );
            site.window();
        }
        assert_eq!(site.lanes(), 0, "{name}");
    }
}

/// "A quiet window clears the run", also while a copy is in progress. Of the hardened variant: the documented one keeps the
/// run, and one contended window makes the second lane.
#[test]
fn a_quiet_window_clears_the_run_also_during_a_copy() {
    let grown = |version: Version| {
        let slowly = Version {
            policy: Policy {
                step_rows: Number::integer(10),
                ..version.policy
            },
            ..version
        };
        let mut site = Site::quiet(slowly);
        site.windows(&[4, 4, 4]);
        let mut steps = 0;
        while site.counted() == 0 {
            site.window();
            steps += 1;
            assert!(steps < 100, "the copy does not end");
        }
        assert!(
            steps > 2,
            "the copy takes several windows, in which nobody comes: it took {steps}"
        );
        site.burst(3);
        site.pool.passes(30_000);
        site.counted()
    };
    assert_eq!(grown(of(protocol::lanes::changes::hardened())), 1);
    assert_eq!(
        grown(documented()),
        2,
        "the documented pool has forgotten its windows"
    );
    assert_eq!(grown(without("clear-while-copying")), 2);
}

/// "The target is the smallest queue depth across those three." Of both variants: two waiters make two lanes at most.
#[test]
fn the_smallest_queue_is_how_many_lanes_there_will_be() {
    let mut site = Site::quiet(of(protocol::lanes::changes::hardened()));
    for _ in 0..4 {
        site.windows(&[9, 3, 9]);
    }
    assert_eq!(site.lanes(), 2);
}

/// "REPLICA_AUTOSCALE=0 turns autoscaling off." Of both variants.
#[test]
fn a_pool_that_is_pinned_does_not_grow() {
    for (name, version) in variants() {
        let pinned = with_variables(version, |variables| {
            variables.replica_autoscale = Some(Text::new_static("0"));
        });
        let mut site = Site::quiet(pinned);
        site.windows(&[9, 9, 9, 9]);
        assert_eq!(site.lanes(), 0, "{name}");
    }
}

/// "REPLICA_MAX_LANES moves the cap." Of both variants.
#[test]
fn growth_stops_at_the_cap() {
    for (name, version) in variants() {
        let capped = with_variables(version, |variables| {
            variables.replica_max_lanes = Some(Text::new_static("2"));
        });
        let mut site = Site::quiet(capped);
        for _ in 0..4 {
            site.windows(&[9, 9, 9]);
        }
        assert_eq!(site.lanes(), 2, "{name}");
    }
}

/// "Autoscaling stops at 32 lanes by default", "and larger values are capped at 32". Of the documented variant.
#[test]
fn growth_stops_at_32() {
    let uncapped = with_variables(documented(), |variables| {
        variables.replica_max_lanes = Some(Text::new_static("100"));
    });
    let mut site = Site::quiet(uncapped);
    let primary = site.pool.primary;
    // One client holds the gate for a while each time, and so the others queue there from then on.
    let page = |client, nth| match client {
        0 => waits(400),
        _ => admin_hop(1, client * 10_000 + nth),
    };
    for so_far in ["when it has grown for long", "and later"] {
        site.pool.drive_at(primary, 40, 800_000, page);
        assert_eq!(site.counted(), 32, "{so_far}");
    }
}

/// "A new lane is also refused when the projected day's rows would pass 80% of the plan's daily row limit." Of both
/// variants. In the first hour of a day each statement that was logged counts 24 times for each lane, and once for what
/// was written already, on the primary and on each lane that there is.
#[test]
fn growth_stops_at_four_fifths_of_the_rows_of_a_day() {
    for (name, version) in variants() {
        let grown = |limit: Option<u64>| {
            let mut site = Site::quiet(Version {
                policy: Policy {
                    row_limit: limit.map(Number::from),
                    ..version.policy.clone()
                },
                ..version.clone()
            });
            for _ in 0..3 {
                site.windows(&[9, 9, 9]);
            }
            (site.lanes(), logged(&mut site))
        };
        let (free, logged) = grown(None);
        assert!(
            free > 1 && logged > 0,
            "{name}: {free} lanes, {logged} statements"
        );
        // 80 % of the limit bears (1 + 24) of the statements, and not (2 + 48).
        let bears = |times: u64| (logged * times * 10).div_ceil(8);
        assert_eq!(grown(Some(bears(25) - 1)).0, 0, "{name}: no lane fits");
        assert_eq!(grown(Some(bears(25))).0, 1, "{name}: one lane fits");
        assert_eq!(grown(Some(bears(50) - 1)).0, 1, "{name}: two lanes do not fit");
        assert_eq!(grown(Some(bears(50))).0, 2, "{name}: two lanes fit");
    }
}

/// How many statements the log holds.
fn logged(site: &mut Site) -> u64 {
    let read = Statement::new("SELECT statements FROM cfw_repl_log", []);
    let rows = site
        .pool
        .kernel
        .read(site.pool.primary, &read)
        .expect("it is read")
        .rows;
    let records = rows.iter().filter_map(|row| row.first()?.as_text());
    let statements = records.filter_map(|text| Some(Json::parse(text).ok()?.as_array()?.len() as u64));
    statements.sum()
}
