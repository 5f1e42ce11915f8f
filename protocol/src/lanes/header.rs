//! The names of the header fields (`lanes.md` 3).

/// How many lanes the primary has provisioned; left out when none.
pub const LANES: &str = "x-cfw-lanes";
/// The epoch of that number; left out when 0.
pub const LANES_EPOCH: &str = "x-cfw-lanes-epoch";
/// The object that answered: `primary` or `r<n>`.
pub const REPLICA: &str = "x-cfw-replica";
/// The lane that refused before the primary answered: `r<n>`.
pub const FAILOVER: &str = "x-cfw-failover";
/// Why it refused.
pub const FAILOVER_REASON: &str = "x-cfw-failover-reason";
/// The capability that only the primary has; its presence marks a handoff.
pub const REQUIRES_PRIMARY: &str = "x-cfw-requires-primary";
/// Whether the refused request may be sent again: `1` or `0`.
pub const RETRY_SAFE: &str = "x-cfw-retry-safe";
/// The generation that a caller asks for at least.
pub const REQUIRE_GENERATION: &str = "x-cfw-require-generation";
/// In a fence's refusal: where the lane stands.
pub const APPLIED_GENERATION: &str = "x-cfw-applied-generation";
/// In a fence's refusal: what was asked for.
pub const REQUIRED_GENERATION: &str = "x-cfw-required-generation";
/// The page generation; unrelated to the commit sequence.
pub const PAGE_GENERATION: &str = "x-cfw-generation";
/// The tier that answered: `HIT`, `AGED`, `RENDER`, `MISS`, `REFUSED`, `STALE` and others.
pub const CACHE: &str = "x-cfw-cache";
/// The id of an unsafe request's attempt.
pub const ATTEMPT: &str = "x-cfw-attempt";
/// The object was reset while it answered.
pub const OBJECT_RESET: &str = "x-cfw-object-reset";
/// The serving tier. *Not* the number of a lane.
pub const SERVING_TIER: &str = "x-cfw-lane";
/// The roles of the visitor.
pub const ROLES: &str = "x-cfw-roles";
/// The response was shared by a herd.
pub const HERD: &str = "x-cfw-herd";
