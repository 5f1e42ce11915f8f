//! W on the kernel: a plan of ticks, and the loop that takes the earliest event.

use std::collections::BTreeMap;
use std::sync::Arc;

use protocol::host::{Body, Request, Text, Value};
use sim::kernel::storage::{Contents, Store};
use sim::kernel::{
    Chance, Deployment, Episode, Kernel, Knobs, Micros, Observer, PartyId, Ratio, Span, Stepped,
};

use crate::client::W;
use crate::roles::record;
use crate::wire::Tick;
use crate::workload::{Choices, LATENCY_MS, LOST_ONE_IN, Outcome, PULL_MS, READS, Row, TICK_MS};

/// W's network. A caller whose message was lost learns of it when its next tick is due; the rest is a platform on a
/// good day.
fn knobs() -> Knobs {
    let loss = Episode::once(Ratio {
        hits: 1,
        of: LOST_ONE_IN,
    });
    Knobs {
        latency: Span::millis(LATENCY_MS.0, LATENCY_MS.1),
        request_loss: loss,
        answer_loss: loss,
        notice: Span::exactly(Micros::from_millis(TICK_MS)),
        ..Knobs::calm()
    }
}

/// Runs a seed on databases of this pool.
pub fn run<S: Store>(
    seed: u64,
    lanes: u32,
    seconds: u32,
    pool: &S::Pool,
    watch: &mut dyn Observer,
) -> Outcome {
    let mut choices = Choices::new(seed);
    let program = W::new(lanes);
    let mut kernel = Kernel::<W, S>::new(
        Deployment::of(program.clone()),
        pool,
        Chance::new(seed, &[]),
        knobs(),
        BTreeMap::new(),
    );
    let client = kernel.add_front();
    let objects: Vec<PartyId> = (0..=lanes)
        .map(|number| {
            let stub = program.lanes.stub(number, 0);
            let object = kernel.object(&stub.namespace, &stub.name);
            object.expect("the program has both namespaces")
        })
        .collect();
    let mut items = Vec::new();
    for lane in &objects[1..] {
        let phase = Micros(choices.below(PULL_MS * 1_000));
        let request = Request::post(Text::new_static("/pull"), Body::default());
        items.push((phase, *lane, request));
    }
    for tick in 0..=seconds * 1_000 / TICK_MS as u32 {
        let first = tick * (READS + 1);
        let asks = choices.tick(first);
        let body = Body::typed(Arc::new(Tick { first, asks }));
        let request = Request::post(Text::new_static("/tick"), body);
        items.push((Micros::from_millis(u64::from(tick) * TICK_MS), client, request));
    }
    for (item, (at, ..)) in (0..).zip(&items) {
        kernel.schedule_item(item, *at);
    }
    let end = Micros::from_millis(u64::from(seconds) * 1_000);
    while let Some(next) = kernel.earliest().filter(|next| next.at <= end) {
        if let Some(Stepped::Item(item)) = kernel.step(next, watch) {
            let (_, to, request) = &items[item as usize];
            kernel.send(item, *to, request.clone());
        }
    }
    outcome(&mut kernel, &objects)
}

fn outcome<S: Store>(kernel: &mut Kernel<W, S>, objects: &[PartyId]) -> Outcome {
    let mut databases = objects.iter().map(|object| {
        let store = kernel.store(*object).expect("an object has a database");
        store.contents()
    });
    let primary = databases.next().expect("there is a primary");
    let log = primary.get("log").into_iter().flatten();
    let log = log.map(|row| Arc::new(record(row))).collect();
    let lanes = databases.map(|lane| {
        let stands = lane
            .get("stands")
            .and_then(|rows| rows.first()?.get(1)?.as_number());
        let stands = stands.and_then(|number| number.to_u32_exact()).unwrap_or(0);
        (stands, rows(&lane, "node"), rows(&lane, "config"))
    });
    let lanes = lanes.collect();
    Outcome {
        events: kernel.steps(),
        log,
        lanes,
    }
}

fn rows(contents: &Contents, table: &str) -> Vec<Row> {
    let rows = contents.get(table).into_iter().flatten();
    rows.filter_map(|row| match row.as_slice() {
        [Value::Text(key), Value::Text(text)] => Some((key.clone(), text.clone())),
        _ => None,
    })
    .collect()
}
