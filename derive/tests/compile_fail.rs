//! What the derive says when it is used wrongly.

#[test]
fn messages_help() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
