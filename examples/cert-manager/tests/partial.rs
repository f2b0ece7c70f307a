//! Partial objects, such as those that server-side apply converts, stay partial.

use hubgen_example_cert_manager::api;
use hubgen_machinery::scheme::Scheme;

/// Converts a Certificate to a version.
fn convert(scheme: &Scheme, version: &str, object: &str) -> Result<String, String> {
    let to = scheme.named(&format!("cert-manager.io/{version}"), "Certificate").unwrap();
    let json = scheme.convert_json(object.as_bytes(), to).map_err(|error| error.to_string())?;
    Ok(String::from_utf8(json).unwrap())
}

fn certificate(version: &str, members: &str) -> String {
    format!(r#"{{"apiVersion":"cert-manager.io/{version}","kind":"Certificate",{members}}}"#)
}

#[test]
fn only_what_was_written_is_converted() {
    let scheme = api::scheme();
    let cases = [
        (r#""spec":{"keySize":4096}"#, r#""spec":{"privateKey":{"size":4096}}"#),
        (r#""spec":{"keyAlgorithm":"rsa"}"#, r#""spec":{"privateKey":{"algorithm":"RSA"}}"#),
        // Empty values are values.
        (r#""spec":{"uriSANs":[],"emailSANs":null}"#, r#""spec":{"uris":[],"emailAddresses":null}"#),
        (r#""spec":{"subject":{}}"#, r#""spec":{"subject":{}}"#),
        (r#""spec":{}"#, r#""spec":{}"#),
        (r#""metadata":{"name":"a"}"#, r#""metadata":{"name":"a"}"#),
        // Nobody looks at this.
        (r#""status":{ "revision" : 1.0 }"#, r#""status":{ "revision" : 1.0 }"#),
        // Unknown fields stay.
        (r#""spec":{"new":{"a":[1]}}"#, r#""spec":{"new":{"a":[1]}}"#),
    ];
    for (old, new) in cases {
        let (old, new) = (certificate("v1alpha2", old), certificate("v1", new));
        assert_eq!(convert(&scheme, "v1", &old).as_deref(), Ok(&*new));
        assert_eq!(convert(&scheme, "v1alpha2", &new).as_deref(), Ok(&*old));
    }
}

/// It would become the field that another one becomes.
#[test]
fn an_unknown_field_with_a_name_of_the_other_version_is_dropped() {
    let object = certificate("v1alpha2", r#""spec":{"uris":["a"],"uriSANs":["b"]}"#);
    let expected = certificate("v1", r#""spec":{"uris":["b"]}"#);
    assert_eq!(convert(&api::scheme(), "v1", &object).as_deref(), Ok(&*expected));
}

#[test]
fn what_is_at_the_version_stays_byte_for_byte() {
    let object =
        "{ \"kind\":\"Certificate\", \"apiVersion\" : \"cert-manager.io/v1\",\n\"spec\":{\"b\":1,\"b\":2}}";
    assert_eq!(convert(&api::scheme(), "v1", object).as_deref(), Ok(object));
}

#[test]
fn what_does_not_fit_is_an_error_with_its_path() {
    let scheme = api::scheme();
    let cases = [
        (r#""spec":{"keyAlgorithm":1}"#, "spec.keyAlgorithm: expected a string, found a number"),
        (r#""spec":[]"#, "spec: expected an object, found an array"),
        (r#""spec":{"keySize":1,"privateKey":"a"}"#, "spec.privateKey: expected an object, found a string"),
        (r#""metadata":1"#, "metadata: expected an object, found a number"),
        (r#""metadata":{"annotations":[]}"#, "metadata.annotations: expected an object, found an array"),
    ];
    for (members, message) in cases {
        let found = convert(&scheme, "v1", &certificate("v1alpha2", members));
        assert_eq!(found.err().as_deref(), Some(message));
    }
}
