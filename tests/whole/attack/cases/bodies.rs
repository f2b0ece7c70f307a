//! Bodies that are expensive to read, or are not what they claim to be.

use super::super::Case;
use super::super::cases::{LARGE, each, fill};
use super::super::target::{CONFIGMAPS, Target};
use super::super::wire::{CLOSED, Tally, post, request};

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const PROTOBUF: &str = "Content-Type: application/vnd.kubernetes.protobuf\r\n";
const YAML: &str = "Content-Type: application/yaml\r\n";

/// All cases. None of the bodies is stored.
pub fn cases() -> Vec<Case> {
    vec![
        json("JSON nested three million deep", || {
            vec![fill("[", LARGE), fill("{\"a\":", LARGE), format!("{{\"data\":{}", fill("[", LARGE))]
        }),
        Case::new("schemas nested deep, and wide, in a CustomResourceDefinition", &[400, 422], |target| {
            let schema = |inner: String| {
                format!(
                    "{{\"metadata\":{{\"name\":\"not a name!\"}},\"spec\":{{\"group\":\"g\",\"scope\":\"Cluster\",\"names\":{{\"plural\":\"p\",\"kind\":\"K\"}},\
                     \"versions\":[{{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{{\"openAPIV3Schema\":{inner}}}}}]}}}}"
                )
            };
            let deep = |levels| schema(format!("{}{{}}{}", "{\"not\":".repeat(levels), "}".repeat(levels)));
            let wide = schema(format!("{{\"allOf\":[{}{{}}]}}", fill("{},", LARGE)));
            let raw = schema(format!("{{\"default\":{}0{}}}", "[".repeat(LARGE / 2), "]".repeat(LARGE / 2)));
            each(
                target.address(),
                [deep(20), deep(100), deep(380_000), wide, raw].map(|body| post(CRDS, &body)),
            )
        }),
        json("250,000 unknown fields: warned, ignored and refused", || {
            let fields: String = (0..250_000).map(|n| format!("\"f{n}\":0,")).collect();
            vec![format!("{{{fields}\"metadata\":{{\"name\":\"not a name!\"}}}}")]
        }),
        json("a field repeated 400,000 times", || {
            vec![
                format!("{{{}\"metadata\":{{\"name\":\"not a name!\"}}}}", fill("\"data\":{},", LARGE)),
                format!("{{{}\"metadata\":{{\"name\":\"not a name!\"}}}}", fill("\"x\":0,", LARGE)),
                format!("{{\"metadata\":{{{}\"name\":\"not a name!\"}}}}", fill("\"name\":\"a\",", LARGE)),
                format!("{{\"data\":{{{}\"k\":\"\"}}}}", fill("\"k\":\"\",", LARGE)),
            ]
        }),
        json("texts of 3 MB: plain, escaped, broken", || {
            let named = |name: &str| format!("{{\"metadata\":{{\"name\":\"{name}\"}}}}");
            vec![
                named(&fill("x", LARGE)),
                named(&fill("\\u0000", LARGE)),
                named(&fill("\\ud800", LARGE)),
                named(&fill("\u{1f980}", LARGE)),
                format!("{{\"{}\":0}}", fill("x", LARGE)),
                format!("{{\"apiVersion\":\"{}\"}}", fill("x", LARGE)),
                format!("{{\"kind\":\"{}\"}}", fill("\\n", LARGE)),
                format!("\"{}", fill("\\", LARGE)),
            ]
        }),
        json("numbers of three million digits", || {
            let number = |digits: String| format!("{{\"metadata\":{{\"generation\":{digits}}}}}");
            vec![
                number(fill("9", LARGE)),
                number(format!("0.{}", fill("9", LARGE))),
                number(format!("1e{}", fill("9", LARGE))),
                number("1e999999999".to_owned()),
                number(format!("-{}", fill("0", LARGE))),
            ]
        }),
        Case::new("quantities, times and durations of 3 MB", &[400, 422], |target| {
            let pod = |quantity: &str| {
                format!(
                    "{{\"metadata\":{{\"name\":\"not a name!\"}},\"spec\":{{\"containers\":[{{\"resources\":{{\"limits\":{{\"cpu\":{quantity}}}}}}}]}}}}"
                )
            };
            let mut bodies: Vec<String> =
                ["9", "0.", "1e9", " "].map(|piece| pod(&format!("\"{}\"", fill(piece, LARGE)))).into();
            bodies.push(pod("\"1e999999999\""));
            bodies.push(pod("\"1e-999999999\""));
            bodies.push(format!("{{\"metadata\":{{\"creationTimestamp\":\"{}\"}}}}", fill("2", LARGE)));
            each(target.address(), bodies.iter().map(|body| post("/api/v1/namespaces/default/pods", body)))
        }),
        json("an empty body, null, a byte order mark, zeros, spaces", || {
            vec![
                String::new(),
                "null".to_owned(),
                "\u{feff}{}".to_owned(),
                fill("\0", LARGE),
                fill(" ", LARGE),
                fill("{}", LARGE),
            ]
        }),
        Case::new("bytes that are not UTF-8", &[400], |target| {
            let bodies =
                [vec![0xff; LARGE], vec![0xc0; LARGE], [b"{\"a\":\"".to_vec(), vec![0x80; LARGE]].concat()];
            each(
                target.address(),
                bodies.iter().flat_map(|body| {
                    ["Content-Type: application/json\r\n", YAML]
                        .map(|headers| request("POST", CONFIGMAPS, headers, body))
                }),
            )
        }),
        Case::new("YAML: aliases of aliases (a billion laughs)", &[400, 413, 422], |target| {
            let mut laughs = "a0: &a0 [lol,lol,lol,lol,lol,lol,lol,lol,lol]\n".to_owned();
            for level in 1..30 {
                let aliases = vec![format!("*a{}", level - 1); 9].join(",");
                laughs.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
            }
            let large = format!("a: &a {}\nb: [{}]\n", fill("x", 100_000), vec!["*a"; 100_000].join(","));
            let itself = "a: &a [*a]\n".to_owned();
            let many = (0..100_000).map(|n| format!("k{n}: &k{n} v\n")).collect::<String>();
            yaml(target, &[laughs, large, itself, many])
        }),
        Case::new("YAML: deep, wide, many documents", &[400, 422], |target| {
            let steps: String = (0..2000).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
            yaml(
                target,
                &[
                    fill("[", LARGE),
                    fill("{a: ", LARGE),
                    fill("- ", LARGE),
                    fill("? ", LARGE),
                    steps,
                    fill("---\n", LARGE),
                    fill("a: b\n", LARGE),
                    fill("- a\n", LARGE),
                    format!("a: |\n{}", fill(" x\n", LARGE)),
                    format!("a: \"{}", fill("\\x41", LARGE)),
                    fill("!!x ", LARGE),
                    fill("#", LARGE),
                    fill("%YAML 1.1\n", LARGE),
                ],
            )
        }),
        protobuf("protobuf with lengths of gigabytes", || {
            let lengths: [&[u8]; 5] = [
                b"\xff\xff\xff\xff\x07",
                b"\xff\xff\xff\xff\x0f",
                b"\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
                b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
                b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
            ];
            lengths
                .iter()
                .flat_map(|length| {
                    // As the whole object, as its metadata, as the name in it.
                    [b"\x0a".to_vec(), b"\x0a\x20\x0a".to_vec(), b"\x12".to_vec()]
                        .map(|tag| [&tag, *length, &[0; 64]].concat())
                })
                .collect()
        }),
        protobuf("protobuf of three million fields: unknown, repeated, nested, groups", || {
            let nested = |tag: u8| {
                // Each message contains all following bytes.
                let mut bytes: Vec<u8> = Vec::new();
                for _ in 0..200_000 {
                    let length = bytes.len();
                    let mut head = vec![tag];
                    let mut left = length;
                    loop {
                        let byte = (left & 0x7f) as u8;
                        left >>= 7;
                        head.push(if left > 0 { byte | 0x80 } else { byte });
                        if left == 0 {
                            break;
                        }
                    }
                    // Built from the end, so that the time is linear.
                    head.reverse();
                    bytes.extend(head);
                }
                bytes.reverse();
                bytes
            };
            let metadata: Vec<u8> =
                [b"\x0a".to_vec(), varint(LARGE - 16), b"\x7a\x00".repeat((LARGE - 16) / 2)].concat();
            vec![
                b"\xf8\x07\x00".repeat(LARGE / 3),
                b"\x12\x00".repeat(LARGE / 2),
                b"\x1a\x00".repeat(LARGE / 2),
                b"\x0b".repeat(LARGE),
                b"\x0c".repeat(LARGE),
                metadata,
                nested(0x0a),
                nested(0x12),
            ]
        }),
        Case::new("compressed bodies", &[400, 415], |target| {
            // A gzip header with zeros: the server supports no compressed bodies, and must not try to decompress.
            let gzip = [b"\x1f\x8b\x08\0\0\0\0\0\0\xff".to_vec(), vec![0; 100_000]].concat();
            each(
                target.address(),
                ["gzip", "deflate", "br", "zstd", "gzip, gzip"].map(|coding| {
                    request("POST", CONFIGMAPS, &format!("Content-Encoding: {coding}\r\n"), &gzip)
                }),
            )
        }),
        Case::new(
            "bodies over the limit: by one byte, of 40 MB, with a length and in chunks",
            &[413, CLOSED],
            |target| {
                let chunked = |bytes: usize| {
                    let head = format!(
                        "POST {CONFIGMAPS} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
                    );
                    let chunk = [b"10000\r\n".to_vec(), vec![b' '; 0x10000], b"\r\n".to_vec()].concat();
                    [head.into_bytes(), chunk.repeat(bytes / 0x10000), b"0\r\n\r\n".to_vec()].concat()
                };
                let plain = |bytes: usize| request("POST", CONFIGMAPS, "", &vec![b' '; bytes]);
                each(
                    target.address(),
                    [plain((3 << 20) + 1), plain(40 << 20), chunked(4 << 20), chunked(40 << 20)],
                )
            },
        ),
        Case::new("invalid media types", &[415], |target| {
            let types = [
                "text/plain",
                "application/x-www-form-urlencoded",
                "multipart/form-data; boundary=x",
                "application/cbor",
                &fill("a/", 50_000),
            ];
            each(
                target.address(),
                types.map(|name| request("POST", CONFIGMAPS, &format!("Content-Type: {name}\r\n"), b"{}")),
            )
        }),
        Case::new("forged annotations of conversions, of the maximum size", &[400, 422], |target| {
            let keys = [
                "autoscaling.alpha.kubernetes.io/metrics",
                "autoscaling.alpha.kubernetes.io/behavior",
                "autoscaling.alpha.kubernetes.io/conditions",
                "deprecated.deployment.rollback.to",
                "pod.beta.kubernetes.io/init-containers",
                "hubgen.io/stash",
            ];
            let values = [
                fill("[", 250_000),
                fill("{},", 250_000),
                format!("[{}{{}}]", fill("{},", 250_000)),
                fill("9", 250_000),
            ];
            let path = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers";
            let values = &values;
            each(
                target.address(),
                keys.iter().flat_map(|key| {
                    values.iter().map(move |value| {
                        post(path, &format!("{{\"metadata\":{{\"name\":\"not a name!\",\"annotations\":{{\"{key}\":\"{value}\"}}}}}}"))
                    })
                }),
            )
        }),
        Case::new("options of deletions: deep, wide, invalid", &[400, 404, 422], |target| {
            let bodies = [
                fill("[", LARGE),
                format!("{{\"dryRun\":[{}\"\"]}}", fill("\"\",", LARGE)),
                format!("{{\"propagationPolicy\":\"{}\"}}", fill("x", LARGE)),
                format!("{{\"preconditions\":{{\"uid\":\"{}\"}}}}", fill("x", LARGE)),
            ];
            each(
                target.address(),
                bodies.iter().map(|body| {
                    request(
                        "DELETE",
                        &format!("{CONFIGMAPS}/nobody"),
                        "Content-Type: application/json\r\n",
                        body.as_bytes(),
                    )
                }),
            )
        }),
    ]
}

/// Sends JSON bodies, each with every field validation.
fn json(name: &str, bodies: fn() -> Vec<String>) -> Case {
    Case::new(name, &[400, 422], move |target: &Target| -> Result<Tally, String> {
        let bodies = bodies();
        each(
            target.address(),
            bodies.iter().flat_map(|body| {
                ["Warn", "Ignore", "Strict"]
                    .map(|validation| post(&format!("{CONFIGMAPS}?fieldValidation={validation}"), body))
            }),
        )
    })
}

fn yaml(target: &Target, bodies: &[String]) -> Result<Tally, String> {
    each(target.address(), bodies.iter().map(|body| request("POST", CONFIGMAPS, YAML, body.as_bytes())))
}

/// Sends protobuf bodies in an envelope.
fn protobuf(name: &str, objects: fn() -> Vec<Vec<u8>>) -> Case {
    Case::new(name, &[400, 422], move |target: &Target| -> Result<Tally, String> {
        let objects = objects();
        let envelope = objects.iter().flat_map(|object| {
            let type_meta = b"\x0a\x0f\x0a\x02v1\x12\x09ConfigMap";
            let whole = [b"k8s\0".as_slice(), type_meta, b"\x12", &varint(object.len()), object].concat();
            // Also without the envelope.
            [whole, [b"k8s\0", object.as_slice()].concat()]
        });
        each(target.address(), envelope.map(|bytes| request("POST", CONFIGMAPS, PROTOBUF, &bytes)))
    })
}

fn varint(mut number: usize) -> Vec<u8> {
    let mut out = Vec::new();
    loop {
        let byte = (number & 0x7f) as u8;
        number >>= 7;
        out.push(if number > 0 { byte | 0x80 } else { byte });
        if number == 0 {
            return out;
        }
    }
}
