//! Tests calendar days and usage that is not in the database yet.

use std::collections::HashMap;
use std::time::{Duration, UNIX_EPOCH};

use super::tally::MAX_OWNERS;
use super::*;

fn tokens(input: u64) -> UsageTotals {
    UsageTotals { requests: 1, input, ..UsageTotals::default() }
}

#[test]
fn days_are_those_of_the_calendar() {
    let known = [
        (0, "1970-01-01"),
        (58, "1970-02-28"),
        (59, "1970-03-01"),
        (789, "1972-02-29"),
        (11_016, "2000-02-29"),
        (20_772, "2026-11-15"),
        (47_540, "2100-02-28"),
        (47_541, "2100-03-01"),
    ];
    for (number, text) in known {
        assert_eq!(Day(number).to_string(), text);
        assert_eq!(text.parse(), Ok(Day(number)));
    }
    for number in 0..200_000 {
        assert_eq!(Day(number).to_string().parse(), Ok(Day(number)));
    }
    for invalid in ["", "2026-13-01", "2026-00-01", "2026-02-29", "2026-11-31", "2026-1-1", "today"]
    {
        assert_eq!(invalid.parse::<Day>(), Err(ParseDayError), "{invalid}");
    }
}

#[test]
fn a_day_ends_at_midnight() {
    let moment = UNIX_EPOCH + Duration::from_secs(20_772 * 86_400 + 86_399);
    assert_eq!(Day::from_time(moment), Day(20_772));
    assert_eq!(Day::from_time(moment).time_left(moment), Duration::from_secs(1));
    assert_eq!(Day(20_771).time_left(moment), Duration::ZERO);
    assert_eq!(Day::from_time(moment + Duration::from_secs(1)), Day(20_773));
}

#[test]
fn usage_in_an_unconfirmed_batch_counts_once() {
    let (tally, day) = (UsageTally::new(), Day(5));
    tally.add(day, "ann", "m", &tokens(3));
    assert_eq!(tally.tokens_used(day, "ann"), 3);
    let (batch, _) = tally.next_batch();
    tally.add(day, "ann", "m", &tokens(4));
    assert_eq!(tally.tokens_used(day, "ann"), 7);
    // A retry writes the same batch, without the usage added since.
    let (retry, _) = tally.next_batch();
    assert_eq!(batch.as_ref().unwrap().number, retry.as_ref().unwrap().number);
    assert_eq!(retry.unwrap().entries.values().map(UsageTotals::total_tokens).sum::<u64>(), 3);
    assert!(tally.has_unwritten_batch());
    // Other nodes have used 10 tokens.
    tally.confirm_batch(day, HashMap::from([("ann".to_owned(), 13)]));
    assert_eq!(tally.tokens_used(day, "ann"), 17);
    let (next, _) = tally.next_batch();
    assert_eq!(next.unwrap().entries.values().map(UsageTotals::total_tokens).sum::<u64>(), 4);
    tally.confirm_batch(day, HashMap::new());
    assert_eq!(tally.tokens_used(day, "ann"), 17);
    assert!(tally.next_batch().0.is_none());
}

#[test]
fn a_day_begins_with_nothing() {
    let tally = UsageTally::new();
    tally.add(Day(5), "ann", "m", &tokens(3));
    tally.next_batch();
    tally.add(Day(6), "ann", "m", &tokens(4));
    assert_eq!((tally.tokens_used(Day(5), "ann"), tally.tokens_used(Day(6), "ann")), (3, 4));
    // Yesterday's batch changes nothing for today.
    tally.confirm_batch(Day(5), HashMap::from([("ann".to_owned(), 100)]));
    assert_eq!(tally.tokens_used(Day(6), "ann"), 4);
}

#[test]
fn a_clock_that_jumps_ahead_and_back_keeps_the_count_of_its_day() {
    let tally = UsageTally::new();
    tally.add(Day(5), "ann", "m", &tokens(3));
    for ahead in [7, 400, 6] {
        tally.add(Day(ahead), "ann", "m", &tokens(4));
        tally.next_batch();
        tally.confirm_batch(Day(ahead), HashMap::from([("ann".to_owned(), 4)]));
        assert_eq!(tally.tokens_used(Day(5), "ann"), 3, "after day {ahead}");
        tally.add(Day(5), "ann", "m", &tokens(0));
    }
    // Usage of another day in the future makes no room at the cost of today's.
    for nth in 0..=MAX_OWNERS {
        tally.add(Day(5), &format!("owner {nth}"), "m", &tokens(1));
    }
    tally.add(Day(6), "late", "m", &tokens(1));
    assert_eq!(tally.tokens_used(Day(5), "ann"), 3);
}

#[test]
fn huge_counts_do_not_overflow() {
    let tally = UsageTally::new();
    for _ in 0..3 {
        tally.add(
            Day(5),
            "",
            "m",
            &UsageTotals { requests: 1, output: u64::MAX, ..UsageTotals::default() },
        );
    }
    let daily_usage = tally.usage(&(Day(5)..=Day(5)), None);
    assert_eq!((daily_usage[0].totals.requests, daily_usage[0].totals.output), (3, 3_000_000_000));
}

#[test]
fn the_rows_of_an_owner_and_day_are_bounded() {
    let tally = UsageTally::new();
    for number in 0..1000 {
        tally.add(Day(5), "eve", &format!("p/m{number}"), &tokens(1));
        tally.add(Day(5), "eve", &"x".repeat(500_000), &tokens(1));
        tally.add(Day(5), "ann", "p/m", &tokens(1));
    }
    let rows = tally.usage(&(Day(5)..=Day(5)), Some("eve"));
    assert_eq!(rows.len(), MAX_MODELS_PER_DAY + 1);
    assert_eq!(rows.iter().map(|row| row.totals.input).sum::<u64>(), 2000);
    assert!(rows.iter().all(|row| row.model.len() < 10));
    let ann = tally.usage(&(Day(5)..=Day(5)), Some("ann"));
    assert_eq!((ann.len(), &*ann[0].model, ann[0].totals.input), (1, "p/m", 1000));
    tally.add(Day(6), "eve", "p/m999", &tokens(1));
    assert_eq!(tally.usage(&(Day(6)..=Day(6)), None)[0].model, "p/m999");
}

#[test]
fn rows_of_several_nodes_and_long_names_are_bounded_when_read() {
    let row = |owner: &str, day: i32, model: String| {
        (UsageKey { day: Day(day), owner: owner.to_owned(), model }, tokens(1))
    };
    let mut rows = vec![row("ann", 5, "p/m".to_owned()), row("eve", 6, "p/m".to_owned())];
    for number in 0..300 {
        rows.push(row("eve", 5, format!("p/m{number}")));
        rows.push(row("eve", 5, format!("p/{number}{}", "x".repeat(1000))));
    }
    let merged = merge_by_key(rows);
    let of_eve = |row: &&DailyUsage| row.owner == "eve" && row.day == Day(5);
    assert_eq!(merged.iter().filter(of_eve).count(), MAX_MODELS_PER_DAY + 1);
    assert_eq!(merged.iter().filter(of_eve).map(|row| row.totals.input).sum::<u64>(), 600);
    assert_eq!(merged.len(), MAX_MODELS_PER_DAY + 3);
    let without_other: Vec<_> =
        (0..300).map(|number| row("eve", 5, format!("p/m{number}"))).collect();
    let merged = merge_by_key(without_other);
    assert_eq!((merged.len(), &*merged[0].model), (MAX_MODELS_PER_DAY + 2, "*"));
    assert_eq!(merged.iter().map(|row| row.totals.input).sum::<u64>(), 300);
}
