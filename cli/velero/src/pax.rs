//! Records of a pax header, which describe the next entry of a tar file.

/// The records in the data of a header: keys and values.
///
/// # Errors
/// What is wrong with the data.
pub fn records(data: &[u8]) -> Result<impl Iterator<Item = (&str, &[u8])>, String> {
    let mut records = Vec::new();
    let mut rest = data;
    while !rest.is_empty() {
        let record = record(rest).ok_or("expected records of a pax header: LENGTH KEY=VALUE")?;
        records.push((record.0, record.1));
        rest = record.2;
    }
    Ok(records.into_iter())
}

/// The first record, and what comes after it.
fn record(data: &[u8]) -> Option<(&str, &[u8], &[u8])> {
    let blank = data.iter().position(|byte| *byte == b' ')?;
    let length: usize = str::from_utf8(&data[..blank]).ok()?.parse().ok()?;
    let record = data.get(blank + 1..length)?.strip_suffix(b"\n")?;
    let equals = record.iter().position(|byte| *byte == b'=')?;
    Some((str::from_utf8(&record[..equals]).ok()?, &record[equals + 1..], &data[length..]))
}

/// The data of a header with these records.
pub fn write(records: &[(&str, &[u8])]) -> Vec<u8> {
    let mut data = Vec::new();
    for (key, value) in records {
        let rest = key.len() + value.len() + 3;
        // The length counts its own digits.
        let mut length = rest + 1;
        while length != rest + length.to_string().len() {
            length = rest + length.to_string().len();
        }
        data.extend(format!("{length} {key}=").into_bytes());
        data.extend(*value);
        data.push(b'\n');
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_as_they_were_written() {
        for length in [0, 1, 88, 89, 90, 91, 92, 93, 94, 980, 990, 1000] {
            let value = vec![b'\n'; length];
            let all = [("path", value.as_slice()), ("mtime", &b"1.5"[..])];
            let data = write(&all);
            assert_eq!(records(&data).unwrap().collect::<Vec<_>>(), all, "{length}");
        }
    }

    #[test]
    fn other_data_is_refused() {
        for data in ["x", "9 a=b\n", "6 a=bc", "99 a=b\n", "5 ab\n", "0 a=b\n", "1 "] {
            assert!(records(data.as_bytes()).is_err(), "{data:?}");
        }
    }
}
