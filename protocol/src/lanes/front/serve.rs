//! A visitor's request, from its coming to its answer.

use super::{
    Ask, Cx, Front, FrontFrame, Hop, Learning, Next, Reaching, Refused, Resolving, Value, labels, page,
};
use crate::host::{Entry, Request, Text};
use crate::lanes::object::Version;
use crate::lanes::routing::{AffinityFacts, RouteFacts};
use crate::number::Number;
use crate::task::{Resume, Step};

/// One request on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Serving {
    /// None of an alarm, which a front does not have.
    request: Option<Request>,
    stage: Stage,
}

/// What is under way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Stage {
    /// Nothing yet.
    Starting,
    /// The front finds out which site this is for.
    Resolving(Ask),
    /// It looks for the site's pointer.
    Learning(Ask, Text),
    /// An object is asked.
    Reaching,
}

impl Serving {
    pub(super) fn new(entry: Entry) -> Self {
        Serving {
            request: match entry {
                Entry::Request(request) => Some(request),
                Entry::Alarm(_) => None,
            },
            stage: Stage::Starting,
        }
    }

    pub(super) fn step(
        &mut self,
        front: &mut Front,
        version: &Version,
        resume: Resume<Front>,
        cx: &mut Cx<'_, '_>,
    ) -> Next {
        let Some(request) = &self.request else {
            return Ok(answer(Refused::NoRequest, cx));
        };
        Ok(match (self.stage.clone(), resume) {
            (Stage::Starting, _) => match Ask::read(request) {
                Err(refused) => answer(refused, cx),
                Ok(ask) => {
                    let host = request.headers.get("host");
                    let resolving = Resolving::new(host);
                    self.stage = Stage::Resolving(ask);
                    Step::Enter(FrontFrame::Resolve(Box::new(resolving)))
                }
            },
            (Stage::Resolving(ask), Resume::Returned(Value::Site(site))) => {
                let site = named_site(&ask).unwrap_or(site);
                if ask == Ask::Visit && !front.consulted.contains(&site) {
                    let learning = Learning::new(&site);
                    self.stage = Stage::Learning(ask, site);
                    return Ok(Step::Enter(FrontFrame::Learn(Box::new(learning))));
                }
                self.route(front, version, &ask, &site, cx)
            }
            (Stage::Learning(ask, site), Resume::Returned(_)) => self.route(front, version, &ask, &site, cx),
            (_, Resume::Returned(value)) => Step::Return(value),
            (_, Resume::Failed(error)) => Step::Return(Value::Response(page::unavailable(&error))),
            (_, other) => unreachable!("a front's frame returns or fails, and does not {other:?}"),
        })
    }

    /// Chooses the object, and asks it.
    fn route(
        &mut self,
        front: &Front,
        version: &Version,
        ask: &Ask,
        site: &Text,
        cx: &mut Cx<'_, '_>,
    ) -> Step<Front> {
        let rules = &version.rules;
        let Some(request) = &self.request else {
            return answer(Refused::NoRequest, cx);
        };
        let (count, write_forward) = match &front.settings {
            Some((settings, _)) => (settings.replica_count, settings.write_forward),
            None => (Number::ZERO, false),
        };
        let believed = (rules.beliefs.believed)(&front.beliefs, site, cx.now());
        let session = (rules.sessions.cookie_value)(request.headers.get("cookie"));
        let pathname = request.path.split('?').next().unwrap_or_default();
        let affinity = (rules.routing.affinity_key)(&AffinityFacts {
            session,
            address: request.headers.get("cf-connecting-ip"),
            pathname,
        });
        let route = (rules.routing.choose_target)(
            rules,
            &RouteFacts {
                site,
                method: request.method.as_str(),
                affinity: &affinity,
                replicas: count.js_max(believed),
                pathname: Some(ask.pathname()),
                write_forward,
                has_session: session.is_some(),
                visitor_path: Some(&request.path),
                content_type: request.headers.get("content-type"),
            },
        );
        cx.note(labels::ROUTED, format!("{}: {}", route.target, route.reason));
        let reaching = Reaching::new(Hop::new(site, ask, request, route));
        self.stage = Stage::Reaching;
        Step::Enter(FrontFrame::Reach(Box::new(reaching)))
    }
}

/// The site that an owner names: `?site=` counts where the caller owns the URL (`lanes.md` 4).
fn named_site(ask: &Ask) -> Option<Text> {
    let Ask::Operate(query) = ask else {
        return None;
    };
    let named = query.split('&').find_map(|pair| pair.strip_prefix("site="));
    named.filter(|site| !site.is_empty()).map(Text::new)
}

fn answer(refused: Refused, cx: &mut Cx<'_, '_>) -> Step<Front> {
    cx.note(labels::ANSWERED, refused.to_string());
    Step::Return(Value::Response(page::not_found(refused)))
}
