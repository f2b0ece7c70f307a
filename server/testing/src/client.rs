//! A client of kube 5.

use kube_client_5::{Client, Config};

use crate::error::Error;
use crate::server::TestServer;

impl TestServer {
    /// A client of kube 5, whose default namespace is `default`. Each has connections of its own.
    ///
    /// # Errors
    /// If the client cannot be made.
    ///
    /// # Panics
    /// Outside of a runtime.
    pub fn client(&self) -> Result<Client, Error> {
        let url = self.url().parse::<http::Uri>().map_err(|error| Error::Client(error.into()))?;
        Client::try_from(Config::new(url)).map_err(|error| Error::Client(error.into()))
    }
}
