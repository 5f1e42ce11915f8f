//! The closed list of statements that the model runs, as they are once read.

use std::cmp::Ordering;
use std::rc::Rc;

use protocol::host::Text;

use super::cell::{Affinity, Cell};

/// A statement of a known shape. Names are as written: whether they exist is for the tables to say.
#[derive(Debug)]
pub(super) enum Shape {
    Change(Change),
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

/// What makes, changes or takes away a table or an index.
#[derive(Debug)]
pub(super) enum Change {
    CreateTable {
        schema: Rc<Schema>,
        /// Whether its name stands in quotes, as it then does in what SQLite says of it.
        quoted: bool,
        if_not_exists: bool,
    },
    DropTable {
        table: Text,
        if_exists: bool,
    },
    AddColumn {
        table: Text,
        /// The column's text, as it stands in the table's from then on.
        sql: Text,
        /// Whether no row can have it: it must not be NULL and has no other default.
        without_rows: bool,
    },
    CreateIndex(CreateIndex),
    DropIndex {
        name: Text,
        if_exists: bool,
    },
}

#[derive(Debug)]
pub(super) struct CreateIndex {
    pub(super) table: Text,
    pub(super) name: Text,
    pub(super) ddl: Text,
    pub(super) columns: Vec<Text>,
    pub(super) unique: bool,
    pub(super) if_not_exists: bool,
}

/// The table in which SQLite keeps the greatest number that a table with AUTOINCREMENT ever had.
pub(super) const SEQUENCE: &str = "sqlite_sequence";
/// The text that makes it.
pub(super) const SEQUENCE_SQL: &str = "CREATE TABLE sqlite_sequence(name,seq)";

/// A table as its DDL tells it.
#[derive(Debug)]
pub(super) struct Schema {
    pub(super) name: Text,
    /// The text that `sqlite_schema` keeps.
    pub(super) ddl: Text,
    /// Where in that text a further column goes.
    pub(super) add_at: usize,
    pub(super) columns: Vec<Column>,
    pub(super) key: Key,
    /// Whether numbers of rows are never used again.
    pub(super) autoincrement: bool,
    /// In the order in which they were made: those of its constraints, and then those that have a text of their own.
    pub(super) indexes: Vec<Index>,
}

impl Schema {
    /// Whether it is SQLite's own, which is in no contents and in no digest.
    pub(super) fn is_internal(&self) -> bool {
        self.name == SEQUENCE
    }

    /// Whether two rows can be in each other's way besides by their key.
    pub(super) fn has_unique_besides_key(&self) -> bool {
        self.indexes.iter().any(|index| index.unique && !index.is_key)
    }

    /// The indexes that have a text of their own.
    pub(super) fn explicit_indexes(&self) -> impl Iterator<Item = &Index> {
        self.indexes.iter().filter(|index| index.ddl.is_some())
    }
}

/// An index. Rows are found without it: it tells which of them cannot stand beside each other, and an order in which
/// SQLite may walk.
#[derive(Clone, Debug)]
pub(super) struct Index {
    pub(super) name: Text,
    /// The text that made it, where that is not the table's.
    pub(super) ddl: Option<Text>,
    pub(super) columns: Vec<usize>,
    pub(super) unique: bool,
    /// Whether it is that of [`Key::Columns`].
    pub(super) is_key: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) name: Text,
    pub(super) affinity: Affinity,
    pub(super) not_null: bool,
    pub(super) default: Cell,
}

/// How a table's rows are told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// `ON CONFLICT(key) DO UPDATE SET …` or `DO NOTHING`, which sets nothing and may name no key.
    Update {
        key: Option<Vec<Text>>,
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
