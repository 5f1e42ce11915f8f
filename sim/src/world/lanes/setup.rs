//! How a site comes to be that a run finds: on a calm platform, by the same requests as everywhere.

use protocol::host::{ObjectName, Request};
use protocol::lanes::admission::Stage;
use protocol::lanes::app::catalogue::{Ask, Visitor};
use protocol::lanes::object::{SITE, serve_path};
use protocol::lanes::operator::Operate;
use protocol::task::Program;

use super::shape::Shape;
use super::truth::standing::Standing;
use crate::kernel::storage::Store;
use crate::kernel::{Kernel, Knobs, Micros, PartyId, Stepped};

/// Items of the set-up are numbered from here on down; a plan's from 0 on up.
const LAST_ITEM: u32 = u32::MAX;

/// What the attempts of the set-up are called.
pub(super) const TOKEN: &str = "set-up";

/// How long an answer may take, and the first lane until it serves.
const PATIENCE: Micros = Micros::from_millis(120_000);

/// How much longer each lane may take: one is copied after the other, 256 of them in over an hour.
const PATIENCE_A_LANE: Micros = Micros::from_millis(40_000);

/// Somebody who sets a site up.
struct Installer<'a, P: Program, S: Store> {
    kernel: &'a mut Kernel<P, S>,
    next: u32,
}

/// Sets a site up. Under a program that does not get so far the run begins with what there is.
pub(super) fn set_up<P: Program, S: Store>(
    shape: &Shape,
    knobs: &Knobs,
    primary: PartyId,
    kernel: &mut Kernel<P, S>,
) {
    kernel.set_knobs(Knobs::calm());
    let mut installer = Installer {
        kernel,
        next: LAST_ITEM,
    };
    installer.ask(primary, Operate::Migrate.direct());
    installer.visit(
        primary,
        shape,
        &Ask::Install {
            nodes: shape.nodes,
            accounts: shape.accounts,
        },
    );
    if shape.keyed {
        installer.visit(primary, shape, &Ask::PrivateKey);
    }
    for lane in 1..=shape.lanes {
        installer.ask(primary, Operate::Readmit { lane: lane.into() }.direct());
    }
    let lanes: Vec<PartyId> = (1..=shape.lanes)
        .filter_map(|lane| {
            let name = ObjectName::new(format!("{}#r{lane}", shape.site));
            installer.kernel.object(&SITE, &name)
        })
        .collect();
    // Without the private key no copy begins.
    if shape.keyed {
        installer.wait_for(&lanes);
    }
    kernel.set_knobs(knobs.clone());
}

impl<P: Program, S: Store> Installer<'_, P, S> {
    fn visit(&mut self, primary: PartyId, shape: &Shape, ask: &Ask) {
        let request = ask.request(&shape.site, &Visitor::default(), &TOKEN.into());
        self.ask(
            primary,
            Request {
                path: serve_path(&request.path),
                ..request
            },
        );
    }

    /// Asks, and waits for the answer.
    fn ask(&mut self, object: PartyId, request: Request) {
        let item = self.next;
        self.next -= 1;
        self.kernel.send(item, object, request);
        self.step_until(
            PATIENCE,
            |_, stepped| matches!(stepped, Stepped::Answered { item: answered, .. } if *answered == item),
        );
    }

    fn wait_for(&mut self, lanes: &[PartyId]) {
        let mut waiting: Vec<(PartyId, Standing)> =
            lanes.iter().map(|lane| (*lane, Standing::default())).collect();
        if waiting.is_empty() {
            return;
        }
        let patience = PATIENCE.0 + PATIENCE_A_LANE.0 * lanes.len() as u64;
        self.step_until(Micros(patience), |kernel, _| {
            waiting.retain_mut(|(lane, standing)| {
                standing.refresh(kernel, *lane);
                standing.stage() != Some(Stage::Serving)
            });
            waiting.is_empty()
        });
    }

    fn step_until(&mut self, patience: Micros, mut done: impl FnMut(&mut Kernel<P, S>, &Stepped) -> bool) {
        let end = self.kernel.now().after(patience);
        while let Some(key) = self.kernel.earliest().filter(|key| key.at <= end) {
            let stepped = self.kernel.step(key, &mut ());
            if stepped.is_none_or(|stepped| done(self.kernel, &stepped)) {
                return;
            }
        }
    }
}
