//! Finds out which site a request is for, and what is set.

use super::settings::{self, Settings, holds};
use super::{Cx, Front, Value, labels};
use crate::host::{Answer, CallId, CallOutcome, Shared, Text};
use crate::lanes::object::Version;
use crate::lanes::site::Scheme;
use crate::task::{On, Resume, Step};

/// The site where nothing says which (`lanes.md` 4).
const ONLY_SITE: &str = "site";

/// The most hosts whose site an isolate holds; with one more, all are forgotten, as beliefs are.
const MOST_HOSTS: usize = 64;

/// Reads that are all begun at once and awaited one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Resolving {
    /// The host that the visitor named.
    host: Text,
    /// The read of the host's site, if one is needed.
    site: Option<CallId>,
    /// The reads of overrides, if they are needed.
    overrides: Vec<CallId>,
    /// What has been read of the overrides.
    read: Vec<Option<Text>>,
    /// What the key of the host holds.
    found: Option<Text>,
}

impl Resolving {
    pub(super) fn new(host: Option<&str>) -> Self {
        Resolving {
            host: Text::new(host.unwrap_or_default()),
            site: None,
            overrides: Vec::new(),
            read: Vec::new(),
            found: None,
        }
    }

    pub(super) fn step(
        &mut self,
        front: &mut Front,
        version: &Version,
        resume: Resume<Front>,
        cx: &mut Cx<'_, '_>,
    ) -> Step<Front> {
        match resume {
            Resume::Answer { call, outcome } if self.site == Some(call) => {
                self.found = entry(outcome).filter(|site| !site.is_empty());
                self.site = None;
            }
            Resume::Answer { outcome, .. } => {
                let before = front.overrides.get(self.read.len());
                self.read.push(match outcome {
                    Ok(Answer::Entry(text)) => text,
                    // What cannot be read stays what it was, as with an object's alarm.
                    _ => before.cloned().flatten(),
                });
            }
            _ => self.begin(front, version, cx),
        }
        let next = self.site.or(self.overrides.get(self.read.len()).copied());
        match next {
            Some(call) => Step::Await(On::Call(call)),
            None => self.finish(front, version, cx),
        }
    }

    fn begin(&mut self, front: &Front, version: &Version, cx: &mut Cx<'_, '_>) {
        let now = cx.now();
        let known = front.sites.get(&self.host);
        if !self.host.is_empty() && !known.is_some_and(|(_, at)| holds(*at, now)) {
            let key = format!("site:host:{}", self.host);
            self.site = Some(cx.get(labels::READ_SITE, Shared::Kv, &key));
        }
        let set = front.settings.as_ref().is_some_and(|(_, at)| holds(*at, now));
        if version.policy.reads_overrides && !set {
            self.overrides = settings::READ
                .iter()
                .map(|name| cx.get(labels::READ_OVERRIDE, Shared::Kv, &settings::override_key(name)))
                .collect();
        }
    }

    fn finish(&mut self, front: &mut Front, version: &Version, cx: &mut Cx<'_, '_>) -> Step<Front> {
        let now = cx.now();
        if !self.overrides.is_empty() || front.settings.is_none() || !version.policy.reads_overrides {
            let settings = Settings::read(&version.rules, &version.variables, &self.read);
            front.settings = Some((settings, now));
            front.overrides.clone_from(&self.read);
        }
        let known = front.sites.get(&self.host).filter(|(_, at)| holds(*at, now));
        if let Some((site, _)) = known {
            return Step::Return(Value::Site(site.clone()));
        }
        let derived = || (version.rules.sites.from_host)(&self.host, Scheme::Https).map(Text::from);
        let site = self
            .found
            .take()
            .or_else(|| version.variables.site_id.clone())
            .or_else(derived)
            .unwrap_or_else(|| Text::new_static(ONLY_SITE));
        if front.sites.len() > MOST_HOSTS {
            front.sites.clear();
        }
        front.sites.insert(self.host.clone(), (site.clone(), now));
        Step::Return(Value::Site(site))
    }
}

/// What a shared service holds, as far as it can be read: a front that is told nothing serves all the same.
pub(super) fn entry(outcome: CallOutcome) -> Option<Text> {
    match outcome {
        Ok(Answer::Entry(text)) => text,
        _ => None,
    }
}
