//! The module's imports and exports: the one place with `unsafe` in it.
//!
//! A buffer belongs to whoever it was handed to. What the shell allocates and passes in (the arguments of `start` and
//! `deliver`, the answer of an import) is the module's, and is freed when it has been read. What an export returns is
//! the shell's, to be read and given to `release`. The arguments of an import stay the module's: the shell reads them
//! before it answers.
#![allow(
    unsafe_code,
    reason = "exports without a mangled name, imports, and buffers that cross by address"
)]

use std::sync::{Mutex, PoisonError};

use crate::abi::{self, Delivered, Function};
use crate::{Crossing, Incarnation, Start};

/// The one incarnation of this instance. Held locked through a turn: after a panic, which is a trap, nothing can be
/// delivered any more.
static INCARNATION: Mutex<Option<Box<dyn Incarnation>>> = Mutex::new(None);

/// What the last panic said.
static LAST_WORDS: Mutex<String> = Mutex::new(String::new());

macro_rules! imports {
    ($($variant:ident $name:ident,)*) => {
        mod imports {
            #[link(wasm_import_module = "seam")]
            unsafe extern "C" {
                $(pub fn $name(address: u32, length: u32) -> u64;)*
            }
        }

        fn import(function: Function, address: u32, length: u32) -> u64 {
            // SAFETY: the shell reads `length` bytes at `address`, which the caller holds until this returns.
            match function {
                $(Function::$variant => unsafe { imports::$name(address, length) },)*
            }
        }
    };
}
abi::seam_functions!(imports);

struct Shell;

impl Crossing for Shell {
    fn cross(&mut self, function: Function, args: &str) -> String {
        let packed = import(function, args.as_ptr() as u32, args.len() as u32);
        take((packed >> 32) as u32, packed as u32)
    }
}

/// Takes over a text that was handed in.
fn take(address: u32, length: u32) -> String {
    String::from_utf8(own(address, length).into_vec()).expect("what crosses the seam is UTF-8")
}

/// Hands out a text.
fn give(text: String) -> u64 {
    let bytes = text.into_bytes().into_boxed_slice();
    let length = bytes.len() as u64;
    let address = Box::into_raw(bytes).cast::<u8>() as u64;
    (address << 32) | length
}

/// Takes over a buffer.
fn own(address: u32, length: u32) -> Box<[u8]> {
    // SAFETY: the shell names only buffers of `allocate` or `give`, by their exact length, and each of them once.
    unsafe {
        Box::from_raw(std::ptr::slice_from_raw_parts_mut(
            address as *mut u8,
            length as usize,
        ))
    }
}

/// Memory of this length, for the shell to write to.
#[unsafe(no_mangle)]
pub extern "C" fn allocate(length: u32) -> u32 {
    Box::into_raw(vec![0_u8; length as usize].into_boxed_slice()).cast::<u8>() as u32
}

/// Frees what an export has returned, or what `allocate` gave and was not handed in.
#[unsafe(no_mangle)]
pub extern "C" fn release(address: u32, length: u32) {
    drop(own(address, length));
}

/// Starts the incarnation: a [`Start`].
#[unsafe(no_mangle)]
pub extern "C" fn start(address: u32, length: u32) {
    std::panic::set_hook(Box::new(|info| {
        *LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner) = info.to_string();
    }));
    let text = take(address, length);
    let start: Start =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("cannot start {text}: {error}"));
    let incarnation = crate::load(&start).unwrap_or_else(|error| panic!("{error}"));
    *INCARNATION.lock().expect("nothing has panicked before the start") = Some(incarnation);
}

/// Delivers an event and returns a [`Delivered`].
#[unsafe(no_mangle)]
pub extern "C" fn deliver(address: u32, length: u32) -> u64 {
    let text = take(address, length);
    let event = abi::read_event(&text).unwrap_or_else(|error| panic!("cannot deliver {text}: {error}"));
    let mut held = INCARNATION.lock().expect("no turn has panicked");
    let incarnation = held.as_mut().expect("an event comes after the start");
    let began = incarnation.deliver(event, &mut Shell);
    give(abi::encode(&Delivered { began }))
}

/// What the panic that has trapped this instance said; may be called after the trap.
#[unsafe(no_mangle)]
pub extern "C" fn last_words() -> u64 {
    give(LAST_WORDS.lock().unwrap_or_else(PoisonError::into_inner).clone())
}
