//! All SIMD levels produce the same result.

use fearless_simd::Level;

use super::super::{JsonError, JsonKind};
use super::scan;

/// Tape entries or the error of one scan.
type ScanOutcome = Result<Vec<(u32, u32, u32, JsonKind, bool)>, JsonError>;

fn scan_at_level(level: Level, text: &[u8]) -> ScanOutcome {
    let mut tape = Vec::new();
    scan(level, text, 128, &mut tape)?;
    Ok(tape
        .iter()
        .map(|span| (span.start, span.end, span.next_index, span.kind, span.escape_free))
        .collect())
}

/// SIMD levels of this machine below its best.
fn lower_levels() -> Vec<Level> {
    let mut levels = vec![Level::baseline()];
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    {
        levels.extend(Level::new().as_sse4_2().map(Level::Sse4_2));
        levels.extend(Level::new().as_avx2().map(Level::Avx2));
    }
    levels
}

#[test]
fn all_levels_agree() {
    let contents: [&[u8]; 12] = [
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
    let mut outcomes = [0, 0];
    for before in 0..140 {
        for one in contents {
            for other in contents {
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
                    let best = scan_at_level(Level::new(), &text);
                    outcomes[usize::from(best.is_ok())] += 1;
                    for level in lower_levels() {
                        assert_eq!(
                            scan_at_level(level, &text),
                            best,
                            "{}",
                            String::from_utf8_lossy(&text)
                        );
                    }
                }
            }
        }
    }
    assert!(outcomes.iter().all(|count| *count > 1000), "{outcomes:?}");
}
