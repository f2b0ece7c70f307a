import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.reflect.TypeToken;
import io.kubernetes.client.Discovery;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.ApiextensionsV1Api;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.apis.AuthenticationV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.VersionApi;
import io.kubernetes.client.openapi.models.*;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import io.kubernetes.client.util.PatchUtils;
import io.kubernetes.client.util.Watch;
import io.kubernetes.client.util.credentials.AccessTokenAuthentication;
import io.kubernetes.client.util.generic.GenericKubernetesApi;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesApi;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import io.kubernetes.client.util.generic.options.ListOptions;
import io.kubernetes.client.util.generic.options.PatchOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** What is checked. */
final class Checks {
    private static final String NAMESPACE = Main.NAMESPACE;
    private static final String GROUP = "java.clients.example.com";
    private static final String MERGE = V1Patch.PATCH_FORMAT_JSON_MERGE_PATCH;

    private final ApiClient client;
    private final KubeConfig config;
    private final CoreV1Api core;
    private final AppsV1Api apps;
    private final ApiextensionsV1Api definitions;

    Checks(ApiClient client, KubeConfig config) {
        this.client = client;
        this.config = config;
        core = new CoreV1Api(client);
        apps = new AppsV1Api(client);
        definitions = new ApiextensionsV1Api(client);
    }

    Map<String, Main.Check> all() {
        Map<String, Main.Check> all = new LinkedHashMap<>();
        all.put("discovery", this::discovery);
        all.put("who asks", this::whoAsks);
        all.put("a config map from creation to deletion", this::configMapLife);
        all.put("lists in pages, by labels and by fields", this::lists);
        all.put("a watch that sees objects come, change and go", this::watches);
        all.put("a watch that begins with all objects, and a bookmark", this::bookmarks);
        all.put("an informer", this::informer);
        all.put("patches: JSON, merge, strategic merge", this::patches);
        all.put("applies by two managers: a conflict, and force", this::applies);
        all.put("the status and the scale of a deployment", this::status);
        all.put("a definition and its objects", this::definition);
        all.put("objects without types", this::withoutTypes);
        all.put("deletions with options, and of a collection", this::deletion);
        all.put("what the Status of an error tells", this::errors);
        return all;
    }

    private static V1ConfigMap configMap(String name, String label, String value) {
        V1ObjectMeta metadata = new V1ObjectMeta().name(name).putLabelsItem(label, value);
        return new V1ConfigMap().metadata(metadata).putDataItem("color", "red");
    }

    private V1ConfigMap create(String name, String label, String value) throws ApiException {
        return core.createNamespacedConfigMap(NAMESPACE, configMap(name, label, value)).execute();
    }

    /** Creates a deployment with one container, and no number of replicas. */
    private V1Deployment createDeployment() throws ApiException {
        Map<String, String> labels = Map.of("app", "a");
        V1PodSpec pod = new V1PodSpec().addContainersItem(new V1Container().name("a").image("a"));
        V1PodTemplateSpec template = new V1PodTemplateSpec().metadata(new V1ObjectMeta().labels(labels)).spec(pod);
        V1DeploymentSpec spec = new V1DeploymentSpec().selector(new V1LabelSelector().matchLabels(labels)).template(template);
        V1Deployment body = new V1Deployment().metadata(new V1ObjectMeta().name("a")).spec(spec);
        return apps.createNamespacedDeployment(NAMESPACE, body).execute();
    }

    private V1ConfigMap patchMap(String body, String format, String manager, Boolean force) throws ApiException {
        return PatchUtils.patch(
                V1ConfigMap.class,
                () -> core.patchNamespacedConfigMap("a", NAMESPACE, new V1Patch(body)).fieldManager(manager).force(force).buildCall(null),
                format,
                client);
    }

    private static List<String> names(V1ConfigMapList list) {
        return list.getItems().stream().map(item -> item.getMetadata().getName()).toList();
    }

    private void discovery() throws ApiException {
        Discovery.APIResource deployments = new Discovery(client).findAll().stream()
                .filter(found -> found.getGroup().equals("apps") && found.getResourcePlural().equals("deployments"))
                .findFirst()
                .orElseThrow();
        Main.expect("kind", deployments.getKind(), "Deployment");
        Main.expect("preferred version", deployments.getPreferredVersion(), "v1");
        Main.expect("major version", new VersionApi(client).getCode().execute().getMajor(), "1");
    }

    private void whoAsks() throws Exception {
        V1SelfSubjectReview review = new AuthenticationV1Api(client).createSelfSubjectReview(new V1SelfSubjectReview()).execute();
        boolean isAdmin = review.getStatus().getUserInfo().getGroups().contains("system:masters");
        Main.expect("whether the user is in a group of admins", isAdmin, true);
        ClientBuilder strange = ClientBuilder.kubeconfig(config).setAuthentication(new AccessTokenAuthentication("wrong"));
        CoreV1Api stranger = new CoreV1Api(strange.build());
        Main.refused("a wrong token", 401, "Unauthorized", () -> stranger.listNamespace().execute());
    }

    private void configMapLife() throws Exception {
        V1Status status = Main.refused("read before", 404, "NotFound", () -> core.readNamespacedConfigMap("a", NAMESPACE).execute());
        Main.expect("message", status.getMessage(), "configmaps \"a\" not found");
        V1ConfigMap created = create("a", "a", "b");
        Main.refused("create again", 409, "AlreadyExists", () -> create("a", "a", "b"));
        V1ConfigMap found = core.readNamespacedConfigMap("a", NAMESPACE).execute();
        Main.expect("read", found, created);
        V1ConfigMap replaced = core.replaceNamespacedConfigMap("a", NAMESPACE, found.putDataItem("color", "green")).execute();
        Main.expect("data", replaced.getData(), Map.of("color", "green"));
        Main.refused("replace what is outdated", 409, "Conflict", () -> core.replaceNamespacedConfigMap("a", NAMESPACE, created).execute());
        core.deleteNamespacedConfigMap("a", NAMESPACE).execute();
        Main.refused("read after", 404, "NotFound", () -> core.readNamespacedConfigMap("a", NAMESPACE).execute());
    }

    private void lists() throws ApiException {
        for (String name : List.of("a", "b", "c", "d", "e")) {
            create(name, "group", "ace".contains(name) ? "odd" : "even");
        }
        List<List<String>> pages = new ArrayList<>();
        String next = null;
        do {
            V1ConfigMapList page = core.listNamespacedConfigMap(NAMESPACE).labelSelector("group").limit(2)._continue(next).execute();
            pages.add(names(page));
            next = page.getMetadata().getContinue();
        } while (next != null && !next.isEmpty());
        Main.expect("pages", pages, List.of(List.of("a", "b"), List.of("c", "d"), List.of("e")));
        V1ConfigMapList odd = core.listNamespacedConfigMap(NAMESPACE).labelSelector("group in (odd),group!=even").execute();
        Main.expect("by label", names(odd), List.of("a", "c", "e"));
        V1ConfigMapList one = core.listNamespacedConfigMap(NAMESPACE).fieldSelector("metadata.name=d").execute();
        Main.expect("by field", names(one), List.of("d"));
        V1ConfigMapList everywhere = core.listConfigMapForAllNamespaces().labelSelector("group=even").execute();
        Main.expect("in all namespaces", names(everywhere), List.of("b", "d"));
        core.deleteCollectionNamespacedConfigMap(NAMESPACE).labelSelector("group").execute();
    }

    private Watch<V1ConfigMap> watch(CoreV1Api.APIlistNamespacedConfigMapRequest request) throws ApiException {
        return Watch.createWatch(
                client,
                request.labelSelector("watched=yes").watch(true).buildCall(null),
                new TypeToken<Watch.Response<V1ConfigMap>>() {}.getType());
    }

    private void watches() throws Exception {
        String version = core.listNamespacedConfigMap(NAMESPACE).execute().getMetadata().getResourceVersion();
        create("a", "watched", "yes");
        try (Watch<V1ConfigMap> events = watch(core.listNamespacedConfigMap(NAMESPACE).resourceVersion(version))) {
            Watch.Response<V1ConfigMap> event = events.next();
            Main.expect("first event", event.type + " " + event.object.getMetadata().getName(), "ADDED a");
            patchMap("{\"data\":{\"color\":\"blue\"}}", MERGE, null, null);
            event = events.next();
            Main.expect("second event", event.type + " " + event.object.getData(), "MODIFIED {color=blue}");
            core.deleteNamespacedConfigMap("a", NAMESPACE).execute();
            Main.expect("third event", events.next().type, "DELETED");
        }
    }

    private void bookmarks() throws Exception {
        create("a", "watched", "yes");
        CoreV1Api.APIlistNamespacedConfigMapRequest request = core.listNamespacedConfigMap(NAMESPACE)
                .allowWatchBookmarks(true)
                .sendInitialEvents(true)
                .resourceVersionMatch("NotOlderThan");
        try (Watch<V1ConfigMap> events = watch(request)) {
            Main.expect("first event", events.next().type, "ADDED");
            Watch.Response<V1ConfigMap> bookmark = events.next();
            Main.expect("second event", bookmark.type, "BOOKMARK");
            Map<String, String> annotations = bookmark.object.getMetadata().getAnnotations();
            Main.expect("annotations", annotations, Map.of("k8s.io/initial-events-end", "true"));
        }
        core.deleteNamespacedConfigMap("a", NAMESPACE).execute();
    }

    private void informer() throws Exception {
        create("a", "a", "b");
        GenericKubernetesApi<V1ConfigMap, V1ConfigMapList> maps =
                new GenericKubernetesApi<>(V1ConfigMap.class, V1ConfigMapList.class, "", "v1", "configmaps", client);
        SharedInformerFactory factory = new SharedInformerFactory(client);
        SharedIndexInformer<V1ConfigMap> informer = factory.sharedIndexInformerFor(maps, V1ConfigMap.class, 0, NAMESPACE);
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        informer.addEventHandler(new ResourceEventHandler<>() {
            @Override
            public void onAdd(V1ConfigMap object) {
                tell("added", object);
            }

            @Override
            public void onUpdate(V1ConfigMap old, V1ConfigMap object) {
                tell("updated", object);
            }

            @Override
            public void onDelete(V1ConfigMap object, boolean isUnknown) {
                tell("deleted", object);
            }

            private void tell(String what, V1ConfigMap object) {
                String name = object.getMetadata().getName();
                // A cluster puts its certificates into each namespace.
                if (name.length() == 1) {
                    told.add(what + " " + name);
                }
            }
        });
        factory.startAllRegisteredInformers();
        Main.expect("first event", told.poll(1, TimeUnit.MINUTES), "added a");
        create("b", "a", "b");
        Main.expect("second event", told.poll(1, TimeUnit.MINUTES), "added b");
        patchMap("{\"data\":{\"color\":\"blue\"}}", MERGE, null, null);
        Main.expect("third event", told.poll(1, TimeUnit.MINUTES), "updated a");
        Main.expect("cache", informer.getIndexer().getByKey(NAMESPACE + "/a").getData(), Map.of("color", "blue"));
        core.deleteNamespacedConfigMap("b", NAMESPACE).execute();
        Main.expect("fourth event", told.poll(1, TimeUnit.MINUTES), "deleted b");
        factory.stopAllRegisteredInformers();
        core.deleteNamespacedConfigMap("a", NAMESPACE).execute();
    }

    private V1Deployment patchDeployment(String body, String format) throws ApiException {
        return PatchUtils.patch(
                V1Deployment.class,
                () -> apps.patchNamespacedDeployment("a", NAMESPACE, new V1Patch(body)).buildCall(null),
                format,
                client);
    }

    private static List<String> images(V1Deployment found) {
        return found.getSpec().getTemplate().getSpec().getContainers().stream()
                .map(container -> container.getName() + "=" + container.getImage())
                .toList();
    }

    private void patches() throws Exception {
        createDeployment();
        String operations = "[{\"op\":\"test\",\"path\":\"/spec/replicas\",\"value\":1},"
                + "{\"op\":\"replace\",\"path\":\"/spec/replicas\",\"value\":2}]";
        V1Deployment found = patchDeployment(operations, V1Patch.PATCH_FORMAT_JSON_PATCH);
        Main.expect("replicas", found.getSpec().getReplicas(), 2);
        Main.refused("a test that does not hold", 422, "Invalid", () -> patchDeployment(operations, V1Patch.PATCH_FORMAT_JSON_PATCH));
        String container = "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"NAME\",\"image\":\"NAME\"}]}}}}";
        found = patchDeployment(container.replace("NAME", "b"), V1Patch.PATCH_FORMAT_STRATEGIC_MERGE_PATCH);
        Main.expect("after a strategic merge patch", images(found), List.of("b=b", "a=a"));
        found = patchDeployment(container.replace("NAME", "c"), MERGE);
        Main.expect("after a merge patch", images(found), List.of("c=c"));
        apps.deleteNamespacedDeployment("a", NAMESPACE).execute();
    }

    private V1ConfigMap apply(String manager, String data, Boolean force) throws ApiException {
        String body = "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},\"data\":" + data + "}";
        return patchMap(body, V1Patch.PATCH_FORMAT_APPLY_YAML, manager, force);
    }

    private void applies() throws Exception {
        apply("one", "{\"color\":\"red\",\"size\":\"1\"}", null);
        V1Status status = Main.refused("an apply of another's field", 409, "Conflict", () -> apply("two", "{\"color\":\"green\"}", null));
        V1StatusCause cause = new V1StatusCause().reason("FieldManagerConflict").message("conflict with \"one\"").field(".data.color");
        Main.expect("causes", status.getDetails().getCauses(), List.of(cause));
        V1ConfigMap forced = apply("two", "{\"color\":\"green\"}", true);
        Main.expect("after force", forced.getData(), Map.of("color", "green", "size", "1"));
        Main.expect("after giving up a field", apply("one", "{}", null).getData(), Map.of("color", "green"));
        core.deleteNamespacedConfigMap("a", NAMESPACE).execute();
    }

    private void status() throws ApiException {
        V1Deployment created = createDeployment();
        Main.expect("replicas, a default", created.getSpec().getReplicas(), 1);
        created.getSpec().setReplicas(7);
        created.setStatus(new V1DeploymentStatus().replicas(3));
        V1Deployment changed = apps.replaceNamespacedDeploymentStatus("a", NAMESPACE, created).execute();
        Main.expect("replicas", changed.getSpec().getReplicas() + " " + changed.getStatus().getReplicas(), "1 3");
        V1Scale scale = apps.readNamespacedDeploymentScale("a", NAMESPACE).execute();
        scale.getSpec().setReplicas(5);
        apps.replaceNamespacedDeploymentScale("a", NAMESPACE, scale).execute();
        V1Deployment found = apps.readNamespacedDeployment("a", NAMESPACE).execute();
        Main.expect("replicas after scaling", found.getSpec().getReplicas(), 5);
        Main.expect("generation", found.getMetadata().getGeneration(), 2L);
        apps.deleteNamespacedDeployment("a", NAMESPACE).execute();
    }

    private Watch<V1CustomResourceDefinition> watchDefinition(String name) throws ApiException {
        return Watch.createWatch(
                client,
                definitions.listCustomResourceDefinition().fieldSelector("metadata.name=" + name).watch(true).buildCall(null),
                new TypeToken<Watch.Response<V1CustomResourceDefinition>>() {}.getType());
    }

    private static boolean isEstablished(V1CustomResourceDefinition definition) {
        V1CustomResourceDefinitionStatus status = definition.getStatus();
        return status != null && status.getConditions() != null && status.getConditions().stream()
                .anyMatch(condition -> condition.getType().equals("Established") && condition.getStatus().equals("True"));
    }

    /** A schema without the empty map that the client would send, and that a server refuses. */
    private static V1JSONSchemaProps schema(String type) {
        return new V1JSONSchemaProps().type(type).dependencies(null);
    }

    private static DynamicKubernetesObject untyped(String text) {
        return new DynamicKubernetesObject(JsonParser.parseString(text).getAsJsonObject());
    }

    private static DynamicKubernetesObject gauge(String name, int size) {
        String metadata = "\"metadata\":{\"name\":\"" + name + "\",\"namespace\":\"" + NAMESPACE + "\"}";
        return untyped("{\"apiVersion\":\"" + GROUP + "/v1\",\"kind\":\"Gauge\"," + metadata + ",\"spec\":{\"size\":" + size + "}}");
    }

    private static int size(DynamicKubernetesObject object) {
        return object.getRaw().getAsJsonObject("spec").get("size").getAsInt();
    }

    private void definition() throws Exception {
        String name = "gauges." + GROUP;
        V1JSONSchemaProps spec = schema("object")
                .putPropertiesItem("size", schema("integer").minimum(0.0))
                .putPropertiesItem("color", schema("string")._default("red"));
        V1JSONSchemaProps schema = schema("object").putPropertiesItem("spec", spec);
        V1CustomResourceDefinitionVersion version = new V1CustomResourceDefinitionVersion()
                .name("v1")
                .served(true)
                .storage(true)
                .schema(new V1CustomResourceValidation().openAPIV3Schema(schema));
        V1CustomResourceDefinitionNames names = new V1CustomResourceDefinitionNames().kind("Gauge").plural("gauges");
        V1CustomResourceDefinitionSpec definition =
                new V1CustomResourceDefinitionSpec().group(GROUP).scope("Namespaced").names(names).addVersionsItem(version);
        V1ObjectMeta metadata = new V1ObjectMeta().name(name);
        definitions.createCustomResourceDefinition(new V1CustomResourceDefinition().metadata(metadata).spec(definition)).execute();
        try (Watch<V1CustomResourceDefinition> events = watchDefinition(name)) {
            while (!isEstablished(events.next().object)) {}
            DynamicKubernetesApi gauges = new DynamicKubernetesApi(GROUP, "v1", "gauges", client);
            JsonObject created = gauges.create(gauge("a", 1)).throwsApiException().getObject().getRaw();
            Main.expect("spec, with a default", created.get("spec"), JsonParser.parseString("{\"size\":1,\"color\":\"red\"}"));
            V1Status status = gauges.create(gauge("b", -1)).getStatus();
            Main.expect("an invalid object", status.getCode() + " " + status.getReason(), "422 Invalid");
            Main.expect("field of the cause", status.getDetails().getCauses().get(0).getField(), "spec.size");
            V1Patch merge = new V1Patch("{\"spec\":{\"size\":2}}");
            DynamicKubernetesObject patched = gauges.patch(NAMESPACE, "a", MERGE, merge).throwsApiException().getObject();
            Main.expect("size after a merge patch", size(patched), 2);
            V1Patch apply = new V1Patch(gauge("a", 3).getRaw().toString());
            PatchOptions forced = new PatchOptions().fieldManager("one").force(true);
            patched = gauges.patch(NAMESPACE, "a", V1Patch.PATCH_FORMAT_APPLY_YAML, apply, forced).throwsApiException().getObject();
            Main.expect("size after an apply", size(patched), 3);
            List<DynamicKubernetesObject> listed = gauges.list(NAMESPACE).throwsApiException().getObject().getItems();
            Main.expect("objects", listed.size() + " " + size(listed.get(0)), "1 3");
            gauges.delete(NAMESPACE, "a").throwsApiException();
            definitions.deleteCustomResourceDefinition(name).execute();
            while (!events.next().type.equals("DELETED")) {}
        }
    }

    private void withoutTypes() throws Exception {
        DynamicKubernetesApi services = new DynamicKubernetesApi("", "v1", "services", client);
        String header = "\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"name\":\"a\",\"namespace\":\"" + NAMESPACE + "\"";
        DynamicKubernetesObject body = untyped("{" + header + "},\"spec\":{\"ports\":[{\"name\":\"web\",\"port\":80}]}}");
        JsonObject created = services.create(body).throwsApiException().getObject().getRaw();
        JsonObject port = created.getAsJsonObject("spec").getAsJsonArray("ports").get(0).getAsJsonObject();
        Main.expect("protocol, a default", port.get("protocol").getAsString(), "TCP");
        V1Patch apply = new V1Patch("{" + header + ",\"labels\":{\"a\":\"b\"}}}");
        PatchOptions options = new PatchOptions().fieldManager("one");
        services.patch(NAMESPACE, "a", V1Patch.PATCH_FORMAT_APPLY_YAML, apply, options).throwsApiException();
        ListOptions selected = new ListOptions();
        selected.setLabelSelector("a=b");
        Main.expect("listed", services.list(NAMESPACE, selected).throwsApiException().getObject().getItems().size(), 1);
        services.delete(NAMESPACE, "a").throwsApiException();
    }

    private V1Status delete(V1DeleteOptions options) throws ApiException {
        return core.deleteNamespacedConfigMap("a", NAMESPACE).body(options).execute();
    }

    private void deletion() throws Exception {
        String uid = create("a", "a", "b").getMetadata().getUid();
        V1Preconditions other = new V1Preconditions().uid("00000000-0000-0000-0000-000000000000");
        Main.refused("another object of the name", 409, "Conflict", () -> delete(new V1DeleteOptions().preconditions(other)));
        delete(new V1DeleteOptions().addDryRunItem("All"));
        V1Preconditions own = new V1Preconditions().uid(uid);
        V1Status status = delete(new V1DeleteOptions().preconditions(own).propagationPolicy("Background").gracePeriodSeconds(0L));
        Main.expect("answer", status.getStatus() + " " + status.getDetails().getUid(), "Success " + uid);
        for (String name : List.of("b", "c", "d")) {
            create(name, "remove", name.equals("c") ? "no" : "yes");
        }
        core.deleteCollectionNamespacedConfigMap(NAMESPACE).labelSelector("remove=yes").execute();
        Main.expect("left", names(core.listNamespacedConfigMap(NAMESPACE).labelSelector("remove").execute()), List.of("c"));
        core.deleteNamespacedConfigMap("c", NAMESPACE).execute();
    }

    private void errors() throws Exception {
        V1Status status = Main.refused("a name that no object may have", 422, "Invalid", () -> create("A_B", "a", "b"));
        V1StatusDetails details = status.getDetails();
        Main.expect("kind and name", details.getKind() + " " + details.getName(), "ConfigMap A_B");
        V1StatusCause cause = details.getCauses().get(0);
        Main.expect("cause", cause.getReason() + " " + cause.getField(), "FieldValueInvalid metadata.name");
        V1ConfigMap object = configMap("a", "a", "b");
        Main.refused("another namespace", 400, "BadRequest", () -> {
            object.getMetadata().setNamespace("other");
            return core.createNamespacedConfigMap(NAMESPACE, object).execute();
        });
    }
}
