//! Days of the calendar, and sums that are on their way.

use std::collections::HashMap;
use std::time::{Duration, UNIX_EPOCH};

use super::*;

fn tokens(input: u64) -> Sums {
    Sums { requests: 1, input, ..Sums::default() }
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
    for none in ["", "2026-13-01", "2026-00-01", "2026-02-29", "2026-11-31", "2026-1-1", "today"] {
        assert_eq!(none.parse::<Day>(), Err(NoDay), "{none}");
    }
}

#[test]
fn a_day_ends_at_midnight() {
    let moment = UNIX_EPOCH + Duration::from_secs(20_772 * 86_400 + 86_399);
    assert_eq!(Day::of(moment), Day(20_772));
    assert_eq!(Day::of(moment).left(moment), Duration::from_secs(1));
    assert_eq!(Day(20_771).left(moment), Duration::ZERO);
    assert_eq!(Day::of(moment + Duration::from_secs(1)), Day(20_773));
}

#[test]
fn what_is_on_its_way_counts_once() {
    let (tally, day) = (Tally::new(), Day(5));
    tally.add(day, "ann", "m", &tokens(3));
    assert_eq!(tally.spent(day, "ann"), 3);
    let (batch, _) = tally.turn();
    tally.add(day, "ann", "m", &tokens(4));
    assert_eq!(tally.spent(day, "ann"), 7);
    // It failed: the next try is the same, and knows nothing of what came meanwhile.
    let (again, _) = tally.turn();
    assert_eq!(batch.as_ref().unwrap().number, again.as_ref().unwrap().number);
    assert_eq!(again.unwrap().lines.values().map(Sums::tokens).sum::<u64>(), 3);
    assert!(tally.is_stuck());
    // Others have used 10 meanwhile.
    tally.settle(day, HashMap::from([("ann".to_owned(), 13)]));
    assert_eq!(tally.spent(day, "ann"), 17);
    let (next, _) = tally.turn();
    assert_eq!(next.unwrap().lines.values().map(Sums::tokens).sum::<u64>(), 4);
    tally.settle(day, HashMap::new());
    assert_eq!(tally.spent(day, "ann"), 17);
    assert!(tally.turn().0.is_none());
}

#[test]
fn a_day_begins_with_nothing() {
    let tally = Tally::new();
    tally.add(Day(5), "ann", "m", &tokens(3));
    tally.turn();
    tally.add(Day(6), "ann", "m", &tokens(4));
    assert_eq!((tally.spent(Day(5), "ann"), tally.spent(Day(6), "ann")), (0, 4));
    // What is of yesterday is written, and changes nothing today.
    tally.settle(Day(5), HashMap::from([("ann".to_owned(), 100)]));
    assert_eq!(tally.spent(Day(6), "ann"), 4);
}

#[test]
fn nothing_that_a_provider_says_overflows() {
    let tally = Tally::new();
    for _ in 0..3 {
        tally.add(Day(5), "", "m", &Sums { requests: 1, output: u64::MAX, ..Sums::default() });
    }
    let used = tally.here(&(Day(5)..=Day(5)), None);
    assert_eq!((used[0].sums.requests, used[0].sums.output), (3, 3_000_000_000));
}
