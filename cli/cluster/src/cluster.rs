//! A cluster, and what can be asked of it.

use std::fmt;
use std::ops::ControlFlow;
use std::path::PathBuf;

use serde_json::Value;

use crate::discovery::{self, Discovery, Resource};
use crate::failure::Failure;
use crate::in_order::in_order;
use crate::kubectl::Mishap;
use crate::left_out::LeftOut;
use crate::pages::Pages;
use crate::release::Release;

/// The objects that are asked for at once, as kubectl itself does.
const PAGE: u32 = 500;

/// A cluster that kubectl reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// The program: a name that is looked up on the PATH, or a path.
    pub kubectl: PathBuf,
    /// The kubeconfig; without one, those that kubectl reads by itself (`KUBECONFIG`, `~/.kube/config`).
    pub kubeconfig: Option<PathBuf>,
    /// The context in the kubeconfig; without one, the current one.
    pub context: Option<String>,
    /// The only namespace whose objects are read. Objects outside of namespaces are then left out.
    pub namespace: Option<String>,
    /// The most objects in one answer, so that memory stays small; 0 asks for whole lists.
    pub page: u32,
}

impl Default for Cluster {
    /// What the command `kubectl` reaches without options, all namespaces, in pages as those of kubectl.
    fn default() -> Self {
        Self { kubectl: "kubectl".into(), kubeconfig: None, context: None, namespace: None, page: PAGE }
    }
}

/// What comes of one resource.
enum Message {
    Object(Value),
    End(Result<Option<LeftOut>, Failure>),
}

impl Cluster {
    /// The release of the server, at `/version`.
    ///
    /// # Errors
    /// When there is no answer, or one without a release.
    pub fn release(&self) -> Result<Release, Failure> {
        Release::of(self)
    }

    /// The resources that can be listed, and the groups that do not tell theirs.
    ///
    /// Each resource is there once, at the version that the server prefers for its group, or else at the first version that has
    /// it; and once if the server stores the same objects for resources of several groups, such as events. With a
    /// [namespace](Self::namespace), only resources in namespaces are there. The order is that of the server.
    ///
    /// # Errors
    /// When there is no answer at `/api` or `/apis`, or the namespace does not exist.
    pub fn discover(&self) -> Result<Discovery, Failure> {
        discovery::discover(self)
    }

    /// Gives all objects of a resource, each with `apiVersion` and `kind`.
    ///
    /// Each object that exists from the beginning to the end is given once. What the server refuses is left out, and returned:
    /// [`LeftOut::given`] objects were given before.
    ///
    /// # Errors
    /// When nothing more can be asked of the cluster.
    pub fn objects(
        &self,
        resource: &Resource,
        give: &mut dyn FnMut(Value),
    ) -> Result<Option<LeftOut>, Failure> {
        self.read(resource, &mut |object| {
            give(object);
            ControlFlow::Continue(())
        })
    }

    /// Gives all objects of resources, in their order, as [`objects`](Self::objects) does. Up to four resources are asked for at
    /// once.
    ///
    /// # Errors
    /// When nothing more can be asked of the cluster.
    pub fn all(
        &self,
        resources: &[Resource],
        give: &mut dyn FnMut(&Resource, Value),
    ) -> Result<Vec<LeftOut>, Failure> {
        let mut left_out = Ok(Vec::new());
        in_order(
            resources,
            |resource, send| {
                let end = self.read(resource, &mut |object| send(Message::Object(object)));
                let _ = send(Message::End(end));
            },
            |resource, message| {
                match message {
                    Message::Object(object) => give(resource, object),
                    Message::End(Ok(one)) => left_out.iter_mut().for_each(|all| all.extend(one.clone())),
                    Message::End(Err(failure)) => {
                        left_out = Err(failure);
                        return ControlFlow::Break(());
                    }
                }
                ControlFlow::Continue(())
            },
        );
        left_out
    }

    /// Gives objects until the receiver breaks off.
    fn read(
        &self,
        resource: &Resource,
        give: &mut dyn FnMut(Value) -> ControlFlow<()>,
    ) -> Result<Option<LeftOut>, Failure> {
        let path = resource.path(self.namespace.as_deref());
        let get = |path: &str| self.get(path);
        let mut pages = Pages::new(&path, self.page, &get);
        let read = pages.read(&mut |mut object| {
            if !object.contains_key("kind") {
                object.shift_insert(0, "kind".to_owned(), resource.kind.clone().into());
            }
            if !object.contains_key("apiVersion") {
                object.shift_insert(0, "apiVersion".to_owned(), resource.api_version().into());
            }
            give(Value::Object(object))
        });
        match read {
            Ok(()) => Ok(None),
            Err(Mishap::Fatal(failure)) => Err(failure),
            Err(Mishap::Server(status)) => {
                Ok(Some(LeftOut::refused(resource, self.namespace.as_deref(), pages.given(), status)))
            }
            Err(Mishap::NotUnderstood(message)) => {
                Ok(Some(LeftOut::failed(resource, self.namespace.as_deref(), pages.given(), message)))
            }
        }
    }
}

impl fmt::Display for Cluster {
    /// As messages name it: `the cluster of context production`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.context {
            Some(context) => write!(f, "the cluster of context {context}")?,
            None => f.write_str("the cluster of the current context")?,
        }
        match &self.kubeconfig {
            Some(path) => write!(f, " in {}", path.display()),
            None => Ok(()),
        }
    }
}
