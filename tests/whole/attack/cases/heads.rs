//! Request heads: forged, too large, contradictory.

use super::super::Case;
use super::super::cases::{each, fill};
use super::super::target::{CONFIGMAPS, PLAIN};
use super::super::wire::{CLOSED, get, request};

const BODY: &[u8] = b"{\"metadata\":{\"name\":\"forged\"}}";

/// All cases.
pub fn cases() -> Vec<Case> {
    vec![
        Case::new("a forged Host (DNS rebinding), to read and to write", &[403, 400], |target| {
            let hosts = [
                "evil.example",
                "evil.example:8001",
                "localhost.evil.example",
                "10.0.0.1",
                "",
                "a@localhost",
            ];
            each(
                target.address(),
                hosts.iter().flat_map(|host| {
                    let host = format!("Host: {host}");
                    [get("/api/v1/secrets"), request("POST", CONFIGMAPS, "", BODY)]
                        .map(|request| replace(&request, "Host: localhost", &host))
                }),
            )
        }),
        Case::new("no Host, two Hosts, a Host in the request target", &[403, 400], |target| {
            let plain = get("/api/v1/secrets");
            each(
                target.address(),
                [
                    replace(&plain, "Host: localhost\r\n", ""),
                    replace(&plain, "Host: localhost", "Host: localhost\r\nHost: evil.example"),
                    replace(&plain, "/api/v1/secrets", "http://evil.example/api/v1/secrets"),
                ],
            )
        }),
        Case::new("a forged Origin without a Content-Type (cross-site POST)", &[403], |target| {
            let origins = [
                "Origin: https://evil.example",
                "Origin: null",
                "Origin: http://localhost.evil.example",
                "Sec-Fetch-Site: cross-site",
                "Origin: file://",
            ];
            each(
                target.address(),
                origins.iter().map(|origin| request("POST", CONFIGMAPS, &format!("{origin}\r\n"), BODY)),
            )
        }),
        Case::new("targets of 60 KB and of 1 MB", &[200, 400, 404, 414, 431, CLOSED], |target| {
            let long = |size| {
                [
                    fill("/a", size),
                    format!("/api/v1/pods/{}", fill("x", size)),
                    format!("/api?{}", fill("a=b&", size)),
                ]
            };
            let paths = long(60_000).into_iter().chain(long(1_000_000));
            each(target.address(), paths.map(|path| get(&path)))
        }),
        Case::new("a header of 60 KB and of 1 MB", &[200, 431, CLOSED], |target| {
            let sizes = [60_000, 1_000_000];
            each(
                target.address(),
                sizes.map(|size| request("GET", PLAIN, &format!("X: {}\r\n", fill("x", size)), b"")),
            )
        }),
        Case::new("10,000 headers", &[431, CLOSED], |target| {
            each(target.address(), [request("GET", PLAIN, &"X: y\r\n".repeat(10_000), b"")])
        }),
        Case::new("an Accept of 10,000 entries", &[200, 406], |target| {
            let none = fill("a/b;q=0.1,", 50_000);
            let many = format!("{none}application/json");
            each(
                target.address(),
                [none, many].map(|accept| request("GET", PLAIN, &format!("Accept: {accept}\r\n"), b"")),
            )
        }),
        Case::new("bodies with two lengths, and with invalid lengths", &[400, 413, 431, CLOSED], |target| {
            let lines = [
                "Content-Length: 5\r\nContent-Length: 50\r\n",
                "Content-Length: 5\r\nTransfer-Encoding: chunked, identity\r\n",
                "Content-Length: -1\r\n",
                "Content-Length: 18446744073709551615\r\n",
                "Content-Length: 99999999999999999999999\r\n",
                "Content-Length: 0x10\r\n",
                "Transfer-Encoding: gzip\r\n",
            ];
            each(
                target.address(),
                lines.map(|lines| {
                    let head = format!(
                        "POST {CONFIGMAPS} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{lines}\r\n"
                    );
                    // More than the server ever reads.
                    let body = if lines.contains("18446744073709551615") {
                        vec![b' '; 40 << 20]
                    } else {
                        b"{}".to_vec()
                    };
                    [head.into_bytes(), body].concat()
                }),
            )
        }),
        Case::new("broken chunks", &[400, 408, 413, CLOSED], |target| {
            let bodies = [
                "zz\r\n{}\r\n0\r\n\r\n".to_owned(),
                "-1\r\n{}\r\n0\r\n\r\n".to_owned(),
                "ffffffffffffffffff\r\n{}\r\n".to_owned(),
                "2{}\r\n0\r\n\r\n".to_owned(),
                format!("2;{}\r\n{{}}\r\n0\r\n\r\n", fill("x", 1_000_000)),
                format!("2\r\n{{}}\r\n0\r\n{}\r\n", "X: y\r\n".repeat(100_000)),
                "1\r\n{\r\n".repeat(1_000_000),
                "1\r\n".to_owned(),
            ];
            each(
                target.address(),
                bodies.map(|body| {
                    let head = "HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
                    format!("POST {CONFIGMAPS} {head}{body}").into_bytes()
                }),
            )
        }),
        Case::new("100 requests that wait for 100 Continue", &[408], |target| {
            let head = format!(
                "POST {CONFIGMAPS} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 99\r\n\r\n"
            );
            super::super::cases::at_once(100, |_| {
                // The first response is `100 Continue`.
                let mut stream = super::super::wire::connect(target.address())?;
                super::super::wire::write(&mut stream, head.as_bytes());
                let mut first = [0; 25];
                std::io::Read::read_exact(&mut stream, &mut first).map_err(|error| error.to_string())?;
                Ok([super::super::wire::code(&mut stream)?].into_iter().collect())
            })
        }),
        Case::new("paths with %00, %2f, dots, and 30,000 parts", &[400, 404, 422], |target| {
            let paths = [
                "/api/v1/namespaces/default/configmaps/%00".to_owned(),
                "/api/v1/namespaces/default/configmaps/..%2f..%2fsecrets".to_owned(),
                "/api/v1/namespaces/../../../etc/passwd".to_owned(),
                "/api/v1/namespaces/%ff/configmaps/a".to_owned(),
                "/".repeat(60_000),
                fill("/x", 60_000),
                "/apis/%2e%2e/v1/configmaps".to_owned(),
            ];
            each(target.address(), paths.map(|path| get(&path)))
        }),
        Case::new("unknown methods", &[400, 404, 405, 415, CLOSED], |target| {
            let methods =
                ["TRACE", "CONNECT", "OPTIONS", "PATCH", "BREW", "get", &fill("X", 60_000), "G\0T", ""];
            each(target.address(), methods.map(|method| request(method, PLAIN, "", b"")))
        }),
    ]
}

fn replace(request: &[u8], from: &str, to: &str) -> Vec<u8> {
    String::from_utf8_lossy(request).replacen(from, to, 1).into_bytes()
}
