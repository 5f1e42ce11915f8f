//! What a scenario file can say, for editors.

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{Schema, json_schema};
use serde_json::Value;

use super::World;
use super::known::{self, Visit};
use crate::scenario::Scenario;

/// The schema of scenario files: one for all worlds, of which each has its own `generate`.
#[must_use]
pub fn schema() -> Schema {
    // The draft that editors of TOML understand.
    let mut generator = SchemaSettings::draft07().into_generator();
    let worlds: Vec<_> = known::all().iter().map(|about| about.name).collect();
    let own: Vec<Schema> = worlds
        .iter()
        .filter_map(|world| known::with(world, Generate(&mut generator)))
        .collect();
    let mut schema = generator.into_root_schema_for::<Scenario<Value>>();
    schema.insert("title".to_owned(), "A scenario of Drydock".into());
    if let Some(world) = schema
        .pointer_mut("/properties/world")
        .and_then(Value::as_object_mut)
    {
        world.insert("enum".to_owned(), worlds.into());
    }
    schema.insert("allOf".to_owned(), own.into_iter().map(Value::from).collect());
    schema
}

/// What a scenario says of one world.
struct Generate<'a>(&'a mut SchemaGenerator);

impl Visit for Generate<'_> {
    type Output = Schema;

    fn visit<W: World>(self) -> Schema {
        let generate = self.0.subschema_for::<W::Scenario>();
        json_schema!({
            "if": { "properties": { "world": { "const": W::NAME } } },
            "then": { "properties": { "generate": generate } },
        })
    }
}
