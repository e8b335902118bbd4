//! Days and dates of the proleptic Gregorian calendar, counted in years that begin in March so that the leap day comes last.

/// Days since 1970-01-01.
#[must_use]
pub fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Year, month and day of a number of days since 1970-01-01.
#[must_use]
pub fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// Milliseconds since 1970 as `YYYY-MM-DDThh:mm:ss.mmmZ`; none outside of the years 1 to 9999.
#[must_use]
pub fn from_millis(millis: i64) -> Option<String> {
    let (year, month, day) = civil_from_days(millis.div_euclid(86_400_000));
    let rest = millis.rem_euclid(86_400_000);
    let (hours, minutes, seconds) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60);
    (1..=9999)
        .contains(&year)
        .then(|| format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{:03}Z", rest % 1000))
}

#[cfg(test)]
mod tests {
    use super::from_millis;

    #[test]
    fn milliseconds_become_utc() {
        for (millis, expected) in [
            (0, Some("1970-01-01T00:00:00.000Z")),
            (-1, Some("1969-12-31T23:59:59.999Z")),
            (951_782_400_123, Some("2000-02-29T00:00:00.123Z")),
            (i64::MAX, None),
        ] {
            assert_eq!(from_millis(millis).as_deref(), expected);
        }
    }
}
