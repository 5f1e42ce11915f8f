//! Runs scripts on the kernel, through nothing but its public interface: the counterpart of `object.mjs`.

use std::collections::{BTreeMap, VecDeque};

use protocol::host::{
    Answer, Body, CallError, CallId, CallOutcome, Cause, Entry, Event, Label, Millis, Namespace, ObjectName,
    Platform, Request, Response, Statement, Stub as HostStub, TaskId, Text, Value,
};
use protocol::task::Waiting;
use sim::kernel::{Guest, SectionEnd, SectionKind, Wide};

use super::script::{Do, Param, Refusal, Said, Sql, Stub, unscoped};

/// Where all scripted objects are.
pub const OBJECTS: Namespace = Namespace::new("object");

/// Code whose objects and front Workers do what the request tells them.
#[derive(Clone, Copy, Debug)]
pub struct Scripted;

/// The memory of an incarnation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Memory {
    kept: Vec<Text>,
    tasks: BTreeMap<TaskId, Task>,
    locks: BTreeMap<Text, Lock>,
    /// Tasks that were given a lock in this turn, and go on in it.
    woken: VecDeque<TaskId>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Lock {
    holder: TaskId,
    queue: VecDeque<TaskId>,
}

/// What is still to be done: the script, and what its nested scripts leave behind them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Op {
    Do(Do),
    /// Waits for something that is no call.
    Until(CallId),
    /// Waits for a lock.
    Locked(Text),
    EndCatch,
    Leave(SectionKind),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Task {
    todo: VecDeque<Op>,
    said: Vec<Said>,
    /// How many runs of the alarm have failed before, where it is one.
    retry_count: Option<u32>,
    /// What is under way, and the label of each call among it.
    begun: BTreeMap<u32, Option<Text>>,
    answers: BTreeMap<Text, Said>,
    looked: Option<Millis>,
    rolls_back: bool,
    ended: bool,
}

/// The host, whichever party runs.
enum Host<'a> {
    Object(&'a mut dyn Wide),
    Front(&'a mut dyn Platform),
}

impl Host<'_> {
    fn platform(&mut self) -> &mut dyn Platform {
        match self {
            Host::Object(object) => *object,
            Host::Front(front) => *front,
        }
    }

    fn object(&mut self) -> &mut dyn Wide {
        match self {
            Host::Object(object) => *object,
            Host::Front(_) => panic!("only an object can do this: have the script do it in one"),
        }
    }

    fn sql(&mut self, sql: &str, params: impl Into<Vec<Value>>) -> Result<Vec<Vec<Value>>, Refusal> {
        let statement = Statement {
            sql: Text::new(sql),
            params: params.into(),
        };
        let outcome = self.object().sql(&statement);
        outcome
            .map(|rows| rows.rows)
            .map_err(|error| Refusal::Kind(error.kind))
    }

    fn texts(&mut self, table: &str) -> Vec<Text> {
        let rows = self
            .sql(&format!("SELECT v FROM {table}"), [])
            .unwrap_or_default();
        rows.iter()
            .filter_map(|row| row[0].as_text())
            .map(Text::new)
            .collect()
    }

    fn insert(&mut self, table: &str, text: Text) {
        let create = format!("CREATE TABLE IF NOT EXISTS {table} (id INTEGER PRIMARY KEY, v TEXT)");
        let insert = format!("INSERT INTO {table} (v) VALUES (?)");
        // A refusal is the test's to provoke, and its rows tell.
        let _ = self.sql(&create, []);
        let _ = self.sql(&insert, [Value::Text(text)]);
    }
}

/// How a task goes on.
enum Then {
    On,
    Wait,
    Throw(CallError),
    Aborted,
}

impl Guest for Scripted {
    type Object = Memory;
    type Front = Memory;

    fn object(&self, namespace: &Namespace) -> Option<Memory> {
        (*namespace == OBJECTS).then(Memory::default)
    }

    fn front(&self) -> Memory {
        Memory::default()
    }

    fn deliver(&self, object: &mut Memory, event: Event, host: &mut dyn Wide) {
        object.take(event, &mut Host::Object(host));
    }

    fn deliver_front(&self, front: &mut Memory, event: Event, host: &mut dyn Platform) {
        front.take(event, &mut Host::Front(host));
    }

    fn waits<'a>(&self, _: &'a Memory) -> Vec<(TaskId, Waiting<'a>)> {
        Vec::new()
    }

    fn front_waits<'a>(&self, _: &'a Memory) -> Vec<(TaskId, Waiting<'a>)> {
        Vec::new()
    }
}

impl Memory {
    /// One turn: the task that the event begins, or goes on with, and those that it gives locks to.
    fn take(&mut self, event: Event, host: &mut Host<'_>) {
        let id = match event {
            Event::Begin(entry) => self.begin(entry, host),
            Event::Answer { call, outcome } => {
                self.task(call.task).answered(call, outcome);
                call.task
            }
            Event::Cancel { task } => {
                self.task(task).todo.clear();
                self.task(task).ended = true;
                self.bury(task);
                return;
            }
        };
        let mut next = Some(id);
        while let Some(id) = next {
            if !self.task(id).ended {
                host.platform().running(id);
                if self.go_on(id, host).is_none() {
                    return;
                }
            }
            self.bury(id);
            next = self.woken.pop_front();
        }
    }

    fn begin(&mut self, entry: Entry, host: &mut Host<'_>) -> TaskId {
        let free = (0..).map(TaskId).find(|id| !self.tasks.contains_key(id));
        let id = free.expect("there are more numbers than tasks");
        host.platform().started(id, Cause::Event);
        host.platform().running(id);
        let mut task = Task::default();
        let script = match entry {
            Entry::Request(request) => {
                serde_json::from_str(&request.body.to_text()).expect("every request is a script")
            }
            Entry::Alarm(run) => {
                task.retry_count = Some(run.retry_count);
                script_of_alarm(run.retry_count as usize, host)
            }
        };
        task.prepend(script);
        self.tasks.insert(id, task);
        id
    }

    fn task(&mut self, id: TaskId) -> &mut Task {
        self.tasks.get_mut(&id).expect("the task that runs is there")
    }

    /// A task that has ended is gone when all its answers have come.
    fn bury(&mut self, id: TaskId) {
        let task = self.task(id);
        if task.ended && task.begun.is_empty() {
            self.tasks.remove(&id);
        }
    }

    /// Runs a task until it waits or ends. None where the whole incarnation has ended.
    fn go_on(&mut self, id: TaskId, host: &mut Host<'_>) -> Option<()> {
        loop {
            let Some(op) = self.task(id).todo.pop_front() else {
                let task = self.task(id);
                task.ended = true;
                let is_alarm = task.retry_count.is_some();
                let answer = (!is_alarm).then(|| Response::new(200, written(&task.said)));
                host.platform().finished(id, Ok(answer));
                return Some(());
            };
            match self.perform(id, op, host) {
                Then::On => {}
                Then::Wait => return Some(()),
                Then::Aborted => return None,
                Then::Throw(error) => match self.unwind(id, &error, host) {
                    Then::On => {}
                    Then::Aborted => return None,
                    Then::Wait | Then::Throw(_) => {
                        self.task(id).ended = true;
                        host.platform().finished(id, Err(error));
                        return Some(());
                    }
                },
            }
        }
    }

    /// An error passes through what is around it, up to what catches it.
    fn unwind(&mut self, id: TaskId, error: &CallError, host: &mut Host<'_>) -> Then {
        while let Some(op) = self.task(id).todo.pop_front() {
            match op {
                Op::EndCatch => {
                    self.task(id).said.push(Said::Failed(error.clone()));
                    return Then::On;
                }
                Op::Leave(kind) => {
                    host.object().leave(id, SectionEnd::Threw(error.clone()));
                    if kind == SectionKind::Block {
                        return Then::Aborted;
                    }
                }
                Op::Do(_) | Op::Until(_) | Op::Locked(_) => {}
            }
        }
        Then::Throw(error.clone())
    }

    fn perform(&mut self, id: TaskId, op: Op, host: &mut Host<'_>) -> Then {
        match op {
            Op::Do(deed) => self.perform_deed(id, deed, host),
            Op::Until(call) => self
                .task(id)
                .wait_if(|task| task.begun.contains_key(&call.nth), Op::Until(call)),
            Op::Locked(name) => {
                let held = self.locks.get(&name).is_some_and(|lock| lock.holder == id);
                self.task(id).wait_if(|_| !held, Op::Locked(name))
            }
            Op::EndCatch => Then::On,
            Op::Leave(kind) => {
                let rolls_back = std::mem::take(&mut self.task(id).rolls_back);
                let rolls_back = rolls_back && kind == SectionKind::Transaction;
                let end = if rolls_back {
                    SectionEnd::RollBack
                } else {
                    SectionEnd::Done
                };
                host.object().leave(id, end);
                Then::On
            }
        }
    }

    fn perform_deed(&mut self, id: TaskId, deed: Do, host: &mut Host<'_>) -> Then {
        match deed {
            Do::Keep(text) => self.kept.push(text),
            Do::Recall => {
                let kept = or_nothing(&self.kept);
                self.task(id).say(kept);
            }
            Do::Lock(name) => match self.locks.get_mut(&name) {
                Some(lock) => {
                    lock.queue.push_back(id);
                    self.task(id).todo.push_front(Op::Locked(name));
                }
                None => {
                    let queue = VecDeque::new();
                    self.locks.insert(name, Lock { holder: id, queue });
                }
            },
            Do::Unlock(name) => {
                let lock = self.locks.get_mut(&name).expect("a lock is held that is given");
                match lock.queue.pop_front() {
                    Some(next) => {
                        lock.holder = next;
                        self.woken.push_back(next);
                    }
                    None => drop(self.locks.remove(&name)),
                }
            }
            deed => return self.task(id).perform(id, deed, host),
        }
        Then::On
    }
}

impl Task {
    fn say(&mut self, text: impl Into<Text>) {
        self.said.push(Said::Text(text.into()));
    }

    fn prepend(&mut self, script: Vec<Do>) {
        for deed in script.into_iter().rev() {
            self.todo.push_front(Op::Do(deed));
        }
    }

    /// Has a nested script run, and this after it.
    fn nest(&mut self, script: Vec<Do>, after: Op) {
        self.todo.push_front(after);
        self.prepend(script);
    }

    fn wait_if(&mut self, must: impl FnOnce(&Task) -> bool, op: Op) -> Then {
        if !must(self) {
            return Then::On;
        }
        self.todo.push_front(op);
        Then::Wait
    }

    fn begin(&mut self, id: TaskId, label: Option<Text>) -> CallId {
        let free = (0..).find(|nth| !self.begun.contains_key(nth));
        let nth = free.expect("there are more numbers than calls");
        self.begun.insert(nth, label);
        CallId { task: id, nth }
    }

    fn answered(&mut self, call: CallId, outcome: CallOutcome) {
        let label = self.begun.remove(&call.nth).expect("what was begun is answered once");
        let Some(label) = label else { return };
        let said = match outcome {
            Ok(Answer::Response(response)) => {
                Said::Answered(serde_json::from_str(&response.body.to_text()).expect("it says what it says"))
            }
            Ok(other) => unreachable!("a call is not answered by {other:?}"),
            Err(error) => Said::Failed(error),
        };
        self.answers.insert(label, said);
    }

    fn call(&mut self, id: TaskId, label: Text, stub: &Stub, script: &[Do], host: &mut Host<'_>) {
        self.answers.remove(&label);
        let call = self.begin(id, Some(label));
        let request = Request::post("/", Body::text(serde_json::to_string(script).expect("a script is JSON")));
        let stub = HostStub {
            serial: stub.serial,
            ..HostStub::new(OBJECTS, ObjectName::new(&stub.object))
        };
        host.platform().call(call, Label("call"), &stub, request);
    }

    fn perform(&mut self, id: TaskId, deed: Do, host: &mut Host<'_>) -> Then {
        match deed {
            Do::Say(text) => self.say(text),
            Do::Name => {
                let name = host.object().name().map(|name| Text::new(unscoped(&name.0)));
                self.say(name.unwrap_or(Text::new_static("nothing")));
            }
            Do::Clock => {
                let now = host.platform().now();
                if let Some(before) = self.looked.replace(now) {
                    self.say(Text::new_static(if now == before { "still" } else { "moved" }));
                }
            }
            Do::Work(length) => host.platform().work(Millis(length)),
            Do::RetryCount => {
                let count = self.retry_count.expect("only a run of an alarm is retried");
                self.say(count.to_string());
            }
            Do::Sleep(length) => {
                let call = self.begin(id, None);
                host.platform().sleep(call, Label("sleep"), Millis(length));
                self.todo.push_front(Op::Until(call));
            }
            Do::Digest => {
                let call = self.begin(id, None);
                host.object().digest(call, Label("digest"), &[0; 8]);
                self.todo.push_front(Op::Until(call));
            }
            Do::Call(label, stub, script) => self.call(id, label, &stub, &script, host),
            Do::Answer(label) => match self.answers.get(&label) {
                Some(said) => self.said.push(said.clone()),
                None => return self.wait_if(|_| true, Op::Do(Do::Answer(label))),
            },
            Do::Join(labels) => {
                let open = labels.iter().any(|label| !self.answers.contains_key(label));
                return self.wait_if(|_| open, Op::Do(Do::Join(labels)));
            }
            Do::Ask(stub, script) => {
                self.call(id, Text::new_static("ask"), &stub, &script, host);
                self.todo.push_front(Op::Do(Do::Answer(Text::new_static("ask"))));
            }
            // The seam has no way to go away: code does not wait, and that is all.
            Do::GoAway(stub, script) => self.call(id, Text::new_static("left"), &stub, &script, host),
            Do::Throw(error) => return Then::Throw(error),
            Do::Catch(script) => self.nest(script, Op::EndCatch),
            Do::RollBack => self.rolls_back = true,
            deed => return self.perform_in_object(id, deed, host),
        }
        Then::On
    }
}

impl Task {
    fn perform_in_object(&mut self, id: TaskId, deed: Do, host: &mut Host<'_>) -> Then {
        match deed {
            Do::Write(text) => host.insert("t", text),
            Do::Store => {
                for said in std::mem::take(&mut self.said) {
                    host.insert("t", Text::from(said.line()));
                }
            }
            Do::Read => self.say(or_nothing(&host.texts("t"))),
            Do::Sql(sql) => {
                let outcome = host.object().sql(&statement(sql));
                self.said.extend(match outcome {
                    Ok(rows) => (!rows.columns.is_empty()).then_some(Said::Rows(rows.rows)),
                    Err(error) => Some(Said::Refused(None, Refusal::Kind(error.kind))),
                });
            }
            Do::Transact(batch, end) => {
                let failed = host.object().transaction(&batch, end).err();
                let refused = |failed: protocol::host::Failed| {
                    Said::Refused(Some(failed.at), Refusal::Kind(failed.error.kind))
                };
                self.said.extend(failed.map(refused));
            }
            Do::SetAlarm(length) => {
                let at = host.object().now().after(Millis(length));
                host.object().set_alarm(Some(at));
            }
            Do::DeleteAlarm => host.object().set_alarm(None),
            Do::GetAlarm => {
                let is_set = host.object().alarm().is_some();
                self.say(Text::new_static(if is_set { "set" } else { "none" }));
            }
            Do::OnAlarm(scripts) => {
                let text = serde_json::to_string(&scripts).expect("scripts are JSON");
                host.insert("scripts", Text::from(text));
            }
            Do::Abort(why) => {
                host.object().abort(&why);
                return Then::Aborted;
            }
            Do::Block(script) => self.enter(id, SectionKind::Block, script, host),
            Do::Transaction(script) => self.enter(id, SectionKind::Transaction, script, host),
            of_runtime => panic!("the simulated platform cannot {of_runtime:?}: its arm is to say why"),
        }
        Then::On
    }

    fn enter(&mut self, id: TaskId, kind: SectionKind, script: Vec<Do>, host: &mut Host<'_>) {
        host.object().enter(id, kind);
        self.nest(script, Op::Leave(kind));
    }
}

fn statement(sql: Sql) -> Statement {
    let blanks = sql.length.saturating_sub(sql.sql.len());
    let text = [sql.sql.as_str(), &" ".repeat(blanks)].concat();
    let params = sql.params.into_iter().map(|param| match param {
        Param::Is(value) => value,
        Param::Long(length) => Value::text("x".repeat(length)),
    });
    Statement {
        sql: Text::from(text),
        params: params.collect(),
    }
}

/// What the alarm's run does: see [`Do::OnAlarm`].
fn script_of_alarm(retry_count: usize, host: &mut Host<'_>) -> Vec<Do> {
    let stored = host.texts("scripts").pop();
    let scripts: Vec<Vec<Do>> = stored.map_or_else(Vec::new, |text| {
        serde_json::from_str(&text).expect("what was stored is scripts")
    });
    let runs = host.texts("runs").len();
    host.insert("runs", Text::default());
    let nth = runs.max(retry_count).min(scripts.len().saturating_sub(1));
    scripts.get(nth).cloned().unwrap_or_default()
}

fn written(said: &[Said]) -> Body {
    Body::text(serde_json::to_string(said).expect("what is said is JSON"))
}

fn or_nothing(texts: &[Text]) -> Text {
    if texts.is_empty() {
        Text::new_static("nothing")
    } else {
        Text::from(texts.join(" "))
    }
}
