//! The model answers as SQLite does, or says that it does not know; and it does know nearly always.

use std::cell::Cell;

use proptest::collection::vec;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::super::limits::Limits;
use super::super::model::ModelStore;
use super::super::sqlite::{SqlitePool, SqliteStore};
use super::super::{Mark, Store, StoreError};
use super::generate::{Draws, any_statement};
use super::tables::CREATE;
use super::{fresh, statement};

/// The two stores in one state, and how many marks they have.
struct Pair {
    sqlite: SqliteStore,
    model: ModelStore,
    marks: u32,
}

#[derive(Default)]
struct Counts {
    ran: Cell<u32>,
    failed: Cell<u32>,
    unsupported: Cell<u32>,
}

fn count(counter: &Cell<u32>) {
    counter.set(counter.get() + 1);
}

/// `PROPTEST_CASES=100000` sets how many sequences are tried; `--nocapture` shows how many statements that were.
#[test]
fn the_stores_agree() {
    let (counts, pool) = (Counts::default(), SqlitePool::default());
    let config = Config {
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let sequences = vec(vec(0..u16::MAX, 40), 1..60);
    let checked = runner.run(&sequences, |sequence| {
        run_sequence(&sequence, &pool, &counts);
        Ok(())
    });
    if let Err(error) = checked {
        panic!("{error}");
    }
    let [ran, failed, unsupported] = [&counts.ran, &counts.failed, &counts.unsupported].map(Cell::get);
    let all = ran + failed + unsupported;
    println!("{all} statements: {ran} ran, {failed} failed alike, {unsupported} were unsupported");
    assert!(
        unsupported * 10 < all,
        "{unsupported} of {all} statements were unsupported"
    );
    assert!(ran * 2 > all, "only {ran} of {all} statements ran");
    assert!(
        failed > 0,
        "no statement failed, so that nothing is known of errors"
    );
}

/// In a pool, so that the databases of one sequence are used again by the next.
fn run_sequence(sequence: &[Vec<u16>], pool: &SqlitePool, counts: &Counts) {
    let mut pairs = vec![Pair {
        sqlite: SqliteStore::open(pool, Limits::default()),
        model: fresh(),
        marks: 0,
    }];
    // The last table is there in some sequences only, so that a missing one is met as well.
    let tables = CREATE.len() - usize::from(sequence.len().is_multiple_of(8));
    for create in &CREATE[..tables] {
        run_both(&mut pairs[0], &statement(create, &[]), counts);
    }
    let mut at = 0;
    for step in sequence {
        let mut draws = Draws(step.iter());
        let pair = &mut pairs[at];
        match draws.below(20) {
            12 if draws.below(4) == 0 => pair.show_alarm_table(draws.below(2) == 0),
            13 | 14 => pair.mark(),
            15 if pair.marks > 0 => pair.rollback_to(Mark(draws.below(pair.marks as usize) as u32)),
            16 if pair.marks > 0 => pair.release(),
            17 if draws.below(3) == 0 => pair.forget_all(),
            18 => {
                let fork = pair.fork();
                pairs.push(fork);
            }
            19 => at = draws.below(pairs.len()),
            _ => {
                run_both(pair, &any_statement(&mut draws), counts);
                // Reading everything costs more than a statement, so not each time.
                if draws.below(4) > 0 {
                    continue;
                }
            }
        }
        pairs[at].compare();
    }
    pairs.iter_mut().for_each(Pair::compare);
}

fn run_both(pair: &mut Pair, statement: &protocol::host::Statement, counts: &Counts) {
    let before = pair.model.digest();
    let modelled = pair.model.run(statement);
    if let Err(StoreError::Unsupported(_)) = modelled.outcome {
        assert_eq!(
            pair.model.digest(),
            before,
            "{statement:?} is unsupported and changed something"
        );
        return count(&counts.unsupported);
    }
    let real = pair.sqlite.run(statement);
    assert_eq!(
        modelled,
        real,
        "the model, then SQLite, on {statement:?} in {:#?}",
        pair.model.contents()
    );
    // `SqlError` equality ignores the words; the protocol sees them.
    if let (Err(modelled), Err(real)) = (&modelled.outcome, &real.outcome) {
        assert_eq!(
            modelled.to_string(),
            real.to_string(),
            "the words on {statement:?}"
        );
    }
    count(if real.outcome.is_ok() {
        &counts.ran
    } else {
        &counts.failed
    });
}

impl Pair {
    fn compare(&mut self) {
        assert_eq!(
            self.model.contents(),
            self.sqlite.contents(),
            "the model's contents, then SQLite's"
        );
        assert_eq!(
            self.model.digest(),
            self.sqlite.digest(),
            "digests of equal contents"
        );
    }

    fn show_alarm_table(&mut self, is_there: bool) {
        self.sqlite.show_alarm_table(is_there);
        self.model.show_alarm_table(is_there);
    }

    fn mark(&mut self) {
        assert_eq!(self.sqlite.mark(), self.model.mark());
        self.marks += 1;
    }

    fn rollback_to(&mut self, mark: Mark) {
        self.sqlite.rollback_to(mark);
        self.model.rollback_to(mark);
        self.marks = mark.0 + 1;
    }

    fn release(&mut self) {
        self.marks -= 1;
        self.sqlite.release(Mark(self.marks));
        self.model.release(Mark(self.marks));
    }

    fn forget_all(&mut self) {
        self.sqlite.forget_all();
        self.model.forget_all();
        self.marks = 0;
    }

    fn fork(&mut self) -> Pair {
        Pair {
            sqlite: self.sqlite.fork(),
            model: self.model.fork(),
            marks: self.marks,
        }
    }
}
