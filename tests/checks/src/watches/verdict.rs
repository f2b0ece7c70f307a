//! Compares what a watch has told with what happened.

use super::log::{Write, state};
use super::selection::{Selection, Told};
use super::watcher::{Begins, Chain, Watcher};

/// What was wrong, if anything, and counts.
#[derive(Default)]
pub struct Verdict {
    pub error: Option<String>,
    pub told: usize,
    pub shown: usize,
    pub opened: usize,
    pub expired: usize,
}

/// Judges what a watcher has seen. `log` has all that happened.
pub fn judge(watcher: &Watcher, log: &[Write]) -> Verdict {
    let mut verdict = Verdict::default();
    for chain in watcher.chains() {
        verdict.told += chain.told.len();
        verdict.shown += chain.shown.len();
        verdict.opened += chain.opened;
        verdict.expired += usize::from(chain.is_expired);
        let error = of_chain(&watcher.selection, &chain, log).err();
        verdict.error = verdict.error.or(error);
    }
    verdict
}

fn of_chain(selection: &Selection, chain: &Chain, log: &[Write]) -> Result<(), String> {
    if let Some(error) = &chain.error {
        return Err(error.clone());
    }
    let begin = match chain.begins {
        Begins::At(begin) => begin,
        Begins::Unknown if chain.told.is_empty() && chain.is_expired => return Ok(()),
        Begins::Unknown => return Err("it has not begun".to_owned()),
    };
    let existed: Vec<(String, u64)> = state(log, selection.kind.prefix, begin)
        .into_iter()
        .filter(|(key, (_, side))| selection.has(key, side))
        .map(|(key, (revision, _))| (key, revision))
        .collect();
    if chain.shown != existed {
        return Err(format!("at revision {begin}: expected {existed:?}, found {:?}", chain.shown));
    }
    let expected: Vec<Told> =
        log.iter().filter(|write| write.revision > begin).filter_map(|write| selection.told(write)).collect();
    for (at, told) in chain.told.iter().enumerate() {
        if expected.get(at) != Some(told) {
            return Err(format!("after {at} events: expected {:?}, found {told:?}", expected.get(at)));
        }
    }
    // One that is told to begin anew may have missed the rest.
    match expected.get(chain.told.len()) {
        Some(missing) if !chain.is_expired => Err(format!("it has not told {missing:?}")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::log::Side;
    use super::*;

    fn write(revision: u64, name: &str, before: Option<&str>, after: Option<&str>) -> Write {
        let side = |label: &str| Side { label: label.to_owned() };
        let selection = Selection::new(0);
        let key = format!("{}{name}", selection.kind.prefix);
        Write { revision, key, before: before.map(side), after: after.map(side) }
    }

    /// A log, and what the watch of a seed that selects some of it has to tell.
    fn case() -> (Selection, Vec<Write>, Vec<Told>) {
        let mut log = Vec::new();
        let mut revision = 1;
        for (namespace, name) in (0..6).flat_map(|namespace| (0..12).map(move |name| (namespace, name))) {
            let key = format!("n{namespace}/o{name}");
            for (before, after) in
                [(None, Some("x")), (Some("x"), Some("y")), (Some("y"), Some("x")), (Some("x"), None)]
            {
                revision += 1;
                log.push(write(revision, &key, before, after));
            }
        }
        let selection = Selection::new(0);
        let told: Vec<Told> = log.iter().filter_map(|write| selection.told(write)).collect();
        (selection, log, told)
    }

    #[test]
    fn each_event_must_be_told_once_and_in_order() {
        let (selection, log, told) = case();
        assert!(told.len() > 3, "{}", selection.path());
        let judged = |change: &dyn Fn(&mut Chain)| {
            let mut chain = Chain { begins: Begins::At(1), told: told.clone(), ..Chain::default() };
            change(&mut chain);
            of_chain(&selection, &chain, &log)
        };
        assert_eq!(judged(&|_| {}), Ok(()));
        assert_eq!(
            judged(&|chain| {
                chain.told.truncate(2);
                chain.is_expired = true
            }),
            Ok(())
        );
        let changes: [&dyn Fn(&mut Chain); 8] = [
            &|chain| drop(chain.told.remove(1)),
            &|chain| drop(chain.told.pop()),
            &|chain| chain.told.push(chain.told[0].clone()),
            &|chain| chain.told.swap(0, 1),
            &|chain| chain.told[1].revision += 1,
            &|chain| chain.told[1].event_type = "ADDED",
            &|chain| chain.begins = Begins::Unknown,
            &|chain| chain.shown.push(("/registry/x".to_owned(), 1)),
        ];
        for (number, change) in changes.into_iter().enumerate() {
            assert!(judged(change).is_err(), "change {number} is not noticed");
        }
        assert!(
            judged(&|chain| {
                chain.told.remove(0);
                chain.is_expired = true
            })
            .is_err()
        );
    }
}
