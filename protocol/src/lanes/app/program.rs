//! A request as data: what the application does while it renders the answer.

use serde::{Deserialize, Serialize};

use crate::host::{Millis, Payload, Text, Value};
use crate::number::Number;

/// What the application does for one request. It travels in the request's body, so that the simulated site runs any
/// request that somebody can write down, and a checker knows what was asked.
///
/// Steps run in order. There are no loops and no chance: what a program does depends on its text, on what it reads, and
/// on the time at which it begins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RenderProgram {
    /// The client's name for this attempt. A client that repeats an attempt repeats it, and the writes of the
    /// catalogue's programs carry it, so that effects can be counted.
    #[serde(default, skip_serializing_if = "Text::is_empty")]
    pub token: Text,
    /// What is done, in order.
    pub steps: Vec<Step>,
    /// The cache tags of the page.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Text>,
    /// Where the visitor's account is found at the end, if the program looks for it: the visitor is logged in when
    /// that register holds a number other than 0. Without one a visitor is anonymous.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<Register>,
}

/// A variable of the application, by its number. Before anything is put there it holds NULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Register(pub u16);

/// One thing that is done, when it is done, and what becomes of a refusal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// What.
    pub act: Act,
    /// Only when all of these hold; otherwise the step is passed over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<Condition>,
    /// What the application does when it is refused.
    #[serde(default, skip_serializing_if = "OnRefusal::is_pass")]
    pub on_refusal: OnRefusal,
}

/// What can be done in a step.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Reads, outside of any transaction.
    Read(Query),
    /// Writes, outside of any transaction.
    Write(Write),
    /// Runs a transaction.
    Transaction(Transaction),
    /// Calls a function of the object that is neither of the SQL bridges.
    Capability {
        /// Its name, such as `cfwMail`.
        name: Text,
        /// What it is called with.
        #[serde(default, skip_serializing_if = "Text::is_empty")]
        detail: Text,
    },
    /// Holds the thread, as rendering does.
    Work(Millis),
    /// Waits, and holds nothing meanwhile: where the object can let other events in, they see what was written so far.
    Pause(Millis),
    /// The response's status from now on.
    Status(u16),
    /// The response sets the session's cookie to this; NULL clears it.
    SetSession(Operand),
}

/// A transaction of the application.
///
/// The driver keeps its writes back until it ends, and then sends them as one call. A read in the middle has to see
/// them, so the driver sends all of them with that read and has them rolled back: a *replay* (`lanes.md` 11 and 18).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transaction {
    /// Its writes and reads, in order.
    pub items: Vec<Item>,
    /// Whether the application rolls it back at its end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rolls_back: bool,
}

/// One statement of a transaction.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Item {
    /// A write.
    Write(Write),
    /// A read, which sees the writes before it.
    Read(Query),
}

/// A statement that reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// Its text.
    pub sql: Text,
    /// Its parameters.
    #[serde(default, skip_serializing_if = "Arguments::is_empty")]
    pub params: Arguments,
    /// Where the first value of the first row goes; NULL when there is no row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub into: Option<Register>,
}

/// A statement that writes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Write {
    /// Its text.
    pub sql: Text,
    /// Its parameters.
    #[serde(default, skip_serializing_if = "Arguments::is_empty")]
    pub params: Arguments,
    /// Of an insert that leaves the id of its row to others: whose id, and where the application wants to have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_id: Option<NewId>,
}

/// The id of a row that is inserted without one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewId {
    /// The table.
    pub table: Text,
    /// The column that is another name of its row id.
    pub column: Text,
    /// Where the id goes. An id that nobody wants is minted all the same, and not asked for where it is not minted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub into: Option<Register>,
}

/// Parameters as the application hands them over: by position in inserts, by name elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arguments {
    /// By position.
    List(Vec<Operand>),
    /// By name, the colon included, no name twice.
    Named(Vec<(Text, Operand)>),
}

impl Default for Arguments {
    fn default() -> Self {
        Arguments::List(Vec::new())
    }
}

impl Arguments {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Arguments::List(list) => list.is_empty(),
            Arguments::Named(entries) => entries.is_empty(),
        }
    }
}

/// A value that is known when the step runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operand {
    /// This.
    Value(Value),
    /// What a register holds.
    Register(Register),
    /// A number in a register and another; NULL and what is no number count as 0.
    Sum {
        /// The first.
        register: Register,
        /// The second.
        by: Number,
    },
    /// The time at which the render began, in whole seconds, and so many more.
    Now {
        /// How many; can be negative.
        plus: Number,
    },
}

/// What must hold for a step to run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// The register holds NULL.
    Missing(Register),
    /// It holds something else.
    Present(Register),
    /// It holds exactly this.
    Equal(Register, Value),
    /// It holds a number below this one.
    Below(Register, Number),
}

/// What the application does about a refusal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnRefusal {
    /// It does not catch it: the render ends with it.
    #[default]
    Pass,
    /// It catches it and shows its error page, status 500. What was refused is not said.
    Swallow,
    /// It catches it and goes on as if nothing had been asked.
    Ignore {
        /// Where 1 goes when that happens, and 0 when it does not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        told: Option<Register>,
    },
}

impl OnRefusal {
    fn is_pass(&self) -> bool {
        *self == OnRefusal::Pass
    }
}

impl From<Act> for Step {
    fn from(act: Act) -> Self {
        Step {
            act,
            when: Vec::new(),
            on_refusal: OnRefusal::Pass,
        }
    }
}

impl Step {
    /// The same, under one more condition.
    #[must_use]
    pub fn when(mut self, condition: Condition) -> Self {
        self.when.push(condition);
        self
    }

    /// The same, with this done about a refusal.
    #[must_use]
    pub fn on_refusal(mut self, on_refusal: OnRefusal) -> Self {
        self.on_refusal = on_refusal;
        self
    }
}

impl From<Value> for Operand {
    fn from(value: Value) -> Self {
        Operand::Value(value)
    }
}

impl From<u32> for Operand {
    fn from(value: u32) -> Self {
        Operand::Value(Value::from(value))
    }
}

impl From<&str> for Operand {
    fn from(text: &str) -> Self {
        Operand::Value(Value::text(text))
    }
}

impl From<Text> for Operand {
    fn from(text: Text) -> Self {
        Operand::Value(Value::Text(text))
    }
}

impl From<Register> for Operand {
    fn from(register: Register) -> Self {
        Operand::Register(register)
    }
}

impl Payload for RenderProgram {
    fn encode(&self) -> String {
        super::page::to_json(self)
    }
}
