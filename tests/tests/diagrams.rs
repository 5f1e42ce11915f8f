//! Diagrams of the documentation are generated: what is in the tree is what the code says today.
//!
//! `DRYDOCK_BLESS=1 cargo test -p tests --test diagrams` writes them anew.

use std::fs;

use protocol::lanes::admission::diagram_page;
use tests::pieces;

#[test]
fn the_stages_of_a_lane() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../protocol/src/lanes/admission/stages.md"
    );
    let fresh = diagram_page();
    if pieces::blesses() {
        fs::write(path, fresh).expect("the diagram is written");
        return;
    }
    let kept = fs::read_to_string(path).expect("the diagram is in the tree");
    assert_eq!(
        kept, fresh,
        "the stages have changed: run this test with DRYDOCK_BLESS=1"
    );
}
