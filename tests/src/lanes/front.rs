//! A front Worker that knows nothing: these tests ask the objects themselves.

use protocol::host::{CallError, Entry, Platform, Response};
use protocol::lanes::object::Version;
use protocol::task::{Context, Frame, Resume, Role, Step};

/// It answers nobody.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mute;

/// Its only frame.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Silence;

impl Frame for Silence {}

impl Role for Mute {
    type Frame = Silence;
    type Value = ();
    type Failure = CallError;
    type Rules = Version;
    type Host<'h> = dyn Platform + 'h;

    fn begin(&mut self, _: &Version, _: Entry) -> Silence {
        Silence
    }

    fn step(
        &mut self,
        _: &Version,
        _: &mut Silence,
        _: Resume<Self>,
        _: &mut Context<'_, '_, Self>,
    ) -> Result<Step<Self>, CallError> {
        Ok(Step::Return(()))
    }

    fn response((): ()) -> Option<Response> {
        None
    }
}
