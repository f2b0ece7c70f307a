//! A client that creates, changes and deletes objects.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::client;
use super::running::Flags;
use super::selection::{KINDS, LABELS, NAMES, NAMESPACES};
use crate::dice::Dice;

/// Writes until it is told to end. Returns how many writes were carried out. Others write the same objects, so some
/// requests are refused.
pub async fn run(address: SocketAddr, seed: u64, flags: Arc<Flags>) -> usize {
    let mut dice = Dice::new(seed);
    let mut written = 0;
    while !flags.ends.load(Ordering::Relaxed) {
        let kind = &KINDS[dice.below(KINDS.len())];
        let (namespace, name) = (dice.below(NAMESPACES), dice.below(NAMES));
        let collection = format!("{}/namespaces/n{namespace}/{}", kind.roots[0], kind.plural);
        let object = format!("{collection}/o{name}");
        let label = LABELS[dice.below(LABELS.len())];
        let (method, path, headers, body) = match dice.below(8) {
            0 => ("DELETE", object, "", String::new()),
            1 | 2 => {
                let metadata = format!(r#"{{"name":"o{name}","labels":{{"l":"{label}"}}}}"#);
                ("POST", collection, "", format!(r#"{{"metadata":{metadata},{}}}"#, kind.body))
            }
            _ => {
                let count = dice.below(1_000_000);
                let metadata = format!(r#"{{"labels":{{"l":"{label}"}},"annotations":{{"n":"{count}"}}}}"#);
                let headers = "Content-Type: application/merge-patch+json\r\n";
                ("PATCH", object, headers, format!(r#"{{"metadata":{metadata}}}"#))
            }
        };
        if let Ok(answer) = client::send(address, method, &path, headers, &body).await {
            written += usize::from(answer.code < 300);
        }
        tokio::time::sleep(Duration::from_millis(40 + dice.below(120) as u64)).await;
    }
    written
}
