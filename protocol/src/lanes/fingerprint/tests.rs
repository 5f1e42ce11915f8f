use proptest::prelude::*;

use super::*;

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        "[a:0-9-]{0,3}".prop_map(Value::text),
        prop::collection::vec(any::<u8>(), 0..2)
            .prop_map(|bytes| Value::Bytes(crate::host::Bytes(bytes.into()))),
    ]
}

fn any_row() -> impl Strategy<Value = StateRow> {
    let table = prop::sample::select(COVERED_TABLES.to_vec());
    (table, any_value(), any_value(), any_value()).prop_map(|(table, collection, name, value)| StateRow {
        table: table.into(),
        collection,
        name,
        value,
    })
}

proptest! {
    /// Two states have the same bytes when they hold the same rows, in whatever order, and only then.
    #[test]
    fn bytes_are_equal_when_states_are(
        mut a in prop::collection::vec(any_row(), 0..4),
        mut b in prop::collection::vec(any_row(), 0..4),
    ) {
        let same_bytes = canonical_bytes(&a) == canonical_bytes(&b);
        let reversed: Vec<_> = a.iter().rev().cloned().collect();
        prop_assert_eq!(canonical_bytes(&a), canonical_bytes(&reversed));
        a.sort();
        b.sort();
        prop_assert_eq!(same_bytes, a == b);
    }
}
