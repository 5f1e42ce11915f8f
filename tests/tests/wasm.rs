//! The Worker's module: it imports the seam and nothing else, and does what the native code does, byte for byte.

use std::collections::BTreeSet;
use std::fs;
use std::process::ExitCode;

use demonstration::{Demonstration, rules};
use libtest_mimic::Failed;
use protocol::host::{Body, Headers, Method, Request, Text};
use protocol_worker::abi::{IMPORT_MODULE, SEAM};
use protocol_worker::record::{self, RecordLine};
use tests::pieces::{Piece, run, trial};
use tests::replay::{Stats, by_who, crossed, replay_all, replay_natively};
use tests::scripted::World;
use wasmparser::{Parser, Payload, TypeRef};

fn main() -> ExitCode {
    run(vec![
        trial(
            "wasm::imports_are_exactly_the_seam",
            &[Piece::Wasm],
            imports_are_exactly_the_seam,
        ),
        trial(
            "wasm::corpus_is_byte_identical",
            &[Piece::Wasm],
            corpus_is_byte_identical,
        ),
        trial(
            "wasm::replay_notices_one_wrong_byte",
            &[Piece::Wasm],
            replay_notices_one_wrong_byte,
        ),
        trial(
            "wasm::the_adapter_changes_nothing",
            &[],
            the_adapter_changes_nothing,
        ),
        trial(
            "wasm::a_record_survives_its_file",
            &[],
            a_record_survives_its_file,
        ),
    ])
}

/// So the module has no clock, no randomness and no I/O of its own.
fn imports_are_exactly_the_seam() -> Result<(), Failed> {
    let module = fs::read(Piece::Wasm.require()?)?;
    let mut imports = Vec::new();
    for payload in Parser::new(0).parse_all(&module) {
        if let Payload::ImportSection(section) = payload? {
            for import in section.into_imports() {
                let import = import?;
                assert_eq!(
                    import.module, IMPORT_MODULE,
                    "{} is imported from elsewhere",
                    import.name
                );
                assert!(
                    matches!(import.ty, TypeRef::Func(_)),
                    "{} is no function",
                    import.name
                );
                imports.push(import.name);
            }
        }
    }
    let distinct: BTreeSet<_> = imports.iter().copied().collect();
    assert_eq!(
        distinct.len(),
        imports.len(),
        "each is imported once: {imports:?}"
    );
    assert_eq!(distinct, SEAM.iter().copied().collect());
    Ok(())
}

/// What clients ask in the corpus.
fn request(nth: u64) -> Request {
    let add = |token| {
        Request::post(
            "/add",
            Body::text(format!("{{\"by\":{},\"token\":\"t{token}\"}}", 1 + nth % 3)),
        )
    };
    let mut request = match nth % 16 {
        0 | 5 => Request::post("/follow", Body::default()),
        1 | 2 | 3 | 6 | 7 => add(nth),
        8 => add(nth / 2),
        9 => Request::post("/add", Body::text("{\"by\":0.5,\"token\":\"half\u{feff}\"}")),
        10 if nth % 160 == 10 => Request::post("/reset", Body::default()),
        11 => Request::get("/nothing"),
        _ => Request::get("/value"),
    };
    request.headers = Headers::default();
    if nth % 16 != 10 && (nth.is_multiple_of(16) || nth % 5 > 1) {
        request
            .headers
            .set("x-follower", Text::from((1 + nth % 3).to_string()));
    }
    if nth.is_multiple_of(97) {
        request.method = Method::Other(Text::new_static("PURGE"));
    }
    request
}

fn corpus(variant: &str, events: u64) -> Vec<RecordLine> {
    let rules = rules::variant(variant).expect("the demonstration has this variant");
    let mut world = World::new(Demonstration { rules });
    let mut nth = 0;
    while world.events() < events {
        if nth % 4 == 0 || !world.step() {
            world.ask(request(nth / 2));
        }
        nth += 1;
    }
    world.tape().take()
}

fn corpus_is_byte_identical() -> Result<(), Failed> {
    let module = fs::read(Piece::Wasm.require()?)?;
    for variant in ["documented", "hardened"] {
        let record = corpus(variant, 5_000);
        let stats = replay_all(&module, "demonstration", variant, &record)?;
        println!("{variant}: {stats:?}");
        // Nothing has stopped short, and each function of the seam was crossed.
        assert!(stats.events >= 5_000, "{stats:?}");
        let crossed = crossed(&record);
        let missing: Vec<_> = SEAM
            .iter()
            .filter(|name| !crossed.keys().any(|f| f.name() == **name))
            .collect();
        assert!(missing.is_empty(), "the corpus never crosses {missing:?}");
    }
    Ok(())
}

/// The same without the module: what the recorder wrote is what the module's own adapter sends.
fn the_adapter_changes_nothing() -> Result<(), Failed> {
    let record = corpus("hardened", 1_000);
    let mut total = Stats::default();
    for (start, lines) in by_who("demonstration", "hardened", &record) {
        total += replay_natively(&start, &lines)?;
    }
    assert!(total.events >= 1_000, "{total:?}");
    Ok(())
}

/// The replayer itself: a record that is wrong in one byte is refused, at that line.
fn replay_notices_one_wrong_byte() -> Result<(), Failed> {
    let module = fs::read(Piece::Wasm.require()?)?;
    let mut record = corpus("hardened", 200);
    let text = record::write(&record);
    let wrong = text.replacen(
        "record-sealed\",\"detail\":\"3\"",
        "record-sealed\",\"detail\":\"4\"",
        1,
    );
    assert_ne!(text, wrong, "the corpus seals a third record");
    record = record::read(&wrong).map_err(|(line, error)| format!("line {line}: {error}"))?;
    let difference =
        replay_all(&module, "demonstration", "hardened", &record).expect_err("the record is wrong");
    let message = difference.to_string();
    assert!(message.contains("\"detail\":\"4\""), "{message}");
    Ok(())
}

fn a_record_survives_its_file() -> Result<(), Failed> {
    let text = record::write(&corpus("hardened", 200));
    let again = record::read(&text).map_err(|(line, error)| format!("line {line}: {error}"))?;
    assert_eq!(record::write(&again), text);
    Ok(())
}
