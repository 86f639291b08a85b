use super::stored::{Stored, latest};
use super::{SUITES, check, date, page};

fn row(who: &str, median: f64, commit: &str, date: u64) -> Stored {
    let line = format!(
        r#"{{"suite":"meshes","scene":"s","query":"q","who":"{who}","threads":1,"mean_us":{median},"median_us":{median},
            "max_us":{median},"commit":"{commit}","date":{date},"machine":"m"}}"#
    );
    Stored::parse(&line).unwrap()
}

#[test]
fn pages_on_disk_are_made_from_the_stored_rows() {
    check().unwrap();
}

#[test]
fn of_rows_alike_the_last_counts() {
    let rows = [row("impinge", 3.0, "b", 20), row("impinge", 1.0, "a", 10), row("fcl", 2.0, "a", 10)];
    let medians: Vec<_> =
        latest(&rows, &["/who"]).into_iter().map(|row| row.number("/median_us").unwrap()).collect();
    assert_eq!(medians, [3.0, 2.0]);
}

#[test]
fn ratios_stay_within_a_run() {
    // fcl stands in the old run alone: it is compared with what impinge took then, not with the new 100 µs.
    let rows = [row("impinge", 2.0, "a", 10), row("fcl", 8.0, "a", 10), row("impinge", 100.0, "b", 20)];
    let suite = SUITES.iter().find(|suite| suite.name == "meshes").unwrap();
    let text = page(suite, &rows);
    assert!(text.contains("| s | impinge | 100 | 100 | 100 | 1.00 | 2 |"), "{text}");
    assert!(text.contains("| s | fcl | 8.00 | 8.00 | 8.00 | 4.00 | 1 |"), "{text}");
    assert!(text.contains("\nthreads: 1\n"), "{text}");
    assert!(text.contains("| 1 | a | 1970-01-01 00:00 | m | – |"), "{text}");
}

#[test]
fn machines_have_rows_of_their_own() {
    let other = r#"{"suite":"meshes","scene":"s","query":"q","who":"impinge","threads":1,"mean_us":7.0,"commit":"a","date":10,
        "machine":"n"}"#;
    let rows = [row("impinge", 2.0, "a", 10), Stored::parse(other).unwrap()];
    let suite = SUITES.iter().find(|suite| suite.name == "meshes").unwrap();
    let text = page(suite, &rows);
    assert!(text.contains("| s | impinge | 2.00 | 2.00 | 2.00 | 1.00 | 1 |"), "{text}");
    assert!(text.contains("| s | impinge | – | 7.00 | – | 1.00 | 2 |"), "{text}");
}

#[test]
fn a_row_without_origin_is_refused() {
    let error = Stored::parse(r#"{"suite":"meshes","date":1,"machine":"m"}"#).unwrap_err();
    assert!(error.to_string().contains("/commit"), "{error}");
}

#[test]
fn dates_are_those_of_the_calendar() {
    assert_eq!(date::utc(0), "1970-01-01 00:00");
    assert_eq!(date::utc(951_782_400), "2000-02-29 00:00");
    assert_eq!(date::utc(1_795_269_451), "2026-11-21 13:57");
    assert_eq!(date::utc(4_107_542_399), "2100-02-28 23:59");
    assert_eq!(date::utc(4_107_542_400), "2100-03-01 00:00");
}
