//! The parameters of a statement, in each of the forms that they come in.

use std::fmt;

use crate::host::Text;
use crate::json::Json;

/// Parameters as an application hands them over: by position, by name, or in one of the forms that JavaScript lets
/// through.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Params<V> {
    /// None: `null`, or the key is missing.
    #[default]
    Absent,
    /// By position.
    List(Vec<V>),
    /// By name, in the order of JavaScript's keys (`lanes.md` 19.9), no name twice.
    Named(Vec<(Text, V)>),
    /// A single value that is neither a list nor an object.
    One(V),
}

impl<V> From<Vec<V>> for Params<V> {
    fn from(list: Vec<V>) -> Self {
        Params::List(list)
    }
}

/// The parameters that any JSON is (`lanes.md` 5, `positionalBindings`).
impl<V: From<Json>> From<Json> for Params<V> {
    fn from(json: Json) -> Self {
        match json {
            Json::Null => Params::Absent,
            Json::Array(items) => Params::List(items.into_iter().map(V::from).collect()),
            Json::Object(entries) => {
                let entry = |(name, value): (Text, Json)| (name, V::from(value));
                Params::Named(entries.into_iter().map(entry).collect())
            }
            single => Params::One(single.into()),
        }
    }
}

/// A key that every JavaScript object has without owning it: `'toString' in {}` is true (`lanes.md` 19.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Inherited(&'static str);

/// The keys of `Object.prototype`.
const INHERITED: [&str; 12] = [
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
    "__proto__",
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
];

impl Inherited {
    /// The key of that name, if there is one.
    pub fn find(name: &str) -> Option<Inherited> {
        INHERITED.into_iter().find(|key| *key == name).map(Inherited)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.0
    }
}

/// What `String(value)` makes of the key's value: the platform binds neither functions nor objects and makes texts of
/// them (`lanes.md` 19.14).
impl fmt::Display for Inherited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            "__proto__" => f.write_str("[object Object]"),
            "constructor" => f.write_str("function Object() { [native code] }"),
            name => write!(f, "function {name}() {{ [native code] }}"),
        }
    }
}
