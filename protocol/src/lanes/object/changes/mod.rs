//! Segments of an object's flows as variants have them, a file each. What each mends stands in the table of
//! [`changes`](crate::lanes::changes).

mod alarm;
mod cache;
mod copy;
mod forward;
mod growth;
mod name;
mod seal;
mod serve;

pub(in crate::lanes) use alarm::{
    after_lane_phase, arm_however_it_ends, ask_unless_a_chunk_came, ask_until_it_comes, land_and_watch,
    wake_after_a_move,
};
pub(in crate::lanes) use cache::all_caches;
pub(in crate::lanes) use copy::{
    check_each_page, clock_from_the_position, count_attempts, pull_until_level, records_unless_copied_to,
};
pub(in crate::lanes) use forward::{commit_once, drop_what_is_handed_back, mark_before_sending, name_batch};
pub(in crate::lanes) use growth::{always_clear, count_without_gaps, waited_since};
pub(in crate::lanes) use name::{ask_for_the_name, keep_the_name, named_by_its_id, put_the_alarm_off};
pub(in crate::lanes) use seal::seal_in_one_turn;
pub(in crate::lanes) use serve::{fast_while_serving, render_at_one_generation};
