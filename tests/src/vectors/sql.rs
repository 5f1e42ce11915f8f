//! `protocol::sql`: the shapes of statements, and how parameters bind.

use protocol::lanes::rules::Rules;
use protocol::sql::{self, Bound, Inherited, Params};

use super::{Js, Ran, Runner, Stop, threw};

const RULES: Rules = Rules::DOCUMENTED;

/// The runners of this area.
pub fn runners() -> Vec<Runner> {
    vec![
        Runner::answers("isProvenRead", |input| {
            Ok((RULES.statements.is_read)(&text(input)?).into())
        }),
        Runner::answers("writeTargetTable", |input| {
            Ok((RULES.statements.write_target)(&text(input)?).into())
        }),
        Runner::answers("expiryGcTable", |input| {
            Ok((RULES.statements.expiry_sweep)(&text(input)?).into())
        }),
        Runner::answers("positionalBindings", positional_bindings),
        Runner::answers("toPositional", to_positional),
    ]
}

fn text(input: &Js) -> Result<String, Stop> {
    input.field("sql").text()
}

/// Both scanners are generic in the values: here they are those of the vectors.
#[derive(Clone, Debug)]
struct Given(Js);

impl From<Inherited> for Given {
    fn from(key: Inherited) -> Given {
        Given(Js::Text(key.to_string().as_str().into()))
    }
}

impl From<Given> for Js {
    fn from(given: Given) -> Js {
        given.0
    }
}

fn params(input: &Js) -> Params<Given> {
    let given = |value: &Js| Given(value.clone());
    match input.field("params") {
        Js::Undefined | Js::Null => Params::Absent,
        Js::Array(items) => Params::List(items.iter().map(given).collect()),
        Js::Object(entries) => Params::Named(
            entries
                .iter()
                .map(|(name, value)| (name.into(), given(value)))
                .collect(),
        ),
        value => Params::One(given(value)),
    }
}

fn positional_bindings(input: &Js) -> Ran {
    bound(
        sql::positional_bindings(&text(input)?, &params(input)),
        ["sql", "params"],
    )
}

fn to_positional(input: &Js) -> Ran {
    bound(
        sql::to_positional(&text(input)?, &params(input)),
        ["text", "values"],
    )
}

fn bound(bound: Result<Bound<Given>, sql::BindError>, [text, values]: [&str; 2]) -> Ran {
    match bound {
        Ok(bound) => Ok(Js::object([
            (text, bound.sql.as_str().into()),
            (values, bound.params.into()),
        ])),
        Err(error) => threw(error),
    }
}
