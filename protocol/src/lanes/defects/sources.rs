//! What becomes of each entry of the catalogue that concerns lanes or the platform.

/// Entries that are in the documented protocol: hardened without the named change has them.
pub const ABLATED: &[(&str, &str)] = &[
    ("S1", "hand-back-conflicts"),
    ("S3", "know-a-batch-again"),
    ("S3", "mark-before-sending"),
    ("S7", "seal-in-one-turn"),
    ("S9", "log-all-state"),
    ("S15", "check-each-page"),
    ("S17", "begin-at-the-beginning"),
    ("S17", "count-attempts"),
    ("S17", "number-the-pages"),
    ("S25", "fast-while-serving"),
    ("S31", "pull-until-level"),
    ("S33", "clock-from-the-position"),
    ("S35", "ask-until-it-comes"),
    ("S41", "count-without-gaps"),
    ("S43", "partition-from-the-first"),
    ("S45", "provision-outside-the-gate"),
    ("A01", "arm-however-it-ends"),
    ("A09", "keep-the-name"),
    ("A11", "know-a-batch-again"),
];

/// Changes whose absence no generated run shows today, and what would be needed. Each has a kept trace that shows it.
pub const UNSEEN: &[(&str, &str)] = &[(
    "clear-while-copying",
    "three windows in a row must be contended, the copy that they ask for must take several steps, one of them without \
     demand, and the window behind it must be contended again: arrivals that go by the windows of the alarm would be",
)];

/// Entries that are not planted, and why.
pub const ABSENT: &[(&str, &str)] = &[
    (
        "H27",
        "it costs rows, and breaks no invariant: that an idle lane sleeps is in the flow vectors",
    ),
    ("H35", "bodies are values here: no stream can be read once only"),
    (
        "H49",
        "it costs hops, and breaks no invariant: what a sweep is is in the vectors of the tally",
    ),
    (
        "H51",
        "it makes a 421 a 500, which no invariant forbids: the count of refusals is in the vectors",
    ),
    (
        "S5",
        "a failed batch is a 500 to the visitor, which no invariant forbids",
    ),
    (
        "S11",
        "no request of the catalogue writes two megabytes; `lanes_hardened` holds the change to it",
    ),
    ("S21", "no table of the catalogue has a column of bytes"),
    (
        "S23",
        "every site of a run has sealed a record before its first lane is copied; `lanes_flaws` shows it",
    ),
    (
        "S29",
        "rows that have expired count on neither side of any comparison",
    ),
    (
        "S37",
        "a writer who never pauses tears every copy of hardened too: LR-L4 measures how long the primary must seal nothing",
    ),
    ("S47", "it costs time, and breaks no invariant"),
    (
        "S51",
        "visitors of a run do not ask for text/html; `lanes_flaws` shows it",
    ),
    (
        "A05",
        "mended in the platform, which `platform.md` describes as it is now",
    ),
    (
        "A15",
        "an object makes its own tables in the first turn of an incarnation, and a failure ends it",
    ),
    ("A17", "lanes hold no connections that outlive an incarnation"),
    (
        "A19",
        "a front that cannot read KV goes by its defaults, as documented: scenario `settings` has KV fail, and no rule decides it",
    ),
    (
        "C09",
        "what counts on after a rewind is the platform's storage: scenario `rewind` takes hardened itself back",
    ),
    ("C11", "nothing truncates the log"),
    (
        "C21",
        "every path of a client can carry a generation; the entry is about another protocol",
    ),
];
