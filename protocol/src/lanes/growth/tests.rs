use proptest::prelude::*;

use super::*;

#[test]
fn the_lowest_lane_is_repaired_first_and_stays_until_it_is_done() {
    let mut repairs = Repairs::stored(Some("10,2,,x,2,0,-1,1.5"));
    repairs.enqueue(1.into());
    repairs.enqueue(10.into());
    assert_eq!(repairs.write(), Write::Meta(Key::REPAIRS, "1,2,10".into()));
    assert_eq!(after_copy_step(1.into(), &CopyStep::Failed, &repairs).len(), 2);
    let done = after_copy_step(1.into(), &CopyStep::Done, &repairs);
    assert_eq!(done.last(), Some(&Write::Meta(Key::REPAIRS, "2,10".into())));
}

#[test]
fn a_copy_in_progress_goes_before_a_repair_and_that_before_a_new_lane() {
    let repairs = Repairs::stored(Some("2"));
    let (one, five) = (Some(1.into()), Some(5.into()));
    assert_eq!(next_copy(one, &repairs, five), one);
    assert_eq!(next_copy(None, &repairs, five), Some(2.into()));
    assert_eq!(next_copy(None, &Repairs::default(), five), five);
    assert_eq!(next_copy(None, &Repairs::default(), None), None);
}

#[test]
fn a_quiet_primary_goes_on_only_with_what_it_began() {
    let facts = |peak: i32, copy_pending, repair_queued| PaceFacts {
        peak: peak.into(),
        copy_pending,
        repair_queued,
    };
    assert_eq!(pace(&facts(2, false, false)), Pace::Busy);
    assert_eq!(pace(&facts(1, false, false)), Pace::Idle);
    assert_eq!(
        pace(&facts(1, true, false)),
        Pace::Quiet {
            clears_windows: false
        }
    );
    assert_eq!(pace(&facts(0, false, true)), Pace::Quiet { clears_windows: true });
}

#[test]
fn a_paused_copy_is_stored_as_its_cursor() {
    let cursor = Cursor::at(7.into(), 1.into(), 400.into());
    let writes = after_copy_step(3.into(), &CopyStep::Paused(cursor), &Repairs::default());
    let text = r#"{"generation":7,"index":1,"offset":400}"#;
    assert_eq!(
        writes,
        [
            Write::Meta(Key::COPY_CURSOR, text.into()),
            Write::number(Key::COPY_LANE, 3.into())
        ]
    );
}

#[test]
fn the_pool_never_shrinks() {
    let known = LanesPointer {
        lanes: 3.into(),
        epoch: 2.into(),
    };
    assert_eq!(note_serving(3.into(), known), None);
    let grown = note_serving(4.into(), known).expect("a new lane");
    assert_eq!((grown.lanes, grown.epoch), (4.into(), 3.into()));
}

proptest! {
    #[test]
    fn any_stored_text_is_a_queue(text in ".{0,20}") {
        let repairs = Repairs::stored(Some(&text));
        let Write::Meta(_, written) = repairs.write() else { unreachable!() };
        prop_assert_eq!(Repairs::stored(Some(&written)), repairs);
    }
}
