//! A run that lasts long keeps no more than a short one.

use sim::kernel::Micros;
use sim::kernel::storage::model::ModelStore;
use sim::run::Simulation;
use sim::world::World;
use sim::world::demonstration::DemonstrationWorld;
use tests::simulated::kept;

/// A follower pulls by its alarm for hours while nobody adds. What can be printed of the run holds all that it keeps:
/// kernel, parties, databases, oracle. Its digits are left out, as numbers that count what has happened have more of
/// them later on; a tenth is allowed for what is on its way at the two instants.
#[test]
fn hours_of_alarms_keep_what_minutes_of_them_keep() {
    let mut plan = kept("demonstration/older-answer-last.jsonl").plan;
    plan.lasts = Micros::from_millis(5 * 3_600 * 1_000);
    let deployment = DemonstrationWorld::deployment("hardened").expect("the variant is there");
    let mut simulation =
        Simulation::<DemonstrationWorld, _, ModelStore, _>::new(&plan, deployment, &Default::default(), ());
    let mut size_at = |end: Micros| {
        while simulation.kernel().now() < end {
            assert_eq!(simulation.advance(), None, "the run goes on until its end");
        }
        let printed = format!("{simulation:?}");
        let size = printed.chars().filter(|c| !c.is_ascii_digit()).count();
        (simulation.kernel().turns(), size)
    };
    let (turns_early, early) = size_at(Micros::from_millis(180 * 1_000));
    let (turns_late, late) = size_at(plan.lasts);
    assert!(
        turns_late > 50 * turns_early,
        "{turns_late} turns after {turns_early}: the alarm must go on, or this shows nothing"
    );
    assert!(
        late <= early + early / 10,
        "what is kept has grown from {early} to {late} characters: something is not forgotten when it is over"
    );
}
