//! The certificates of the servers and of their users, which openssl makes once.
//!
//! All measured requests are of a user who may do what roles allow, and who is no member of `system:masters`, for whom
//! no role is looked at.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::Error;

/// Who sends requests.
#[derive(Clone, Copy, Debug)]
pub enum User {
    /// Binds the role of the other one.
    Admin,
    /// Sends what is measured.
    Measured,
}

/// The name of the measured user.
pub const MEASURED: &str = "bench";

impl User {
    fn file(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Measured => MEASURED,
        }
    }

    /// The certificate of the user, and its key.
    pub fn certificate(self) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), Error> {
        let file = |ending: &str| folder().join(format!("{}.{ending}", self.file()));
        Ok((vec![CertificateDer::from_pem_file(file("crt"))?], PrivateKeyDer::from_pem_file(file("key"))?))
    }
}

/// The files that servers get: their certificate and key, and the authority of users.
pub const FILES: [&str; 3] = ["tls.crt", "tls.key", "ca.crt"];

fn folder() -> PathBuf {
    std::env::temp_dir().join("hubgen-bench-server-certificates")
}

/// Copies the [files](FILES) of a server to a folder. The key of the server is an RSA key, because a kube-apiserver signs with it, too.
pub fn copy(to: &Path) -> Result<(), Error> {
    let from = folder();
    if !from.join("complete").exists() {
        fs::create_dir_all(&from)?;
        let own = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "3650"];
        let ours = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
        openssl(&from, "req", &[&own[..], &ours[..], &["-keyout", "tls.key", "-out", "tls.crt"]].concat())?;
        openssl(
            &from,
            "req",
            &[&own[..], &["-subj", "/CN=users", "-keyout", "ca.key", "-out", "ca.crt"]].concat(),
        )?;
        for (user, subject) in
            [(User::Admin, "/O=system:masters/CN=admin"), (User::Measured, "/O=benches/CN=bench")]
        {
            let [key, request, certificate] =
                ["key", "csr", "crt"].map(|ending| format!("{}.{ending}", user.file()));
            let new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", subject];
            openssl(&from, "req", &[&new[..], &["-keyout", &key, "-out", &request]].concat())?;
            fs::write(from.join("usage"), "extendedKeyUsage=clientAuth\n")?;
            let by = [
                "-req",
                "-CA",
                "ca.crt",
                "-CAkey",
                "ca.key",
                "-CAcreateserial",
                "-days",
                "3650",
                "-extfile",
                "usage",
            ];
            openssl(&from, "x509", &[&by[..], &["-in", &request, "-out", &certificate]].concat())?;
        }
        fs::write(from.join("complete"), "")?;
    }
    for name in FILES {
        fs::copy(from.join(name), to.join(name))?;
    }
    Ok(())
}

fn openssl(folder: &Path, command: &str, args: &[&str]) -> Result<(), Error> {
    let made =
        Command::new("openssl").arg(command).args(args).current_dir(folder).stderr(Stdio::null()).status()?;
    made.success().then_some(()).ok_or_else(|| format!("openssl {command} {} fails", args.join(" ")).into())
}
