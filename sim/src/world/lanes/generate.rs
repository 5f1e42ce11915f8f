//! Plans of a site with lanes, by seed.

use protocol::host::{Label, Millis, Text};
use protocol::lanes::app::catalogue::{Ask, Visitor, session_of};
use protocol::lanes::operator::Operate;
use protocol::lanes::{front, object};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use strum::VariantArray as _;

use super::{Forged, LanesWorld, Operated, Operation, Shape};
use crate::kernel::Micros;
use crate::plan::swarm::Dice;
use crate::plan::{Act, Fault, Item};
use crate::scenario::Scenario;
use crate::world::PlanOf;

/// What a scenario says about this world.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Generate {
    /// The most lanes that serve when the run begins, and that an operator asks for later.
    pub lanes_most: u32,
    /// The most isolates of the front Worker; at least one. Each is new at some instant, and gone at another.
    pub fronts_most: u32,
    /// The most nodes; at least one.
    pub nodes_most: u32,
    /// The most accounts; at least one.
    pub accounts_most: u32,
    /// The most requests of visitors; at least one.
    pub visits_most: u32,
    /// The most acts of operators.
    #[serde(default)]
    pub operations_most: u32,
    /// The most faults that befall an object, or stand between two parties, at an instant of the plan's.
    #[serde(default)]
    pub faults_most: u32,
    /// The most faults that are aimed at one call of the protocol's own.
    #[serde(default)]
    pub aimed_most: u32,
    /// How often each kind of request is asked for, relative to the others.
    pub visits: Visits,
    /// How often each act of an operator is, relative to the others.
    #[serde(default)]
    pub operations: Operations,
}

/// The weights of the kinds of requests. What is not named does not occur.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Visits {
    /// The front page.
    pub front: u32,
    /// A node, without a session.
    pub node: u32,
    /// A node, by somebody who is logged in: the session's time is written.
    pub node_with_session: u32,
    /// The same, and that the node was seen is written, which no lane may originate.
    pub node_with_history: u32,
    /// A node, on a page that waits in its middle.
    pub waiting: u32,
    /// A page at a generation that the visitor wants at least.
    pub fenced: u32,
    /// A login.
    pub login: u32,
    /// A login with a wrong password.
    pub failed_login: u32,
    /// A logout.
    pub logout: u32,
    /// A new node.
    pub create: u32,
    /// An edit: a read, and a write of what follows from it.
    pub edit: u32,
    /// A node is saved, with cache tags.
    pub save: u32,
    /// A node is saved, and a table is written that no inventory knows.
    pub save_with_index: u32,
    /// An upload.
    pub upload: u32,
    /// A module is installed: few configuration objects, or more statements than a record holds.
    pub module: u32,
    /// A module brings a table.
    pub table: u32,
    /// The site's chores.
    pub cron: u32,
    /// An item for a queue.
    pub enqueue: u32,
    /// A form that sends mail.
    pub mail: u32,
    /// A page that needs the private key.
    pub private_key: u32,
}

/// The weights of the acts of operators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Operations {
    /// Where an object stands.
    pub head: u32,
    /// A lane is queued for a copy: a new one, or one that serves.
    pub readmit: u32,
    /// A step of a copy, at once.
    pub provision: u32,
    /// A lane is withdrawn.
    pub withdraw: u32,
    /// A lane catches up.
    pub catch_up: u32,
    /// The plan of a copy: the primary seals.
    pub snapshot: u32,
    /// An object is given the schema.
    pub migrate: u32,
    /// Nobody's: a chunk of a copy arrives once more, late.
    pub late_chunk: u32,
    /// Nobody's: a lane receives what it must refuse.
    pub forged: u32,
}

/// How many configuration objects a small module brings at most, and how many a large one: past what a record holds.
const MODULE_SMALL: u32 = 12;
const MODULE_LARGE: u32 = 520;

/// The shortest and the longest wait of a page that waits.
const PAUSES: (u64, u64) = (50, 8_000);

/// How requests arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arrivals {
    /// Spread over the whole time.
    Steady,
    /// In a few bursts.
    Bursty,
    /// All at the beginning; then it is quiet.
    Quiet,
    /// Within a tenth of the time.
    Saturated,
}

impl Arrivals {
    const ALL: [Arrivals; 4] = [
        Arrivals::Steady,
        Arrivals::Bursty,
        Arrivals::Quiet,
        Arrivals::Saturated,
    ];

    fn at(self, dice: &mut Dice, lasts: Micros) -> Micros {
        match self {
            Arrivals::Steady => dice.instant("arrival", lasts),
            Arrivals::Bursty => {
                let burst = Micros(lasts.0 / 6 * u64::from(dice.below("burst", 6)));
                burst.after(dice.instant("arrival", Micros::from_millis(800)))
            }
            Arrivals::Quiet => dice.instant("arrival", Micros(lasts.0 / 5)),
            Arrivals::Saturated => dice.instant("arrival", Micros(lasts.0 / 10)),
        }
    }
}

pub(super) fn generate(scenario: &Scenario<Generate>, seed: u64) -> PlanOf<LanesWorld> {
    let mut dice = Dice::new(seed);
    let own = &scenario.generate;
    let shape = Shape {
        site: Text::new_static("shop"),
        nodes: dice.some("nodes", own.nodes_most),
        accounts: dice.some("accounts", own.accounts_most),
        lanes: dice.below("lanes", own.lanes_most + 1),
        fronts: dice.some("fronts", own.fronts_most),
        keyed: dice.below("keyed", 8) > 0,
    };
    let knobs = dice.knobs(&scenario.knobs);
    let arrivals = Arrivals::ALL[dice.below("arrivals", Arrivals::ALL.len() as u32) as usize];
    let mut acts = Vec::new();
    for nth in 0..dice.some("visits", own.visits_most) {
        let at = arrivals.at(&mut dice, scenario.lasts());
        let front = front_at(&mut dice, &shape, at, scenario.lasts());
        let visit = visit(&mut dice, own, &shape, nth, front);
        acts.extend(visit.map(|visit| (at, Act::Operation(visit))));
    }
    for _ in 0..dice.below("operations", own.operations_most + 1) {
        let at = dice.instant("operation", scenario.lasts());
        let operated = operate(&mut dice, own, &shape);
        acts.extend(operated.map(|operated| (at, Act::Operation(operated))));
    }
    let (objects, fronts) = parties(own, &shape);
    for _ in 0..dice.below("faults", own.faults_most + 1) {
        let at = dice.instant("fault", scenario.lasts());
        acts.push((at, Act::Fault(dice.fault(&objects, &fronts))));
    }
    for _ in 0..dice.below("aimed", own.aimed_most + 1) {
        acts.push((Micros::ZERO, Act::Fault(aimed(&mut dice, own, &shape, &fronts))));
    }
    let items = (0..).zip(acts).map(|(id, (at, act))| Item { id, at, act });
    PlanOf::<LanesWorld> {
        scenario: scenario.name.clone(),
        seed,
        lasts: scenario.lasts(),
        settles: scenario.settles(),
        knobs,
        shape,
        items: items.collect(),
        fixed: Vec::new(),
    }
}

/// An isolate that is there at an instant. Each is there for about a half of the time: the first ones in the first half,
/// the last ones in the last.
fn front_at(dice: &mut Dice, shape: &Shape, at: Micros, lasts: Micros) -> u32 {
    let fronts = u64::from(shape.fronts);
    let first = at.0.saturating_mul(fronts.div_ceil(2)) / lasts.0.max(1);
    let there = fronts.div_ceil(2).max(1);
    let front = first + u64::from(dice.below("front", there as u32));
    u32::try_from(front.min(fronts - 1)).unwrap_or(0)
}

fn parties(own: &Generate, shape: &Shape) -> (Vec<Text>, Vec<Text>) {
    let site = &shape.site;
    let lanes = (1..=own.lanes_most).map(|lane| Text::from(format!("site/{site}#r{lane}")));
    let primary = Text::from(format!("site/{site}"));
    // The primary is struck as often as all lanes together.
    let times = own.lanes_most.max(1) as usize;
    let objects = std::iter::repeat_n(primary, times).chain(lanes);
    let fronts = (0..shape.fronts).map(|front| Text::from(format!("front {front}")));
    (objects.collect(), fronts.collect())
}

/// Who calls at a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Caller {
    Primary,
    Lane,
    Front,
}

/// The calls that faults are aimed at, with about how many of them a run makes.
const AIMS: [(Caller, Label, u32); 10] = [
    (Caller::Primary, object::labels::MIGRATE_LANE, 4),
    (Caller::Primary, object::labels::POST_CHUNK, 80),
    (Caller::Lane, object::labels::READ_HEAD, 12),
    (Caller::Lane, object::labels::READ_LOG, 8),
    (Caller::Lane, object::labels::ASK_READMIT, 3),
    (Caller::Lane, object::labels::FORWARD, 12),
    (Caller::Lane, object::labels::FORWARD_AGAIN, 4),
    (Caller::Front, front::labels::ASK_LANE, 20),
    (Caller::Front, front::labels::ASK_PRIMARY, 20),
    (Caller::Front, front::labels::FAIL_OVER, 8),
];

fn aimed(dice: &mut Dice, own: &Generate, shape: &Shape, fronts: &[Text]) -> Fault {
    let (caller, label, most) = AIMS[dice.below("aim", AIMS.len() as u32) as usize];
    let site = &shape.site;
    let callers = match caller {
        Caller::Primary => vec![Text::from(format!("site/{site}"))],
        Caller::Lane => {
            let lanes = 1..=own.lanes_most.max(1);
            lanes
                .map(|lane| Text::from(format!("site/{site}#r{lane}")))
                .collect()
        }
        Caller::Front => fronts.to_vec(),
    };
    dice.aimed(&callers, label, most)
}

/// Which of some weights is drawn; none where all are 0.
fn weighted<T: Copy>(dice: &mut Dice, label: &'static str, weights: &[(u32, T)]) -> Option<T> {
    let sum = weights.iter().map(|(weight, _)| *weight).sum();
    if sum == 0 {
        return None;
    }
    let mut drawn = dice.below(label, sum);
    for (weight, what) in weights {
        if drawn < *weight {
            return Some(*what);
        }
        drawn -= weight;
    }
    None
}

type MakeAsk = fn(&mut Dice, &Shape) -> Ask;

fn nid(dice: &mut Dice, shape: &Shape) -> u32 {
    dice.some("nid", shape.nodes)
}

fn visit(dice: &mut Dice, own: &Generate, shape: &Shape, nth: u32, front: u32) -> Option<Operation> {
    let Visits {
        front: front_page,
        node,
        node_with_session,
        node_with_history,
        waiting,
        fenced,
        login,
        failed_login,
        logout,
        create,
        edit,
        save,
        save_with_index,
        upload,
        module,
        table,
        cron,
        enqueue,
        mail,
        private_key,
    } = own.visits;
    let kinds: [(u32, (Known, MakeAsk)); 20] = [
        (front_page, (Known::Perhaps, |_, _| Ask::Front { nodes: 5 })),
        (node, (Known::No, |dice, shape| page(dice, shape, false))),
        (
            node_with_session,
            (Known::Yes, |dice, shape| page(dice, shape, false)),
        ),
        (
            node_with_history,
            (Known::Yes, |dice, shape| page(dice, shape, true)),
        ),
        (waiting, (Known::Perhaps, wait)),
        (fenced, (Known::Perhaps, fence)),
        (
            login,
            (Known::No, |dice, shape| Ask::Login {
                uid: dice.some("uid", shape.accounts),
            }),
        ),
        (
            failed_login,
            (Known::No, |dice, shape| Ask::FailedLogin {
                uid: dice.some("uid", shape.accounts),
            }),
        ),
        (logout, (Known::Yes, |_, _| Ask::Logout)),
        (create, (Known::Yes, |_, _| Ask::Create)),
        (
            edit,
            (Known::Yes, |dice, shape| Ask::Edit {
                nid: nid(dice, shape),
            }),
        ),
        (save, (Known::Yes, |dice, shape| saved(dice, shape, false))),
        (
            save_with_index,
            (Known::Yes, |dice, shape| saved(dice, shape, true)),
        ),
        (upload, (Known::Yes, |_, _| Ask::Upload)),
        (module, (Known::Yes, install)),
        (table, (Known::Yes, |_, _| Ask::DefineTable)),
        (cron, (Known::No, |_, _| Ask::Cron)),
        (enqueue, (Known::Perhaps, |_, _| Ask::Enqueue)),
        (
            mail,
            (Known::Perhaps, |dice, shape| Ask::Mail {
                to: dice.some("uid", shape.accounts),
            }),
        ),
        (private_key, (Known::Perhaps, |_, _| Ask::PrivateKey)),
    ];
    let (known, make) = weighted(dice, "visit", &kinds)?;
    let ask = make(dice, shape);
    let visitor = visitor(dice, shape, known);
    Some(Operation::Visit {
        front,
        ask,
        visitor,
        token: Text::from(format!("t{nth}")),
    })
}

/// Whether a visitor has a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Yes,
    No,
    Perhaps,
}

fn visitor(dice: &mut Dice, shape: &Shape, known: Known) -> Visitor {
    let with_session = match known {
        Known::Yes => true,
        Known::No => false,
        Known::Perhaps => dice.below("known", 2) == 1,
    };
    // Account 0 has a session and no role; the one past the last has a cookie that nobody knows.
    let account = |dice: &mut Dice| match dice.below("account", 10) {
        0 => 0,
        1 => shape.accounts + 1,
        _ => dice.some("uid", shape.accounts),
    };
    let session = with_session.then(|| session_of(account(dice)));
    let address = (dice.below("addressed", 2) == 1).then(|| {
        let last = dice.below("address", 32);
        Text::from(format!("192.0.2.{last}"))
    });
    Visitor { address, session }
}

fn page(dice: &mut Dice, shape: &Shape, history: bool) -> Ask {
    Ask::Node {
        nid: nid(dice, shape),
        history,
    }
}

fn wait(dice: &mut Dice, shape: &Shape) -> Ask {
    let (least, most) = PAUSES;
    let pause = least + dice.instant("pause", Micros(most - least)).0;
    Ask::Waiting {
        nid: nid(dice, shape),
        pause: Millis(pause),
    }
}

fn fence(dice: &mut Dice, shape: &Shape) -> Ask {
    Ask::Fenced {
        nid: nid(dice, shape),
        generation: dice.below("fence", 600).into(),
    }
}

fn saved(dice: &mut Dice, shape: &Shape, indexes: bool) -> Ask {
    Ask::Save {
        nid: nid(dice, shape),
        tags: dice.below("tags", 4),
        indexes,
    }
}

fn install(dice: &mut Dice, _: &Shape) -> Ask {
    let objects = if dice.below("module", 3) == 0 {
        MODULE_LARGE
    } else {
        dice.some("objects", MODULE_SMALL)
    };
    Ask::InstallModule {
        objects,
        routes: dice.some("routes", 8),
    }
}

/// What comes to a lane that nobody has sent to it now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stray {
    LateChunk,
    Forged,
}

type MakeOperate = fn(u32) -> (Operated, Operate);

fn operate(dice: &mut Dice, own: &Generate, shape: &Shape) -> Option<Operation> {
    let Operations {
        head,
        readmit,
        provision,
        withdraw,
        catch_up,
        snapshot,
        migrate,
        late_chunk,
        forged,
    } = own.operations;
    let lane = dice.some("lane", own.lanes_most.max(1));
    let stray: [(u32, Option<Stray>); 3] = [
        (
            head + readmit + provision + withdraw + catch_up + snapshot + migrate,
            None,
        ),
        (late_chunk, Some(Stray::LateChunk)),
        (forged, Some(Stray::Forged)),
    ];
    match weighted(dice, "stray", &stray)? {
        Some(Stray::LateChunk) => {
            let nth = dice.below("nth-chunk", 100);
            return Some(Operation::LateChunk { lane, nth });
        }
        Some(Stray::Forged) => {
            let forged = Forged::VARIANTS[dice.below("forgery", Forged::VARIANTS.len() as u32) as usize];
            return Some(Operation::Forge { lane, forged });
        }
        None => {}
    }
    let kinds: [(u32, MakeOperate); 7] = [
        (head, |lane| (Operated::Lane(lane), Operate::Head)),
        (readmit, |lane| {
            (Operated::Primary, Operate::Readmit { lane: lane.into() })
        }),
        (provision, |lane| {
            let provision = Operate::Provision {
                lane: lane.into(),
                cursor: None,
                budget: None,
            };
            (Operated::Primary, provision)
        }),
        (withdraw, |lane| {
            let to = Text::new_static("WITHDRAWN");
            (Operated::Lane(lane), Operate::Stage { to })
        }),
        (catch_up, |lane| {
            (Operated::Lane(lane), Operate::CatchUp { limit: None })
        }),
        (snapshot, |_| {
            (Operated::Primary, Operate::Snapshot { page: None })
        }),
        (migrate, |lane| (Operated::Lane(lane), Operate::Migrate)),
    ];
    let make = weighted(dice, "operate", &kinds)?;
    let (on, operate) = make(lane);
    // What an owner asks of the primary comes through a front.
    let through = on == Operated::Primary && dice.below("through", 2) == 1;
    let on = if through {
        Operated::Front(dice.below("front", shape.fronts))
    } else {
        on
    };
    Some(Operation::Operate { on, operate })
}
