//! Credentials: tokens that nobody has issued, and users as whom nobody may act. The server lets everybody do everything, so that
//! what counts is that it answers, and returns its memory.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::super::Case;
use super::super::cases::{at_once, each, fill};
use super::super::target::PLAIN;
use super::super::wire::{CLOSED, request};

/// The issuer of the server's own tokens, so that each token is looked at.
const ISSUER: &str = "https://kubernetes.default.svc.cluster.local";

fn token(header: &str, claims: &str, signature: &str) -> String {
    let encoded = |text: &str| URL_SAFE_NO_PAD.encode(text);
    format!("{}.{}.{}", encoded(header), encoded(claims), encoded(signature))
}

fn with_token(token: &str) -> Vec<u8> {
    request("GET", PLAIN, &format!("Authorization: Bearer {token}\r\n"), b"")
}

fn claims(more: &str) -> String {
    format!(r#"{{"iss":"{ISSUER}","aud":["{ISSUER}"],"exp":9999999999,"sub":"system:admin"{more}}}"#)
}

/// All cases.
pub fn cases() -> Vec<Case> {
    vec![
        Case::new("tokens that are not signed, or with a secret, or by nobody", &[200, 401], |target| {
            let headers = [
                r#"{"alg":"none"}"#,
                r#"{"alg":"HS256"}"#,
                r#"{"alg":"ES256","kid":"none"}"#,
                r#"{"alg":"RS256","crit":["x"]}"#,
                r#"{"alg":1}"#,
                "[]",
                "",
            ];
            let signatures = ["", "x", &fill("x", 64), &fill("x", 8192)];
            let tokens = headers
                .iter()
                .flat_map(|header| signatures.iter().map(|signature| token(header, &claims(""), signature)));
            each(target.address(), tokens.map(|token| with_token(&token)).collect::<Vec<_>>())
        }),
        Case::new("tokens of 60 KB, and with JSON nested in JSON", &[200, 401, 431, CLOSED], |target| {
            let nested = [fill("[", 20_000), format!("{}{}", fill("{\"a\":", 20_000), fill("}", 4_000))];
            let nested =
                nested.map(|nested| token(r#"{"alg":"ES256"}"#, &claims(&format!(",\"x\":{nested}")), "x"));
            let long = [fill("a", 60_000), fill(".", 60_000), format!("{}.a.a", fill("a", 50_000))];
            each(
                target.address(),
                nested.iter().chain(&long).map(|token| with_token(token)).collect::<Vec<_>>(),
            )
        }),
        Case::new("several and malformed Authorization headers", &[200, 400, 401], |target| {
            let headers = [
                "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n",
                "Authorization:\r\n",
                "Authorization: Bearer\r\n",
                "Authorization: Bearer  a\r\n",
                "Authorization: Basic YTpi\r\n",
                "Authorization: Bearer \u{fffd}\r\n",
            ];
            each(target.address(), headers.map(|header| request("GET", PLAIN, header, b"")))
        }),
        Case::new("10,000 tokens with keys that nobody knows, ten clients", &[200, 401], |target| {
            at_once(10, |client| {
                let tokens = (0..1000).map(|number| {
                    let header = format!(r#"{{"alg":"ES256","kid":"{client}-{number}"}}"#);
                    with_token(&token(&header, &claims(""), &fill("x", 64)))
                });
                each(target.address(), tokens)
            })
        }),
        Case::new(
            "impersonation: nobody, malformed names, 1,000 groups and extra fields",
            &[200, 400, 403, 431],
            |target| {
                let user = "Impersonate-User: bob\r\n";
                let many =
                    |line: &str| (0..1000).map(|number| format!("{line}{number}\r\n")).collect::<String>();
                let extra: String =
                    (0..90).map(|number| format!("Impersonate-Extra-{number}: x\r\n")).collect();
                let headers = [
                    "Impersonate-Group: system:masters\r\n".to_owned(),
                    "Impersonate-User: \r\nImpersonate-Uid: 1\r\n".to_owned(),
                    "Impersonate-User: system:serviceaccount:::\r\n".to_owned(),
                    "Impersonate-User: system:node:../..\r\n".to_owned(),
                    format!("{user}Impersonate-Extra-%ff%00: x\r\n"),
                    format!("{user}{}", many("Impersonate-Group: g")),
                    format!("{user}{extra}"),
                ];
                each(
                    target.address(),
                    headers.iter().map(|header| request("GET", PLAIN, header, b"")).collect::<Vec<_>>(),
                )
            },
        ),
    ]
}
