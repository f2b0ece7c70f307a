//! Which loops run.

use std::fmt;

/// A loop that can be switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Controller {
    /// Deletes objects whose owners are gone, and does what finalizers say of dependents.
    Garbage,
    /// Makes the namespaces of the system, and removes the objects of namespaces that are deleted.
    Namespaces,
    /// Makes the ServiceAccount `default` of each namespace.
    ServiceAccounts,
    /// Writes tokens of ServiceAccounts into the Secrets that ask for one.
    Tokens,
    /// Makes the ConfigMap `kube-root-ca.crt` of each namespace.
    RootCertificates,
    /// Deletes objects of kinds that last for a time only, such as Events.
    Expiry,
    /// Makes the Service `kubernetes` in the namespace `default`, which is the server itself.
    KubernetesService,
    /// Ends pods that are deleted, for want of kubelets. Without it, a pod on a node stays until it is deleted with a period of 0
    /// seconds.
    Pods,
}

/// Each with its name, and another one that a kube-controller-manager took until 1.27.
const NAMES: [(Controller, &str, &str); 8] = [
    (Controller::Garbage, "garbage-collector-controller", "garbagecollector"),
    (Controller::Namespaces, "namespace-controller", "namespace"),
    (Controller::ServiceAccounts, "serviceaccount-controller", "serviceaccount"),
    (Controller::Tokens, "serviceaccount-token-controller", "serviceaccount-token"),
    (Controller::RootCertificates, "root-ca-certificate-publisher-controller", "root-ca-cert-publisher"),
    (Controller::Expiry, "expiry-controller", ""),
    (Controller::KubernetesService, "kubernetes-service-controller", ""),
    (Controller::Pods, "pod-garbage-collector-controller", "podgc"),
];

impl Controller {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Garbage,
        Self::Namespaces,
        Self::ServiceAccounts,
        Self::Tokens,
        Self::RootCertificates,
        Self::Expiry,
        Self::KubernetesService,
        Self::Pods,
    ];

    /// The name, which is that of a controller of the kube-controller-manager if that has it.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(one, ..)| *one == self).map_or("", |(_, name, _)| name)
    }
}

/// The loops that run: by default all. One whose kinds are not in the Scheme does nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Controllers {
    /// Those that run, in the order of [`Controller::ALL`].
    on: Vec<Controller>,
}

impl Default for Controllers {
    fn default() -> Self {
        Self { on: Controller::ALL.to_vec() }
    }
}

/// A list of loops names one that does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownController(String);

impl fmt::Display for UnknownController {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<&str> = Controller::ALL.map(Controller::name).to_vec();
        write!(out, "there is no controller {:?}; expected *, or some of {}", self.0, known.join(", "))
    }
}

impl std::error::Error for UnknownController {}

impl Controllers {
    /// No loop.
    pub fn none() -> Self {
        Self { on: Vec::new() }
    }

    /// Reads a list as a kube-controller-manager does: `*` is all, `NAME` is one, `-NAME` is all but that one if there is a `*`,
    /// too. The first element about a loop counts.
    ///
    /// ```
    /// use hubgen_server::loops::{Controller, Controllers};
    ///
    /// let controllers = Controllers::parse("*,-garbage-collector-controller")?;
    /// assert!(!controllers.has(Controller::Garbage));
    /// assert!(controllers.has(Controller::Namespaces));
    /// # Ok::<_, hubgen_server::loops::UnknownController>(())
    /// ```
    ///
    /// # Errors
    /// If there is no loop of a name.
    pub fn parse(list: &str) -> Result<Self, UnknownController> {
        let elements: Vec<&str> =
            list.split(',').map(str::trim).filter(|element| !element.is_empty()).collect();
        let of_name = |name: &str| {
            let mut known = NAMES.iter().filter(|_| !name.is_empty());
            known.find(|(_, own, other)| name == *own || name == *other).map(|(one, ..)| *one)
        };
        let mut told = Vec::new();
        for element in elements.iter().filter(|element| **element != "*") {
            let name = element.strip_prefix('-');
            let one =
                of_name(name.unwrap_or(element)).ok_or_else(|| UnknownController((*element).to_owned()))?;
            told.push((one, name.is_none()));
        }
        let has_all = elements.contains(&"*");
        let is_on =
            |one: &Controller| told.iter().find(|(told, _)| told == one).map_or(has_all, |(_, is_on)| *is_on);
        Ok(Self { on: Controller::ALL.into_iter().filter(is_on).collect() })
    }

    /// Whether a loop runs.
    pub fn has(&self, one: Controller) -> bool {
        self.on.contains(&one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_those_of_a_kube_controller_manager() {
        let names = |list: &str| -> Vec<&str> {
            Controllers::parse(list).unwrap().on.into_iter().map(Controller::name).collect()
        };
        assert_eq!(Controllers::parse("*").unwrap(), Controllers::default());
        assert_eq!(Controllers::parse("").unwrap(), Controllers::none());
        assert_eq!(
            names("namespace, garbagecollector"),
            ["garbage-collector-controller", "namespace-controller"]
        );
        assert_eq!(names("-namespace-controller,*").len(), 7);
        assert_eq!(names("-namespace-controller"), [""; 0]);
        assert_eq!(names("-expiry-controller,expiry-controller"), [""; 0]);
        let error = Controllers::parse("*,-deployment-controller").unwrap_err();
        assert!(
            error.to_string().starts_with("there is no controller \"-deployment-controller\"; expected *")
        );
        assert!(Controllers::parse("-").is_err());
    }
}
