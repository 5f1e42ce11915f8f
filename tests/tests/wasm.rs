//! The Worker's module: it imports the seam and nothing else, and does what the native code does, byte for byte.

use std::collections::BTreeSet;
use std::fs;
use std::process::ExitCode;

use libtest_mimic::Failed;
use protocol_worker::abi::{Function, IMPORT_MODULE, SEAM};
use protocol_worker::record;
use tests::pieces::{Piece, run, trial};
use tests::replay::{Stats, by_who, crossed, replay_all, replay_natively};
use tests::simulated::{corpus, generated, simulate};
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

/// The corpus is what the simulator did to the protocol: 10,000 events of each of two variants.
fn corpus_is_byte_identical() -> Result<(), Failed> {
    let module = fs::read(Piece::Wasm.require()?)?;
    for variant in ["documented", "hardened"] {
        let mut total = Stats::default();
        let mut functions = BTreeSet::new();
        for record in corpus(variant, 10_000) {
            total += replay_all(&module, "demonstration", variant, &record)?;
            functions.extend(crossed(&record).into_keys().map(Function::name));
        }
        println!("{variant}: {total:?}");
        // Nothing has stopped short, and each function of the seam was crossed.
        assert!(total.events >= 10_000, "{total:?}");
        let missing: Vec<_> = SEAM.iter().filter(|name| !functions.contains(**name)).collect();
        assert!(missing.is_empty(), "the corpus never crosses {missing:?}");
    }
    Ok(())
}

/// The same without the module: what the recorder wrote is what the module's own adapter sends.
fn the_adapter_changes_nothing() -> Result<(), Failed> {
    let mut total = Stats::default();
    for record in corpus("hardened", 1_000) {
        for (start, lines) in by_who("demonstration", "hardened", &record) {
            total += replay_natively(&start, &lines)?;
        }
    }
    assert!(total.events >= 1_000, "{total:?}");
    Ok(())
}

/// The replayer itself: a record that is wrong in one byte is refused, at that line.
fn replay_notices_one_wrong_byte() -> Result<(), Failed> {
    let module = fs::read(Piece::Wasm.require()?)?;
    let mut record = simulate(&generated(1), "hardened").record;
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
    let text = record::write(&simulate(&generated(1), "hardened").record);
    let again = record::read(&text).map_err(|(line, error)| format!("line {line}: {error}"))?;
    assert_eq!(record::write(&again), text);
    Ok(())
}
