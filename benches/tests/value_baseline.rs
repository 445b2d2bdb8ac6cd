//! The baseline converters do the same work as the translations.

use interlingua_benches::{convert, history_in, wire_dialects};

#[test]
fn a_converter_carries_all_texts_calls_and_results() {
    for from in wire_dialects() {
        let body = history_in(from);
        for to in wire_dialects() {
            let converted = convert(from.id().0, to.id().0, &body);
            let converted = String::from_utf8(converted).unwrap();
            let translated = history_in(to);
            let translated = std::str::from_utf8(&translated).unwrap();
            for (text, min) in [
                ("src/parser/module_", 300),
                ("before I change anything", 300),
                ("std::fs::read_to_string", 1000),
                ("Path from the root.", 6),
            ] {
                let count = converted.matches(text).count();
                let pair = (from.id().0, to.id().0, text);
                assert!(count >= min, "{pair:?}: {count}");
                assert_eq!(count, translated.matches(text).count(), "{pair:?}");
            }
        }
    }
}
