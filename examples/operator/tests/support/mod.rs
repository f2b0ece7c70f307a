//! A small API server in memory. It lists, creates, replaces and applies what it gets, and validates nothing; watches
//! never have an event.

#![allow(dead_code, reason = "each test uses a part")]

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use futures::stream;
use http::{Method, Request, Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Body, Bytes, Frame};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use kube::Client;
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// A request that changes something: its method, its path with the query, and its body.
pub type Write = (Method, String, Value);

type Answer = Response<UnsyncBoxBody<Bytes, Infallible>>;

#[derive(Clone, Default)]
pub struct Server(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// By their paths.
    objects: BTreeMap<String, Value>,
    writes: Vec<Write>,
    refused: Option<&'static str>,
}

impl Server {
    /// A client of this server.
    pub fn client(&self) -> Client {
        let server = self.clone();
        let service = tower::service_fn(move |request: Request<kube::client::Body>| {
            let server = server.clone();
            async move { Ok::<_, Infallible>(server.answer(request).await) }
        });
        Client::new(service, "default")
    }

    /// Listens at a port of this machine, and returns the URL.
    pub async fn listen(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = self.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let server = server.clone();
                let service = service_fn(move |request| {
                    let server = server.clone();
                    async move { Ok::<_, Infallible>(server.answer(request).await) }
                });
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        url
    }

    /// Refuses to apply to paths that contain this text.
    pub fn refuse(&self, path: Option<&'static str>) {
        self.0.lock().unwrap().refused = path;
    }

    pub fn put(&self, path: &str, object: Value) {
        self.0.lock().unwrap().objects.insert(path.to_owned(), object);
    }

    pub fn get(&self, path: &str) -> Option<Value> {
        self.0.lock().unwrap().objects.get(path).cloned()
    }

    /// What was changed since the last call.
    pub fn writes(&self) -> Vec<Write> {
        std::mem::take(&mut self.0.lock().unwrap().writes)
    }

    /// Answers a request.
    pub async fn answer<B: Body<Error: std::fmt::Debug>>(&self, request: Request<B>) -> Answer {
        let (method, uri) = (request.method().clone(), request.uri().clone());
        let query = uri.query().unwrap_or_default();
        let body = request.into_body().collect().await.unwrap().to_bytes();
        if query.contains("watch=true") {
            return Response::new(
                StreamBody::new(stream::pending::<Result<Frame<Bytes>, Infallible>>()).boxed_unsync(),
            );
        }
        let answer = if method == Method::GET {
            self.read(uri.path())
        } else {
            let body: Value = serde_json::from_slice(&body).unwrap();
            let mut state = self.0.lock().unwrap();
            state.writes.push((method.clone(), uri.to_string(), body.clone()));
            state.write(&method, uri.path(), body)
        };
        let (status, answer) = match answer {
            Ok(object) => (StatusCode::OK, object),
            Err(status) => (
                status,
                json!({
                    "kind": "Status", "apiVersion": "v1", "status": "Failure",
                    "code": status.as_u16(), "reason": status.canonical_reason().unwrap().replace(' ', ""), "message": status.to_string(),
                }),
            ),
        };
        let body = Full::from(answer.to_string().into_bytes()).boxed_unsync();
        Response::builder().status(status).header("content-type", "application/json").body(body).unwrap()
    }

    /// An object, or a list of those below a path.
    fn read(&self, path: &str) -> Result<Value, StatusCode> {
        let state = self.0.lock().unwrap();
        if let Some(object) = state.objects.get(path) {
            return Ok(object.clone());
        }
        let is_list = path.rsplit('/').next().is_some_and(|last| last.ends_with('s'));
        if !is_list {
            return Err(StatusCode::NOT_FOUND);
        }
        // Those of all namespaces, too.
        let (root, resource) = path.rsplit_once('/').unwrap();
        let is_listed = |at: &&String| at.starts_with(root) && at.contains(&format!("/{resource}/"));
        let items: Vec<_> =
            state.objects.iter().filter(|(at, _)| is_listed(at)).map(|(_, object)| object).collect();
        Ok(json!({"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": items}))
    }
}

impl State {
    fn write(&mut self, method: &Method, path: &str, mut body: Value) -> Result<Value, StatusCode> {
        if self.refused.is_some_and(|refused| path.contains(refused)) {
            return Err(StatusCode::FORBIDDEN);
        }
        if method == Method::POST {
            let name = body["metadata"]["name"].as_str().unwrap().to_owned();
            if body["kind"] == "CustomResourceDefinition" {
                body["status"] = json!({"conditions": [{"type": "Established", "status": "True"}]});
            }
            self.objects.insert(format!("{path}/{name}"), body.clone());
            return Ok(body);
        }
        match path.strip_suffix("/status") {
            Some(path) => {
                let object = self.objects.get_mut(path).ok_or(StatusCode::NOT_FOUND)?;
                object["status"] = body["status"].take();
                Ok(object.clone())
            }
            None => {
                let object = self.objects.entry(path.to_owned()).or_insert_with(|| json!({"status": {}}));
                body["status"] = object["status"].take();
                *object = body;
                Ok(object.clone())
            }
        }
    }
}
