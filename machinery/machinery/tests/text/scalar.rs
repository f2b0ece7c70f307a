//! Compares times, durations, quantities and int-or-strings with what the reference server reads
//! and writes.

use std::cmp::Ordering;

use hubgen_machinery::json::Raw;
use hubgen_machinery::scalar::{Duration, IntOrString, MicroTime, Quantity, Time};
use jiff::Timestamp;
use proptest::prelude::*;

/// Texts, and what the reference server writes after it has read them.
const QUANTITIES: &[(&str, &str)] = &[
    ("0", "0"),
    ("-0", "0"),
    ("0.0", "0"),
    ("0Ki", "0"),
    ("0e5", "0"),
    (".", "0"),
    ("m", "0"),
    ("1", "1"),
    (" 1 ", "1"),
    ("1000", "1k"),
    ("1024", "1024"),
    ("100000", "100k"),
    ("1100000", "1100k"),
    ("1000k", "1M"),
    ("0.001k", "1"),
    ("1.0001k", "1000100m"),
    ("100m", "100m"),
    ("1000m", "1"),
    ("1500m", "1500m"),
    (".5", "500m"),
    ("-.5", "-500m"),
    ("1.1E", "1100P"),
    ("12e6", "12e6"),
    ("1e4", "10e3"),
    ("1e1000", "10e999"),
    ("100e2147483646", "100e2147483646"),
    ("1e-1000", "1e-9"),
    ("1.5e3", "1500"),
    ("1.7e-3", "1700e-6"),
    // More than nine places are rounded away from zero.
    ("0.1n", "1n"),
    ("-0.0000000001", "-1n"),
    ("3.3333333333333333333333", "3333333334n"),
    ("9.9999999999", "10"),
    // Binary suffixes.
    ("1Ki", "1Ki"),
    ("1024Ki", "1Mi"),
    ("1023Ki", "1023Ki"),
    ("1000Ki", "1000Ki"),
    ("1.5Gi", "1536Mi"),
    ("-1.5Gi", "-1536Mi"),
    ("0.5Ki", "512"),
    ("0.1Ki", "102400m"),
    ("0.0001Ki", "102400u"),
    ("7Ei", "7Ei"),
    ("8Ei", "9223372036854775807"),
    ("-9Ei", "-9223372036854775807"),
    ("9223372036854775807Ki", "9223372036854775807"),
    // Decimal amounts have no limit.
    ("9223372036854775808", "9223372036854775808"),
    ("12345678901234567890123456789", "12345678901234567890123456789"),
    // Left unchanged although not canonical.
    ("+5", "+5"),
    ("00005", "00005"),
    ("1.500", "1.500"),
    ("1.", "1."),
    ("5E3", "5E3"),
    ("5e+3", "5e+3"),
    // Differs from the reference server, which writes `1`, another number.
    ("1000E", "1000E"),
];

fn quantity(text: &str) -> Quantity {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn quantities_become_canonical() {
    for (text, expected) in QUANTITIES {
        assert_eq!(quantity(text).as_str(), *expected, "{text:?}");
    }
    assert_eq!(Quantity::default().as_str(), "0");
    assert_eq!(Quantity::from(-2000).as_str(), "-2k");
}

#[test]
fn other_texts_than_quantities_are_refused() {
    for text in [
        "",
        " ",
        "1e",
        "1e+",
        "1Ee",
        "1mm",
        "1K",
        "1ki",
        "1i",
        "1Mi2",
        "--1",
        "1.2.3",
        "1_0",
        "0x10",
        "1 Gi",
        "Ei",
        "e-10",
        "abc",
        "1e99999999999",
        // The exponent of its canonical form would not fit 32 bits.
        "1000e2147483647",
        "１",
    ] {
        let error = text.parse::<Quantity>().expect_err(text);
        assert!(error.to_string().starts_with("expected a quantity such as 500m"));
    }
    // The pattern in definitions allows these.
    for text in ["1E.5", "1e1.5", "-1e+1.", " 12E-.5"] {
        let error = text.parse::<Quantity>().expect_err(text);
        assert!(
            error.to_string().starts_with("expected a quantity with a whole number as its exponent"),
            "{error}"
        );
    }
}

#[test]
fn quantities_compare_by_value() {
    let ascending = [
        "-1e30", "-9Ei", "-1", "-1m", "0", "1n", "1m", "0.5", "1", "1023", "1Ki", "1025", "1.5k", "1Mi",
        "1e9", "1Gi", "9Ei", "1e30",
    ];
    for (index, text) in ascending.iter().enumerate() {
        for (other_index, other) in ascending.iter().enumerate() {
            let order = index.cmp(&other_index);
            assert_eq!(quantity(text).compare(&quantity(other)), order, "{text} {other}");
            assert_eq!(quantity(text).cmp(&quantity(other)), order, "{text} {other}");
        }
    }
    assert_eq!(quantity("1Ki").compare(&quantity("1024")), Ordering::Equal);
    assert_ne!(quantity("1Ki"), quantity("1024"));
    assert_ne!(quantity("1Ki").cmp(&quantity("1024")), Ordering::Equal);
    assert_eq!(quantity("1e3").compare(&quantity("1k")), Ordering::Equal);
    assert!(quantity("0Mi").is_zero() && !quantity("1n").is_zero());
}

#[test]
fn quantities_as_numbers() {
    for (text, whole, value, milli) in [
        ("0", Some(0), Some(0), Some(0)),
        ("3", Some(3), Some(3), Some(3000)),
        ("1500m", None, Some(2), Some(1500)),
        ("-1500m", None, Some(-2), Some(-1500)),
        ("1u", None, Some(1), Some(1)),
        ("2Ki", Some(2048), Some(2048), Some(2_048_000)),
        ("3E", Some(3_000_000_000_000_000_000), Some(3_000_000_000_000_000_000), None),
        ("1e30", None, None, None),
    ] {
        let quantity = quantity(text);
        assert_eq!((quantity.as_i64(), quantity.value(), quantity.milli()), (whole, value, milli), "{text}");
    }
    assert_eq!(quantity("-1500m").as_f64(), -1.5);
    assert_eq!(quantity("1e999").as_f64(), f64::INFINITY);
}

#[test]
fn times_are_read_with_offset_and_fraction_and_written_in_utc() {
    for (text, second, micro) in [
        ("2006-01-02T15:04:05Z", "2006-01-02T15:04:05Z", "2006-01-02T15:04:05.000000Z"),
        ("2006-01-02T15:04:05.1234567Z", "2006-01-02T15:04:05Z", "2006-01-02T15:04:05.123456Z"),
        ("2006-01-02T15:04:05+07:00", "2006-01-02T08:04:05Z", "2006-01-02T08:04:05.000000Z"),
        ("2024-02-29T23:59:59.9-00:30", "2024-03-01T00:29:59Z", "2024-03-01T00:29:59.900000Z"),
        ("1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59Z", "1969-12-31T23:59:59.500000Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z"),
        ("9999-12-30T22:00:00Z", "9999-12-30T22:00:00Z", "9999-12-30T22:00:00.000000Z"),
    ] {
        assert_eq!(text.parse::<Time>().unwrap().to_string(), second);
        assert_eq!(text.parse::<MicroTime>().unwrap().to_string(), micro);
    }
    assert_eq!(Time::default().to_string(), "1970-01-01T00:00:00Z");
}

#[test]
fn other_texts_than_times_are_refused() {
    for text in [
        "",
        "2006-01-02",
        "2006-01-02T15:04:05",
        "2006-01-02 15:04:05Z",
        "2006-01-02t15:04:05z",
        "2006-01-02T15:04:05.Z",
        "2006-01-02T15:04:60Z",
        "2006-01-02T24:00:00Z",
        "2006-13-02T15:04:05Z",
        "2006-00-02T15:04:05Z",
        "2023-02-29T15:04:05Z",
        "1900-02-29T15:04:05Z",
        "2006-01-02T15:04:05+24:00",
        "2006-01-02T15:04:05+0700",
        "0000-12-31T23:59:59Z",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-01:00",
        "+2006-01-02T15:04:05Z",
        "2006-01-02T15:04:05Zé",
        "éééééééééééééé",
    ] {
        let error = text.parse::<Time>().expect_err(text);
        assert!(error.to_string().starts_with("expected a time in RFC 3339 format, such as 2006"));
        assert!(text.parse::<MicroTime>().is_err());
    }
}

#[test]
fn durations_are_written_as_go_writes_them() {
    for (text, expected) in [
        ("0", "0s"),
        ("-0s", "0s"),
        ("1h2m3.5s", "1h2m3.5s"),
        ("90m", "1h30m0s"),
        ("60s", "1m0s"),
        ("1.5h", "1h30m0s"),
        ("-1.5h", "-1h30m0s"),
        (".5s", "500ms"),
        ("1.s", "1s"),
        ("1us", "1µs"),
        ("1500ns", "1.5µs"),
        ("1.000001ms", "1.000001ms"),
        ("1s1ns", "1.000000001s"),
        ("+5m5m", "10m0s"),
        ("-9223372036854775808ns", "-2562047h47m16.854775808s"),
    ] {
        assert_eq!(text.parse::<Duration>().unwrap().to_string(), expected, "{text}");
    }
    for text in ["", "-", "1", "s", ".s", "1d", "1 s", "1h-1m", "9223372036854775808ns", "3000000h"] {
        let error = text.parse::<Duration>().expect_err(text);
        assert!(error.to_string().starts_with("expected a duration such as 300ms"));
    }
}

#[test]
fn an_int_or_string_is_a_json_number_or_string() {
    let both: Vec<IntOrString> = serde_json::from_str(r#"[80, "80", "25%"]"#).unwrap();
    assert_eq!(both, [80.into(), "80".into(), "25%".into()]);
    assert_eq!(serde_json::to_string(&both).unwrap(), r#"[80,"80","25%"]"#);
    assert_eq!("80".parse(), Ok(IntOrString::Int(80)));
    assert_eq!("2147483648".parse(), Ok(IntOrString::from("2147483648")));
    assert_eq!(IntOrString::default(), IntOrString::Int(0));
    for json in ["2147483648", "1.5", "null", "{}"] {
        let error = serde_json::from_str::<IntOrString>(json).unwrap_err();
        assert!(error.to_string().contains("a 32-bit integer or a string"), "{error}");
    }
}

#[test]
fn scalars_through_serde() {
    let json = r#"["2006-01-02T15:04:05Z","2006-01-02T15:04:05.000006Z","1m0s","128Mi"]"#;
    let all: (Time, MicroTime, Duration, Quantity) = serde_json::from_str(json).unwrap();
    assert_eq!(serde_json::to_string(&all).unwrap(), json);
    let numbers: Vec<Quantity> = serde_json::from_str("[2, 0.5, -1000]").unwrap();
    assert_eq!(numbers, [quantity("2"), quantity("500m"), quantity("-1k")]);
    let error = serde_json::from_str::<Time>("\"soon\"").unwrap_err();
    assert!(error.to_string().contains("2006-01-02T15:04:05Z") && error.to_string().contains("`soon`"));
}

#[test]
fn scalars_through_a_format_that_is_not_self_describing() {
    type All = (Time, Duration, Quantity, Vec<IntOrString>, Raw);
    let all: All = (
        "2006-01-02T15:04:05Z".parse().unwrap(),
        Duration(1_500_000),
        quantity("128Mi"),
        vec![80.into(), "http".into()],
        r#"{"a":[1,null,"b"]}"#.parse().unwrap(),
    );
    let bytes = postcard::to_allocvec(&all).unwrap();
    assert_eq!(postcard::from_bytes::<All>(&bytes).unwrap(), all);
}

proptest! {
    #[test]
    fn times_agree_with_jiff(second in -62_135_596_800i64..=253_402_207_200, nanosecond in 0i32..1_000_000_000) {
        let stamp = Timestamp::new(second, 0).unwrap();
        prop_assert_eq!(Time(stamp).to_string(), stamp.to_string());
        prop_assert_eq!(stamp.to_string().parse::<Time>().unwrap(), Time(stamp));
        let micro = nanosecond / 1000;
        prop_assume!(second < 253_402_207_200);
        let fine: MicroTime = format!("{}.{nanosecond:09}Z", &stamp.to_string()[..19]).parse().unwrap();
        prop_assert_eq!(fine.0.as_microsecond(), second * 1_000_000 + i64::from(micro));
        prop_assert_eq!(fine.to_string().parse::<MicroTime>().unwrap(), fine);
        let exact = Timestamp::new(second, 0).unwrap() + jiff::SignedDuration::from_nanos(nanosecond.into());
        prop_assert_eq!(MicroTime::from(exact), fine);
        prop_assert_eq!(Time::from(exact), Time(stamp));
    }

    #[test]
    fn durations_survive_a_round_trip(nanoseconds: i64) {
        let duration = Duration(nanoseconds);
        prop_assert_eq!(duration.to_string().parse::<Duration>().unwrap(), duration);
    }

    #[test]
    fn the_shortcut_for_plain_quantities_agrees_with_the_full_parser(text in "[0-9]{1,7}([mkMG]|[KMGT]i)?") {
        // A text with spaces does not take the shortcut.
        prop_assert_eq!(quantity(&text), quantity(&format!(" {text}")));
    }

    #[test]
    fn canonical_quantities_do_not_change_again(text in "[-+]?[0-9]{1,22}(\\.[0-9]{0,14})?([numkMGTPE]|[KMGTPE]i|[eE][-+]?[0-9]{1,2})?") {
        let once = quantity(&text);
        let again = quantity(once.as_str());
        prop_assert_eq!(&again, &once);
        prop_assert_eq!(again.compare(&once), Ordering::Equal);
        if let Some(whole) = once.as_i64() {
            prop_assert_eq!(Quantity::from(whole).compare(&once), Ordering::Equal);
            prop_assert_eq!(once.value(), Some(whole));
        }
    }

    #[test]
    fn no_text_makes_a_parser_panic(text in "\\PC{0,30}") {
        let _ = text.parse::<Quantity>();
        let _ = text.parse::<Duration>();
        let _ = text.parse::<Time>();
    }
}
