package main

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	apps "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	core "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// expect returns nil if two values are equal.
func expect[T any](what string, found, expected T) error {
	if reflect.DeepEqual(found, expected) {
		return nil
	}
	return fmt.Errorf("%s: expected %+v, found %+v", what, expected, found)
}

// expectError returns nil if an error is of the expected class.
func expectError(what string, err error, is func(error) bool) error {
	if is(err) {
		return nil
	}
	return fmt.Errorf("%s: expected another error, found %v", what, err)
}

// first returns the first error.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func named(name string) meta.ObjectMeta {
	return meta.ObjectMeta{Name: name, Labels: map[string]string{"app": name}}
}

func pod(name string) core.PodTemplateSpec {
	return core.PodTemplateSpec{
		ObjectMeta: named(name),
		Spec:       core.PodSpec{Containers: []core.Container{{Name: name, Image: name}}},
	}
}

// discovered reads the groups, versions and resources. client-go requests
// aggregated discovery, and falls back to a request per version.
func discovered(_ context.Context, clients connection) error {
	groups, aggregated, failed, err := clients.DiscoveryClient.GroupsAndMaybeResources()
	if err := first(err, expect("versions that cannot be discovered", len(failed), 0)); err != nil {
		return err
	}
	fmt.Printf("discovery is aggregated: %t\n", aggregated != nil)
	var versions []string
	for _, group := range groups.Groups {
		if group.Name == "autoscaling" {
			for _, version := range group.Versions {
				versions = append(versions, version.Version)
			}
		}
	}
	for _, version := range []string{"v1", "v2"} {
		if !slices.Contains(versions, version) {
			return fmt.Errorf("autoscaling: expected %s among %v", version, versions)
		}
	}
	_, lists, err := clients.Discovery().ServerGroupsAndResources()
	if err != nil {
		return err
	}
	for _, list := range lists {
		for _, resource := range list.APIResources {
			if list.GroupVersion == "apps/v1" && resource.Name == "deployments" {
				return first(
					expect("kind", resource.Kind, "Deployment"),
					expect("namespaced", resource.Namespaced, true),
					expect("short names", resource.ShortNames, []string{"deploy"}),
				)
			}
		}
	}
	return fmt.Errorf("expected deployments in apps/v1, found no such resource")
}

func configMap(ctx context.Context, clients connection) error {
	maps := clients.CoreV1().ConfigMaps(namespace)
	_, err := maps.Get(ctx, "a", meta.GetOptions{})
	if err := expectError("get of a missing object", err, errors.IsNotFound); err != nil {
		return err
	}
	object := &core.ConfigMap{
		ObjectMeta: named("a"),
		Data:       map[string]string{"text": "✓"},
		BinaryData: map[string][]byte{"bytes": {0, 255}},
	}
	created, err := maps.Create(ctx, object, meta.CreateOptions{})
	if err != nil {
		return err
	}
	_, err = maps.Create(ctx, object, meta.CreateOptions{})
	if err := expectError("create again", err, errors.IsAlreadyExists); err != nil {
		return err
	}
	found, err := maps.Get(ctx, "a", meta.GetOptions{})
	if err != nil {
		return err
	}
	if err := first(
		expect("get", found, created),
		expect("data", found.Data, object.Data),
		expect("binaryData", found.BinaryData, object.BinaryData),
	); err != nil {
		return err
	}
	changed := found.DeepCopy()
	changed.Data["text"] = "other"
	updated, err := maps.Update(ctx, changed, meta.UpdateOptions{})
	if err != nil {
		return err
	}
	if err := expect("data after update", updated.Data["text"], "other"); err != nil {
		return err
	}
	_, err = maps.Update(ctx, found, meta.UpdateOptions{})
	if err := expectError("update of an outdated object", err, errors.IsConflict); err != nil {
		return err
	}
	if err := maps.Delete(ctx, "a", meta.DeleteOptions{}); err != nil {
		return err
	}
	_, err = maps.Get(ctx, "a", meta.GetOptions{})
	return expectError("get after delete", err, errors.IsNotFound)
}

func lists(ctx context.Context, clients connection) error {
	secrets := clients.CoreV1().Secrets(namespace)
	names := []string{"a", "b", "c", "d", "e"}
	for _, name := range names {
		object := &core.Secret{ObjectMeta: named(name), StringData: map[string]string{"a": name}}
		created, err := secrets.Create(ctx, object, meta.CreateOptions{})
		if err != nil {
			return err
		}
		if err := first(
			expect("type, a default", created.Type, core.SecretTypeOpaque),
			expect("data, from stringData", string(created.Data["a"]), name),
		); err != nil {
			return err
		}
	}
	of := func(list *core.SecretList) (names []string) {
		for _, item := range list.Items {
			names = append(names, item.Name)
		}
		return names
	}
	var paged []string
	options := meta.ListOptions{Limit: 2}
	for page := 0; page == 0 || options.Continue != ""; page++ {
		list, err := secrets.List(ctx, options)
		if err != nil {
			return err
		}
		paged, options.Continue = append(paged, of(list)...), list.Continue
		if page > len(names) {
			return fmt.Errorf("pages: expected 3, found more than %d", len(names))
		}
	}
	if err := expect("pages", paged, names); err != nil {
		return err
	}
	for _, options := range []meta.ListOptions{{LabelSelector: "app in (c)"}, {FieldSelector: "metadata.name=c"}} {
		list, err := secrets.List(ctx, options)
		if err != nil {
			return err
		}
		if err := expect(options.String(), of(list), []string{"c"}); err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := secrets.Delete(ctx, name, meta.DeleteOptions{}); err != nil {
			return err
		}
	}
	return nil
}

func deployment(ctx context.Context, clients connection) error {
	deployments := clients.AppsV1().Deployments(namespace)
	created, err := deployments.Create(ctx, &apps.Deployment{
		ObjectMeta: named("a"),
		Spec: apps.DeploymentSpec{
			Selector: &meta.LabelSelector{MatchLabels: map[string]string{"app": "a"}},
			Template: pod("a"),
		},
		Status: apps.DeploymentStatus{Replicas: 9},
	}, meta.CreateOptions{})
	if err != nil {
		return err
	}
	if err := first(
		expect("replicas, a default", *created.Spec.Replicas, 1),
		expect("strategy, a default", created.Spec.Strategy.Type, apps.RollingUpdateDeploymentStrategyType),
		expect("generation", created.Generation, 1),
		expect("status after creation", created.Status.Replicas, 0),
	); err != nil {
		return err
	}
	changed := created.DeepCopy()
	changed.Status.Replicas = 3
	*changed.Spec.Replicas = 7
	updated, err := deployments.UpdateStatus(ctx, changed, meta.UpdateOptions{})
	if err != nil {
		return err
	}
	if err := first(
		expect("status after its update", updated.Status.Replicas, 3),
		expect("spec after an update of the status", *updated.Spec.Replicas, 1),
		expect("generation after an update of the status", updated.Generation, 1),
	); err != nil {
		return err
	}
	*updated.Spec.Replicas = 7
	updated.Status.Replicas = 0
	updated, err = deployments.Update(ctx, updated, meta.UpdateOptions{})
	if err != nil {
		return err
	}
	if err := first(
		expect("spec after its update", *updated.Spec.Replicas, 7),
		expect("status after an update of the spec", updated.Status.Replicas, 3),
		expect("generation after an update of the spec", updated.Generation, 2),
	); err != nil {
		return err
	}
	_, err = deployments.Create(ctx, &apps.Deployment{ObjectMeta: named("b")}, meta.CreateOptions{})
	if err := expectError("create without a selector", err, errors.IsInvalid); err != nil {
		return err
	}
	return deployments.Delete(ctx, "a", meta.DeleteOptions{})
}

func autoscaler(ctx context.Context, clients connection) error {
	v1, v2 := clients.AutoscalingV1().HorizontalPodAutoscalers(namespace), clients.AutoscalingV2().HorizontalPodAutoscalers(namespace)
	target := int32(50)
	_, err := v1.Create(ctx, &autoscalingv1.HorizontalPodAutoscaler{
		ObjectMeta: named("a"),
		Spec: autoscalingv1.HorizontalPodAutoscalerSpec{
			ScaleTargetRef:                 autoscalingv1.CrossVersionObjectReference{Kind: "Deployment", Name: "a", APIVersion: "apps/v1"},
			MaxReplicas:                    3,
			TargetCPUUtilizationPercentage: &target,
		},
	}, meta.CreateOptions{})
	if err != nil {
		return err
	}
	found, err := v2.Get(ctx, "a", meta.GetOptions{})
	if err != nil {
		return err
	}
	if err := expect("metrics at v2", len(found.Spec.Metrics), 1); err != nil {
		return err
	}
	metric := found.Spec.Metrics[0].Resource
	if err := first(
		expect("metric at v2", metric.Name, core.ResourceCPU),
		expect("target at v2", *metric.Target.AverageUtilization, target),
	); err != nil {
		return err
	}
	other := int32(70)
	metric.Target.AverageUtilization = &other
	if _, err := v2.Update(ctx, found, meta.UpdateOptions{}); err != nil {
		return err
	}
	old, err := v1.Get(ctx, "a", meta.GetOptions{})
	if err != nil {
		return err
	}
	return first(
		expect("target at v1", *old.Spec.TargetCPUUtilizationPercentage, other),
		v1.Delete(ctx, "a", meta.DeleteOptions{}),
	)
}

// disruptionBudget writes at v1 a selector that matches every pod, and reads
// it at v1beta1, where an empty selector matches none.
func disruptionBudget(ctx context.Context, clients connection) error {
	if _, err := clients.Discovery().ServerResourcesForGroupVersion("policy/v1beta1"); errors.IsNotFound(err) {
		return leftOut{"the server does not serve policy/v1beta1"}
	}
	v1, v1beta1 := clients.PolicyV1().PodDisruptionBudgets(namespace), clients.PolicyV1beta1().PodDisruptionBudgets(namespace)
	const key = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match"
	missing := meta.LabelSelector{MatchExpressions: []meta.LabelSelectorRequirement{{Key: key, Operator: meta.LabelSelectorOpDoesNotExist}}}
	for _, selector := range []meta.LabelSelector{{}, missing} {
		object := &policyv1.PodDisruptionBudget{
			ObjectMeta: named("a"),
			Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &selector},
		}
		if _, err := v1.Create(ctx, object, meta.CreateOptions{}); err != nil {
			return err
		}
		old, err := v1beta1.Get(ctx, "a", meta.GetOptions{})
		if err != nil {
			return err
		}
		if err := first(
			expect("selector at v1beta1", old.Spec.Selector, &missing),
			v1beta1.Delete(ctx, "a", meta.DeleteOptions{}),
		); err != nil {
			return err
		}
	}
	return nil
}

func collection(ctx context.Context, clients connection) error {
	accounts := clients.CoreV1().ServiceAccounts(namespace)
	for _, name := range []string{"a", "b", "c"} {
		if _, err := accounts.Create(ctx, &core.ServiceAccount{ObjectMeta: named(name)}, meta.CreateOptions{}); err != nil {
			return err
		}
	}
	selected := meta.ListOptions{LabelSelector: "app!=b"}
	if err := accounts.DeleteCollection(ctx, meta.DeleteOptions{}, selected); err != nil {
		return err
	}
	// Without the account that each namespace gets again.
	list, err := accounts.List(ctx, meta.ListOptions{LabelSelector: "app"})
	if err != nil {
		return err
	}
	if len(list.Items) != 1 || list.Items[0].Name != "b" {
		return fmt.Errorf("after the deletion: expected only b, found %v", list.Items)
	}
	return accounts.Delete(ctx, "b", meta.DeleteOptions{})
}
