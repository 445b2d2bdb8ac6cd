//! The converters that translations are measured against do the same work.

use interlingua_benches::{convert, in_dialect, wire_dialects};

#[test]
fn a_converter_carries_all_texts_calls_and_results() {
    for from in wire_dialects() {
        let body = in_dialect(from);
        for to in wire_dialects() {
            let made = convert(from.id().0, to.id().0, &body);
            let made = String::from_utf8(made).unwrap();
            let theirs = in_dialect(to);
            let ours = std::str::from_utf8(&theirs).unwrap();
            for (mark, least) in [
                ("src/parser/module_", 300),
                ("before I change anything", 300),
                ("std::fs::read_to_string", 1000),
                ("Path from the root.", 6),
            ] {
                let count = made.matches(mark).count();
                let pair = (from.id().0, to.id().0, mark);
                assert!(count >= least, "{pair:?}: {count}");
                assert_eq!(count, ours.matches(mark).count(), "{pair:?}");
            }
        }
    }
}
