//! W as a protocol: its client, a front Worker, and the program that holds all three roles.

use std::collections::BTreeMap;
use std::sync::Arc;

use protocol::host::{
    Body, CallError, CallId, Entry, Event, Label, Millis, Namespace, Object, ObjectName, Platform, Request,
    Response, Stub, TaskId, Text,
};
use protocol::task::{Actor, Context, Frame, On, Program, Resume, Role, Step, Waiting};

use crate::roles::{LANE, Lane, PRIMARY, Primary, lane, primary};
use crate::wire::Tick;
use crate::workload::{Ask, TICK_MS, route};

const ASK: Label = Label("ask");
const ASK_PRIMARY: Label = Label("ask-primary");

/// The client's memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Client {
    /// What was asked and not yet answered, and when it was asked last.
    open: BTreeMap<u32, (Ask, Millis)>,
    /// Which stub the next call is made on: each request has its own, as in a Worker.
    serial: u32,
}

/// One tick: what it asked and what of that is not yet answered.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ticking {
    request: Request,
    under_way: Vec<(CallId, u32)>,
}
impl Frame for Ticking {}

type Cx<'a, 'h> = Context<'a, 'h, Client>;

impl Role for Client {
    type Frame = Ticking;
    type Value = Response;
    type Failure = CallError;
    type Rules = Lanes;
    type Host<'h> = dyn Platform + 'h;

    fn begin(&mut self, _: &Lanes, entry: Entry) -> Ticking {
        let Entry::Request(request) = entry else {
            unreachable!("a front Worker has no alarm");
        };
        Ticking {
            request,
            under_way: Vec::new(),
        }
    }

    fn step(
        &mut self,
        lanes: &Lanes,
        ticking: &mut Ticking,
        resume: Resume<Self>,
        cx: &mut Cx<'_, '_>,
    ) -> Result<Step<Self>, CallError> {
        match resume {
            Resume::Answer { call, outcome } => {
                let at = ticking.under_way.iter().position(|(asked, _)| *asked == call);
                let (_, number) = ticking
                    .under_way
                    .swap_remove(at.expect("what is answered was asked"));
                let answer = Resume::<Self>::Answer { call, outcome }.response();
                self.answered(lanes, number, answer, ticking, cx);
            }
            _ => self.tick(lanes, ticking, cx)?,
        }
        if ticking.under_way.is_empty() {
            return Ok(Step::Return(Response::new(200, Body::default())));
        }
        let calls = ticking.under_way.iter().map(|(call, _)| *call).collect();
        Ok(Step::Await(On::First(calls)))
    }

    fn response(value: Response) -> Option<Response> {
        Some(value)
    }
}

impl Client {
    /// Asks what is to be asked now, and again what is a tick old.
    fn tick(&mut self, lanes: &Lanes, ticking: &mut Ticking, cx: &mut Cx<'_, '_>) -> Result<(), CallError> {
        let now = cx.now();
        let tick = ticking.request.body.read::<Tick>();
        let tick = tick.map_err(|error| CallError::thrown(error.to_string()))?;
        let mut asks: Vec<(u32, Ask)> = Vec::with_capacity(16);
        for (number, (ask, asked)) in &mut self.open {
            if now.since(*asked) >= Millis(TICK_MS) {
                *asked = now;
                asks.push((*number, ask.clone()));
            }
        }
        for (number, ask) in (tick.first..).zip(&tick.asks) {
            self.open.insert(number, (ask.clone(), now));
            asks.push((number, ask.clone()));
        }
        for (number, ask) in asks {
            let to = match &ask {
                Ask::Read(path) => route(path, lanes.count()),
                Ask::Write(_) => 0,
            };
            let call = self.ask(ASK, lanes.stub(to, self.serial + 1), ask, cx);
            ticking.under_way.push((call, number));
        }
        Ok(())
    }

    fn ask(&mut self, label: Label, stub: Stub, ask: Ask, cx: &mut Cx<'_, '_>) -> CallId {
        let request = match ask {
            Ask::Read(path) => Request::get(path),
            Ask::Write(change) => Request::post(Text::new_static("/write"), Body::typed(change)),
        };
        self.serial += 1;
        cx.call(label, &stub, request)
    }

    fn answered(
        &mut self,
        lanes: &Lanes,
        number: u32,
        answer: Result<Response, CallError>,
        ticking: &mut Ticking,
        cx: &mut Cx<'_, '_>,
    ) {
        match answer {
            // A later tick asks again.
            Err(_) => {}
            Ok(Response { status: 421, .. }) => {
                if let Some((ask, asked)) = self.open.get_mut(&number) {
                    *asked = cx.now();
                    let ask = ask.clone();
                    let call = self.ask(ASK_PRIMARY, lanes.stub(0, self.serial + 1), ask, cx);
                    ticking.under_way.push((call, number));
                }
            }
            Ok(_) => {
                self.open.remove(&number);
            }
        }
    }
}

/// The lanes' names, which are made once.
#[derive(Clone, Debug)]
pub struct Lanes(Arc<[ObjectName]>);

impl Lanes {
    fn count(&self) -> u32 {
        self.0.len() as u32
    }

    /// How an object is reached: 0 is the primary, the others are lanes.
    pub fn stub(&self, number: u32, serial: u32) -> Stub {
        match number.checked_sub(1) {
            None => primary(serial),
            Some(at) => lane(&self.0[at as usize], serial),
        }
    }
}

/// W.
#[derive(Clone, Debug)]
pub struct W {
    pub lanes: Lanes,
}

impl W {
    /// With so many lanes.
    pub fn new(lanes: u32) -> Self {
        let names = (1..=lanes).map(|lane| ObjectName(Text::from(format!("main#{lane}"))));
        W {
            lanes: Lanes(names.collect()),
        }
    }
}

/// One incarnation of an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Instance {
    Primary(Actor<Primary>),
    Lane(Actor<Lane>),
}

impl Program for W {
    type Object = Instance;
    type Front = Actor<Client>;

    fn object(&self, namespace: &Namespace) -> Option<Instance> {
        if *namespace == PRIMARY {
            Some(Instance::Primary(Actor::new(Primary::default())))
        } else if *namespace == LANE {
            Some(Instance::Lane(Actor::new(Lane::default())))
        } else {
            None
        }
    }

    fn front(&self) -> Actor<Client> {
        Actor::new(Client::default())
    }

    fn deliver(&self, object: &mut Instance, event: Event, host: &mut dyn Object) -> Option<TaskId> {
        match object {
            Instance::Primary(primary) => primary.deliver(&(), event, host),
            Instance::Lane(lane) => lane.deliver(&(), event, host),
        }
    }

    fn deliver_front(
        &self,
        front: &mut Actor<Client>,
        event: Event,
        host: &mut dyn Platform,
    ) -> Option<TaskId> {
        front.deliver(&self.lanes, event, host)
    }

    fn waits<'a>(&self, object: &'a Instance) -> Vec<(TaskId, Waiting<'a>)> {
        match object {
            Instance::Primary(primary) => primary.waits().collect(),
            Instance::Lane(lane) => lane.waits().collect(),
        }
    }

    fn front_waits<'a>(&self, front: &'a Actor<Client>) -> Vec<(TaskId, Waiting<'a>)> {
        front.waits().collect()
    }
}
