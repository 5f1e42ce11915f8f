//! A world of scripted objects, and what was seen in it.

use std::collections::BTreeMap;

use protocol::host::{AlarmRun, Millis, Outcome, Text};

use super::script::{Do, NS, Scripted, error_text, request};
use crate::kernel::audit::Sabotage;
use crate::kernel::storage::Store;
use crate::kernel::storage::model::ModelStore;
use crate::kernel::{
    Aim, CallFault, Chance, ChoiceKey, Deployment, Episode, EventKey, FaultKind, FixedChoice, Kernel, Knobs,
    Micros, Observed, Observer, Origin, PartyId, Purpose, Ratio, ResetCause, Span, Stepped, Trouble, Wait,
    What,
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
        deploy_reach: exactly(0),
        ..Knobs::calm()
    }
}

/// How many versions of the code there are; all begin with the first.
const VERSIONS: usize = 3;

/// What a test wants of its world.
pub struct Setting {
    pub alarm: fn(AlarmRun) -> Vec<Do>,
    pub knobs: Knobs,
    pub aims: Vec<(Aim, CallFault)>,
    pub fixed: Vec<FixedChoice>,
    pub seed: u64,
}

impl Default for Setting {
    fn default() -> Self {
        Setting {
            alarm: |_| Vec::new(),
            knobs: knobs(),
            aims: Vec::new(),
            fixed: Vec::new(),
            seed: 7,
        }
    }
}

/// Fixes the first choice of a purpose that descends from a plan item, at an object.
pub fn fixed(purpose: Purpose, item: u32, at: &str, alternative: u64) -> FixedChoice {
    fixed_at(purpose, item, &full_name(at), "", alternative)
}

/// Fixes the first choice of a purpose at a label that descends from a plan item, at a party, or nowhere.
pub fn fixed_at(purpose: Purpose, item: u32, at: &str, label: &str, alternative: u64) -> FixedChoice {
    let key = ChoiceKey {
        purpose,
        origin: Origin::Item(item),
        at: Text::new(at),
        label: Text::new(label),
        nth: 0,
    };
    FixedChoice { key, alternative }
}

/// What a plan item does.
type Act<S> = Box<dyn FnOnce(&mut Kernel<Scripted, S>, u32, &mut Seen)>;

/// An episode that always begins, and lasts for so many milliseconds each time that it does not end at a rate.
pub fn lasting(least: u64, ends: Ratio) -> Episode {
    Episode {
        begins: Ratio::ALWAYS,
        ends,
        least: Micros::from_millis(least),
    }
}

pub struct World<S: Store = ModelStore> {
    kernel: Kernel<Scripted, S>,
    acts: Vec<Option<Act<S>>>,
    seen: Seen,
}

/// What was seen: lines for people, and the answers of clients.
#[derive(Clone, Default)]
pub struct Seen {
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

/// A call of `front 0` that is late by so many milliseconds.
pub fn late(nth: u32, by: u64) -> (Aim, CallFault) {
    let aim = Aim {
        caller: Text::new_static("front 0"),
        label: Text::new_static("call"),
        nth,
    };
    (aim, CallFault::DelayRequest(Millis(by)))
}

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
        let alarm = setting.alarm;
        let versions = (0..VERSIONS).map(|version| Scripted { alarm, version }).collect();
        let chance = Chance::new(setting.seed, &setting.fixed);
        let mut kernel = Kernel::new(
            Deployment::mixed(versions, |_| 0),
            &S::Pool::default(),
            chance,
            setting.knobs,
            aims,
        );
        kernel.add_front();
        kernel.add_front();
        World {
            kernel,
            acts: Vec::new(),
            seen: Seen::default(),
        }
    }

    /// Breaks the kernel.
    pub fn sabotage(&mut self, how: Sabotage) {
        self.kernel.sabotage = Some(how);
    }

    /// Has a client ask an object, or `front 0` or `front 1`, to run a script. The number of the plan item.
    pub fn ask(&mut self, at: u64, whom: &str, script: impl Into<Vec<Do>>) -> u32 {
        let request = request(script.into());
        self.at(at, whom, |kernel, item, whom, _| kernel.send(item, whom, request))
    }

    /// Has an object's machine fail.
    pub fn reset(&mut self, at: u64, whom: &str) -> u32 {
        self.reset_by(at, whom, ResetCause::Machine)
    }

    /// Has an object lose its memory by one cause or another.
    pub fn reset_by(&mut self, at: u64, whom: &str, cause: ResetCause) -> u32 {
        self.at(at, whom, move |kernel, item, whom, _| {
            kernel.reset(item, whom, cause)
        })
    }

    /// Has an object started elsewhere, while its incarnation runs on for `overlap` milliseconds at most.
    pub fn displace(&mut self, at: u64, whom: &str, overlap: u64) -> u32 {
        let overlap = Micros::from_millis(overlap);
        self.at(at, whom, move |kernel, item, whom, _| {
            kernel.displace(item, whom, overlap)
        })
    }

    /// Deploys a version to so many of a hundred.
    pub fn deploy(&mut self, at: u64, version: usize, percent: u32) -> u32 {
        self.at(at, "front 0", move |kernel, item, _, _| {
            kernel
                .deploy(item, version, percent)
                .expect("the version is there");
        })
    }

    /// Takes an object back to what was durable of it at an instant.
    pub fn rewind(&mut self, at: u64, whom: &str, to: u64) -> u32 {
        let item = self.at(at, whom, |kernel, item, whom, _| {
            let _ = kernel.rewind(item, whom);
        });
        self.kernel
            .schedule_bookmark(item, &full_name(whom), Micros::from_millis(to));
        item
    }

    /// Has something else happen to a party: what it is told is the plan item, the party, and who listens.
    pub fn at(
        &mut self,
        at: u64,
        whom: &str,
        act: impl FnOnce(&mut Kernel<Scripted, S>, u32, PartyId, &mut Seen) + 'static,
    ) -> u32 {
        let item = self.acts.len() as u32;
        let whom = whom.to_owned();
        self.acts.push(Some(Box::new(move |kernel, item, seen| {
            let party = find(kernel, &whom);
            act(kernel, item, party, seen);
        })));
        self.kernel.schedule_item(item, Micros::from_millis(at));
        item
    }

    /// Begins a fault between two parties, or at one, that lasts for so many milliseconds.
    pub fn trouble(
        &mut self,
        at: u64,
        (from, to): (&str, &str),
        lasts: u64,
        trouble: impl FnOnce(PartyId, PartyId) -> Trouble + 'static,
    ) -> u32 {
        let to = to.to_owned();
        self.at(at, from, move |kernel, item, from, _| {
            let to = find(kernel, &to);
            kernel.trouble(item, trouble(from, to), Micros::from_millis(lasts));
        })
    }

    /// Lets everything happen that is due until then, that instant included.
    pub fn run(&mut self, until: u64) {
        while let Some(key) = self
            .kernel
            .earliest()
            .filter(|key| key.at <= Micros::from_millis(until))
        {
            self.step(key);
        }
    }

    /// Takes one event. The number of the plan item, if it is one.
    pub fn step(&mut self, key: EventKey) -> Option<u32> {
        let Some(Stepped::Item(item)) = self.kernel.step(key, &mut self.seen) else {
            return None;
        };
        let act = self.acts[item as usize].take();
        act.expect("an item is due once")(&mut self.kernel, item, &mut self.seen);
        Some(item)
    }

    /// A world of its own in the same state, when all that the plan says has happened.
    pub fn fork(&mut self) -> Self {
        assert!(
            self.acts.iter().all(Option::is_none),
            "what is planned cannot be copied"
        );
        World {
            kernel: self.kernel.fork(),
            acts: self.acts.iter().map(|_| None).collect(),
            seen: self.seen.clone(),
        }
    }

    /// The events that could be taken next.
    pub fn enabled(&self) -> Vec<EventKey> {
        self.kernel.enabled()
    }

    /// Takes the next event. Whether there was one.
    pub fn take_step(&mut self) -> bool {
        let next = self.kernel.earliest();
        next.is_some_and(|key| {
            self.step(key);
            true
        })
    }

    /// See [`Kernel::deadlock`].
    pub fn deadlock(&self) -> Option<Vec<Wait>> {
        self.kernel.deadlock()
    }

    /// See [`Kernel::waits_in_vain`].
    pub fn waits_in_vain(&self) -> Option<Wait> {
        self.kernel.waits_in_vain()
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
        self.lines(who, beginning).map(|(at, _)| at).collect()
    }

    /// What was seen at an object or a front Worker, and when: the lines that begin so.
    pub fn lines<'a>(&'a self, who: &str, beginning: &'a str) -> impl Iterator<Item = (u64, &'a str)> {
        let who = full_name(who);
        let lines = self.seen.lines.iter();
        let of_it = lines.filter(move |(_, at, line)| *at == who && line.starts_with(beginning));
        of_it.map(|(at, _, line)| (*at, line.as_str()))
    }

    /// The true time, in milliseconds since the beginning.
    pub fn now(&self) -> u64 {
        self.kernel.now().0 / 1_000
    }

    /// When a fault took effect on an object or a front Worker.
    pub fn marks(&self, who: &str, kind: FaultKind) -> Vec<u64> {
        let (who, line) = (full_name(who), What::Fault { kind }.to_string());
        let lines = self.seen.lines.iter();
        let of_it = lines.filter(|(_, at, seen)| *at == who && *seen == line);
        of_it.map(|(at, _, _)| *at).collect()
    }

    /// Which faults took effect, in the order in which they did so first.
    pub fn faults(&self) -> Vec<&str> {
        let lines = self.seen.lines.iter();
        let faults = lines.filter_map(|(_, _, line)| line.strip_prefix("fault "));
        let mut seen = Vec::new();
        for fault in faults {
            if !seen.contains(&fault) {
                seen.push(fault);
            }
        }
        seen
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
