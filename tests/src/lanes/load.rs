//! Clients that ask for pages one after another, as many at once as there are.

use std::collections::{BTreeMap, BTreeSet};

use protocol::host::{Outcome, Request, Text};
use protocol::lanes::app::catalogue::{Ask, Visitor, session_of};
use protocol::lanes::object::serve_path;
use sim::kernel::storage::Store;
use sim::kernel::{Micros, PartyId, Stepped};

use super::pool::{HOST, Pool};

/// What clients were served within a time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Served {
    /// How long each page took that was served, the shortest first.
    pub took: Vec<Micros>,
    /// How many clients were served nothing.
    pub without: usize,
}

impl Served {
    /// How many pages were served.
    #[must_use]
    pub fn pages(&self) -> usize {
        self.took.len()
    }

    /// How long a page took that half of all were faster than; nothing where none was served.
    #[must_use]
    pub fn median(&self) -> Micros {
        self.took
            .get(self.took.len() / 2)
            .copied()
            .unwrap_or(Micros::ZERO)
    }
}

/// A page that is rendered for somebody who is logged in, under a path of its own, and writes nothing.
#[must_use]
pub fn admin_page(account: u32, path: u32) -> Request {
    let visitor = Visitor {
        address: None,
        session: Some(session_of(account)),
    };
    let mut request = Ask::Front { nodes: 5 }.request(HOST, &visitor, &"t".into());
    request.path = Text::from(format!("/admin/{path}"));
    request
}

/// The same as a front sends it on.
#[must_use]
pub fn admin_hop(account: u32, path: u32) -> Request {
    let page = admin_page(account, path);
    Request {
        path: serve_path(&page.path),
        ..page
    }
}

impl<S: Store> Pool<S> {
    /// Lets the world go on until all that was asked is answered, in whichever order: how long the last one took from now.
    ///
    /// # Panics
    /// When one is not answered within five minutes.
    pub fn answer_all(&mut self, items: impl IntoIterator<Item = u32>) -> Micros {
        let began = self.kernel.now();
        let mut left: BTreeSet<u32> = items.into_iter().collect();
        while !left.is_empty() {
            let key = self.kernel.earliest().expect("somebody is still to be answered");
            assert!(
                key.at <= began.after(Micros::from_millis(300_000)),
                "{left:?} are not answered"
            );
            if let Some(Stepped::Answered { item, .. }) = self.kernel.step(key, &mut self.notes) {
                left.remove(&item);
            }
        }
        self.kernel.now().since(began)
    }

    /// So many clients ask the front for pages, each for its next one when it has the last, for so many milliseconds.
    /// What is asked for follows from the client and from how many pages it has asked for before.
    pub fn drive(&mut self, clients: u32, milliseconds: u64, page: impl Fn(u32, u32) -> Request) -> Served {
        self.drive_at(self.front, clients, milliseconds, page)
    }

    /// The same, of this party.
    pub fn drive_at(
        &mut self,
        party: PartyId,
        clients: u32,
        milliseconds: u64,
        page: impl Fn(u32, u32) -> Request,
    ) -> Served {
        let until = self.kernel.now().after(Micros::from_millis(milliseconds));
        let mut asked: BTreeMap<u32, (u32, u32, Micros)> = BTreeMap::new();
        let mut served = vec![0; clients as usize];
        let mut took = Vec::new();
        for client in 0..clients {
            let item = self.post(party, page(client, 0));
            asked.insert(item, (client, 0, self.kernel.now()));
        }
        while let Some(key) = self.kernel.earliest().filter(|key| key.at <= until) {
            let Some(Stepped::Answered { item, outcome }) = self.kernel.step(key, &mut self.notes) else {
                continue;
            };
            let Some((client, nth, since)) = asked.remove(&item) else {
                continue;
            };
            if is_page(&outcome) {
                took.push(self.kernel.now().since(since));
                served[client as usize] += 1;
            }
            let item = self.post(party, page(client, nth + 1));
            asked.insert(item, (client, nth + 1, self.kernel.now()));
        }
        took.sort_unstable();
        Served {
            took,
            without: served.iter().filter(|pages| **pages == 0).count(),
        }
    }
}

fn is_page(outcome: &Outcome) -> bool {
    matches!(outcome, Ok(Some(response)) if response.status == 200)
}
