"""Checks a running server with the official Python client.

The argument is a kubeconfig, which tells the server and a token. It prints a line per check, and exits with 1 at the first
check that fails. It writes to a namespace of its own and a definition, and removes its objects.
"""

import json
import sys

from kubernetes import client, config, dynamic, watch
from kubernetes.client.exceptions import ApiException

NAMESPACE = "clients-python"
GROUP = "python.clients.example.com"
JSON = "application/json-patch+json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"
# The longest time that a watch waits, in seconds.
PATIENCE = 60


def expect(what, found, expected):
    if found != expected:
        raise AssertionError(f"{what}: expected {expected!r}, found {found!r}")


def refused(what, code, reason, call, *arguments, **options):
    """Expects that a call is refused. Returns the Status that tells why."""
    try:
        call(*arguments, **options)
    except ApiException as error:
        status = json.loads(error.body)
        expect(what, (error.status, status["kind"], status["reason"]), (code, "Status", reason))
        return status
    raise AssertionError(f"{what}: expected {code} {reason}, and it succeeded")


def config_map(name, data=None, **labels):
    metadata = client.V1ObjectMeta(name=name, labels=labels or None)
    return client.V1ConfigMap(metadata=metadata, data=data or {"color": "red"})


def deployment(name):
    """A deployment with one container, and no number of replicas."""
    labels = {"app": name}
    pod = client.V1PodSpec(containers=[client.V1Container(name=name, image=name)])
    template = client.V1PodTemplateSpec(metadata=client.V1ObjectMeta(labels=labels), spec=pod)
    spec = client.V1DeploymentSpec(selector=client.V1LabelSelector(match_labels=labels), template=template)
    return client.V1Deployment(metadata=client.V1ObjectMeta(name=name), spec=spec)


def images(found):
    return {container.name: container.image for container in found.spec.template.spec.containers}


class Checks:
    """Each check is a method whose description is its name."""

    def __init__(self, api):
        self.api = api
        self.core = client.CoreV1Api(api)
        self.apps = client.AppsV1Api(api)
        self.custom = client.CustomObjectsApi(api)
        self.definitions = client.ApiextensionsV1Api(api)

    def discovery(self):
        """discovery"""
        groups = {group.name: group for group in client.ApisApi(self.api).get_api_versions().groups}
        expect("preferred version", groups["apps"].preferred_version.group_version, "apps/v1")
        found = {resource.name: resource for resource in self.apps.get_api_resources().resources}
        expect("kind", found["deployments"].kind, "Deployment")
        expect("scale", found["deployments/scale"].group, "autoscaling")
        version = client.VersionApi(self.api).get_code()
        expect("major version", version.major, "1")

    def who_asks(self):
        """who asks"""
        reviews = client.AuthenticationV1Api(self.api)
        user = reviews.create_self_subject_review(client.V1SelfSubjectReview()).status.user_info
        expect("whether the user is in a group of admins", "system:masters" in user.groups, True)
        settings = client.Configuration.get_default_copy()
        settings.api_key, settings.refresh_api_key_hook = {"BearerToken": "Bearer wrong"}, None
        stranger = client.CoreV1Api(client.ApiClient(settings))
        refused("a wrong token", 401, "Unauthorized", stranger.list_namespace)

    def life_of_a_config_map(self):
        """a config map from creation to deletion"""
        status = refused("read before", 404, "NotFound", self.core.read_namespaced_config_map, "a", NAMESPACE)
        expect("message", status["message"], 'configmaps "a" not found')
        created = self.core.create_namespaced_config_map(NAMESPACE, config_map("a"))
        refused("create again", 409, "AlreadyExists", self.core.create_namespaced_config_map, NAMESPACE, config_map("a"))
        found = self.core.read_namespaced_config_map("a", NAMESPACE)
        expect("read", found.to_dict(), created.to_dict())
        found.data["color"] = "green"
        replaced = self.core.replace_namespaced_config_map("a", NAMESPACE, found)
        expect("data", replaced.data, {"color": "green"})
        status = refused(
            "replace what is outdated", 409, "Conflict", self.core.replace_namespaced_config_map, "a", NAMESPACE, created
        )
        expect("whether the message tells why", "the object has been modified" in status["message"], True)
        self.core.delete_namespaced_config_map("a", NAMESPACE)
        refused("read after", 404, "NotFound", self.core.read_namespaced_config_map, "a", NAMESPACE)

    def lists(self):
        """lists in pages, by labels and by fields"""
        for name in "abcde":
            self.core.create_namespaced_config_map(NAMESPACE, config_map(name, group="odd" if name in "ace" else "even"))
        list_maps = self.core.list_namespaced_config_map
        of = lambda found: [item.metadata.name for item in found.items]
        page, pages = list_maps(NAMESPACE, limit=2, label_selector="group"), []
        pages.append(of(page))
        expect("how many are left", page.metadata.remaining_item_count, None)
        while page.metadata._continue:
            page = list_maps(NAMESPACE, limit=2, label_selector="group", _continue=page.metadata._continue)
            pages.append(of(page))
        expect("pages", pages, [["a", "b"], ["c", "d"], ["e"]])
        expect("by label", of(list_maps(NAMESPACE, label_selector="group in (odd),group!=even")), ["a", "c", "e"])
        expect("by field", of(list_maps(NAMESPACE, field_selector="metadata.name=d")), ["d"])
        everywhere = self.core.list_config_map_for_all_namespaces(label_selector="group=even")
        expect("in all namespaces", of(everywhere), ["b", "d"])
        self.core.delete_collection_namespaced_config_map(NAMESPACE, label_selector="group")

    def watches(self):
        """a watch that sees objects come, change and go"""
        version = self.core.list_namespaced_config_map(NAMESPACE).metadata.resource_version
        self.core.create_namespaced_config_map(NAMESPACE, config_map("a", watched="yes"))
        events = watch.Watch().stream(
            self.core.list_namespaced_config_map,
            NAMESPACE,
            label_selector="watched=yes",
            resource_version=version,
            timeout_seconds=PATIENCE,
        )
        event = next(events)
        expect("first event", (event["type"], event["object"].metadata.name), ("ADDED", "a"))
        self.core.patch_namespaced_config_map("a", NAMESPACE, {"data": {"color": "blue"}}, _content_type=MERGE)
        event = next(events)
        expect("second event", (event["type"], event["object"].data), ("MODIFIED", {"color": "blue"}))
        self.core.delete_namespaced_config_map("a", NAMESPACE)
        expect("third event", next(events)["type"], "DELETED")
        events.close()

    def bookmarks(self):
        """a watch that begins with all objects, and a bookmark"""
        self.core.create_namespaced_config_map(NAMESPACE, config_map("a", watched="yes"))
        events = watch.Watch().stream(
            self.core.list_namespaced_config_map,
            NAMESPACE,
            label_selector="watched=yes",
            allow_watch_bookmarks=True,
            send_initial_events=True,
            resource_version_match="NotOlderThan",
            timeout_seconds=PATIENCE,
        )
        expect("first event", next(events)["type"], "ADDED")
        bookmark = next(events)
        expect("second event", bookmark["type"], "BOOKMARK")
        annotations = bookmark["raw_object"]["metadata"]["annotations"]
        expect("its annotations", annotations, {"k8s.io/initial-events-end": "true"})
        events.close()
        self.core.delete_namespaced_config_map("a", NAMESPACE)

    def patches(self):
        """patches: JSON, merge, strategic merge"""
        self.apps.create_namespaced_deployment(NAMESPACE, deployment("a"))
        patch = lambda body, kind: self.apps.patch_namespaced_deployment("a", NAMESPACE, body, _content_type=kind)
        containers = lambda *names: {"spec": {"template": {"spec": {"containers": [dict(name=n, image=n) for n in names]}}}}
        operations = [
            {"op": "test", "path": "/spec/replicas", "value": 1},
            {"op": "replace", "path": "/spec/replicas", "value": 2},
        ]
        expect("replicas", patch(operations, JSON).spec.replicas, 2)
        refused("a test that does not hold", 422, "Invalid", patch, operations, JSON)
        expect("after a strategic merge patch", images(patch(containers("b"), STRATEGIC)), {"b": "b", "a": "a"})
        expect("after a merge patch", images(patch(containers("c"), MERGE)), {"c": "c"})
        self.apps.delete_namespaced_deployment("a", NAMESPACE)

    def applies(self):
        """applies by two managers: a conflict, and force"""
        def apply(manager, data, **options):
            body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data}
            return self.core.patch_namespaced_config_map(
                "a", NAMESPACE, body, field_manager=manager, _content_type=APPLY, **options
            )

        created = apply("one", {"color": "red", "size": "1"})
        expect("manager", [entry.manager for entry in created.metadata.managed_fields], ["one"])
        status = refused("an apply of another's field", 409, "Conflict", apply, "two", {"color": "green"})
        cause = {"reason": "FieldManagerConflict", "message": 'conflict with "one"', "field": ".data.color"}
        expect("causes", status["details"]["causes"], [cause])
        expect("after force", apply("two", {"color": "green"}, force=True).data, {"color": "green", "size": "1"})
        expect("after giving up a field", apply("one", {}).data, {"color": "green"})
        self.core.delete_namespaced_config_map("a", NAMESPACE)

    def status(self):
        """the status and the scale of a deployment"""
        created = self.apps.create_namespaced_deployment(NAMESPACE, deployment("a"))
        expect("replicas, a default", created.spec.replicas, 1)
        created.status.replicas, created.spec.replicas = 3, 7
        changed = self.apps.replace_namespaced_deployment_status("a", NAMESPACE, created)
        expect("replicas", (changed.spec.replicas, changed.status.replicas), (1, 3))
        patched = self.apps.patch_namespaced_deployment_status(
            "a", NAMESPACE, {"status": {"observedGeneration": 1}}, _content_type=MERGE
        )
        expect("generation", patched.status.observed_generation, patched.metadata.generation)
        scale = self.apps.read_namespaced_deployment_scale("a", NAMESPACE)
        scale.spec.replicas = 5
        self.apps.replace_namespaced_deployment_scale("a", NAMESPACE, scale)
        found = self.apps.read_namespaced_deployment("a", NAMESPACE)
        expect("replicas after scaling", (found.spec.replicas, found.metadata.generation), (5, 2))
        self.apps.delete_namespaced_deployment("a", NAMESPACE)

    def definition(self):
        """a definition and its objects"""
        name = f"gauges.{GROUP}"
        properties = {"size": {"type": "integer", "minimum": 0}, "color": {"type": "string", "default": "red"}}
        schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}
        version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
        names = {"kind": "Gauge", "plural": "gauges"}
        self.definitions.create_custom_resource_definition({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": name},
            "spec": {"group": GROUP, "scope": "Namespaced", "names": names, "versions": [version]},
        })
        definitions = lambda: watch.Watch().stream(
            self.definitions.list_custom_resource_definition,
            field_selector=f"metadata.name={name}",
            timeout_seconds=PATIENCE,
        )
        for event in definitions():
            conditions = event["object"].status.conditions or []
            if any(condition.type == "Established" and condition.status == "True" for condition in conditions):
                break
        path = (GROUP, "v1", NAMESPACE, "gauges")
        gauge = lambda name, size: {
            "apiVersion": f"{GROUP}/v1", "kind": "Gauge", "metadata": {"name": name}, "spec": {"size": size},
        }
        created = self.custom.create_namespaced_custom_object(*path, gauge("a", 1))
        expect("spec, with a default", created["spec"], {"size": 1, "color": "red"})
        status = refused(
            "an invalid object", 422, "Invalid", self.custom.create_namespaced_custom_object, *path, gauge("b", -1)
        )
        expect("field of the cause", status["details"]["causes"][0]["field"], "spec.size")
        patched = self.custom.patch_namespaced_custom_object(*path, "a", {"spec": {"size": 2}}, _content_type=MERGE)
        expect("size", patched["spec"]["size"], 2)
        patched = self.custom.patch_namespaced_custom_object(
            *path, "a", gauge("a", 3), _content_type=APPLY, field_manager="one", force=True
        )
        expect("size after an apply", patched["spec"]["size"], 3)
        found = self.custom.list_namespaced_custom_object(*path)
        expect("kind of the list", found["kind"], "GaugeList")
        expect("list", found["items"], [patched])
        self.custom.delete_namespaced_custom_object(*path, "a")
        events = definitions()
        expect("first event", next(events)["type"], "ADDED")
        self.definitions.delete_custom_resource_definition(name)
        while next(events)["type"] != "DELETED":
            pass
        events.close()

    def without_types(self):
        """objects without types, found by discovery"""
        services = dynamic.DynamicClient(self.api).resources.get(api_version="v1", kind="Service")
        body = {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "a"},
            "spec": {"ports": [{"name": "web", "port": 80}]},
        }
        created = services.create(body=body, namespace=NAMESPACE)
        expect("protocol, a default", created.spec.ports[0].protocol, "TCP")
        body["metadata"]["labels"] = {"a": "b"}
        applied = services.server_side_apply(
            body=body, name="a", namespace=NAMESPACE, field_manager="one", force_conflicts=True
        )
        expect("labels", applied.metadata.labels.to_dict(), {"a": "b"})
        expect("names", [item.metadata.name for item in services.get(namespace=NAMESPACE, label_selector="a=b").items], ["a"])
        services.delete(name="a", namespace=NAMESPACE)

    def deletion(self):
        """deletions with options, and of a collection"""
        created = self.core.create_namespaced_config_map(NAMESPACE, config_map("a"))
        delete = lambda **options: self.core.delete_namespaced_config_map(
            "a", NAMESPACE, body=client.V1DeleteOptions(**options)
        )
        other = client.V1Preconditions(uid="00000000-0000-0000-0000-000000000000")
        refused("another object of the name", 409, "Conflict", delete, preconditions=other)
        delete(dry_run=["All"])
        own = client.V1Preconditions(uid=created.metadata.uid)
        status = delete(preconditions=own, propagation_policy="Background", grace_period_seconds=0)
        expect("answer", (status["kind"], status["status"], status["details"]["uid"]), ("Status", "Success", created.metadata.uid))
        for name in ("b", "c", "d"):
            self.core.create_namespaced_config_map(NAMESPACE, config_map(name, remove="no" if name == "c" else "yes"))
        self.core.delete_collection_namespaced_config_map(NAMESPACE, label_selector="remove=yes")
        left = self.core.list_namespaced_config_map(NAMESPACE, label_selector="remove")
        expect("left", [item.metadata.name for item in left.items], ["c"])
        self.core.delete_namespaced_config_map("c", NAMESPACE)

    def finalizers(self):
        """an object that waits for its finalizer"""
        body = config_map("a")
        body.metadata.finalizers = ["example.com/wait"]
        self.core.create_namespaced_config_map(NAMESPACE, body)
        waiting = self.core.delete_namespaced_config_map("a", NAMESPACE)
        expect("whether the answer is the object", waiting["kind"], "ConfigMap")
        found = self.core.read_namespaced_config_map("a", NAMESPACE)
        expect("whether it is going", found.metadata.deletion_timestamp is not None, True)
        self.core.patch_namespaced_config_map("a", NAMESPACE, {"metadata": {"finalizers": None}}, _content_type=MERGE)
        refused("read after", 404, "NotFound", self.core.read_namespaced_config_map, "a", NAMESPACE)

    def errors(self):
        """what the Status of an error tells"""
        status = refused(
            "a name that no object may have",
            422, "Invalid", self.core.create_namespaced_config_map, NAMESPACE, config_map("A_B"),
        )
        details = status["details"]
        expect("kind and name", (details["kind"], details["name"]), ("ConfigMap", "A_B"))
        causes = [(cause["reason"], cause["field"]) for cause in details["causes"]]
        expect("causes", causes, [("FieldValueInvalid", "metadata.name")])
        # The typed client lets nobody send this.
        strict = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}, "speck": {}}
        status = refused(
            "an unknown field",
            400, "BadRequest", self.custom.create_namespaced_custom_object, "batch", "v1", NAMESPACE, "jobs", strict,
            field_validation="Strict",
        )
        expect("whether the message names it", 'unknown field "speck"' in status["message"], True)


CHECKS = [
    Checks.discovery,
    Checks.who_asks,
    Checks.life_of_a_config_map,
    Checks.lists,
    Checks.watches,
    Checks.bookmarks,
    Checks.patches,
    Checks.applies,
    Checks.status,
    Checks.definition,
    Checks.without_types,
    Checks.deletion,
    Checks.finalizers,
    Checks.errors,
]


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check.py KUBECONFIG")
    config.load_kube_config(sys.argv[1])
    checks = Checks(client.ApiClient())
    try:
        checks.core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=NAMESPACE)))
    except ApiException as error:
        if error.status != 409:
            raise
    for check in CHECKS:
        try:
            check(checks)
        except Exception as error:
            sys.exit(f"failed: {check.__doc__}: {type(error).__name__}: {error}")
        print(f"ok: {check.__doc__}", flush=True)
    print(f"{len(CHECKS)} of {len(CHECKS)} checks")


if __name__ == "__main__":
    main()
