//! Runs scripts on the protocols' own runner, and so with its gates. It knows the deeds that cases about gates need.

use std::collections::VecDeque;

use protocol::host::{
    CallError, Entry, Event, Label, Millis, Namespace, Object, Platform, Response, TaskId, Text,
};
use protocol::task::{Actor, Context, Frame, On, Resume, Role, Step, Waiting};
use sim::kernel::{Guest, Wide};

use super::host::{insert, texts};
use super::task::{or_nothing, written};
use super::{Memory, OBJECTS, Scripted};
use crate::platform::script::{Do, Said};

const GATE: Label = Label("gate");

/// Code like [`Scripted`], whose objects are [actors](Actor).
#[derive(Clone, Copy, Debug)]
pub struct OnTasks;

impl Guest for OnTasks {
    type Object = Actor<Gated>;
    type Front = Memory;

    fn object(&self, namespace: &Namespace) -> Option<Actor<Gated>> {
        (*namespace == OBJECTS).then(|| Actor::new(Gated::default()))
    }

    fn front(&self) -> Memory {
        Memory::default()
    }

    fn deliver(&self, object: &mut Actor<Gated>, event: Event, host: &mut dyn Wide) {
        object.deliver(&(), event, host);
    }

    fn deliver_front(&self, front: &mut Memory, event: Event, host: &mut dyn Platform) {
        Scripted.deliver_front(front, event, host);
    }

    fn waits<'a>(&self, object: &'a Actor<Gated>) -> Vec<(TaskId, Waiting<'a>)> {
        object.waits().collect()
    }

    fn front_waits<'a>(&self, _: &'a Memory) -> Vec<(TaskId, Waiting<'a>)> {
        Vec::new()
    }
}

/// The memory of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Gated {
    kept: Vec<Text>,
}

/// A script on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Script {
    todo: VecDeque<Do>,
    said: Vec<Said>,
}

impl Frame for Script {}

impl Role for Gated {
    type Frame = Script;
    type Value = Vec<Said>;
    type Failure = CallError;
    type Rules = ();
    type Host<'h> = dyn Object + 'h;

    fn begin(&mut self, (): &(), entry: Entry) -> Script {
        let Entry::Request(request) = entry else {
            panic!("cases about gates set no alarm");
        };
        Script {
            todo: serde_json::from_str(&request.body.to_text()).expect("every request is a script"),
            said: Vec::new(),
        }
    }

    fn step(
        &mut self,
        (): &(),
        script: &mut Script,
        _: Resume<Self>,
        cx: &mut Context<'_, '_, Self>,
    ) -> Result<Step<Self>, CallError> {
        while let Some(deed) = script.todo.pop_front() {
            match deed {
                Do::Keep(text) => self.kept.push(text),
                Do::Recall => script.said.push(Said::Text(or_nothing(&self.kept))),
                Do::Write(text) => insert(&mut |statement| cx.sql(statement), "t", text),
                Do::Read => {
                    let rows = texts(&mut |statement| cx.sql(statement), "t");
                    script.said.push(Said::Text(or_nothing(&rows)));
                }
                Do::Lock => return Ok(Step::Await(On::Gate(GATE))),
                Do::Unlock => cx.release(GATE),
                Do::Sleep(length) => {
                    let call = cx.sleep(Label("sleep"), Millis(length));
                    return Ok(Step::Await(On::Call(call)));
                }
                Do::Abort(why) => return Ok(cx.abort(&why)),
                other => panic!("cases about gates have no use for {other:?} yet"),
            }
        }
        Ok(Step::Return(std::mem::take(&mut script.said)))
    }

    fn response(said: Vec<Said>) -> Option<Response> {
        Some(Response::new(200, written(&said)))
    }
}
