//! `GET /__replica`: where an object stands (`lanes.md` 17).

use super::identity::of;
use super::state::{self, State};
use super::{Cx, Next, SiteObject, Value, Version, answer, labels, sequence};
use crate::host::{Answer, Text};
use crate::lanes::admission::{AdmissionFacts, MANDATORY_COLLECTIONS, MANDATORY_STATE};
use crate::lanes::wire::{Field, Head, PositionView, TrustView, VerdictView};
use crate::number::Number;
use crate::task::{On, Resume, Step};

/// A head that is being made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Heading {
    /// The generation and the state that are digested.
    read: Option<(Number, State)>,
}

impl Heading {
    pub(super) fn step(
        &mut self,
        site: &mut SiteObject,
        version: &Version,
        resume: Resume<SiteObject>,
        cx: &mut Cx<'_, '_>,
    ) -> Next {
        if resume == Resume::Start {
            let read = (site.sequence(cx)?, state::read(cx)?);
            let digest = cx.digest(labels::HEAD_DIGEST, &read.1.bytes(version));
            self.read = Some(read);
            return Ok(Step::Await(On::Call(digest)));
        }
        let (Answer::Digest(digest), Some((generation, state))) = (resume.answer()?, self.read.take()) else {
            unreachable!("a head awaits its digest");
        };
        let rules = &version.rules;
        let (schema, position) = (sequence::schema(cx)?, site.position(version, cx)?);
        let verdict = (rules.admission.verdict)(
            rules,
            &AdmissionFacts {
                stage: site.stage(cx)?,
                present_state: &state.entries(),
                present_collections: &state.collections(),
                applied: position.applied,
                advertised: generation,
                fingerprint: Some(&digest),
                primary_fingerprint: Some(&digest),
                schema: schema.as_deref(),
                primary_schema: schema.as_deref(),
            },
        );
        let head = Head {
            role: Text::from(of(version, cx).answerer().to_string()).into(),
            generation: generation.into(),
            fingerprint: Field::Is(digest),
            schema_version: Field::or_null(schema),
            mandatory_state: listed(MANDATORY_STATE.into_iter().map(Text::new_static)),
            mandatory_collections: listed(MANDATORY_COLLECTIONS.into_iter().map(Text::new_static)),
            rows_covered: Number::from(state.rows.len() as u64).into(),
            tables_absent: listed(state.absent.into_iter()),
            position: Field::Is(PositionView::from(&position)),
            trust: Field::Is(TrustView::of(&position, (rules.log.position_trust)(&position))),
            verdict: Field::Is(VerdictView::from(&verdict)),
            ..Head::default()
        };
        Ok(Step::Return(Value::Response(answer::message(200, head))))
    }
}

fn listed(items: impl Iterator<Item = Text>) -> Field<Vec<Field<Text>>> {
    Field::Is(items.map(Field::Is).collect())
}
