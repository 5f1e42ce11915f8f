//! The parameters of a statement, in each of the forms that they come in.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{
    BoolDeserializer, F64Deserializer, I64Deserializer, StrDeserializer, U64Deserializer,
};
use serde::de::{Deserialize, Deserializer, Error, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::host::{Text, Value};

/// Parameters as an application hands them over: by position, by name, or in one of the forms that JavaScript lets
/// through.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Params<V> {
    /// None: `null`, or the key is missing.
    #[default]
    Absent,
    /// By position.
    List(Vec<V>),
    /// By name, in the order written, no name twice.
    Named(Vec<(Text, V)>),
    /// A single value that is neither a list nor an object.
    One(V),
}

impl<V> Params<V> {
    /// Whether there are none, not even an empty list.
    pub fn is_absent(&self) -> bool {
        matches!(self, Params::Absent)
    }
}

impl<V> From<Vec<V>> for Params<V> {
    fn from(list: Vec<V>) -> Self {
        Params::List(list)
    }
}

/// As JSON: `null`, a list, or an object. A single value is written as a list of one, which binds alike: alone, a value
/// that JSON has to dress as an object would be read as names.
impl<V: Serialize> Serialize for Params<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Params::Absent => serializer.serialize_unit(),
            Params::List(list) => list.serialize(serializer),
            Params::Named(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (name, value) in entries {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
            Params::One(value) => [value].serialize(serializer),
        }
    }
}

/// Any JSON whose leaves are values. A name that comes twice keeps its place and has the last value, as in
/// `JSON.parse`.
impl<'de, V: Deserialize<'de>> Deserialize<'de> for Params<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ParamsVisitor(PhantomData))
    }
}

struct ParamsVisitor<V>(PhantomData<V>);

fn one<'de, V: Deserialize<'de>, E: Error>(value: impl Deserializer<'de, Error = E>) -> Result<Params<V>, E> {
    V::deserialize(value).map(Params::One)
}

impl<'de, V: Deserialize<'de>> Visitor<'de> for ParamsVisitor<V> {
    type Value = Params<V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("parameters: a list, an object of names, a value, or null")
    }

    fn visit_unit<E>(self) -> Result<Params<V>, E> {
        Ok(Params::Absent)
    }

    fn visit_none<E>(self) -> Result<Params<V>, E> {
        Ok(Params::Absent)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Params<V>, E> {
        one::<V, E>(BoolDeserializer::new(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Params<V>, E> {
        one::<V, E>(I64Deserializer::new(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Params<V>, E> {
        one::<V, E>(U64Deserializer::new(value))
    }

    #[expect(
        clippy::disallowed_types,
        reason = "serde hands a JSON number over as a double"
    )]
    fn visit_f64<E: Error>(self, value: f64) -> Result<Params<V>, E> {
        one::<V, E>(F64Deserializer::new(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Params<V>, E> {
        let value: StrDeserializer<'_, E> = value.into_deserializer();
        one::<V, E>(value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Params<V>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Params::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Params<V>, A::Error> {
        let mut entries: Vec<(Text, V)> = Vec::new();
        let mut places = std::collections::BTreeMap::<Text, usize>::new();
        while let Some((name, value)) = map.next_entry::<Text, V>()? {
            if let Some(&place) = places.get(&name) {
                entries[place].1 = value;
            } else {
                places.insert(name.clone(), entries.len());
                entries.push((name, value));
            }
        }
        Ok(Params::Named(entries))
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

impl From<Inherited> for Value {
    fn from(key: Inherited) -> Value {
        Value::text(key.to_string())
    }
}
