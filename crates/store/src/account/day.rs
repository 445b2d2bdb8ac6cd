//! Days of the calendar, in UTC.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A day in UTC, counted from 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub(crate) i32);

/// The text is no day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoDay;

impl Day {
    pub fn today() -> Self {
        Self::of(SystemTime::now())
    }

    /// The day of this moment.
    pub fn of(moment: SystemTime) -> Self {
        let since = moment.duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(i32::try_from(since.as_secs() / SECONDS).unwrap_or(i32::MAX))
    }

    /// The day so many days before this one.
    #[must_use]
    pub fn before(self, days: u32) -> Self {
        Self(self.0.saturating_sub_unsigned(days))
    }

    /// The day after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// How long after this moment it ends; nothing if it is over.
    pub fn left(self, moment: SystemTime) -> Duration {
        let end = u64::try_from(self.next().0).unwrap_or_default() * SECONDS;
        let since = moment.duration_since(UNIX_EPOCH).unwrap_or_default();
        Duration::from_secs(end).saturating_sub(since)
    }

    /// Year, month and day of the month. The year begins in March, so that a leap day is its last.
    fn civil(self) -> (i64, i64, i64) {
        let days = i64::from(self.0) + TO_1970;
        let era = days.div_euclid(ERA);
        let of_era = days.rem_euclid(ERA);
        let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let march = (5 * of_year + 2) / 153;
        let day = of_year - (153 * march + 2) / 5 + 1;
        let month = if march < 10 { march + 3 } else { march - 9 };
        (year + era * 400 + i64::from(month <= 2), month, day)
    }

    fn from_civil(year: i64, month: i64, day: i64) -> Option<Self> {
        let from_march = year - i64::from(month <= 2);
        let era = from_march.div_euclid(400);
        let of_era = from_march.rem_euclid(400);
        let march = (month + 9) % 12;
        let of_year = (153 * march + 2) / 5 + day - 1;
        let days = era * ERA + of_era * 365 + of_era / 4 - of_era / 100 + of_year - TO_1970;
        let found = Self(i32::try_from(days).ok()?);
        // The 31st of June is none.
        (found.civil() == (year, month, day)).then_some(found)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.civil();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

impl FromStr for Day {
    type Err = NoDay;

    fn from_str(text: &str) -> Result<Self, NoDay> {
        let is_one = text.len() == 10
            && text.bytes().enumerate().all(|(nth, byte)| match nth {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        if !is_one {
            return Err(NoDay);
        }
        let number = |from, to| text[from..to].parse::<i64>().map_err(|_| NoDay);
        Self::from_civil(number(0, 4)?, number(5, 7)?, number(8, 10)?).ok_or(NoDay)
    }
}

impl fmt::Display for NoDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a day is written YYYY-MM-DD")
    }
}

impl std::error::Error for NoDay {}

const SECONDS: u64 = 24 * 60 * 60;
/// Days from the first of March of the year 0 to 1970.
const TO_1970: i64 = 719_468;
/// Days of 400 years, after which the calendar begins anew.
const ERA: i64 = 146_097;
