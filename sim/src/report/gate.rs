//! What a gate has come to, as one sentence and as JUnit XML.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

use super::figures::Of;

/// How something stands that a gate looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stands {
    /// It holds.
    Holds,
    /// It does not.
    Fails {
        /// The exit code that it ends a command with.
        code: u8,
        /// Why, in words.
        why: String,
    },
    /// It has shown nothing, and why.
    Void(String),
    /// Nothing could be asked of it.
    NotAsked,
}

/// Something that a gate looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// What it is one of.
    pub suite: &'static str,
    /// What it is called.
    pub name: String,
    /// How it stands.
    pub stands: Stands,
    /// How long that took.
    pub took: Duration,
}

/// The worse of two exit codes: not deterministic, violated, bad input, void, passed; any other one is worse than these.
#[must_use]
pub fn worse(one: u8, other: u8) -> u8 {
    const RANKED: [u8; 5] = [4, 1, 2, 3, 0];
    let rank = |code: &u8| {
        let place = RANKED.iter().position(|ranked| ranked == code);
        place.map_or(0, |place| place + 1)
    };
    if rank(&other) < rank(&one) { other } else { one }
}

/// All that a gate has looked at, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cases(pub Vec<Case>);

impl Cases {
    /// The exit code: that of what is worst. Without a case nothing is shown.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        let codes = self.0.iter().filter_map(|case| match &case.stands {
            Stands::Fails { code, .. } => Some(*code),
            Stands::Void(_) => Some(3),
            Stands::Holds | Stands::NotAsked => None,
        });
        if !self.0.iter().any(|case| case.stands == Stands::Holds) && codes.clone().next().is_none() {
            return 3;
        }
        codes.fold(0, worse)
    }

    /// Whether to deploy, in one sentence; `left` is what it does not say for sure.
    #[must_use]
    pub fn verdict(&self, left: &str) -> String {
        let count = |is: fn(&Stands) -> bool| self.0.iter().filter(|case| is(&case.stands)).count() as u64;
        let fails = count(|stands| matches!(stands, Stands::Fails { .. }));
        let void = count(|stands| matches!(stands, Stands::Void(_)));
        let holds = count(|stands| *stands == Stands::Holds);
        let first = self.0.iter().find(|case| match &case.stands {
            Stands::Fails { .. } => true,
            Stands::Void(_) => fails == 0,
            Stands::Holds | Stands::NotAsked => false,
        });
        match (first, holds) {
            (Some(case), _) => {
                let (what, of) = if fails > 0 {
                    ("fails", fails)
                } else {
                    ("has shown nothing", void)
                };
                let others = if of > 1 {
                    format!(", and {} more", of - 1)
                } else {
                    String::new()
                };
                format!(
                    "do not deploy: {} of {} {what}{others}; {left}.",
                    case.name, case.suite
                )
            }
            (None, 0) => format!("do not deploy: nothing was looked at; {left}."),
            (None, holds) => format!("deploy: yes, all of {} hold; {left}.", Of(holds, "check")),
        }
    }

    /// The cases as JUnit XML.
    ///
    /// # Errors
    /// What the library answers.
    pub fn junit(&self) -> Result<String, SerializeError> {
        let mut report = Report::new("drydock gate");
        let mut suites: Vec<TestSuite> = Vec::new();
        for case in &self.0 {
            if suites
                .last()
                .is_none_or(|suite| suite.name.as_str() != case.suite)
            {
                suites.push(TestSuite::new(case.suite));
            }
            let status = match &case.stands {
                Stands::Holds => TestCaseStatus::success(),
                Stands::NotAsked => TestCaseStatus::skipped(),
                Stands::Fails { why, .. } => not_so(NonSuccessKind::Failure, why),
                Stands::Void(why) => not_so(NonSuccessKind::Error, why),
            };
            let mut test = TestCase::new(case.name.as_str(), status);
            test.set_classname(case.suite).set_time(case.took);
            if let Some(suite) = suites.last_mut() {
                suite.add_test_case(test);
            }
        }
        report.add_test_suites(suites);
        report.to_string()
    }
}

fn not_so(kind: NonSuccessKind, why: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status
        .set_message(why.lines().next().unwrap_or_default())
        .set_description(why);
    status
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cases(stands: impl IntoIterator<Item = Stands>) -> Cases {
        let case = |stands| Case {
            suite: "sweep",
            name: "lanes/chaos".to_owned(),
            stands,
            took: Duration::from_millis(1_500),
        };
        Cases(stands.into_iter().map(case).collect())
    }

    fn fails(code: u8) -> Stands {
        Stands::Fails {
            code,
            why: "LR-1 violated: <two> records\nsee it".to_owned(),
        }
    }

    #[test]
    fn what_is_worst_is_the_exit_code() {
        let code = |stands: &[Stands]| cases(stands.iter().cloned()).exit_code();
        let void = || Stands::Void("nothing".to_owned());
        assert_eq!(code(&[]), 3, "a gate that looks at nothing shows nothing");
        assert_eq!(code(&[Stands::NotAsked]), 3, "nor does one that asks nothing");
        assert_eq!(code(&[Stands::Holds, Stands::NotAsked]), 0);
        assert_eq!(code(&[Stands::Holds, void()]), 3);
        assert_eq!(code(&[void(), fails(1)]), 1);
        assert_eq!(code(&[fails(1), fails(4), void()]), 4);
    }

    #[test]
    fn the_worse_of_two_exit_codes_is_the_same_in_either_order() {
        for (one, other, expected) in [(0, 2, 2), (3, 2, 2), (1, 2, 1), (4, 2, 4), (130, 2, 130)] {
            assert_eq!(worse(one, other), expected, "of {one} and {other}");
            assert_eq!(worse(other, one), expected, "of {other} and {one}");
        }
    }

    #[test]
    fn one_sentence_says_whether_to_deploy() {
        let told = |stands: &[Stands]| cases(stands.iter().cloned()).verdict("it took 2 s");
        assert_eq!(
            told(&[Stands::Holds]),
            "deploy: yes, all of 1 check hold; it took 2 s."
        );
        assert_eq!(
            told(&[Stands::Holds, fails(1), fails(1)]),
            "do not deploy: lanes/chaos of sweep fails, and 1 more; it took 2 s."
        );
        assert_eq!(
            told(&[Stands::Void("x".to_owned())]),
            "do not deploy: lanes/chaos of sweep has shown nothing; it took 2 s."
        );
        assert_eq!(told(&[]), "do not deploy: nothing was looked at; it took 2 s.");
    }

    #[test]
    fn the_cases_are_junit() {
        let xml = cases([Stands::Holds, fails(1), Stands::NotAsked])
            .junit()
            .expect("it is written");
        assert!(
            xml.contains(r#"tests="3""#) && xml.contains(r#"failures="1""#),
            "{xml}"
        );
        assert!(xml.contains("LR-1 violated: &lt;two&gt; records"), "{xml}");
        assert!(xml.contains(r#"time="1.500""#), "{xml}");
    }
}
