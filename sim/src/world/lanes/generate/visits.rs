//! What visitors ask for.

use protocol::host::{Millis, Text};
use protocol::lanes::app::catalogue::{Ask, Visitor, session_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::weighted;
use crate::kernel::Micros;
use crate::plan::swarm::Dice;
use crate::world::lanes::{Operation, Shape};

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
    /// The key of cron is made anew, which no lane may originate.
    pub renew_key: u32,
    /// A subscription: several writes of one table, with a wait between them or a number behind them.
    pub subscribe: u32,
    /// The same with a mail behind them: a lane hands it over when it has written.
    pub subscribe_by_mail: u32,
}

/// How many configuration objects a small module brings at most, and how many a large one: past what a record holds.
const MODULE_SMALL: u32 = 12;
const MODULE_LARGE: u32 = 520;

/// Fences are asked for below this generation: about as far as a site comes in a run.
const FENCES: u32 = 140;

/// The shortest and the longest wait of a page that waits.
const PAUSES: (u64, u64) = (50, 8_000);

/// The same of a page that waits between its writes.
const SHORT_PAUSES: (u64, u64) = (50, 2_000);

type MakeAsk = fn(&mut Dice, &Shape) -> Ask;

fn nid(dice: &mut Dice, shape: &Shape) -> u32 {
    dice.some("nid", shape.nodes)
}

/// A visitor comes to a front.
pub(super) fn visit(
    dice: &mut Dice,
    visits: Visits,
    shape: &Shape,
    nth: u32,
    front: u32,
) -> Option<Operation> {
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
        renew_key,
        subscribe,
        subscribe_by_mail,
    } = visits;
    let kinds: [(u32, (Known, MakeAsk)); 23] = [
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
            (Known::Perhaps, |dice, shape| Ask::FailedLogin {
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
        (renew_key, (Known::Yes, |_, _| Ask::RenewKey)),
        (subscribe, (Known::Perhaps, |dice, _| subscription(dice, false))),
        (
            subscribe_by_mail,
            (Known::Perhaps, |dice, _| subscription(dice, true)),
        ),
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

/// The sessions that are opened in a plan, each with when that is asked for.
#[derive(Debug, Default)]
pub(super) struct Opened(Vec<(Micros, Text)>);

impl Opened {
    /// A visit, or the same by somebody who has logged in before: so many of eight that have a session.
    pub(super) fn returns(
        &mut self,
        dice: &mut Dice,
        eighths: u32,
        at: Micros,
        mut visit: Operation,
    ) -> Operation {
        let Operation::Visit {
            ask, visitor, token, ..
        } = &mut visit
        else {
            return visit;
        };
        match (&*ask, &visitor.session) {
            // Who logs in without a session is given one that is called as the attempt is.
            (Ask::Login { .. }, None) => self.0.push((at, token.clone())),
            (_, Some(_)) if eighths > 0 && dice.below("returns", 8) < eighths => {
                let before: Vec<&Text> = self
                    .0
                    .iter()
                    .filter(|(of, _)| *of < at)
                    .map(|(_, by)| by)
                    .collect();
                if !before.is_empty() {
                    let one = dice.below("opened", before.len() as u32) as usize;
                    visitor.session = Some(before[one].clone());
                }
            }
            _ => {}
        }
        visit
    }
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

fn subscription(dice: &mut Dice, mails: bool) -> Ask {
    let (least, most) = SHORT_PAUSES;
    let pause = match dice.below("pauses", 2) {
        0 => 0,
        _ => least + dice.instant("short-pause", Micros(most - least)).0,
    };
    Ask::Subscribe {
        pause: Millis(pause),
        mails,
        numbered: !mails && dice.below("numbered", 4) == 0,
    }
}

fn fence(dice: &mut Dice, shape: &Shape) -> Ask {
    Ask::Fenced {
        nid: nid(dice, shape),
        generation: dice.below("fence", FENCES).into(),
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
