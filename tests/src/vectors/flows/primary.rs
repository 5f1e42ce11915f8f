//! The primary: writes, seals, forwarded batches, crashes.

use protocol::lanes::rules::Rules;
use protocol::lanes::seal::{Buffer, SealPlan};
use protocol::lanes::wire::{LoggedStatement, Record};
use protocol::number::Number;

use super::super::{Js, Ran, Stop, unheld};

/// Runs the operations of a vector and tells what the primary has become.
pub fn run(input: &Js) -> Ran {
    let mut primary = Primary::of(input.field("primary"))?;
    let mut results = Vec::new();
    for op in input.field("ops").array()? {
        results.push(match op.field("op").text()?.as_str() {
            "write" => primary.write(&op.field("sql").text()?, times(op)?),
            "seal" => primary.seal(),
            "forward" => primary.forward(op.field("sqls").array()?)?,
            "look" => primary.look(),
            "crash" => primary.lose_memory(),
            "crashAfterFlush" => {
                primary.flush();
                primary.lose_memory()
            }
            other => return unheld(format!("the model has no operation {other:?}")),
        });
    }
    Ok(Js::object([
        ("results", results.into()),
        ("commitSeq", primary.live().into()),
        ("copyable", primary.copyable().into()),
        (
            "log",
            primary
                .log
                .into_iter()
                .map(|entry| entry.shown)
                .collect::<Vec<_>>()
                .into(),
        ),
    ]))
}

fn times(op: &Js) -> Result<u64, Stop> {
    let times = op.field("times").option(Js::number)?;
    times.map_or(Ok(1), |times| {
        times.to_u64_exact().map_or_else(|| unheld("times"), Ok)
    })
}

struct Logged {
    generation: Number,
    shown: Js,
}

/// Nothing of it is stored between two seals, so a crash loses what is in memory and no more.
struct Primary {
    rules: Rules,
    replica: bool,
    stored: Number,
    pending: Number,
    buffer: Option<Buffer>,
    log: Vec<Logged>,
}

impl Primary {
    fn of(given: &Js) -> Result<Primary, Stop> {
        let entry = |shown: &Js| {
            Ok(Logged {
                generation: shown.field("generation").number()?,
                shown: shown.clone(),
            })
        };
        let log = given.field("log").option(Js::array)?.unwrap_or_default();
        Ok(Primary {
            rules: Rules::DOCUMENTED,
            replica: given.field("replica").is_true(),
            stored: given.field("commitSeq").option(Js::number)?.unwrap_or_default(),
            pending: Number::ZERO,
            buffer: None,
            log: log.iter().map(entry).collect::<Result<_, Stop>>()?,
        })
    }

    fn live(&self) -> Number {
        self.stored + self.pending
    }

    fn copyable(&self) -> Number {
        let highest = self.log.iter().map(|entry| entry.generation).max();
        (self.rules.seal.copyable_generation)(highest, self.live())
    }

    fn advance(&mut self) {
        self.pending = self.pending + Number::integer(1);
    }

    fn flush(&mut self) {
        self.stored = self.live();
        self.pending = Number::ZERO;
    }

    fn buffer(&mut self, sql: &str) {
        if self.replica {
            return;
        }
        let parent = self.copyable();
        let buffer = self.buffer.get_or_insert_with(|| (self.rules.seal.open)(parent));
        buffer.push(LoggedStatement::new(sql, Vec::new()));
    }

    fn write(&mut self, sql: &str, times: u64) -> Js {
        for _ in 0..times {
            if (self.rules.seal.is_captured)(&self.rules, (self.rules.statements.write_target)(sql)) {
                self.advance();
                self.buffer(sql);
            }
        }
        Js::Null
    }

    fn forward(&mut self, sqls: &[Js]) -> Ran {
        for sql in sqls {
            self.buffer(&sql.text()?);
        }
        self.advance();
        let sealed = self.seal();
        Ok(Js::object([
            ("generation", self.live().into()),
            ("sealed", sealed),
        ]))
    }

    fn seal(&mut self) -> Js {
        self.flush();
        let Some(buffer) = self.buffer.take() else {
            return Js::Null;
        };
        let generation = match (self.rules.seal.plan)(buffer.parent(), self.stored) {
            SealPlan::Seal(generation) => generation,
            SealPlan::AdvanceAndSeal(generation) => {
                self.stored = generation;
                generation
            }
            SealPlan::AdvanceAndDrop(sequence) => {
                self.stored = sequence;
                return Js::Null;
            }
        };
        let shown = shown(&buffer.into_record(generation));
        let entry = Logged {
            generation,
            shown: shown.clone(),
        };
        match self.log.iter_mut().find(|held| held.generation == generation) {
            Some(held) => *held = entry,
            None => self.log.push(entry),
        }
        shown
    }

    fn look(&self) -> Js {
        Js::object([
            ("commitSeq", self.live().into()),
            ("copyable", self.copyable().into()),
        ])
    }

    fn lose_memory(&mut self) -> Js {
        self.pending = Number::ZERO;
        self.buffer = None;
        Js::Null
    }
}

fn shown(record: &Record) -> Js {
    let statements = record.statements.get().map_or(0, Vec::len) as u64;
    Js::object([
        ("generation", record.generation.or_nan().into()),
        ("parent", record.parent.or_nan().into()),
        ("overflowed", record.overflowed.is_true().into()),
        ("statements", statements.into()),
    ])
}
