//! Time stamps of vendors as the canonical format wants them: a real day, in UTC.

use std::borrow::Cow;

use crate::adapter::canonical::is_utc_timestamp;
use crate::model::calendar::{civil_from_days, days_from_civil};

const EPOCH: &str = "1970-01-01T00:00:00Z";

/// The same instant in UTC; one without zone is taken as UTC, one that is no real day becomes the epoch.
/// `text` has the form `YYYY-MM-DDThh:mm:ss`, optional fraction, optional zone.
pub(super) fn utc(text: &str) -> Cow<'_, str> {
    if is_utc_timestamp(text) {
        return Cow::Borrowed(text);
    }
    let without_zone = format!("{text}Z");
    if is_utc_timestamp(&without_zone) {
        return Cow::Owned(without_zone);
    }
    Cow::Owned(shifted(text).unwrap_or_else(|| EPOCH.to_owned()))
}

/// Moves a time stamp that ends in `±hh:mm` to UTC.
fn shifted(text: &str) -> Option<String> {
    let (local, zone) = text.split_at_checked(text.len().checked_sub(6)?)?;
    let sign = match zone.as_bytes()[0] {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = zone.get(1..)?.split_once(':')?;
    let offset = sign * (hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok()?);
    if !is_utc_timestamp(&format!("{local}Z")) {
        return None;
    }
    let number = |range: std::ops::Range<usize>| local.get(range)?.parse::<i64>().ok();
    let days = days_from_civil(number(0..4)?, number(5..7)?, number(8..10)?);
    let minutes = days * 1440 + number(11..13)? * 60 + number(14..16)? - offset;
    let (year, month, day) = civil_from_days(minutes.div_euclid(1440));
    let minute = minutes.rem_euclid(1440);
    (1..=9999)
        .contains(&year)
        .then(|| format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}{}Z", minute / 60, minute % 60, &local[16..]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn zones_are_resolved() {
        for (text, expected) in [
            ("2025-03-04T05:06:07Z", "2025-03-04T05:06:07Z"),
            ("2025-03-04T05:06:07+00:00", "2025-03-04T05:06:07+00:00"),
            ("2025-03-04T05:06:07", "2025-03-04T05:06:07Z"),
            ("2025-03-04T05:06:07.25", "2025-03-04T05:06:07.25Z"),
            ("2025-03-01T00:30:07.125+02:00", "2025-02-28T22:30:07.125Z"),
            ("2024-02-28T23:30:00-03:30", "2024-02-29T03:00:00Z"),
            ("2024-12-31T23:30:00-01:00", "2025-01-01T00:30:00Z"),
            ("0001-01-01T00:00:00+01:00", "1970-01-01T00:00:00Z"),
            ("2025-99-01T00:00:00", "1970-01-01T00:00:00Z"),
            ("2025-02-30T00:00:00+01:00", "1970-01-01T00:00:00Z"),
            ("+1é:00", "1970-01-01T00:00:00Z"),
            ("é", "1970-01-01T00:00:00Z"),
            ("", "1970-01-01T00:00:00Z"),
        ] {
            assert_eq!(utc(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn days_and_dates_are_inverse(days in -700_000i64..2_900_000) {
            let (year, month, day) = civil_from_days(days);
            prop_assert_eq!(days_from_civil(year, month, day), days);
            prop_assert!((1..=12).contains(&month) && (1..=31).contains(&day));
        }

        #[test]
        fn whatever_comes_in_passes_the_reader(text in "[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,3})?([+-][0-9]{2}:[0-9]{2})?") {
            prop_assert!(is_utc_timestamp(&utc(&text)), "{}", text);
        }
    }
}
