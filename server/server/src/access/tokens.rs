//! Users who are known by a token.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use axum::http::request::Parts;
use thiserror::Error;

use super::headers::bearer;
use super::{
    AUTHENTICATED, Attributes, Authenticate, Authorize, Decision, Grant, Identity, ListedRules, PathRule,
    Refusal, Rules, User,
};

/// Users by their tokens, which clients send in the header `Authorization: Bearer TOKEN`. A request without a token is
/// of the [anonymous](User::anonymous) user.
///
/// The file is that of a kube-apiserver (`--token-auth-file`): a line for each token, with the token, the name of the
/// user, the uid, and optionally the groups in quotes.
///
/// ```text
/// 31ada4fd-adec-460c-809a-9e56ceb75269,ada,1,"system:masters,developers"
/// ```
pub struct Tokens {
    users: HashMap<String, User>,
    /// That of the first line; empty if there is none.
    first: String,
}

/// Why a file of tokens cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The file cannot be read.
    #[error("{}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        error: std::io::Error,
    },
    /// A line has something else.
    #[error("{}:{line}: {message}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What was expected, and what was found. It has no token.
        message: String,
    },
}

impl Tokens {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, has a line with fewer than three fields or an empty token, or the same token twice.
    pub fn file(path: impl AsRef<Path>) -> Result<Self, TokenError> {
        let path = path.as_ref();
        let text =
            fs::read_to_string(path).map_err(|error| TokenError::Read { path: path.to_owned(), error })?;
        let (mut users, mut first) = (HashMap::new(), String::new());
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let wrong =
                |message: String| TokenError::Line { path: path.to_owned(), line: index + 1, message };
            let fields = fields(line).map_err(|message| wrong(message.to_owned()))?;
            let [token, name, uid, rest @ ..] = fields.as_slice() else {
                let found = fields.len();
                return Err(wrong(format!(
                    "expected a token, a user and a uid between commas, found {found} of them"
                )));
            };
            if token.is_empty() || name.is_empty() {
                return Err(wrong("expected a token and a user, found an empty text".to_owned()));
            }
            let groups = rest.first().into_iter().flat_map(|groups| groups.split(','));
            let mut groups: Vec<String> = groups.map(str::to_owned).collect();
            if !groups.iter().any(|group| group == AUTHENTICATED) {
                groups.push(AUTHENTICATED.to_owned());
            }
            let user = User { name: name.clone(), uid: uid.clone(), groups, ..User::default() };
            if users.insert(token.clone(), user).is_some() {
                return Err(wrong("expected each token once, found one again".to_owned()));
            }
            if first.is_empty() {
                first.clone_from(token);
            }
        }
        Ok(Self { users, first })
    }

    /// Who has a token.
    pub(super) fn user(&self, token: &str) -> Option<&User> {
        self.users.get(token)
    }

    /// The token of the first line; `None` if the file has none.
    pub fn first(&self) -> Option<&str> {
        Some(&*self.first).filter(|first| !first.is_empty())
    }
}

/// The fields of a line; a field in quotes may have commas.
fn fields(line: &str) -> Result<Vec<String>, &'static str> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars().peekable();
    let mut is_quoted = false;
    while let Some(c) = characters.next() {
        let field = fields.last_mut().expect("there is always one");
        match c {
            // Two quotes within quotes are one.
            '"' if is_quoted && characters.peek() == Some(&'"') => field.extend(characters.next()),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            c => field.push(c),
        }
    }
    if is_quoted { Err("expected a quote at the end of the groups, found none") } else { Ok(fields) }
}

impl Authenticate for Tokens {
    fn authenticate<'a>(&'a self, head: &'a Parts) -> Identity<'a> {
        let user = match bearer(head) {
            None => Some(User::anonymous()),
            Some(token) => self.user(&token).cloned(),
        };
        Box::pin(async { user })
    }
}

/// Everybody who has credentials may do everything; others may ask whether the server is well, and which version it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Authenticated;

/// What everybody may read.
const PUBLIC: [&str; 4] = ["/healthz", "/livez", "/readyz", "/version"];

fn is_authenticated(user: &User) -> bool {
    user.groups.iter().any(|group| group == AUTHENTICATED)
}

impl Authorize for Authenticated {
    fn authorize<'a>(&'a self, request: &'a Attributes<'_>) -> Decision<'a> {
        let is_public = request.resource.is_none() && request.verb == "get" && PUBLIC.contains(&request.path);
        let may = is_public || is_authenticated(request.user);
        Box::pin(async move { if may { Ok(Grant::default()) } else { Err(Refusal::default()) } })
    }

    fn rules<'a>(&'a self, user: &'a User, _: &'a str) -> ListedRules<'a> {
        Box::pin(async {
            if is_authenticated(user) {
                return Rules::everything();
            }
            let paths = PUBLIC.iter().map(ToString::to_string).collect();
            Rules { paths: vec![PathRule { verbs: vec!["get".to_owned()], paths }], ..Rules::default() }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Tokens, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.csv");
        fs::write(&path, text).unwrap();
        Tokens::file(&path).map_err(|error| error.to_string().split_once("tokens.csv:").unwrap().1.to_owned())
    }

    #[test]
    fn users_are_read() {
        let tokens = read("abc,ada,1,\"a, \"\"b\"\"\"\n\ndef,bob,\n").unwrap();
        assert_eq!(tokens.first(), Some("abc"));
        let users = tokens.users;
        let (ada, bob) = (&users["abc"], &users["def"]);
        assert_eq!((&*ada.name, &*ada.uid), ("ada", "1"));
        assert_eq!(ada.groups, ["a", " \"b\"", AUTHENTICATED]);
        assert_eq!((&*bob.name, &*bob.uid), ("bob", ""));
        assert_eq!(bob.groups, [AUTHENTICATED]);
    }

    #[test]
    fn wrong_files_are_refused() {
        for (text, why) in [
            ("abc,ada", "1: expected a token, a user and a uid between commas, found 2 of them"),
            ("\n,ada,1", "2: expected a token and a user, found an empty text"),
            ("abc,ada,1\nabc,bob,2", "2: expected each token once, found one again"),
            ("abc,ada,1,\"a", "1: expected a quote at the end of the groups, found none"),
        ] {
            assert_eq!(read(text).err().as_deref(), Some(why), "{text}");
        }
        assert!(Tokens::file("nowhere").err().unwrap().to_string().starts_with("nowhere: "));
    }
}
