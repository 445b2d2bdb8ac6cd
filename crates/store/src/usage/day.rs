//! Converts between UTC calendar days and day numbers since 1970.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A day in UTC, counted from 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub(crate) i32);

/// The text is not a date of the form YYYY-MM-DD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseDayError;

impl Day {
    pub fn today() -> Self {
        Self::from_time(SystemTime::now())
    }

    pub fn from_time(moment: SystemTime) -> Self {
        let elapsed = moment.duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(i32::try_from(elapsed.as_secs() / SECONDS_PER_DAY).unwrap_or(i32::MAX))
    }

    /// The oldest day of which usage is stored, if it is stored for so long.
    pub(crate) fn oldest_stored(usage_age: Duration) -> Self {
        let days = usage_age.as_secs().div_ceil(SECONDS_PER_DAY);
        Self::today().minus_days(u32::try_from(days).unwrap_or(u32::MAX))
    }

    #[must_use]
    pub fn minus_days(self, days: u32) -> Self {
        Self(self.0.saturating_sub_unsigned(days))
    }

    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// The time from `moment` to the end of the day; zero if the day is over.
    pub fn time_left(self, moment: SystemTime) -> Duration {
        let end = u64::try_from(self.next().0).unwrap_or_default() * SECONDS_PER_DAY;
        let elapsed = moment.duration_since(UNIX_EPOCH).unwrap_or_default();
        Duration::from_secs(end).saturating_sub(elapsed)
    }

    /// Returns year, month and day of the month. Computed with years that begin in March, so that a
    /// leap day is the last day of its year.
    fn civil(self) -> (i64, i64, i64) {
        let days = i64::from(self.0) + DAYS_TO_1970;
        let era = days.div_euclid(DAYS_PER_400_YEARS);
        let day_of_era = days.rem_euclid(DAYS_PER_400_YEARS);
        let year =
            (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        (year + era * 400 + i64::from(month <= 2), month, day)
    }

    fn from_civil(year: i64, month: i64, day: i64) -> Option<Self> {
        let year_from_march = year - i64::from(month <= 2);
        let era = year_from_march.div_euclid(400);
        let year_of_era = year_from_march.rem_euclid(400);
        let month_from_march = (month + 9) % 12;
        let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
        let days = era * DAYS_PER_400_YEARS + year_of_era * 365 + year_of_era / 4
            - year_of_era / 100
            + day_of_year
            - DAYS_TO_1970;
        let candidate = Self(i32::try_from(days).ok()?);
        // Rejects dates such as June 31.
        (candidate.civil() == (year, month, day)).then_some(candidate)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.civil();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

impl FromStr for Day {
    type Err = ParseDayError;

    fn from_str(text: &str) -> Result<Self, ParseDayError> {
        let has_valid_form = text.len() == 10
            && text.bytes().enumerate().all(|(nth, byte)| match nth {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        if !has_valid_form {
            return Err(ParseDayError);
        }
        let number = |from, to| text[from..to].parse::<i64>().map_err(|_| ParseDayError);
        Self::from_civil(number(0, 4)?, number(5, 7)?, number(8, 10)?).ok_or(ParseDayError)
    }
}

impl fmt::Display for ParseDayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a date of the form YYYY-MM-DD")
    }
}

impl std::error::Error for ParseDayError {}

const SECONDS_PER_DAY: u64 = 24 * 60 * 60;
/// Days from March 1 of year 0 to 1970-01-01.
const DAYS_TO_1970: i64 = 719_468;
/// Length of the Gregorian calendar's cycle.
const DAYS_PER_400_YEARS: i64 = 146_097;
