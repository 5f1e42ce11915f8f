//! Cases: one rule of the platform each, as a test body that both arms run.

use protocol::host::Text;

use sim::kernel::Knobs;

use super::script::{Do, Stub};

/// One arm of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arm {
    /// It is run, and what is seen must be what the case expects.
    Runs,
    /// It is run, and this must be seen instead of what the case expects: why.
    Differs(&'static str, &'static [&'static str]),
    /// It cannot be run: why.
    Absent(&'static str),
}

/// What a test does.
#[derive(Clone, Debug)]
pub enum Step {
    /// A client has a front Worker run a script, and sees what that says.
    Drive(Vec<Do>),
    /// A client does so, and goes away after so many milliseconds.
    DriveAndLeave(Vec<Do>, u64),
    /// So many milliseconds pass.
    Pause(u64),
    /// The machine fails, and another takes its place.
    PowerCut,
    /// The machine fails while clients write one row after the other to an object. All rows whose write was answered
    /// must be there after it: `lost N` is seen.
    PowerCutUnderLoad(Text),
    /// From now on no large write of this object can be made durable.
    DiskFull(Text),
}

/// A length of time, in milliseconds: the real runtime, busy as it may be, has begun within it what it was sent before.
pub const MOMENT: u64 = 250;

/// Where a case can run on the real runtime.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Machine {
    /// Beside other cases.
    #[default]
    Shared,
    /// Alone, because it kills the runtime or holds the thread.
    Own,
    /// Alone, on a disk that large writes fill up.
    SmallDisk,
}

/// How a simulated platform differs from the usual one.
#[derive(Clone, Copy, Debug)]
pub struct Knob {
    /// In words.
    pub words: &'static str,
    /// In deed.
    pub set: fn(&mut Knobs),
}

/// One rule of the platform, and how it is shown.
#[derive(Clone, Debug)]
pub struct Case {
    /// The places of the specification that it shows.
    pub rules: &'static str,
    /// The test's name.
    pub name: &'static str,
    /// The rule, in a sentence.
    pub says: &'static str,
    /// What is done.
    pub steps: Vec<Step>,
    /// What is seen: one line for each thing that a front Worker says.
    pub sees: Vec<String>,
    /// The kernel's arm.
    pub kernel: Arm,
    /// The real runtime's arm.
    pub runtime: Arm,
    /// Whether the simulated objects run the script on the protocols' own runner.
    pub on_tasks: bool,
    /// How the simulated platform differs from the usual one.
    pub knobs: Option<Knob>,
    /// Where it runs on the real runtime.
    pub machine: Machine,
    /// Whether it takes so long that it only runs when asked for.
    pub slow: bool,
}

impl Case {
    /// A case without steps, which runs in both arms.
    #[must_use]
    pub fn new(rules: &'static str, name: &'static str, says: &'static str) -> Self {
        Case {
            rules,
            name,
            says,
            steps: Vec::new(),
            sees: Vec::new(),
            kernel: Arm::Runs,
            runtime: Arm::Runs,
            on_tasks: false,
            knobs: None,
            machine: Machine::Shared,
            slow: false,
        }
    }

    /// A rule that neither arm shows.
    #[must_use]
    pub fn untested(
        rules: &'static str,
        says: &'static str,
        kernel: &'static str,
        runtime: &'static str,
    ) -> Self {
        Case {
            kernel: Arm::Absent(kernel),
            runtime: Arm::Absent(runtime),
            ..Case::new(rules, "", says)
        }
    }

    /// Adds a step.
    #[must_use]
    pub fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// Has a client drive a script.
    #[must_use]
    pub fn drive(self, script: impl Into<Vec<Do>>) -> Self {
        self.step(Step::Drive(script.into()))
    }

    /// Lets time pass.
    #[must_use]
    pub fn pause(self, millis: u64) -> Self {
        self.step(Step::Pause(millis))
    }

    /// Says what is seen.
    #[must_use]
    pub fn sees(mut self, lines: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.sees = lines.into_iter().map(Into::into).collect();
        self
    }

    /// Says why the kernel's arm is not run, or sees something else.
    #[must_use]
    pub fn kernel(self, kernel: Arm) -> Self {
        Case { kernel, ..self }
    }

    /// Says why the runtime's arm is not run, or sees something else.
    #[must_use]
    pub fn runtime(self, runtime: Arm) -> Self {
        Case { runtime, ..self }
    }

    /// Sets knobs of the simulated platform.
    #[must_use]
    pub fn knobs(mut self, words: &'static str, set: fn(&mut Knobs)) -> Self {
        self.knobs = Some(Knob { words, set });
        self
    }

    /// Says where it runs on the real runtime.
    #[must_use]
    pub fn machine(self, machine: Machine) -> Self {
        Case { machine, ..self }
    }

    /// Has simulated objects run the script on the protocols' own runner, and with its gates.
    #[must_use]
    pub fn on_tasks(self) -> Self {
        Case {
            on_tasks: true,
            ..self
        }
    }

    /// It only runs when asked for.
    #[must_use]
    pub fn slow(self) -> Self {
        Case { slow: true, ..self }
    }
}

impl Case {
    /// What this arm of the case must see.
    #[must_use]
    pub fn expected(&self, arm: Arm) -> Vec<String> {
        match arm {
            Arm::Differs(_, sees) => sees.iter().map(|line| (*line).to_owned()).collect(),
            Arm::Runs | Arm::Absent(_) => self.sees.clone(),
        }
    }
}

/// An object's first stub.
#[must_use]
pub fn stub(object: &str) -> Stub {
    Stub {
        object: Text::new(object),
        serial: 0,
    }
}

/// Another stub for an object.
#[must_use]
pub fn fresh(object: &str, serial: u32) -> Stub {
    Stub {
        object: Text::new(object),
        serial,
    }
}

/// Asks an object, waits, and says the answer.
#[must_use]
pub fn ask(object: &str, script: impl Into<Vec<Do>>) -> Do {
    Do::Ask(stub(object), script.into())
}

/// Asks over another stub.
#[must_use]
pub fn ask_on(stub: Stub, script: impl Into<Vec<Do>>) -> Do {
    Do::Ask(stub, script.into())
}

/// Begins a call.
#[must_use]
pub fn call(label: &str, object: &str, script: impl Into<Vec<Do>>) -> Do {
    Do::Call(Text::new(label), stub(object), script.into())
}

/// Begins a call over another stub.
#[must_use]
pub fn call_on(label: &str, stub: Stub, script: impl Into<Vec<Do>>) -> Do {
    Do::Call(Text::new(label), stub, script.into())
}

/// Waits for a call and says how it was answered.
#[must_use]
pub fn answer(label: &str) -> Do {
    Do::Answer(Text::new(label))
}

/// Inserts a row.
#[must_use]
pub fn write(text: &str) -> Do {
    Do::Write(Text::new(text))
}

/// Adds to the memory.
#[must_use]
pub fn keep(text: &str) -> Do {
    Do::Keep(Text::new(text))
}

/// Says a text.
#[must_use]
pub fn say(text: &str) -> Do {
    Do::Say(Text::new(text))
}

/// Throws an error with this text, which begins with `!` to be compared.
#[must_use]
pub fn throw(text: &str) -> Do {
    Do::Throw(protocol::host::CallError::thrown(text))
}

/// Ends the incarnation.
#[must_use]
pub fn abort() -> Do {
    Do::Abort(Text::new_static("!aborted"))
}
