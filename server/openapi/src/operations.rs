//! The paths of resources, and what can be done there.

use openapiv3::{
    Content, MediaType, Operation, PathItem, ReferenceOr, RequestBody, Response, Responses, Schema,
    SchemaData, SchemaKind, StatusCode,
};
use serde_json::json;

use crate::names;
use crate::parameters;
use crate::resources::{GroupVersion, Kind, Resource};

/// The published names of the types of one resource.
pub(crate) struct Types {
    pub(crate) object: String,
    pub(crate) list: String,
}

/// Makes the operations of one group version.
pub(crate) struct Operations<'a> {
    of: &'a GroupVersion,
    /// `AppsV1`.
    name: String,
    tag: String,
}

/// Whether a path is of one object or of many, and where.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Cluster,
    Namespace,
    AllNamespaces,
}

impl Place {
    /// What the name of an operation contains before the kind.
    fn before(self) -> &'static str {
        if self == Self::Namespace { "Namespaced" } else { "" }
    }

    /// What it contains at its end.
    fn after(self) -> &'static str {
        if self == Self::AllNamespaces { "ForAllNamespaces" } else { "" }
    }
}

/// The words in the names of the operations of a group: `Core`, `RbacAuthorization`.
pub(crate) fn group_name(group: &str) -> String {
    match group {
        "" => "Core".to_owned(),
        group => names::camel(group.strip_suffix(".k8s.io").unwrap_or(group)),
    }
}

/// The tag of the operations of a group: `core`, `rbacAuthorization`.
pub(crate) fn group_tag(group: &str) -> String {
    let name = group_name(group);
    name[..1].to_ascii_lowercase() + &name[1..]
}

impl<'a> Operations<'a> {
    pub(crate) fn new(of: &'a GroupVersion) -> Self {
        let name = group_name(&of.group) + &names::camel(&of.version);
        Self { of, name, tag: format!("{}_{}", group_tag(&of.group), of.version) }
    }

    /// The path at which the resources are listed.
    pub(crate) fn resources(&self) -> (String, PathItem) {
        let name = format!("get{}APIResources", self.name);
        let item = answer(&self.tag, &name, &names::of_meta("APIResourceList"));
        (format!("/{}/", self.of.path()), item)
    }

    /// The paths of a resource. `kind` is the kind of the resource to which a subresource belongs.
    pub(crate) fn paths(&self, resource: &Resource, kind: &str, types: &Types) -> Vec<(String, PathItem)> {
        let root = format!("/{}", self.of.path());
        let Some((name, sub)) = resource.name.split_once('/') else {
            return self.main(resource, &root, types);
        };
        let place = if resource.namespaced { Place::Namespace } else { Place::Cluster };
        let path = format!("{root}{}/{name}/{{name}}/{sub}", scope(place));
        let item = self.object(resource, place, kind, &names::camel(sub), types);
        vec![(path, item)]
    }

    fn main(&self, resource: &Resource, root: &str, types: &Types) -> Vec<(String, PathItem)> {
        let Resource { name, kind, namespaced, .. } = resource;
        let place = if *namespaced { Place::Namespace } else { Place::Cluster };
        let scope = scope(place);
        let mut out = vec![(format!("{root}{scope}/{name}"), self.collection(resource, place, types))];
        if ["get", "update", "patch", "delete"].iter().any(|verb| resource.can(verb)) {
            let item = self.object(resource, place, &kind.kind, "", types);
            out.push((format!("{root}{scope}/{name}/{{name}}"), item));
        }
        if *namespaced && resource.can("list") {
            let (get, parameters) = (
                Some(self.list(resource, Place::AllNamespaces, types)),
                path_parameters(Place::AllNamespaces, false),
            );
            out.push((format!("{root}/{name}"), PathItem { get, parameters, ..PathItem::default() }));
        }
        if resource.can("watch") && !self.of.defined {
            let watch = |place, is_list| self.watched(resource, place, is_list);
            let root = format!("{root}/watch");
            out.push((format!("{root}{scope}/{name}"), watch(place, true)));
            out.push((format!("{root}{scope}/{name}/{{name}}"), watch(place, false)));
            if *namespaced {
                out.push((format!("{root}/{name}"), watch(Place::AllNamespaces, true)));
            }
        }
        out
    }

    /// The path of all objects of a resource.
    fn collection(&self, resource: &Resource, place: Place, types: &Types) -> PathItem {
        let Resource { kind, media, .. } = resource;
        let before = place.before();
        let mut item = PathItem { parameters: path_parameters(place, false), ..PathItem::default() };
        item.get = resource.can("list").then(|| self.list(resource, place, types));
        item.post = resource.can("create").then(|| {
            let id = format!("create{}{before}{}", self.name, kind.kind);
            let answers = [(200, "OK"), (201, "Created"), (202, "Accepted")];
            self.operation(id, "post", kind)
                .taking(&parameters::WRITE)
                .receiving(&["*/*"], &types.object, true)
                .answering(&answers, media, &types.object)
        });
        item.delete = resource.can("deletecollection").then(|| {
            let id = format!("delete{}Collection{before}{}", self.name, kind.kind);
            self.operation(id, "deletecollection", kind)
                .taking(&parameters::DELETE_COLLECTION)
                .receiving(&["*/*"], &names::of_meta("DeleteOptions"), false)
                .answering(&[(200, "OK")], media, &names::of_meta("Status"))
        });
        item
    }

    fn list(&self, resource: &Resource, place: Place, types: &Types) -> Operation {
        let kind = &resource.kind;
        let id = format!("list{}{}{}{}", self.name, place.before(), kind.kind, place.after());
        self.operation(id, "list", kind).taking(&parameters::LIST).answering(
            &[(200, "OK")],
            &streams(&resource.media, resource.can("watch")),
            &types.list,
        )
    }

    /// The path of one object, or of a part of it.
    fn object(&self, resource: &Resource, place: Place, of: &str, part: &str, types: &Types) -> PathItem {
        let Resource { kind, media, patches, .. } = resource;
        let id = |verb: &str| format!("{verb}{}{}{of}{part}", self.name, place.before());
        let mut item = PathItem { parameters: path_parameters(place, true), ..PathItem::default() };
        item.get = resource
            .can("get")
            .then(|| self.operation(id("read"), "get", kind).answering(&[(200, "OK")], media, &types.object));
        // What is created at a path of an object is a part of it, such as an eviction.
        item.post = (!part.is_empty() && resource.can("create")).then(|| {
            let answers = [(200, "OK"), (201, "Created"), (202, "Accepted")];
            self.operation(id("create"), "post", kind)
                .taking(&parameters::WRITE)
                .receiving(&["*/*"], &types.object, true)
                .answering(&answers, media, &types.object)
        });
        let answers = [(200, "OK"), (201, "Created")];
        item.put = resource.can("update").then(|| {
            self.operation(id("replace"), "put", kind)
                .taking(&parameters::WRITE)
                .receiving(&["*/*"], &types.object, true)
                .answering(&answers, media, &types.object)
        });
        item.patch = resource.can("patch").then(|| {
            self.operation(id("patch"), "patch", kind)
                .taking(&parameters::PATCH)
                .receiving(patches, &names::of_meta("Patch"), true)
                .answering(&answers, media, &types.object)
        });
        item.delete = resource.can("delete").then(|| {
            self.operation(id("delete"), "delete", kind)
                .taking(&parameters::DELETE)
                .receiving(&["*/*"], &names::of_meta("DeleteOptions"), false)
                .answering(&[(200, "OK"), (202, "Accepted")], media, &names::of_meta("Status"))
        });
        item
    }

    /// A path of watches, which clients used before a watch was a parameter.
    fn watched(&self, resource: &Resource, place: Place, is_list: bool) -> PathItem {
        let kind = &resource.kind;
        let list = if is_list { "List" } else { "" };
        let id = format!("watch{}{}{}{list}{}", self.name, place.before(), kind.kind, place.after());
        let action = if is_list { "watchlist" } else { "watch" };
        let mut item = PathItem { parameters: path_parameters(place, !is_list), ..PathItem::default() };
        item.parameters.extend(parameters::query(&parameters::LIST));
        item.get = Some(self.operation(id, action, kind).answering(
            &[(200, "OK")],
            &streams(&resource.media, true),
            &names::of_meta("WatchEvent"),
        ));
        item
    }

    fn operation(&self, id: String, action: &str, kind: &Kind) -> Operation {
        let Kind { group, version, kind } = kind;
        let mut operation = named(&self.tag, &id);
        operation.extensions.insert("x-kubernetes-action".to_owned(), action.into());
        operation.extensions.insert(
            "x-kubernetes-group-version-kind".to_owned(),
            json!({"group": group, "kind": kind, "version": version}),
        );
        operation
    }
}

/// The steps by which an operation is described.
trait Describe {
    fn taking(self, parameters: &[&str]) -> Self;
    fn receiving(self, media: &[&str], name: &str, required: bool) -> Self;
    fn answering<M: AsRef<str>>(self, answers: &[(u16, &str)], media: &[M], name: &str) -> Self;
}

impl Describe for Operation {
    fn taking(mut self, parameters: &[&str]) -> Self {
        self.parameters = parameters::query(parameters);
        self
    }

    fn receiving(mut self, media: &[&str], name: &str, required: bool) -> Self {
        let body = RequestBody { content: content(media, name), required, ..RequestBody::default() };
        self.request_body = Some(ReferenceOr::Item(body));
        self
    }

    fn answering<M: AsRef<str>>(mut self, answers: &[(u16, &str)], media: &[M], name: &str) -> Self {
        let whole = answers.iter().map(|(code, text)| (*code, *text, content(media, name)));
        let refused = [(401, "Unauthorized", Content::default())];
        let responses = whole.chain(refused).map(|(code, description, content)| {
            let response = Response { description: description.to_owned(), content, ..Response::default() };
            (StatusCode::Code(code), ReferenceOr::Item(response))
        });
        self.responses = Responses { responses: responses.collect(), ..Responses::default() };
        self
    }
}

fn named(tag: &str, id: &str) -> Operation {
    Operation { tags: vec![tag.to_owned()], operation_id: Some(id.to_owned()), ..Operation::default() }
}

/// A path that is not of a resource, and answers with a type.
pub(crate) fn answer(tag: &str, id: &str, name: &str) -> PathItem {
    let operation = named(tag, id).answering(&[(200, "OK")], &["application/json"], name);
    PathItem { get: Some(operation), ..PathItem::default() }
}

/// The media types of an answer that can be a watch.
fn streams(media: &[&'static str], can_watch: bool) -> Vec<String> {
    let each = |media: &&str| {
        let stream = can_watch.then(|| format!("{media};stream=watch"));
        [Some((*media).to_owned()), stream].into_iter().flatten()
    };
    media.iter().flat_map(|media| each(media).collect::<Vec<_>>()).collect()
}

fn content<M: AsRef<str>>(media: &[M], name: &str) -> Content {
    let schema = ReferenceOr::Reference { reference: format!("{}{name}", names::SCHEMAS) };
    let each = |media: &M| {
        (media.as_ref().to_owned(), MediaType { schema: Some(schema.clone()), ..MediaType::default() })
    };
    media.iter().map(each).collect()
}

/// The part of a path that tells where objects are.
fn scope(place: Place) -> &'static str {
    if place == Place::Namespace { "/namespaces/{namespace}" } else { "" }
}

fn path_parameters(place: Place, is_object: bool) -> Vec<ReferenceOr<openapiv3::Parameter>> {
    let mut names = Vec::new();
    if is_object {
        names.push("name");
    }
    if place == Place::Namespace {
        names.push("namespace");
    }
    let mut all = parameters::path(&names);
    all.extend(parameters::query(&["pretty"]));
    all
}

/// A schema that another one's JSON is.
pub(crate) fn schema(value: serde_json::Value) -> ReferenceOr<Schema> {
    serde_json::from_value(value).unwrap_or_else(|_| {
        let any =
            Schema { schema_data: SchemaData::default(), schema_kind: SchemaKind::Any(Default::default()) };
        ReferenceOr::Item(any)
    })
}
