//! The checks of what lanes show: each page is of a generation that it may be of.

use std::sync::Arc;

use protocol::host::{Request, Response, Rows, Statement, Value};
use protocol::lanes::admission::Stage;
use protocol::lanes::app::page::{Evidence, Page, digest_rows};
use protocol::lanes::app::tables;
use protocol::lanes::header;
use protocol::lanes::meta::Key;

use super::scene::{
    behind_write, body, finished, fires, holds, of_turn, record, run, serving, standing, table, truth, turn,
    wrote,
};
use crate::kernel::Micros;
use crate::world::lanes::invariants::Judgement;
use crate::world::lanes::truth::contents::{Contents, Table};
use crate::world::lanes::truth::standing::{Generation, Standing};
use crate::world::lanes::truth::wire::Heard;
use crate::world::lanes::truth::{Held, Truth};

/// A state in which the one route leads somewhere.
fn leads(to: &str) -> Contents {
    let columns = ["name", "path", "route"];
    let found = Rows {
        columns: columns.iter().map(|name| (*name).into()).collect(),
        rows: vec![["home", to, ""].map(Value::text).into()],
    };
    let ddl = tables::find("router").expect("the catalogue has it").ddl();
    let mut contents = Contents::default();
    contents.set("router".into(), Table::new(ddl, found));
    contents
}

/// A page that shows where it leads.
fn page(to: &str) -> Page {
    let digest = digest_rows(&Rows {
        columns: vec!["path".into()].into(),
        rows: vec![vec![Value::text(to)]],
    });
    Page {
        token: "t1".into(),
        digest: Page::digest_of([digest.as_str()].into_iter()),
        evidence: vec![Evidence::Read {
            statement: Statement::new("SELECT path FROM router WHERE name = ?", [Value::text("home")]),
            behind: Vec::new(),
            digest,
        }],
        account: Value::Null,
        error: Default::default(),
    }
}

/// A truth of generations 5 and 7, which differ, and a lane that was in a stage when it stood at 5.
fn two_generations(stage: Stage) -> Truth {
    let mut truth = truth();
    truth.history.insert(5, leads("old"));
    truth.history.insert(7, leads("new"));
    let held = |since: u64, stage: Stage| Held {
        since: Micros::from_millis(since),
        generation: Some(5),
        stage: Some(stage),
    };
    truth
        .held
        .insert(1, vec![held(0, stage), held(80_000, Stage::Withdrawn)]);
    truth
}

fn answers(page: Page, request: Request) -> Heard {
    let mut response = Response::new(200, body(page));
    response.headers.set(header::CACHE, "HIT");
    finished(run(Some(request), Vec::new()), response)
}

#[test]
fn a_lane_that_is_out_shows_only_what_it_served() {
    let shows = |was: Stage, to: &str| {
        let out = standing([(Key::STAGE, "WITHDRAWN")]);
        let heard = answers(page(to), Request::get("/__serve?path=%2F"));
        of_turn("LR-21", &two_generations(was), &turn(1, &out, &out, vec![heard]))
    };
    holds(shows(Stage::Serving, "old"));
    fires(shows(Stage::Serving, "new"));
    fires(shows(Stage::Verified, "old"));
}

#[test]
fn a_lane_that_is_out_fails_or_hands_over() {
    let says = |status: u16, page: Option<Page>| {
        let out = standing([(Key::STAGE, "WITHDRAWN")]);
        let answer = page.map_or_else(
            || Response::new(status, Default::default()),
            |page| Response::new(status, body(page)),
        );
        let heard = finished(run(Some(Request::get("/__serve?path=%2F")), Vec::new()), answer);
        of_turn(
            "LR-21",
            &two_generations(Stage::Serving),
            &turn(1, &out, &out, vec![heard]),
        )
    };
    fires(says(403, Some(page("new"))));
    holds(says(403, Some(page("old"))));
    fires(says(404, None));
    assert_eq!(says(421, None), Judgement::NoSubject);
    assert_eq!(says(503, None), Judgement::NoSubject);
}

#[test]
fn a_lane_that_serves_may_show_anything() {
    let mut truth = two_generations(Stage::Serving);
    truth.held.get_mut(&1).expect("it is there").pop();
    let heard = answers(page("new"), Request::get("/__serve?path=%2F"));
    holds(of_turn(
        "LR-21",
        &truth,
        &turn(1, &serving("5"), &serving("5"), vec![heard]),
    ));
}

#[test]
fn a_page_is_of_one_generation() {
    let shows = |evidence: Vec<Page>| {
        let mixed = Page {
            digest: Page::digest_of(evidence.iter().map(|page| page.digest.as_str())),
            evidence: evidence.into_iter().flat_map(|page| page.evidence).collect(),
            ..page("new")
        };
        let lane = serving("7");
        let heard = answers(mixed, Request::get("/__serve?path=%2F"));
        of_turn(
            "LR-22",
            &two_generations(Stage::Serving),
            &turn(1, &lane, &lane, vec![heard]),
        )
    };
    holds(shows(vec![page("old"), page("old")]));
    fires(shows(vec![page("old"), page("new")]));
    // The primary had that one, and this lane never did.
    fires(shows(vec![page("new"), page("new")]));
}

/// As a full disk ends it: what the turn has answered behind its write never leaves.
#[test]
fn a_page_of_a_turn_with_which_its_incarnation_ends_is_nobodys() {
    let lane = serving("7");
    let page = || answers(page("new"), Request::get("/__serve?path=%2F"));
    let truth = two_generations(Stage::Serving);
    let judged = |heard| of_turn("LR-22", &truth, &turn(1, &lane, &lane, heard));
    fires(judged(vec![behind_write(page())]));
    assert_eq!(
        judged(vec![behind_write(page()), Heard::Reset { survivors: 0 }]),
        Judgement::NoSubject
    );
}

#[test]
fn a_page_that_is_rendered_is_of_a_generation_of_its_time() {
    let mut truth = two_generations(Stage::Serving);
    let stands = |since, generation| Held {
        since: Micros::from_millis(since),
        generation: Some(generation),
        stage: Some(Stage::Serving),
    };
    truth.held.insert(1, vec![stands(0, 5), stands(60_000, 7)]);
    let shows = |tier: &str, to: &str| {
        let mut response = Response::new(200, body(page(to)));
        response.headers.set(header::CACHE, tier);
        let heard = finished(run(Some(Request::get("/__serve?path=%2F")), Vec::new()), response);
        of_turn(
            "LR-22",
            &truth,
            &turn(1, &serving("7"), &serving("7"), vec![heard]),
        )
    };
    holds(shows("RENDER", "new"));
    fires(shows("RENDER", "old"));
    holds(shows("HIT", "old"));
}

#[test]
fn who_asks_for_a_generation_is_shown_it() {
    let shows = |required: Generation, to: &str| {
        let mut request = Request::get("/__serve?path=%2F");
        request
            .headers
            .set(header::REQUIRE_GENERATION, required.to_string());
        let lane = serving("7");
        let turn = turn(1, &lane, &lane, vec![answers(page(to), request)]);
        of_turn("LR-25", &two_generations(Stage::Serving), &turn)
    };
    holds(shows(7, "new"));
    holds(shows(5, "new"));
    holds(shows(5, "old"));
    fires(shows(7, "old"));
    fires(shows(8, "new"));
}

#[test]
fn who_asks_for_what_is_no_generation_is_refused() {
    let shows = |required: &str| {
        let mut request = Request::get("/__serve?path=%2F");
        request.headers.set(header::REQUIRE_GENERATION, required);
        let lane = serving("7");
        let turn = turn(1, &lane, &lane, vec![answers(page("new"), request)]);
        of_turn("LR-25", &two_generations(Stage::Serving), &turn)
    };
    fires(shows(""));
    fires(shows(" "));
    fires(shows("soon"));
    fires(shows("Infinity"));
    holds(shows("-1"));
    holds(shows("6.5"));
    fires(shows("7.5"));
}

/// A lane at a generation that keeps this page.
fn keeps(position: &str, to: &str) -> Standing {
    let html = serde_json::to_string(&page(to)).expect("a page is JSON");
    let row = [Value::text("/"), Value::text(html)];
    let mut standing = serving(position);
    let kept = table("cfw_page", ["path", "html"], vec![row]);
    standing.kept.insert("cfw_page", Arc::new(kept));
    standing
}

#[test]
fn a_page_that_became_untrue_goes() {
    let moved = |after: Standing| turn(1, &keeps("5", "old"), &after, Vec::new());
    let truth = two_generations(Stage::Serving);
    holds(of_turn("LR-14", &truth, &moved(serving("7"))));
    fires(of_turn("LR-14", &truth, &moved(keeps("7", "old"))));
    let stale_before = turn(1, &keeps("5", "new"), &keeps("7", "new"), Vec::new());
    holds(of_turn("LR-14", &truth, &stale_before));
}

#[test]
fn a_lane_keeps_no_page_of_an_earlier_generation() {
    let sql = "INSERT OR REPLACE INTO cfw_page (path, html) VALUES (?, ?)";
    let put = |to: &str| {
        let heard = vec![wrote([Statement::new(sql, [Value::text("/")])])];
        let turn = turn(1, &serving("7"), &keeps("7", to), heard);
        of_turn("LR-14", &two_generations(Stage::Serving), &turn)
    };
    holds(put("new"));
    fires(put("old"));
    let copied = turn(1, &serving("7"), &keeps("7", "old"), Vec::new());
    let judged = of_turn("LR-14", &two_generations(Stage::Serving), &copied);
    assert_eq!(judged, Judgement::NoSubject);
}

/// The primary at a generation, with this page kept.
fn primary_keeps(position: Generation, page: &str) -> Standing {
    let mut standing = keeps("0", page);
    Arc::make_mut(&mut standing.log).insert(position, record(0, "site-1", ""));
    standing
}

/// The primary moves from 5 to 7 with a write of this table, and answers this request.
fn primary_writes(table: &'static str, kept: &str, request: Request) -> Judgement {
    let write = Statement {
        sql: format!("INSERT INTO {table} (tag) VALUES (?)").into(),
        params: vec![Value::text("node:1")],
    };
    let heard = vec![wrote([write]), answers(page("new"), request)];
    let turn = turn(0, &primary_keeps(5, "old"), &primary_keeps(7, kept), heard);
    of_turn("LR-14", &two_generations(Stage::Serving), &turn)
}

#[test]
fn the_primary_keeps_no_page_that_its_write_of_a_tag_has_made_untrue() {
    let saves = || Request::post("/__serve?path=%2Fnode%2F1", Default::default());
    fires(primary_writes("cachetags", "old", saves()));
    holds(primary_writes("cachetags", "new", saves()));
    assert_eq!(primary_writes("node", "old", saves()), Judgement::NoSubject);
}

#[test]
fn the_tags_of_a_batch_empty_nothing_at_the_primary() {
    let forwards = Request::post("/__replica?action=forward", Default::default());
    assert_eq!(primary_writes("cachetags", "old", forwards), Judgement::NoSubject);
}

#[test]
fn the_commit_sequence_of_a_lane_is_its_position() {
    let stands = |sequence: &str| {
        let mut lane = serving("7");
        let meta = Arc::make_mut(&mut lane.meta);
        meta.insert(Key::COMMIT_SEQUENCE.0.into(), sequence.into());
        of_turn("LR-14", &truth(), &turn(1, &serving("7"), &lane, Vec::new()))
    };
    assert_eq!(stands("7"), Judgement::NoSubject);
    fires(stands("5"));
    fires(stands("9"));
}

#[test]
fn the_render_cache_says_what_nodes_are_called() {
    let calls = |title: &str| {
        let mut lane = serving("7");
        let row = [Value::text("node:2:anonymous"), Value::text("shoes")];
        let kept = table("cache_render", ["cid", "data"], vec![row]);
        lane.kept.insert("cache_render", Arc::new(kept));
        let row = [Value::from(2), Value::text(title)];
        let nodes = table("node_field_data", ["nid", "title"], vec![row]);
        lane.contents.set("node_field_data".into(), nodes);
        of_turn("LR-14", &truth(), &turn(1, &lane, &lane, Vec::new()))
    };
    holds(calls("shoes"));
    fires(calls("boots"));
}
