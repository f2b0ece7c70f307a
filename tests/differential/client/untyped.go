package main

import (
	"context"
	"fmt"
	"time"

	authentication "k8s.io/api/authentication/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/cache"
)

// asks compares who the server takes the client for with whom it takes a wrong token for.
func asks(ctx context.Context, clients connection) error {
	self := func(config *rest.Config) (*authentication.SelfSubjectReview, error) {
		clients, err := kubernetes.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		return clients.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authentication.SelfSubjectReview{}, meta.CreateOptions{})
	}
	review, err := self(clients.config)
	if err != nil {
		return err
	}
	wrong := rest.CopyConfig(clients.config)
	wrong.BearerToken = "wrong"
	_, err = self(wrong)
	return first(
		expect("whether the user is anonymous", review.Status.UserInfo.Username == "system:anonymous", false),
		expectError("a wrong token", err, errors.IsUnauthorized),
	)
}

// untyped creates, patches, applies, lists and deletes services that are maps.
func untyped(ctx context.Context, clients connection) error {
	all, err := dynamic.NewForConfig(clients.config)
	if err != nil {
		return err
	}
	services := all.Resource(core.SchemeGroupVersion.WithResource("services")).Namespace(namespace)
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Service",
		"metadata": map[string]any{"name": "a", "labels": map[string]any{"app": "a"}},
		"spec":     map[string]any{"ports": []any{map[string]any{"name": "web", "port": int64(80)}}},
	}}
	created, err := services.Create(ctx, object, meta.CreateOptions{FieldManager: "creator"})
	if err != nil {
		return err
	}
	protocol := func(object *unstructured.Unstructured) string {
		ports, _, _ := unstructured.NestedSlice(object.Object, "spec", "ports")
		text, _ := ports[0].(map[string]any)["protocol"].(string)
		return text
	}
	if err := expect("protocol, a default", protocol(created), "TCP"); err != nil {
		return err
	}
	patched, err := services.Patch(ctx, "a", types.StrategicMergePatchType, []byte(`{"spec":{"ports":[{"port":80,"protocol":"TCP","name":"site"}]}}`), meta.PatchOptions{})
	if err != nil {
		return err
	}
	if ports, _, _ := unstructured.NestedSlice(patched.Object, "spec", "ports"); len(ports) != 1 {
		return fmt.Errorf("ports after a strategic merge patch: expected one, found %v", ports)
	}
	applied, err := services.Apply(ctx, "a", &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": "a", "annotations": map[string]any{"note": "b"}},
	}}, meta.ApplyOptions{FieldManager: "applier"})
	if err != nil {
		return err
	}
	list, err := services.List(ctx, meta.ListOptions{LabelSelector: "app=a"})
	if err != nil {
		return err
	}
	return first(
		expect("annotations", applied.GetAnnotations(), map[string]string{"note": "b"}),
		expect("list", list.Items, []unstructured.Unstructured{*applied}),
		services.Delete(ctx, "a", meta.DeleteOptions{}),
	)
}

// metadataAlone lists, watches, patches and deletes objects of which it sees metadata alone.
func metadataAlone(ctx context.Context, clients connection) error {
	all, err := metadata.NewForConfig(clients.config)
	if err != nil {
		return err
	}
	maps := all.Resource(core.SchemeGroupVersion.WithResource("configmaps")).Namespace(namespace)
	if err := create(ctx, clients, "red", "a", "b"); err != nil {
		return err
	}
	list, err := maps.List(ctx, meta.ListOptions{LabelSelector: watched})
	if err != nil {
		return err
	}
	if err := first(
		expect("objects", len(list.Items), 2),
		expect("name", list.Items[0].Name, "a"),
	); err != nil {
		return err
	}
	events, err := maps.Watch(ctx, meta.ListOptions{LabelSelector: watched, ResourceVersion: list.ResourceVersion})
	if err != nil {
		return err
	}
	defer events.Stop()
	patched, err := maps.Patch(ctx, "a", types.MergePatchType, []byte(`{"metadata":{"annotations":{"note":"c"}}}`), meta.PatchOptions{})
	if err != nil {
		return err
	}
	kind, object, err := next(ctx, events)
	if err != nil {
		return err
	}
	found, err := maps.Get(ctx, "a", meta.GetOptions{})
	return first(
		err,
		expect("event", kind, "MODIFIED"),
		expect("annotations in the event", object.GetAnnotations(), map[string]string{"note": "c"}),
		expect("version in the event", object.GetResourceVersion(), patched.ResourceVersion),
		expect("get", found.ObjectMeta, patched.ObjectMeta),
		maps.Delete(ctx, "a", meta.DeleteOptions{}),
		maps.DeleteCollection(ctx, meta.DeleteOptions{}, meta.ListOptions{LabelSelector: watched}),
		expectEvents(ctx, events, "DELETED a", "DELETED b"),
	)
}

const group = "differential.example.com"

// define writes a definition with the subresources status and scale, waits until it is served, and returns what removes it.
func define(ctx context.Context, all dynamic.Interface, kind, plural, short string) (remove func() error, err error) {
	definitions := all.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	name := plural + "." + group
	integer := map[string]any{"type": "integer", "minimum": int64(0)}
	object := func(properties map[string]any) map[string]any {
		return map[string]any{"type": "object", "properties": properties}
	}
	_, err = definitions.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": name},
		"spec": map[string]any{
			"group": group, "scope": "Namespaced",
			"names": map[string]any{"kind": kind, "plural": plural, "shortNames": []any{short}},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"subresources": map[string]any{
					"status": map[string]any{},
					"scale":  map[string]any{"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"},
				},
				"schema": map[string]any{"openAPIV3Schema": object(map[string]any{
					"spec":   object(map[string]any{"size": integer, "color": map[string]any{"type": "string", "default": "red"}}),
					"status": object(map[string]any{"size": integer}),
				})},
			}},
		},
	}}, meta.CreateOptions{})
	if err != nil {
		return nil, err
	}
	remove = func() error { return removeDefinition(ctx, definitions, name) }
	events, err := definitions.Watch(ctx, meta.ListOptions{FieldSelector: "metadata.name=" + name})
	if err != nil {
		return nil, err
	}
	defer events.Stop()
	for {
		_, object, err := next(ctx, events)
		if err != nil {
			return nil, err
		}
		conditions, _, _ := unstructured.NestedSlice(object.(*unstructured.Unstructured).Object, "status", "conditions")
		for _, condition := range conditions {
			condition := condition.(map[string]any)
			if condition["type"] == "Established" && condition["status"] == "True" {
				return remove, nil
			}
		}
	}
}

// removeDefinition deletes a definition, and waits until it is gone.
func removeDefinition(ctx context.Context, definitions dynamic.NamespaceableResourceInterface, name string) error {
	events, err := definitions.Watch(ctx, meta.ListOptions{FieldSelector: "metadata.name=" + name})
	if err != nil {
		return err
	}
	defer events.Stop()
	if err := definitions.Delete(ctx, name, meta.DeleteOptions{}); err != nil {
		return err
	}
	for {
		kind, _, err := next(ctx, events)
		if err != nil || kind == "DELETED" {
			return err
		}
	}
}

func gauge(kind, name string, size int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": group + "/v1", "kind": kind, "metadata": map[string]any{"name": name}, "spec": map[string]any{"size": size},
	}}
}

// definition writes a definition, and objects of its kind.
func definition(ctx context.Context, clients connection) error {
	all, err := dynamic.NewForConfig(clients.config)
	if err != nil {
		return err
	}
	remove, err := define(ctx, all, "Gauge", "gauges", "gg")
	if err != nil {
		return err
	}
	resource := schema.GroupVersionResource{Group: group, Version: "v1", Resource: "gauges"}
	gauges := all.Resource(resource).Namespace(namespace)
	created, err := gauges.Create(ctx, gauge("Gauge", "a", 1), meta.CreateOptions{})
	if err != nil {
		return err
	}
	color, _, _ := unstructured.NestedString(created.Object, "spec", "color")
	_, invalid := gauges.Create(ctx, gauge("Gauge", "b", -1), meta.CreateOptions{})
	_, strategic := gauges.Patch(ctx, "a", types.StrategicMergePatchType, []byte(`{}`), meta.PatchOptions{})
	if err := first(
		expect("color, a default", color, "red"),
		expectError("an object that is not valid", invalid, errors.IsInvalid),
		expectError("a strategic merge patch", strategic, errors.IsUnsupportedMediaType),
	); err != nil {
		return err
	}
	updated := created.DeepCopy()
	if err := first(
		unstructured.SetNestedField(updated.Object, int64(7), "status", "size"),
		unstructured.SetNestedField(updated.Object, int64(8), "spec", "size"),
	); err != nil {
		return err
	}
	updated, err = gauges.UpdateStatus(ctx, updated, meta.UpdateOptions{})
	if err != nil {
		return err
	}
	size, _, _ := unstructured.NestedInt64(updated.Object, "spec", "size")
	status, _, _ := unstructured.NestedInt64(updated.Object, "status", "size")
	if err := first(
		expect("size after an update of the status", size, 1),
		expect("size in the status", status, 7),
		expect("generation after an update of the status", updated.GetGeneration(), 1),
	); err != nil {
		return err
	}
	applied, err := gauges.Apply(ctx, "b", gauge("Gauge", "b", 2), meta.ApplyOptions{FieldManager: "one"})
	if err := first(err, expect("manager", applied.GetManagedFields()[0].Manager, "one")); err != nil {
		return err
	}
	_, err = gauges.Apply(ctx, "b", gauge("Gauge", "b", 3), meta.ApplyOptions{FieldManager: "two"})
	if err := expectError("an apply of another's field", err, errors.IsConflict); err != nil {
		return err
	}
	scales, err := scalesOfAny(clients)
	if err != nil {
		return err
	}
	if err := scaleTo(ctx, scales, resource.GroupResource(), "b", 5); err != nil {
		return err
	}
	list, err := gauges.List(ctx, meta.ListOptions{})
	if err != nil {
		return err
	}
	size, _, _ = unstructured.NestedInt64(list.Items[len(list.Items)-1].Object, "spec", "size")
	if err := first(expect("objects", len(list.Items), 2), expect("size after a change of the scale", size, 5), remove()); err != nil {
		return err
	}
	// The objects have gone with their kind. Servers stop serving it soon after.
	return poll(ctx, "the kind is gone", func() (bool, error) {
		_, err := gauges.Get(ctx, "a", meta.GetOptions{})
		if err == nil {
			return false, fmt.Errorf("an object is left without its definition")
		}
		return errors.IsNotFound(err), nil
	})
}

// poll asks again and again, for what no watch tells.
func poll(ctx context.Context, what string, done func() (bool, error)) error {
	err := wait.PollUntilContextCancel(ctx, 10*time.Millisecond, true, func(context.Context) (bool, error) { return done() })
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// informsOfDefinition watches objects that have no type in Go.
func informsOfDefinition(ctx context.Context, clients connection) error {
	config, noted := recorded(clients.config)
	all, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	plain, err := dynamic.NewForConfig(clients.config)
	if err != nil {
		return err
	}
	remove, err := define(ctx, plain, "Gauge", "gauges", "gg")
	if err != nil {
		return err
	}
	resource := schema.GroupVersionResource{Group: group, Version: "v1", Resource: "gauges"}
	gauges := plain.Resource(resource).Namespace(namespace)
	if _, err := gauges.Create(ctx, gauge("Gauge", "a", 1), meta.CreateOptions{}); err != nil {
		return err
	}
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(all, 0, namespace, nil)
	informer := factory.ForResource(resource)
	told := make(told, 100)
	if _, err := informer.Informer().AddEventHandler(told.handler()); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer factory.Shutdown()
	defer cancel()
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.Informer().HasSynced) {
		return fmt.Errorf("the cache is not filled: %w", ctx.Err())
	}
	if err := told.expect(ctx, "found a"); err != nil {
		return err
	}
	if _, err := gauges.Apply(ctx, "a", gauge("Gauge", "a", 2), meta.ApplyOptions{FieldManager: "one", Force: true}); err != nil {
		return err
	}
	lists, streams, _ := noted.count()
	return first(
		told.expect(ctx, "updated a"),
		gauges.Delete(ctx, "a", meta.DeleteOptions{}),
		told.expect(ctx, "deleted a"),
		expect("lists", lists, 0),
		expect("watches that begin with all objects", streams, 1),
		remove(),
	)
}

// mapping finds resources by kinds and short names, also those of a definition that came after the first look.
func mapping(ctx context.Context, clients connection) error {
	cached := memory.NewMemCacheClient(clients.Discovery())
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(cached)
	short := restmapper.NewShortcutExpander(mapper, cached, nil)
	deployments, err := short.ResourceFor(schema.GroupVersionResource{Resource: "deploy"})
	if err != nil {
		return err
	}
	kind, err := mapper.KindFor(deployments)
	if err != nil {
		return err
	}
	found, err := mapper.RESTMapping(schema.GroupKind{Group: "batch", Kind: "CronJob"})
	if err != nil {
		return err
	}
	unknown := schema.GroupKind{Group: group, Kind: "Dial"}
	_, missing := mapper.RESTMapping(unknown)
	if err := first(
		expect("deploy", deployments, schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}),
		expect("kind", kind, schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}),
		expect("cron jobs", found.Resource, schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "cronjobs"}),
		expect("scope", found.Scope.Name(), apimeta.RESTScopeNameNamespace),
		expectError("a kind that does not exist yet", missing, apimeta.IsNoMatchError),
	); err != nil {
		return err
	}
	all, err := dynamic.NewForConfig(clients.config)
	if err != nil {
		return err
	}
	remove, err := define(ctx, all, "Dial", "dials", "dd")
	if err != nil {
		return err
	}
	expected := schema.GroupVersionResource{Group: group, Version: "v1", Resource: "dials"}
	if err := poll(ctx, "the mapper knows the kind", func() (bool, error) {
		mapper.Reset()
		later, err := mapper.RESTMapping(unknown)
		if apimeta.IsNoMatchError(err) {
			return false, nil
		}
		return true, first(err, expect("dials", later.Resource, expected))
	}); err != nil {
		return err
	}
	later, err := short.ResourceFor(schema.GroupVersionResource{Resource: "dd"})
	return first(err, expect("dd", later, expected), remove())
}
