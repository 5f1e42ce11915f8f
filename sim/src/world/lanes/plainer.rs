//! What is plainer than a shape or an operation, by one step.

use protocol::host::{Millis, Text};
use protocol::lanes::app::catalogue::{Ask, Visitor, session_of};

use super::{Operated, Operation, Shape};
use crate::plan::plainer;

pub(super) fn shapes(shape: &Shape) -> Vec<Shape> {
    let of = |set: fn(&mut Shape, u32), found: u32, least: u32| {
        plainer::numbers(found, least).map(move |number| {
            let mut plainer = shape.clone();
            set(&mut plainer, number);
            plainer
        })
    };
    let lanes = of(|shape, lanes| shape.lanes = lanes, shape.lanes, 0);
    let fronts = of(|shape, fronts| shape.fronts = fronts, shape.fronts, 1);
    let nodes = of(|shape, nodes| shape.nodes = nodes, shape.nodes, 1);
    let accounts = of(|shape, accounts| shape.accounts = accounts, shape.accounts, 1);
    let without_overrides = shape.overrides.then(|| Shape {
        overrides: false,
        ..shape.clone()
    });
    let numbers = lanes.chain(fronts).chain(nodes).chain(accounts);
    without_overrides.into_iter().chain(numbers).collect()
}

/// Tokens stay what they are: two visits with one token are one attempt that a client repeats.
pub(super) fn operations(operation: &Operation) -> Vec<Operation> {
    match operation {
        Operation::Visit {
            front,
            ask,
            visitor,
            token,
        } => {
            let visit = |front: u32, ask: &Ask, visitor: &Visitor| Operation::Visit {
                front,
                ask: ask.clone(),
                visitor: visitor.clone(),
                token: token.clone(),
            };
            let visitors = visitors(visitor)
                .into_iter()
                .map(|other| visit(*front, ask, &other));
            let asks = asks(ask).into_iter().map(|other| visit(*front, &other, visitor));
            let fronts = plainer::numbers(*front, 0).map(|other| visit(other, ask, visitor));
            visitors.chain(asks).chain(fronts).collect()
        }
        Operation::Recreate { lane } => plainer::numbers(*lane, 1)
            .map(|lane| Operation::Recreate { lane })
            .collect(),
        Operation::Set { variable, value } => {
            let number = value.as_deref().and_then(|value| value.parse().ok());
            let smaller = number.into_iter().flat_map(|number| plainer::numbers(number, 0));
            smaller
                .map(|number| Operation::Set {
                    variable: *variable,
                    value: Some(Text::from(number.to_string())),
                })
                .collect()
        }
        Operation::LateChunk {
            lane,
            nth,
            from_the_last,
        } => {
            let (lane, nth, from_the_last) = (*lane, *nth, *from_the_last);
            let late = |lane, nth| Operation::LateChunk {
                lane,
                nth,
                from_the_last,
            };
            let chunks = plainer::numbers(nth, 0).map(|nth| late(lane, nth));
            let lanes = plainer::numbers(lane, 1).map(|lane| late(lane, nth));
            let from_the_first = from_the_last.then_some(Operation::LateChunk {
                lane,
                nth,
                from_the_last: false,
            });
            from_the_first.into_iter().chain(chunks).chain(lanes).collect()
        }
        Operation::Forge { lane, forged } => plainer::numbers(*lane, 1)
            .map(|lane| Operation::Forge {
                lane,
                forged: *forged,
            })
            .collect(),
        Operation::Operate { on, operate } => {
            let on = match on {
                // Nothing stands between an operator and the primary.
                Operated::Front(_) => vec![Operated::Primary],
                Operated::Lane(lane) => plainer::numbers(*lane, 1).map(Operated::Lane).collect(),
                Operated::Primary => Vec::new(),
            };
            on.into_iter()
                .map(|on| Operation::Operate {
                    on,
                    operate: operate.clone(),
                })
                .collect()
        }
    }
}

fn visitors(visitor: &Visitor) -> Vec<Visitor> {
    let mut plainer = Vec::new();
    if visitor.address.is_some() {
        plainer.push(Visitor {
            address: None,
            ..visitor.clone()
        });
    }
    if let Some(session) = &visitor.session {
        let with = |session| Visitor {
            session,
            ..visitor.clone()
        };
        plainer.push(with(None));
        // That of the account that is there as long as any is.
        let first = session_of(1);
        plainer.extend((*session != first).then(|| with(Some(first))));
    }
    plainer
}

fn asks(ask: &Ask) -> Vec<Ask> {
    match ask.clone() {
        Ask::Front { nodes } => plainer::numbers(nodes, 1)
            .map(|nodes| Ask::Front { nodes })
            .collect(),
        Ask::Node { nid, history } => {
            let unseen = history.then_some(Ask::Node { nid, history: false });
            let nodes = plainer::numbers(nid, 1).map(|nid| Ask::Node { nid, history });
            unseen.into_iter().chain(nodes).collect()
        }
        Ask::Waiting { nid, pause } => {
            let nodes = plainer::numbers(nid, 1).map(|nid| Ask::Waiting { nid, pause });
            let pauses = plainer::lengths(pause.0).map(|pause| Ask::Waiting {
                nid,
                pause: Millis(pause),
            });
            nodes.chain(pauses).collect()
        }
        Ask::Fenced { nid, generation } => plainer::numbers(nid, 1)
            .map(|nid| Ask::Fenced { nid, generation })
            .collect(),
        Ask::Login { uid } => plainer::numbers(uid, 1).map(|uid| Ask::Login { uid }).collect(),
        Ask::FailedLogin { uid } => plainer::numbers(uid, 1)
            .map(|uid| Ask::FailedLogin { uid })
            .collect(),
        Ask::Edit { nid } => plainer::numbers(nid, 1).map(|nid| Ask::Edit { nid }).collect(),
        Ask::Save { nid, tags, indexes } => {
            let plain = indexes.then_some(Ask::Save {
                nid,
                tags,
                indexes: false,
            });
            let tagged = plainer::numbers(tags, 0).map(|tags| Ask::Save { nid, tags, indexes });
            let nodes = plainer::numbers(nid, 1).map(|nid| Ask::Save { nid, tags, indexes });
            plain.into_iter().chain(tagged).chain(nodes).collect()
        }
        Ask::InstallModule { objects, routes } => {
            let smaller = plainer::numbers(objects, 1).map(|objects| Ask::InstallModule { objects, routes });
            let fewer = plainer::numbers(routes, 1).map(|routes| Ask::InstallModule { objects, routes });
            smaller.chain(fewer).collect()
        }
        Ask::Subscribe {
            pause,
            mails,
            numbered,
        } => {
            let with = |pause, mails, numbered| Ask::Subscribe {
                pause,
                mails,
                numbered,
            };
            let pauses = plainer::lengths(pause.0).map(|pause| with(Millis(pause), mails, numbered));
            let unsent = mails.then(|| with(pause, false, numbered));
            let plain = numbered.then(|| with(pause, mails, false));
            pauses.chain(unsent).chain(plain).collect()
        }
        Ask::Mail { to } => plainer::numbers(to, 1).map(|to| Ask::Mail { to }).collect(),
        Ask::Install { nodes, accounts } => {
            let fewer = plainer::numbers(nodes, 1).map(|nodes| Ask::Install { nodes, accounts });
            let few = plainer::numbers(accounts, 1).map(|accounts| Ask::Install { nodes, accounts });
            fewer.chain(few).collect()
        }
        Ask::Logout
        | Ask::Create
        | Ask::Upload
        | Ask::DefineTable
        | Ask::Cron
        | Ask::Enqueue
        | Ask::RenewKey
        | Ask::PrivateKey => Vec::new(),
    }
}
