//! Asks those who follow the store whether they have done what they have to do.

use std::future::pending;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

/// All who follow the store for a server. Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct Followers(Arc<Inner>);

#[derive(Default)]
struct Inner {
    all: Mutex<Vec<mpsc::UnboundedSender<Question>>>,
    /// How many have joined.
    joined: AtomicU64,
    /// The revision of the store after the last write of one of them.
    written: AtomicU64,
}

/// Whether all has been done that follows from the changes up to a revision.
struct Question {
    revision: u64,
    /// Dropping it is an answer, too: who has ended has nothing to do.
    answer: oneshot::Sender<()>,
}

impl Followers {
    /// Adds one, until the result is dropped.
    pub(crate) fn join(&self) -> Asked {
        let (sender, questions) = mpsc::unbounded_channel();
        let mut all = self.all();
        all.retain(|other| !other.is_closed());
        all.push(sender);
        self.0.joined.fetch_add(1, Ordering::AcqRel);
        Asked { questions, open: Vec::new() }
    }

    /// Notes that one of them has written, and that the store is at this revision since.
    pub(crate) fn note_written(&self, revision: u64) {
        self.0.written.fetch_max(revision, Ordering::AcqRel);
    }

    /// How many have ever joined, and the revision of the store after the last write of one of them.
    pub(crate) fn state(&self) -> (u64, u64) {
        (self.0.joined.load(Ordering::Acquire), self.0.written.load(Ordering::Acquire))
    }

    /// Waits until each has done what follows from the changes up to a revision.
    pub(crate) async fn reach(&self, revision: u64) {
        let ask = |one: &mpsc::UnboundedSender<Question>| {
            let (answer, answered) = oneshot::channel();
            one.send(Question { revision, answer }).ok().map(|()| answered)
        };
        let questions: Vec<_> = self.all().iter().filter_map(ask).collect();
        for answered in questions {
            // It is gone if there is an error.
            let _ = answered.await;
        }
    }

    fn all(&self) -> MutexGuard<'_, Vec<mpsc::UnboundedSender<Question>>> {
        // Nothing panics while it holds the lock.
        self.0.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One who is asked.
pub(crate) struct Asked {
    questions: mpsc::UnboundedReceiver<Question>,
    /// Those that have no answer yet.
    open: Vec<Question>,
}

impl Asked {
    /// Waits for a question.
    pub(crate) async fn wait(&mut self) {
        match self.questions.recv().await {
            Some(question) => self.open.push(question),
            None => pending().await,
        }
    }

    /// The last revision that somebody asks about.
    pub(crate) fn wanted(&self) -> Option<u64> {
        self.open.iter().map(|question| question.revision).max()
    }

    /// Takes the questions that are there. Those that come later are not answered before they are heard, too: what has to be done
    /// may follow from the time at which they are asked.
    pub(crate) fn hear(&mut self) {
        while let Ok(question) = self.questions.try_recv() {
            self.open.push(question);
        }
    }

    /// Answers the questions that are heard: everything is done that follows from the changes up to a revision.
    pub(crate) fn answer(&mut self, revision: u64) {
        for question in self.open.extract_if(.., |question| question.revision <= revision) {
            // Whoever has asked may not wait any more.
            let _ = question.answer.send(());
        }
    }

    /// Does nothing for a while, because something has failed. Nobody waits for that.
    pub(crate) async fn rest(&mut self, time: Duration) {
        let end = Instant::now() + time;
        loop {
            self.hear();
            self.answer(u64::MAX);
            if timeout_at(end, self.wait()).await.is_err() {
                return;
            }
        }
    }
}
