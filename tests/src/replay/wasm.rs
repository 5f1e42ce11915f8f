//! The module under an interpreter.

use protocol_worker::Start;
use protocol_worker::abi::{self, IMPORT_MODULE, SEAM};
use wasmi::{
    Caller, Engine, Error, Instance, Linker, Memory, Module, Store, TypedFunc, WasmParams, WasmResults,
};

use super::{Difference, Replay, Script};

/// Loads the module.
pub fn load(module: &[u8]) -> Module {
    Module::new(&Engine::default(), module).expect("the module is valid")
}

pub struct Running {
    store: Store<Script>,
    memory: Memory,
    allocate: TypedFunc<u32, u32>,
    release: TypedFunc<(u32, u32), ()>,
    deliver: TypedFunc<(u32, u32), u64>,
}

impl Running {
    pub fn start(module: &Module, start: &Start, script: Script) -> Result<Self, Difference> {
        let mut store = Store::new(module.engine(), script);
        let mut linker = Linker::new(module.engine());
        for name in SEAM {
            let import =
                move |caller: Caller<'_, Script>, address, length| cross(caller, name, address, length);
            linker
                .func_wrap(IMPORT_MODULE, name, import)
                .expect("each function has its own name");
        }
        let instance = linker
            .instantiate_and_start(&mut store, module)
            .expect("the seam is all it imports");
        let memory = memory(&instance, &store);
        let mut running = Running {
            memory,
            allocate: exported(&instance, &store, "allocate"),
            release: exported(&instance, &store, "release"),
            deliver: exported(&instance, &store, "deliver"),
            store,
        };
        let begin: TypedFunc<(u32, u32), ()> = exported(&instance, &running.store, "start");
        let given = running.give(&abi::encode(start));
        let started = begin.call(&mut running.store, given);
        match started {
            Ok(()) => Ok(running),
            Err(trap) => Err(running.store.data().next_difference(&format!("trapped: {trap}"))),
        }
    }

    fn give(&mut self, text: &str) -> (u32, u32) {
        let length = u32::try_from(text.len()).expect("a text is shorter than the memory");
        let address = self
            .allocate
            .call(&mut self.store, length)
            .expect("memory can be allocated");
        self.memory
            .write(&mut self.store, address as usize, text.as_bytes())
            .expect("allocated memory is there");
        (address, length)
    }

    fn take(&mut self, packed: u64) -> String {
        let (address, length) = ((packed >> 32) as u32, packed as u32);
        let bytes = &self.memory.data(&self.store)[address as usize..][..length as usize];
        let text = String::from_utf8(bytes.to_vec()).expect("an answer is UTF-8");
        self.release
            .call(&mut self.store, (address, length))
            .expect("an answer can be released");
        text
    }
}

impl Replay for Running {
    fn script(&mut self) -> &mut Script {
        self.store.data_mut()
    }

    fn deliver(&mut self, event: &str) -> Result<String, String> {
        let given = self.give(event);
        let returned = self.deliver.call(&mut self.store, given);
        returned
            .map(|packed| self.take(packed))
            .map_err(|trap| trap.to_string())
    }
}

fn exported<P: WasmParams, R: WasmResults>(
    instance: &Instance,
    store: &Store<Script>,
    name: &str,
) -> TypedFunc<P, R> {
    let function = instance.get_typed_func(store, name);
    function.unwrap_or_else(|error| panic!("the module exports no `{name}` of the right type: {error}"))
}

fn memory(instance: &Instance, store: &Store<Script>) -> Memory {
    instance
        .get_memory(store, "memory")
        .expect("the module exports its memory")
}

/// One call of an import: answered out of the record, or the end of the replay.
fn cross(mut caller: Caller<'_, Script>, name: &str, address: u32, length: u32) -> Result<u64, Error> {
    let memory = caller
        .get_export("memory")
        .and_then(|export| export.into_memory());
    let memory = memory.ok_or_else(|| Error::new("the module exports its memory"))?;
    let mut args = vec![0; length as usize];
    memory
        .read(&caller, address as usize, &mut args)
        .map_err(|error| Error::new(error.to_string()))?;
    let args = String::from_utf8(args).map_err(|error| Error::new(error.to_string()))?;
    let answer = caller
        .data_mut()
        .cross(name, &args)
        .ok_or_else(|| Error::new("the replay ends here"))?;
    let allocate = caller
        .get_export("allocate")
        .and_then(|export| export.into_func());
    let allocate = allocate.ok_or_else(|| Error::new("the module exports `allocate`"))?;
    let allocate = allocate.typed::<u32, u32>(&caller)?;
    let length = u32::try_from(answer.len()).map_err(|error| Error::new(error.to_string()))?;
    let address = allocate.call(&mut caller, length)?;
    memory
        .write(&mut caller, address as usize, answer.as_bytes())
        .map_err(|error| Error::new(error.to_string()))?;
    Ok((u64::from(address) << 32) | u64::from(length))
}
