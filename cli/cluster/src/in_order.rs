//! Work on several things at once, whose results come in order.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// How many things are worked on at once.
const AT_ONCE: usize = 4;

/// How many messages wait for those of things before theirs.
const WAITING: usize = 16;

/// Works on each item, and takes the messages that this sends: all of the first item, then all of the second. Work that is
/// ahead waits, so that few messages are in memory. After `take` breaks off, no more work begins, and sending breaks off.
pub fn in_order<T: Sync, M: Send>(
    items: &[T],
    work: impl Fn(&T, &mut dyn FnMut(M) -> ControlFlow<()>) + Sync,
    mut take: impl FnMut(&T, M) -> ControlFlow<()>,
) {
    let channel = |item| {
        let (sender, receiver) = sync_channel(WAITING);
        ((item, sender), (item, receiver))
    };
    let (waiting, receivers): (VecDeque<_>, Vec<_>) = items.iter().map(channel).unzip();
    let waiting = Mutex::new(waiting);
    let waiting = || waiting.lock().unwrap_or_else(PoisonError::into_inner);
    let next = || waiting().pop_front();
    thread::scope(|scope| {
        for _ in 0..AT_ONCE.min(items.len()) {
            scope.spawn(|| {
                while let Some((item, sender)) = next() {
                    work(item, &mut |message| match sender.send(message) {
                        Ok(()) => ControlFlow::Continue(()),
                        Err(_) => ControlFlow::Break(()),
                    });
                }
            });
        }
        for (item, receiver) in receivers {
            for message in receiver {
                if take(item, message).is_break() {
                    waiting().clear();
                    return;
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn messages_come_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..50).collect();
        let mut taken = Vec::new();
        in_order(
            &items,
            |&item, send| {
                for at in 0..item * 10 {
                    assert!(send((item, at)).is_continue());
                }
            },
            |&item, message| {
                assert_eq!(item, message.0);
                taken.push(message);
                ControlFlow::Continue(())
            },
        );
        let expected: Vec<_> =
            items.iter().flat_map(|&item| (0..item * 10).map(move |at| (item, at))).collect();
        assert_eq!(taken, expected);
    }

    #[test]
    fn work_ends_where_it_is_broken_off() {
        let items: Vec<usize> = (0..1000).collect();
        let begun = AtomicUsize::new(0);
        let mut taken = Vec::new();
        in_order(
            &items,
            |&item, send| {
                begun.fetch_add(1, Ordering::Relaxed);
                // Without an end, but for that of who takes.
                while send(item).is_continue() {}
            },
            |_, message| {
                taken.push(message);
                if taken.len() == 100 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        assert_eq!(taken, [0; 100]);
        assert!(begun.into_inner() <= AT_ONCE);
    }

    #[test]
    fn nothing_is_nothing() {
        in_order(&[(); 0], |(), _: &mut dyn FnMut(()) -> _| unreachable!(), |(), ()| unreachable!());
    }
}
