//! One activity: a script on its way.

use std::collections::{BTreeMap, VecDeque};

use protocol::host::{
    Answer, Body, CallError, CallId, CallOutcome, Label, Millis, ObjectName, Request, Statement,
    Stub as HostStub, TaskId, Text, Value,
};
use sim::kernel::{SectionEnd, SectionKind};

use super::OBJECTS;
use super::host::Host;
use crate::platform::script::{Do, Param, Refusal, Said, Sql, Stub, unscoped};

/// What is still to be done: the script, and what its nested scripts leave behind them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Op {
    Do(Do),
    /// Waits for something that is no call.
    Until(CallId),
    EndCatch,
    Leave(SectionKind),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Task {
    pub todo: VecDeque<Op>,
    pub said: Vec<Said>,
    /// How many runs of the alarm have failed before, where it is one.
    pub retry_count: Option<u32>,
    /// What is under way, and the label of each call among it.
    pub begun: BTreeMap<u32, Option<Text>>,
    pub answers: BTreeMap<Text, Said>,
    pub looked: Option<Millis>,
    pub rolls_back: bool,
    pub ended: bool,
}

/// How a task goes on.
pub(super) enum Then {
    On,
    Wait,
    Throw(CallError),
    Aborted,
}

impl Task {
    pub fn say(&mut self, text: impl Into<Text>) {
        self.said.push(Said::Text(text.into()));
    }

    pub fn prepend(&mut self, script: Vec<Do>) {
        for deed in script.into_iter().rev() {
            self.todo.push_front(Op::Do(deed));
        }
    }

    /// Has a nested script run, and this after it.
    pub fn nest(&mut self, script: Vec<Do>, after: Op) {
        self.todo.push_front(after);
        self.prepend(script);
    }

    pub fn wait_if(&mut self, must: impl FnOnce(&Task) -> bool, op: Op) -> Then {
        if !must(self) {
            return Then::On;
        }
        self.todo.push_front(op);
        Then::Wait
    }

    pub fn begin(&mut self, id: TaskId, label: Option<Text>) -> CallId {
        let free = (0..).find(|nth| !self.begun.contains_key(nth));
        let nth = free.expect("there are more numbers than calls");
        self.begun.insert(nth, label);
        CallId { task: id, nth }
    }

    pub fn answered(&mut self, call: CallId, outcome: CallOutcome) {
        let label = self
            .begun
            .remove(&call.nth)
            .expect("what was begun is answered once");
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

    pub fn call(&mut self, id: TaskId, label: Text, stub: &Stub, script: &[Do], host: &mut Host<'_>) {
        self.answers.remove(&label);
        let call = self.begin(id, Some(label));
        let request = Request::post(
            "/",
            Body::text(serde_json::to_string(script).expect("a script is JSON")),
        );
        let stub = HostStub {
            serial: stub.serial,
            ..HostStub::new(OBJECTS, ObjectName::new(&stub.object))
        };
        host.platform().call(call, Label("call"), &stub, request);
    }

    pub fn perform(&mut self, id: TaskId, deed: Do, host: &mut Host<'_>) -> Then {
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
    pub fn perform_in_object(&mut self, id: TaskId, deed: Do, host: &mut Host<'_>) -> Then {
        match deed {
            Do::Write(text) => host.insert("t", text),
            Do::Store => {
                for said in std::mem::take(&mut self.said) {
                    if let Said::Text(text) = said {
                        host.insert("t", text);
                    }
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

    pub fn enter(&mut self, id: TaskId, kind: SectionKind, script: Vec<Do>, host: &mut Host<'_>) {
        self.nest(script, Op::Leave(kind));
        let call = self.begin(id, None);
        host.object().enter(call, kind);
        self.todo.push_front(Op::Until(call));
    }

    pub fn leave(&mut self, id: TaskId, end: SectionEnd, host: &mut Host<'_>) {
        let call = self.begin(id, None);
        host.object().leave(call, end);
        self.todo.push_front(Op::Until(call));
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

pub(super) fn or_nothing(texts: &[Text]) -> Text {
    if texts.is_empty() {
        Text::new_static("nothing")
    } else {
        Text::from(texts.join(" "))
    }
}

pub(super) fn written(said: &[Said]) -> Body {
    Body::text(serde_json::to_string(said).expect("what is said is JSON"))
}
