//! Counts requests under upstream's names, and with its labels.

use std::time::Instant;

use axum::body::Body;
use axum::http::Method;
use axum::response::Response;
use hubgen_serve::body::with_end;
use hubgen_serve::metrics::{Counter, Family, Histogram, Registry, exponential_buckets};
use hubgen_serve::queue::InFlight;

use crate::published::openapi;
use crate::request::{ObjectRequest, OpenId, Request, Topic, Verb};

/// Upstream's buckets of durations, in seconds.
const DURATIONS: [f64; 23] = [
    0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0,
    20.0, 30.0, 45.0, 60.0,
];
/// Upstream's label `component`.
const COMPONENT: &str = "apiserver";

/// The metrics of the server.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Counter>,
    durations: Family<Histogram>,
    sizes: Family<Histogram>,
}

impl Metrics {
    /// Metrics without a request, and of the requests that are under way.
    pub(crate) fn new(registry: Registry, reads: &InFlight, writes: &InFlight) -> Self {
        let requests = registry.counters(
            "apiserver_request_total",
            "Requests by verb, dry run, group, version, resource, scope, component and status code.",
            &["verb", "dry_run", "group", "version", "resource", "subresource", "scope", "component", "code"],
        );
        let durations = registry.histograms(
            "apiserver_request_duration_seconds",
            "Seconds until the client has its answer.",
            &["verb", "dry_run", "group", "version", "resource", "subresource", "scope", "component"],
            &DURATIONS,
        );
        let sizes = registry.histograms(
            "apiserver_response_sizes",
            "Bytes of answers to GET and LIST.",
            &["verb", "group", "version", "resource", "subresource", "scope", "component"],
            &exponential_buckets(1000.0, 10.0, 7),
        );
        let (reads, writes) = (reads.clone(), writes.clone());
        registry.read_gauges(
            "apiserver_current_inflight_requests",
            "Requests under way, those that wait for their turn included, by their kind.",
            &["request_kind"],
            move || {
                let kinds = [("mutating", &writes), ("readOnly", &reads)];
                kinds.map(|(kind, requests)| (vec![kind], requests.count() as u64)).into()
            },
        );
        Self { registry, requests, durations, sizes }
    }

    /// All metrics as text.
    pub(crate) fn text(&self) -> String {
        self.registry.text()
    }

    /// Counts a request when its answer ends.
    pub(crate) fn count(&self, labels: Labels, start: Instant, response: Response) -> Response {
        let code = response.status().as_u16().to_string();
        self.requests.with(&labels.with_code(&code)).add(1);
        let seconds = self.durations.with(&labels.all());
        let bytes = labels.is_read().then(|| self.sizes.with(&labels.without_dry_run()));
        response.map(|body| {
            Body::new(with_end(body, move |size| {
                seconds.observe(start.elapsed().as_secs_f64());
                if let Some(bytes) = bytes {
                    // The loss above 2^53 bytes does not matter.
                    bytes.observe(size as f64);
                }
            }))
        })
    }
}

/// What a request asks for, as upstream's labels. Only what the server knows becomes a value, so that clients cannot
/// make up any number of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Labels {
    verb: &'static str,
    dry_run: &'static str,
    group: String,
    version: String,
    resource: String,
    subresource: &'static str,
    scope: &'static str,
}

impl Labels {
    /// The labels of a request of which nothing but the method is known.
    pub(crate) fn for_method(method: &Method) -> Self {
        let verb = match *method {
            Method::GET => "GET",
            Method::HEAD => "HEAD",
            Method::POST => "POST",
            Method::PUT => "PUT",
            Method::PATCH => "PATCH",
            Method::DELETE => "DELETE",
            Method::OPTIONS => "OPTIONS",
            // Upstream's word for methods that it does not know.
            _ => "other",
        };
        Self { verb, ..Self::default() }
    }

    /// The labels of a request whose head is parsed.
    pub(crate) fn for_request(request: &Request) -> Self {
        let get = |subresource| Self { verb: "GET", subresource, ..Self::default() };
        match request {
            Request::Objects(request) => Self::for_objects(request),
            // Upstream has the path as the subresource.
            Request::Health(probe, _) => get(probe.path()),
            Request::Metrics => get("/metrics"),
            Request::OpenId(OpenId::Keys) => get("/openid/v1/jwks"),
            Request::OpenId(OpenId::Configuration) => get("/.well-known/openid-configuration"),
            Request::Discovery(topic) => match topic {
                Topic::Version => get("/version"),
                Topic::Core => get("/api"),
                // Whether the others exist is not known yet.
                Topic::Groups | Topic::Group(_) | Topic::GroupVersion(..) => get("/apis"),
            },
            Request::OpenApi(asked) => {
                get(if asked.topic == openapi::Topic::Swagger { "/openapi/v2" } else { "/openapi/v3" })
            }
            Request::Aggregated(asked) => get(if asked.is_of_groups { "/apis" } else { "/api" }),
        }
    }

    fn for_objects(request: &ObjectRequest) -> Self {
        let entry = &request.collection.entry;
        let (verb, is_of_one) = match &request.verb {
            Verb::Create | Verb::CreateFor(_) => ("POST", true),
            Verb::List => ("LIST", false),
            Verb::Watch => ("WATCH", false),
            Verb::DeleteCollection => ("DELETECOLLECTION", false),
            Verb::Get(_) => ("GET", true),
            Verb::Update(_) => ("PUT", true),
            Verb::Patch(_) => ("PATCH", true),
            Verb::Delete(_) => ("DELETE", true),
        };
        let scope = match (is_of_one, request.collection.namespace.is_empty()) {
            (true, _) => "resource",
            (false, false) => "namespace",
            (false, true) => "cluster",
        };
        let resource = entry.resource.as_ref().map(|resource| resource.plural.to_string());
        Self {
            verb,
            dry_run: if request.query.is_dry_run() { "All" } else { "" },
            group: entry.group.to_string(),
            version: entry.version.to_string(),
            resource: resource.unwrap_or_default(),
            subresource: request.part.subresource(),
            scope,
        }
    }

    fn is_read(&self) -> bool {
        matches!(self.verb, "GET" | "LIST")
    }

    fn all(&self) -> [&str; 8] {
        let Self { verb, dry_run, group, version, resource, subresource, scope } = self;
        [verb, dry_run, group, version, resource, subresource, scope, COMPONENT]
    }

    fn with_code<'a>(&'a self, code: &'a str) -> [&'a str; 9] {
        let [a, b, c, d, e, f, g, h] = self.all();
        [a, b, c, d, e, f, g, h, code]
    }

    fn without_dry_run(&self) -> [&str; 7] {
        let [verb, _, group, version, resource, subresource, scope, component] = self.all();
        [verb, group, version, resource, subresource, scope, component]
    }
}
