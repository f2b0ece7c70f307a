//! Users who are known by a token.

use hubgen_server::access::{Access, Authenticated, Tokens};

use crate::client::Answer;
use crate::harness::{Harness, Setup};

const NOTES: &str = "/api/v1/namespaces/a/notes";

fn server() -> Harness {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokens.csv");
    std::fs::write(&file, "secret,ada,1,\"developers\"\n").unwrap();
    let access =
        Access { authenticate: Box::new(Tokens::file(file).unwrap()), authorize: Box::new(Authenticated) };
    Setup::new().access(access).start()
}

fn get(server: &Harness, path: &str, authorization: &str) -> Answer {
    let header = [("Authorization", authorization)];
    server.client.send("GET", path, if authorization.is_empty() { &[] } else { &header }, b"")
}

#[test]
fn who_has_a_token_may_do_everything() {
    let server = server();
    for authorization in ["Bearer secret", "bearer secret ", "Bearer secret and more"] {
        get(&server, NOTES, authorization).expect(200);
    }
    let status = get(&server, NOTES, "").expect(403);
    assert_eq!(
        status["message"],
        "notes is forbidden: User \"system:anonymous\" cannot list resource \"notes\" in API group \"\" in the namespace \"a\""
    );
    get(&server, &format!("{NOTES}?watch=1"), "").expect(403);
    for authorization in ["Bearer another", "Bearer secre", "Bearer secretx"] {
        assert_eq!(
            get(&server, NOTES, authorization).expect(401)["reason"],
            "Unauthorized",
            "{authorization}"
        );
    }
    // As upstream has it, these are no credentials.
    for authorization in ["Bearer", "Bearer  secret", "Basic secret", "secret"] {
        get(&server, NOTES, authorization).expect(403);
    }
}

#[test]
fn everybody_may_ask_whether_the_server_is_well() {
    let server = server();
    for path in ["/healthz", "/livez", "/readyz", "/version"] {
        assert_eq!(get(&server, path, "").code, 200, "{path}");
    }
    for path in ["/metrics", "/api", "/apis"] {
        assert_eq!(get(&server, path, "").code, 403, "{path}");
    }
}
