//! The pages that a registry shows of the generated crates.

use crate::target::Target;

/// The page of a crate, from the front page of its documentation.
pub fn group(target: &Target, package: &str, origin: &str, front_page: &str) -> String {
    format!("<!-- {} -->\n\n# {package}\n\n{front_page}", target.first_line(origin))
}

/// The page of the crate that gathers all groups. Its front page has links and examples for rustdoc only, so this is
/// the first paragraph.
pub fn face(target: &Target, package: &str, front_page: &str) -> String {
    let (first, _) = front_page.split_once("\n\n").unwrap_or((front_page, ""));
    let text = format!(
        "{}\n\nEach API group is a module, and each version of a group is a module in it. The documentation of the \
         crate has examples\nand lists the features.\n",
        first.trim_end()
    );
    group(target, package, &target.origins.all(), &text)
}
