//! Deletes the objects of a namespace.

use std::collections::BTreeMap;
use std::sync::Arc;

use hubgen_machinery::scheme::KindEntry;
use hubgen_meta::v1::DeleteOptions;

use super::super::record::Record;
use super::super::remove::remove;
use super::conditions::Left;
use crate::catalog::Catalog;
use crate::objects::{Error, Objects, Write};
use crate::status::Failure;
use crate::store::{KeyValue, ListRequest};

/// How many objects are read at a time.
const PAGE: usize = 100;
/// The resource whose objects go before all others, as upstream has it: what runs may need the rest until its end.
const FIRST: (&str, &str) = ("", "pods");

/// A resource: its group, and its name.
type Resource = (String, String);

/// The resources whose objects are in namespaces and can be deleted, each with its kind at one version.
fn resources(catalog: &Catalog) -> BTreeMap<Resource, Arc<KindEntry>> {
    let of = |entry: &Arc<KindEntry>| {
        let resource = catalog.offered.resource(entry)?;
        let can_be_deleted = resource.verbs.contains("delete") && resource.verbs.contains("list");
        if !resource.namespaced || !can_be_deleted {
            return None;
        }
        // At the version at which they are stored, most objects need not be converted.
        let storage = entry.family.as_ref().map(|family| &family.storage);
        let stored = storage.and_then(|name| catalog.scheme.kind(&name.group, &name.version, &name.kind));
        let name = (entry.group.to_string(), resource.plural.to_string());
        Some((name, Arc::clone(stored.unwrap_or(entry))))
    };
    catalog.scheme.kinds().filter_map(of).collect()
}

/// Deletes all objects of a namespace, or begins to. Returns what is left.
///
/// # Errors
/// If the store cannot be read.
pub(super) async fn delete_all(objects: &Objects, namespace: &str, write: &Write) -> Result<Left, Error> {
    let mut left = Left::default();
    let mut all = resources(&objects.catalog);
    let (group, resource) = FIRST;
    let first = (group.to_owned(), resource.to_owned());
    if let Some(entry) = all.remove(&first) {
        delete(objects, &first, &entry, namespace, write, &mut left).await?;
        if !left.objects.is_empty() {
            left.is_begun = true;
            return Ok(left);
        }
    }
    for (resource, entry) in &all {
        delete(objects, resource, entry, namespace, write, &mut left).await?;
    }
    Ok(left)
}

/// Deletes the objects of one resource.
async fn delete(
    objects: &Objects,
    (group, plural): &Resource,
    entry: &Arc<KindEntry>,
    namespace: &str,
    write: &Write,
    left: &mut Left,
) -> Result<(), Error> {
    // Whoever deletes everything leaves nobody behind.
    let options = DeleteOptions { propagation_policy: Some("Background".into()), ..DeleteOptions::default() };
    let prefix = objects.catalog.scheme.storage_prefix(entry);
    let within = format!("{prefix}{namespace}/");
    let mut failure = None;
    for item in stored(objects, &within).await? {
        if let Err(error) = remove(objects, Some(entry), &prefix, &item, &options, write).await {
            failure = Some(Failure::from(error).0.message.to_string());
        }
    }
    if let Some(failure) = failure {
        left.failures.push(failure);
        return Ok(());
    }
    let remaining = stored(objects, &within).await?;
    if remaining.is_empty() {
        return Ok(());
    }
    left.objects.insert(format!("{plural}.{group}"), remaining.len());
    let kept: Vec<String> = remaining
        .iter()
        .filter_map(Record::read)
        .flat_map(|record| record.metadata.finalizers)
        .map(|finalizer| finalizer.to_string())
        .collect();
    if kept.is_empty() {
        // Somebody has created it since.
        let why = format!("unexpected items still remain in namespace: {namespace} for gvr: {plural}");
        left.failures.push(why);
    }
    for finalizer in kept {
        *left.finalizers.entry(finalizer).or_default() += 1;
    }
    Ok(())
}

/// All that is stored with a prefix.
async fn stored(objects: &Objects, prefix: &str) -> Result<Vec<KeyValue>, Error> {
    let mut found = Vec::new();
    let mut request =
        ListRequest { prefix: prefix.as_bytes().to_vec(), limit: Some(PAGE), ..ListRequest::default() };
    loop {
        let page = objects.backing.store.list(request.clone()).await?;
        found.extend(page.items);
        let Some(next) = page.next else { return Ok(found) };
        request = ListRequest { start: Some(next), revision: Some(page.revision), ..request };
    }
}
