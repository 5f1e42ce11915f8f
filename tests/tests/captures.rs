//! Real statement streams through the rules of replica lanes, each request a test of its own.
//!
//! `DRYDOCK_CAPTURES=<folder> cargo test -p tests --test captures` runs them; without the folder there is one test,
//! which is ignored and says so. With `DRYDOCK_BLESS=1` the table in the documentation of `protocol::lanes` is written
//! anew.

use std::fs;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use libtest_mimic::{Failed, Trial};
use tests::captures::difference::explanations;
use tests::captures::reading::{Lens, read};
use tests::captures::table::{self, Row};
use tests::captures::{Captures, Stream, load};
use tests::pieces::{self, Piece};

fn main() -> ExitCode {
    pieces::run(match Piece::Captures.path().map(|folder| load(&folder)) {
        Some(Ok(captures)) => trials(captures),
        Some(Err(why)) => vec![Trial::test("captures::folder", || Err(why.into()))],
        None => vec![pieces::trial("captures::folder", &[Piece::Captures], || {
            Piece::Captures.require().map(|_| ())
        })],
    })
}

/// Each request is read once, by whichever test comes first: its own or that of the table.
struct Rows {
    captures: Captures,
    rows: Vec<OnceLock<Result<Row, String>>>,
}

impl Rows {
    fn get(&self, at: usize) -> Result<&Row, Failed> {
        let read = || row(&self.captures, &self.captures.streams[at]);
        self.rows[at].get_or_init(read).as_ref().map_err(Failed::from)
    }
}

fn trials(captures: Captures) -> Vec<Trial> {
    let rows = captures.streams.iter().map(|_| OnceLock::new()).collect();
    let rows = Arc::new(Rows { captures, rows });
    let mut trials: Vec<Trial> = (0..rows.rows.len())
        .map(|at| {
            let rows = Arc::clone(&rows);
            let name = format!("captures::{}", rows.captures.streams[at].entry.capture);
            Trial::test(name, move || rows.get(at).map(|_| ()))
        })
        .collect();
    trials.push(Trial::test("captures::table", move || check_table(&rows)));
    trials
}

/// One request: both scanners bind everything alike, the guard and the plans answer, the index agrees or is explained.
fn row(captures: &Captures, stream: &Stream) -> Result<Row, String> {
    let reading = read(captures, stream, Lens::CONTRACT)?;
    if !reading.scanners.is_empty() {
        return Err(format!("the scanners differ:\n{}", reading.scanners.join("\n")));
    }
    let explanations = explanations(captures, stream, &reading)?;
    Ok(Row {
        capture: stream.entry.capture.clone(),
        reading,
        explanations,
    })
}

fn check_table(rows: &Rows) -> Result<(), Failed> {
    let rows: Vec<&Row> = (0..rows.rows.len())
        .map(|at| rows.get(at))
        .collect::<Result<_, _>>()?;
    let text = table::render(&rows);
    let path = table::path();
    if pieces::blesses() {
        fs::write(&path, text)?;
    } else if fs::read_to_string(&path).unwrap_or_default() != text {
        return Err("protocol/src/lanes/captures.md is stale: run this test with DRYDOCK_BLESS=1".into());
    }
    Ok(())
}
