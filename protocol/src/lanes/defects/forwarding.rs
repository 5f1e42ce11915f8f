//! Writes on lanes: what the guard lets through, what is forwarded, and what becomes of it.

use super::Defect;
use crate::lanes::capability::{self, Capability};
use crate::lanes::forward::{self, Attempt, Flush, ForwardFacts, ForwardPlan, ForwardRefusal, Hazard, Split};
use crate::lanes::guard;
use crate::lanes::handoff::Handoff;
use crate::lanes::inventory::{self, StateKey};
use crate::lanes::object::defects as object;

pub(super) const DEFECTS: &[Defect] = &[
    Defect::new(
        "originate-state-on-a-lane",
        &["H17", "S13"],
        &["LR-27", "LR-35"],
        "entries of the key-value tables are ordinary state, so that a lane may make the site's secrets",
        |rules| {
            rules.inventory.hazard = |rules, key| {
                if key.table.starts_with("key_value") {
                    Hazard::Ordering
                } else {
                    forward::hazard_class(rules, key)
                }
            };
        },
    ),
    Defect::new(
        "originate-anything",
        &[],
        &["LR-27", "LR-34", "LR-35"],
        "nothing that a lane forwards is refused for what it creates",
        |rules| rules.inventory.hazard = |_, _: &StateKey<'_>| Hazard::None,
    ),
    Defect::new(
        "ignore-the-refusal",
        &["H43"],
        &["LR-38"],
        "a lane answers as if its batch were committed, whatever the primary did",
        |rules| rules.forwarding.after_answer = |_, _| Flush::Committed,
    ),
    Defect::new(
        "ignore-the-conflict",
        &[],
        &["LR-38"],
        "a lane takes a conflict for a commit",
        |rules| {
            rules.forwarding.after_answer = |_, answer| {
                if answer.action.as_str() == Some("conflict") {
                    Flush::Committed
                } else {
                    forward::after_answer(Attempt::Second, answer)
                }
            };
        },
    ),
    Defect::new(
        "insert-tags-as-they-are",
        &["H45"],
        &["LR-14", "LR-9"],
        "increments of cache tags are not rewritten: an insert of a lane meets the primary's row",
        |rules| rules.forwarding.cache_tag_increment = |_, _| None,
    )
    .unseen("the batch fails and the visitor is told so: an invariant on what a visitor could have had would see it"),
    Defect::new(
        "write-by-the-exec-bridge",
        &["H47"],
        &["LR-35", "LR-9"],
        "a write in no transaction runs by itself on a lane, where nothing rolls it back",
        |rules| {
            rules.driver.choose_bridge = |_, _, statement| {
                guard::SqlCall::Exec(crate::lanes::bridge::SqlExec {
                    sql: statement.sql,
                    params: statement.params,
                })
            };
            rules.guard.call = |rules, facts| {
                let let_through = match guard::guard_call(rules, facts) {
                    Err(refused) if refused.detail == guard::Detail::ExecWrite => {
                        crate::lanes::bridge::read_payload(facts.payload).ok().map(guard::SqlCall::Exec)
                    }
                    decided => return decided,
                };
                let_through.map_or_else(
                    || guard::guard_call(rules, facts),
                    |call| Ok(guard::Guarded::PassSql(call)),
                )
            };
        },
    ),
    Defect::new(
        "any-statement-reads",
        &["C07"],
        &["LR-35", "LR-9"],
        "a lane's guard takes every statement for a read",
        |rules| rules.guard.allows = |_, _| true,
    ),
    Defect::new(
        "flood-is-local",
        &[],
        &["LR-35", "LR-9"],
        "a lane may write the table of failed logins itself",
        |rules| {
            rules.inventory.is_replica_local =
                |table| table == "flood" || inventory::is_replica_local_table(table);
        },
    ),
    Defect::new(
        "sessions-are-local",
        &[],
        &["LR-35", "LR-9"],
        "a lane may write the table of sessions itself",
        |rules| {
            rules.inventory.is_replica_local =
                |table| table == "sessions" || inventory::is_replica_local_table(table);
        },
    ),
    Defect::new(
        "any-capability-is-safe",
        &[],
        &["LR-27", "LR-35", "LR-40"],
        "a lane lets its interpreter call what mutates state outside of its database",
        |rules| {
            rules.guard.classify = |name| match capability::classify_capability(name) {
                Capability::Mutating => Capability::Safe,
                capability => capability,
            };
        },
    )
    .unseen("what such a call changes is outside of the objects' databases, where no check looks"),
    Defect::new(
        "always-clean",
        &["H53", "S39"],
        &["LR-30"],
        "whatever ran is handed back as if it had not",
        |rules| rules.guard.handoff = |_, _| Handoff::Clean,
    )
    .unseen("what a lane ran is rolled back and dropped: only a batch that has left would run twice"),
    Defect::new(
        "hand-over-what-was-sent",
        &["C07"],
        &["LR-30", "LR-36"],
        "a batch whose answer is lost is handed over with its request, as if nothing had been sent",
        |rules| rules.flows.flush.answered = object::hand_over_what_was_sent,
    ),
    Defect::new(
        "commit-on-any-state",
        &["S1"],
        &["LR-37"],
        "the primary does not compare the generation of a batch with its own",
        |rules| {
            rules.forwarding.plan = |rules, facts| {
                let facts = ForwardFacts {
                    parent: facts.primary_generation,
                    ..*facts
                };
                forward::plan_forward(rules, &facts)
            };
        },
    ),
    Defect::new(
        "commit-on-the-state-before",
        &[],
        &["LR-37"],
        "a batch of the generation before is committed: `<= 1` in place of `==`",
        |rules| {
            rules.forwarding.plan = |rules, facts| {
                let behind = facts.primary_generation - facts.parent;
                let facts = ForwardFacts {
                    parent: if behind.js_eq(crate::number::Number::integer(1)) {
                        facts.primary_generation
                    } else {
                        facts.parent
                    },
                    ..*facts
                };
                forward::plan_forward(rules, &facts)
            };
        },
    ),
    Defect::new(
        "parent-of-the-moment",
        &[],
        &["LR-37"],
        "a lane sends its batch with the generation where it stands when it sends, and not where it read",
        |rules| rules.flows.flush.send = object::parent_of_the_moment,
    )
    .unseen("a render that finds its lane moved is handed over, so the two are one generation"),
    Defect::new(
        "commit-an-originating-batch",
        &["S13", "H41"],
        &["LR-27", "LR-34", "LR-32"],
        "the primary commits a batch that it should refuse for what it creates",
        |rules| {
            rules.forwarding.plan = |rules, facts| match forward::plan_forward(rules, facts) {
                ForwardPlan::Refuse(ForwardRefusal::Originates(_))
                    if facts.parent.js_eq(facts.primary_generation) =>
                {
                    ForwardPlan::Commit
                }
                plan => plan,
            };
        },
    ),
    Defect::new(
        "name-no-partitioned-table",
        &["H41"],
        &["LR-40"],
        "a batch does not say into which tables ids were minted: what is in a module's table is refused",
        |rules| rules.forwarding.partitioned = |_, _| Vec::new(),
    )
    .unseen("the request is handed to the primary, which does it: only the hop is lost"),
    Defect::new(
        "append-everything-later",
        &[],
        &["LR-39", "LR-38", "LR-3", "LR-4"],
        "the whole batch is appended behind its commit, statement by statement",
        |rules| {
            rules.forwarding.split = |rules, statements| {
                let split = forward::split_forward(rules, statements);
                Split {
                    deferred: split.deferred.into_iter().chain(split.commit).collect(),
                    commit: Vec::new(),
                }
            };
        },
    ),
    Defect::new(
        "drop-what-is-deferred",
        &[],
        &["LR-38", "LR-39"],
        "rows of the log of events that a batch brings are dropped",
        |rules| {
            rules.forwarding.split = |rules, statements| Split {
                deferred: Vec::new(),
                ..forward::split_forward(rules, statements)
            };
        },
    )
    .unseen("the log of events is the primary's own, and may lose rows: no invariant counts them"),
    Defect::new(
        "keep-what-was-thrown",
        &["A11"],
        &["LR-30", "LR-36", "LR-38", "LR-37"],
        "what a request has collected that throws is sent with the next one",
        |rules| rules.flows.flush.thrown = |_, _| {},
    ),
    Defect::new(
        "write-on-the-exec-bridge",
        &["H47"],
        &["LR-40"],
        "a lane's driver sends a write by itself, and the guard refuses it",
        |rules| {
            rules.minting.unbuffered = |_, statement| {
                guard::SqlCall::Exec(crate::lanes::bridge::SqlExec {
                    sql: statement.sql,
                    params: statement.params,
                })
            };
        },
    )
    .unseen("the request is handed to the primary, which does it: only the hop is lost"),
];
