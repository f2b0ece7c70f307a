//! Reads the objects of resources.

use std::ops::ControlFlow;

use serde_json::Value;

use crate::cluster::Cluster;
use crate::discovery::Resource;
use crate::failure::Failure;
use crate::in_order::in_order;
use crate::kubectl::Mishap;
use crate::left_out::LeftOut;
use crate::pages::Pages;

/// What comes of one resource.
enum Message {
    Object(Value),
    End(Result<Option<LeftOut>, Failure>),
}

impl Cluster {
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
        let (mut left_out, mut failure) = (Vec::new(), None);
        in_order(
            resources,
            |resource, send| {
                let end = self.read(resource, &mut |object| send(Message::Object(object)));
                let _ = send(Message::End(end));
            },
            |resource, message| {
                match message {
                    Message::Object(object) => give(resource, object),
                    Message::End(Ok(one)) => left_out.extend(one),
                    Message::End(Err(fatal)) => {
                        failure = Some(fatal);
                        return ControlFlow::Break(());
                    }
                }
                ControlFlow::Continue(())
            },
        );
        failure.map_or(Ok(left_out), Err)
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
