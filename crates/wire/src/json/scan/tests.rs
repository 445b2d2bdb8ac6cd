//! Every width of registers finds the same in a text.

use fearless_simd::Level;

use super::super::{Kind, Malformed};
use super::scan;

/// What the scanner says: each value's place and kind, or the mistake.
type Said = Result<Vec<(u32, u32, u32, Kind, bool)>, Malformed>;

fn said(level: Level, text: &[u8]) -> Said {
    let mut tape = Vec::new();
    scan(level, text, 128, &mut tape)?;
    Ok(tape.iter().map(|span| (span.start, span.end, span.next, span.kind, span.plain)).collect())
}

/// The levels of this machine below its best.
fn lower() -> Vec<Level> {
    let mut levels = vec![Level::baseline()];
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    {
        levels.extend(Level::new().as_sse4_2().map(Level::Sse4_2));
        levels.extend(Level::new().as_avx2().map(Level::Avx2));
    }
    levels
}

#[test]
fn all_levels_say_the_same() {
    let inside: [&[u8]; 12] = [
        b"x",
        b"\\n",
        b"\\\\",
        b"\\\"",
        b"\\u00e9",
        b"\\t",
        b"\\/",
        "é".as_bytes(),
        b"\\",
        b"\\x",
        b"\x01",
        b"\"",
    ];
    let mut seen = [0, 0];
    for before in 0..140 {
        for one in inside {
            for other in inside {
                for after in [0, 1, 63, 64, 70] {
                    let parts: [&[u8]; 6] = [
                        b"{\"a\":[\"",
                        &vec![b'-'; before],
                        one,
                        other,
                        &vec![b'-'; after],
                        b"\",1]}",
                    ];
                    let text = parts.concat();
                    let best = said(Level::new(), &text);
                    seen[usize::from(best.is_ok())] += 1;
                    for level in lower() {
                        assert_eq!(said(level, &text), best, "{}", String::from_utf8_lossy(&text));
                    }
                }
            }
        }
    }
    assert!(seen.iter().all(|count| *count > 1000), "{seen:?}");
}
