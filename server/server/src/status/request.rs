//! What a client is told whose request is refused by its head or its options.

use hubgen_meta::v1::StatusDetails;

use super::{Failure, details};
use crate::kind_names::resource;
use crate::media::Media;
use crate::request::Error;
use crate::validation::quoted;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let names = |media: &[Media]| media.iter().map(|media| media.name()).collect::<Vec<_>>();
        match error {
            Error::Malformed(message) => Self::malformed(message),
            Error::NoSuchPath => Self::no_such_path(),
            Error::NoSuchPart { entry, name } => {
                let message = format!("{} {} not found", resource(&entry), quoted(&name));
                Self::new(404, "NotFound", message).with(details(&entry, &name))
            }
            Error::NoSuchVerb { entry, verb } => {
                let message =
                    format!("{verb} is not supported on resources of kind {}", quoted(&resource(&entry)));
                Self::new(405, "MethodNotAllowed", message).with(details(&entry, ""))
            }
            Error::NoSuchAction(what) => {
                let message = format!(
                    "{what} is not implemented: nothing runs pods or reaches them here, because this server only stores objects"
                );
                Self::new(501, "NotImplemented", message)
            }
            Error::MethodNotAllowed => {
                let message = "the server does not allow this method on the requested resource";
                Self::new(405, "MethodNotAllowed", message).with(StatusDetails::default())
            }
            Error::NotAcceptable { offers, names_one } => {
                let names = names(&offers).join(", ");
                let message = if names_one {
                    format!("only the following media types are accepted: {names}")
                } else {
                    format!("406: Not Acceptable\n\nAvailable representations: {names}")
                };
                Self::new(406, "NotAcceptable", message)
            }
            Error::UnknownFormat { takes } => {
                let mut names = names(&takes);
                names.insert(1, "application/yaml");
                let known = names.join(", ");
                let message = format!(
                    "the body of the request was in an unknown format - accepted media types include: {known}"
                );
                Self::new(415, "UnsupportedMediaType", message)
            }
            Error::UnknownPatch { takes } => {
                let known = takes.iter().map(|format| format.name()).collect::<Vec<_>>().join(", ");
                let message = format!(
                    "the body of the request was in an unknown format - accepted media types include: {known}"
                );
                Self::new(415, "UnsupportedMediaType", message)
            }
            Error::InvalidOptions { kind, violations } => {
                let group = "meta.k8s.io";
                Self::invalid_as(&format!("{kind}.{group}"), group, kind, "", &violations)
            }
        }
    }
}
