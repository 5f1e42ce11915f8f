//! The closed list of statements that the model runs, as they are once read.

use std::cmp::Ordering;
use std::rc::Rc;

use protocol::host::Text;

use super::cell::{Affinity, Cell};

/// A statement of a known shape. Names are as written: whether they exist is for the tables to say.
#[derive(Debug)]
pub(super) enum Shape {
    CreateTable {
        schema: Rc<Schema>,
        if_not_exists: bool,
    },
    Insert(Insert),
    Update {
        table: Text,
        set: Vec<Assignment>,
        filter: Vec<Condition>,
    },
    Delete {
        table: Text,
        filter: Vec<Condition>,
    },
    Select(Select),
}

/// A table as its DDL tells it.
#[derive(Debug)]
pub(super) struct Schema {
    pub(super) name: Text,
    /// The text that `sqlite_schema` keeps.
    pub(super) ddl: Text,
    pub(super) columns: Vec<Column>,
    pub(super) key: Key,
}

#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: Text,
    pub(super) affinity: Affinity,
    pub(super) not_null: bool,
    pub(super) default: Cell,
}

/// How a table's rows are told apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// By nothing: rows have a hidden number.
    Nothing,
    /// By an INTEGER PRIMARY KEY, which is that number.
    Rowid(usize),
    /// By these columns; rows have a hidden number besides.
    Columns(Vec<usize>),
    /// By these columns alone: WITHOUT ROWID. The table is in their order, and none of them is NULL.
    Clustered(Vec<usize>),
}

impl Key {
    /// Its columns.
    pub(super) fn columns(&self) -> &[usize] {
        match self {
            Key::Nothing => &[],
            Key::Rowid(column) => std::slice::from_ref(column),
            Key::Columns(columns) | Key::Clustered(columns) => columns,
        }
    }
}

/// A value in a statement: a literal, or a parameter by its position.
#[derive(Clone, Debug)]
pub(super) enum Operand {
    Literal(Cell),
    Parameter(usize),
}

#[derive(Debug)]
pub(super) struct Insert {
    pub(super) table: Text,
    pub(super) columns: Option<Vec<Text>>,
    pub(super) rows: Vec<Vec<Operand>>,
    pub(super) on_conflict: OnConflict,
}

#[derive(Debug)]
pub(super) enum OnConflict {
    Fail,
    Ignore,
    Replace,
    /// `ON CONFLICT(key) DO UPDATE SET …` or `DO NOTHING`, which sets nothing.
    Update {
        key: Vec<Text>,
        set: Option<Vec<Assignment>>,
    },
}

#[derive(Debug)]
pub(super) struct Assignment {
    pub(super) column: Text,
    pub(super) value: Expression,
}

#[derive(Debug)]
pub(super) enum Expression {
    Operand(Operand),
    /// The present value of a column.
    Column(Text),
    /// The value that the refused row had.
    Excluded(Text),
    /// A column plus (or minus) a value.
    Sum {
        column: Text,
        minus: bool,
        by: Operand,
    },
}

/// `column <operator> value`.
#[derive(Debug)]
pub(super) struct Condition {
    pub(super) column: Text,
    pub(super) operator: Operator,
    pub(super) value: Operand,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Operator {
    pub(super) fn holds(self, order: Ordering) -> bool {
        match self {
            Operator::Equal => order.is_eq(),
            Operator::Less => order.is_lt(),
            Operator::LessOrEqual => order.is_le(),
            Operator::Greater => order.is_gt(),
            Operator::GreaterOrEqual => order.is_ge(),
        }
    }
}

#[derive(Debug)]
pub(super) struct Select {
    pub(super) table: Text,
    pub(super) output: Output,
    pub(super) filter: Vec<Condition>,
    pub(super) order: Vec<Order>,
    pub(super) limit: Option<Operand>,
    pub(super) offset: Option<Operand>,
}

#[derive(Debug)]
pub(super) enum Output {
    All,
    /// Columns, each with the name that it is given.
    Columns(Vec<(Text, Option<Text>)>),
    /// `MAX(column)` under a name.
    Max {
        column: Text,
        named: Text,
    },
    /// `COUNT(*)` under a name.
    Count {
        named: Text,
    },
}

#[derive(Debug)]
pub(super) struct Order {
    pub(super) column: Text,
    pub(super) descending: bool,
}
