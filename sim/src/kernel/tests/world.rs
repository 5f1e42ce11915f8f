//! A world of scripted objects, and what was seen in it.

use std::collections::BTreeMap;

use protocol::host::{AlarmRun, Outcome, Text};

use super::script::{Do, NS, Scripted, error_text, request};
use crate::kernel::storage::Store;
use crate::kernel::storage::model::ModelStore;
use crate::kernel::{
    Aim, CallFault, Chance, ChoiceKey, FixedChoice, Kernel, Knobs, Micros, Observed, Observer, Origin,
    PartyId, Purpose, ResetCause, Span, Stepped, What,
};

/// How the platform behaves here: nothing is left to chance, and every length is another. A message takes 5 ms, a
/// failure is noticed after 50, a commit is confirmed after 20, a shared service or a digest takes 1.
pub fn knobs() -> Knobs {
    let exactly = |millis| Span::millis(millis, millis);
    Knobs {
        latency: exactly(5),
        late_by: exactly(0),
        notice: exactly(50),
        confirm: exactly(20),
        service: exactly(1),
        alarm_lateness: exactly(0),
        alarm_sync: exactly(0),
        ..Knobs::calm()
    }
}

/// What a test wants of its world.
pub struct Setting {
    pub alarm: fn(AlarmRun) -> Vec<Do>,
    pub knobs: Knobs,
    pub aims: Vec<(Aim, CallFault)>,
    pub fixed: Vec<FixedChoice>,
}

impl Default for Setting {
    fn default() -> Self {
        Setting {
            alarm: |_| Vec::new(),
            knobs: knobs(),
            aims: Vec::new(),
            fixed: Vec::new(),
        }
    }
}

/// Fixes the first choice of a purpose that descends from a plan item, at an object.
pub fn fixed(purpose: Purpose, item: u32, at: &str, alternative: u64) -> FixedChoice {
    let key = ChoiceKey {
        purpose,
        origin: Origin::Item(item),
        at: Text::from(format!("{NS}/{at}")),
        label: Text::default(),
        nth: 0,
    };
    FixedChoice { key, alternative }
}

enum Act {
    Ask(Text, Vec<Do>),
    Reset(Text, ResetCause),
}

pub struct World<S: Store = ModelStore> {
    kernel: Kernel<Scripted, S>,
    acts: Vec<Act>,
    seen: Seen,
}

/// What was seen: lines for people, and the answers of clients.
#[derive(Default)]
struct Seen {
    lines: Vec<(u64, Text, String)>,
    answers: BTreeMap<u32, (u64, Text)>,
}

impl Observer for Seen {
    fn observe(&mut self, seen: &Observed<'_>) {
        let at = seen.at.0 / 1_000;
        self.lines.push((at, seen.who.clone(), seen.what.to_string()));
        if let What::Answered { item, outcome, .. } = seen.what {
            let before = self.answers.insert(item, (at, told(outcome)));
            assert_eq!(before, None, "item {item} was answered twice");
        }
    }
}

fn told(outcome: &Outcome) -> Text {
    match outcome {
        Ok(response) => response
            .as_ref()
            .map(|response| response.body.to_text())
            .unwrap_or_default(),
        Err(error) => error_text(error),
    }
}

/// A world on tables of its own: for all that does not depend on the store.
pub fn world(setting: Setting) -> World {
    World::of(setting)
}

/// What a caller is told of a call that was lost.
pub const LOST: &str = "[Network connection lost., retryable]";

/// A world in which faults are aimed at calls of `front 0`.
pub fn with_faults(aims: impl Into<Vec<(u32, CallFault)>>) -> World {
    let aims = aims.into().into_iter();
    let at_front = |(nth, fault)| {
        let aim = Aim {
            caller: Text::new_static("front 0"),
            label: Text::new_static("call"),
            nth,
        };
        (aim, fault)
    };
    world(Setting {
        aims: aims.map(at_front).collect(),
        ..Setting::default()
    })
}

impl<S: Store> World<S> {
    pub fn of(setting: Setting) -> Self {
        let mut aims = BTreeMap::new();
        for (aim, fault) in setting.aims {
            aims.entry(aim).or_insert_with(Vec::new).push(fault);
        }
        let program = Scripted { alarm: setting.alarm };
        let chance = Chance::new(7, &setting.fixed);
        let mut kernel = Kernel::new(program, &S::Pool::default(), chance, setting.knobs, aims);
        kernel.add_front();
        kernel.add_front();
        World {
            kernel,
            acts: Vec::new(),
            seen: Seen::default(),
        }
    }

    /// Has a client ask an object, or `front 0` or `front 1`, to run a script. The number of the plan item.
    pub fn ask(&mut self, at: u64, whom: &str, script: impl Into<Vec<Do>>) -> u32 {
        self.plan(at, Act::Ask(Text::new(whom), script.into()))
    }

    /// Has an object's machine fail.
    pub fn reset(&mut self, at: u64, whom: &str) -> u32 {
        self.reset_by(at, whom, ResetCause::Machine)
    }

    /// Has an object lose its memory by one cause or another.
    pub fn reset_by(&mut self, at: u64, whom: &str, cause: ResetCause) -> u32 {
        self.plan(at, Act::Reset(Text::new(whom), cause))
    }

    fn plan(&mut self, at: u64, act: Act) -> u32 {
        let item = self.acts.len() as u32;
        self.acts.push(act);
        self.kernel.schedule_item(item, Micros::from_millis(at));
        item
    }

    /// Lets everything happen that is due until then, that instant included.
    pub fn run(&mut self, until: u64) {
        while let Some(key) = self
            .kernel
            .earliest()
            .filter(|key| key.at <= Micros::from_millis(until))
        {
            if let Some(Stepped::Item(item)) = self.kernel.step(key, &mut self.seen) {
                match &self.acts[item as usize] {
                    Act::Ask(whom, script) => {
                        let request = request(script.clone());
                        let whom = find(&mut self.kernel, whom);
                        self.kernel.send(item, whom, request);
                    }
                    Act::Reset(whom, cause) => {
                        let whom = find(&mut self.kernel, whom);
                        self.kernel.reset(item, whom, *cause);
                    }
                }
            }
        }
    }

    /// What a client was told; `-` where it was told nothing yet.
    pub fn answer(&self, item: u32) -> &str {
        self.seen.answers.get(&item).map_or("-", |(_, answer)| answer)
    }

    /// When a client was told, in milliseconds since the beginning.
    pub fn answered_at(&self, item: u32) -> u64 {
        let (at, _) = self.seen.answers.get(&item).expect("the client was answered");
        *at
    }

    /// When something was seen at an object or a front Worker: a line that begins so.
    pub fn times(&self, who: &str, beginning: &str) -> Vec<u64> {
        let who = full_name(who);
        let lines = self.seen.lines.iter();
        let of_it = lines.filter(|(_, at, line)| *at == who && line.starts_with(beginning));
        of_it.map(|(at, _, _)| *at).collect()
    }

    /// The rows of an object, as they stand.
    pub fn rows(&mut self, name: &str) -> String {
        let object = find(&mut self.kernel, name);
        let contents = self
            .kernel
            .store(object)
            .expect("an object has a store")
            .contents();
        let rows = contents.get("t").into_iter().flatten();
        let texts: Vec<&str> = rows.filter_map(|row| row.last()?.as_text()).collect();
        texts.join(" ")
    }

    /// Whether anything has reached this object.
    pub fn exists(&self, name: &str) -> bool {
        self.kernel.named(&full_name(name)).is_some()
    }

    pub fn incarnation(&mut self, name: &str) -> u32 {
        let object = find(&mut self.kernel, name);
        self.kernel.incarnation(object)
    }
}

/// A test that fails shows what happened.
impl<S: Store> Drop for World<S> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            for (at, who, line) in &self.seen.lines {
                println!("{at:>8} {who:12} {line}");
            }
        }
    }
}

fn full_name(who: &str) -> Text {
    if who.starts_with("front ") {
        Text::new(who)
    } else {
        Text::from(format!("{NS}/{who}"))
    }
}

fn find<S: Store>(kernel: &mut Kernel<Scripted, S>, who: &str) -> PartyId {
    match kernel.named(&full_name(who)) {
        Some(known) => known,
        None => kernel
            .object(&NS, &protocol::host::ObjectName::new(who))
            .expect("the namespace is there"),
    }
}
