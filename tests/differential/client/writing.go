package main

import (
	"context"

	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	applyapps "k8s.io/client-go/applyconfigurations/apps/v1"
	applyautoscaling "k8s.io/client-go/applyconfigurations/autoscaling/v1"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	applymeta "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"
)

// createDeployment creates a deployment with one container.
func createDeployment(ctx context.Context, clients connection, name string) (*apps.Deployment, error) {
	return clients.AppsV1().Deployments(namespace).Create(ctx, &apps.Deployment{
		ObjectMeta: named(name),
		Spec: apps.DeploymentSpec{
			Selector: &meta.LabelSelector{MatchLabels: map[string]string{"app": name}},
			Template: pod(name),
		},
	}, meta.CreateOptions{})
}

// images returns the names and images of a deployment's containers.
func images(object *apps.Deployment) (images []string) {
	for _, container := range object.Spec.Template.Spec.Containers {
		images = append(images, container.Name+"="+container.Image)
	}
	return images
}

func patches(ctx context.Context, clients connection) error {
	deployments := clients.AppsV1().Deployments(namespace)
	if _, err := createDeployment(ctx, clients, "a"); err != nil {
		return err
	}
	patch := func(kind types.PatchType, text string, subresources ...string) (*apps.Deployment, error) {
		return deployments.Patch(ctx, "a", kind, []byte(text), meta.PatchOptions{}, subresources...)
	}
	// JSON patches: one whose test holds, and one whose test does not.
	found, err := patch(types.JSONPatchType, `[{"op":"test","path":"/spec/replicas","value":1},{"op":"replace","path":"/spec/replicas","value":2}]`)
	if err != nil {
		return err
	}
	if err := first(expect("replicas", *found.Spec.Replicas, 2), expect("generation", found.Generation, 2)); err != nil {
		return err
	}
	_, err = patch(types.JSONPatchType, `[{"op":"test","path":"/spec/replicas","value":1}]`)
	if err := expectError("a test that does not hold", err, errors.IsInvalid); err != nil {
		return err
	}
	// A merge patch replaces the list of containers; null removes a label.
	found, err = patch(types.MergePatchType, `{"metadata":{"labels":{"app":null,"b":"c"}},"spec":{"template":{"spec":{"containers":[{"name":"b","image":"b"}]}}}}`)
	if err != nil {
		return err
	}
	if err := first(
		expect("labels", found.Labels, map[string]string{"b": "c"}),
		expect("containers after a merge patch", images(found), []string{"b=b"}),
	); err != nil {
		return err
	}
	// A strategic merge patch knows that names tell containers apart.
	found, err = patch(types.StrategicMergePatchType, `{"spec":{"template":{"spec":{"containers":[{"name":"c","image":"c"},{"name":"b","image":"d"}]}}}}`)
	if err != nil {
		return err
	}
	if err := expect("containers after a strategic one", images(found), []string{"c=c", "b=d"}); err != nil {
		return err
	}
	found, err = patch(types.StrategicMergePatchType, `{"spec":{"template":{"spec":{"containers":[{"name":"b","$patch":"delete"}]}}}}`)
	if err != nil {
		return err
	}
	if err := expect("containers after one that deletes", images(found), []string{"c=c"}); err != nil {
		return err
	}
	found, err = patch(types.MergePatchType, `{"spec":{"replicas":9},"status":{"replicas":3}}`, "status")
	if err != nil {
		return err
	}
	if err := first(
		expect("replicas in the status", found.Status.Replicas, 3),
		expect("replicas in the spec after a patch of the status", *found.Spec.Replicas, 2),
	); err != nil {
		return err
	}
	_, err = patch(types.MergePatchType, `{"metadata":{"resourceVersion":"1"}}`)
	if err := expectError("a patch of an outdated object", err, errors.IsConflict); err != nil {
		return err
	}
	_, err = patch(types.MergePatchType, `{"spec":{"selector":null}}`)
	if err := expectError("a patch to something invalid", err, errors.IsInvalid); err != nil {
		return err
	}
	_, err = deployments.Patch(ctx, "a", types.MergePatchType, []byte(`{"spec":{"replicas":5}}`), meta.PatchOptions{DryRun: []string{meta.DryRunAll}})
	if err != nil {
		return err
	}
	found, err = deployments.Get(ctx, "a", meta.GetOptions{})
	return first(
		err,
		expect("replicas after a dry run", *found.Spec.Replicas, 2),
		deployments.Delete(ctx, "a", meta.DeleteOptions{}),
	)
}

// applies lets two managers apply to a deployment with typed configurations.
func applies(ctx context.Context, clients connection) error {
	deployments := clients.AppsV1().Deployments(namespace)
	configuration := func(replicas int32, image string) *applyapps.DeploymentApplyConfiguration {
		spec := applyapps.DeploymentSpec().WithReplicas(replicas)
		if image != "" {
			labels := map[string]string{"app": "a"}
			containers := applycore.PodSpec().WithContainers(applycore.Container().WithName("a").WithImage(image))
			spec.WithSelector(applymeta.LabelSelector().WithMatchLabels(labels)).
				WithTemplate(applycore.PodTemplateSpec().WithLabels(labels).WithSpec(containers))
		}
		return applyapps.Deployment("a", namespace).WithSpec(spec)
	}
	one, two := meta.ApplyOptions{FieldManager: "one"}, meta.ApplyOptions{FieldManager: "two"}
	found, err := deployments.Apply(ctx, configuration(2, "a"), one)
	if err != nil {
		return err
	}
	if err := expect("containers", images(found), []string{"a=a"}); err != nil {
		return err
	}
	again, err := deployments.Apply(ctx, configuration(2, "a"), one)
	if err := first(err, expect("an apply of the same", again, found)); err != nil {
		return err
	}
	_, err = deployments.Apply(ctx, configuration(3, ""), two)
	if err := expectError("an apply of another's field", err, errors.IsConflict); err != nil {
		return err
	}
	causes := err.(errors.APIStatus).Status().Details.Causes
	if err := first(
		expect("causes", len(causes), 1),
		expect("type of the cause", causes[0].Type, meta.CauseTypeFieldManagerConflict),
		expect("field of the cause", causes[0].Field, ".spec.replicas"),
		expect("message of the cause", causes[0].Message, `conflict with "one"`),
	); err != nil {
		return err
	}
	two.Force = true
	found, err = deployments.Apply(ctx, configuration(3, ""), two)
	if err := first(err, expect("replicas after a forced apply", *found.Spec.Replicas, 3)); err != nil {
		return err
	}
	own, err := applyapps.ExtractDeployment(found, "two")
	if err := first(err, expect("what the second manager owns", own, configuration(3, ""))); err != nil {
		return err
	}
	status := applyapps.Deployment("a", namespace).WithStatus(applyapps.DeploymentStatus().WithReplicas(3))
	found, err = deployments.ApplyStatus(ctx, status, two)
	if err := first(err, expect("replicas in the status", found.Status.Replicas, 3)); err != nil {
		return err
	}
	scaled, err := deployments.ApplyScale(ctx, "a", applyautoscaling.Scale().WithSpec(applyautoscaling.ScaleSpec().WithReplicas(4)), two)
	if err := first(err, expect("replicas after an apply of the scale", scaled.Spec.Replicas, 4)); err != nil {
		return err
	}
	return deployments.Delete(ctx, "a", meta.DeleteOptions{})
}

// scales uses the scale subresource by the client of the kind, and by one for any kind that has it.
func scales(ctx context.Context, clients connection) error {
	deployments := clients.AppsV1().Deployments(namespace)
	if _, err := createDeployment(ctx, clients, "a"); err != nil {
		return err
	}
	found, err := deployments.GetScale(ctx, "a", meta.GetOptions{})
	if err != nil {
		return err
	}
	if err := first(expect("replicas", found.Spec.Replicas, 1), expect("selector", found.Status.Selector, "app=a")); err != nil {
		return err
	}
	found.Spec.Replicas = 2
	found, err = deployments.UpdateScale(ctx, "a", found, meta.UpdateOptions{})
	if err := first(err, expect("replicas after an update", found.Spec.Replicas, 2)); err != nil {
		return err
	}
	any, err := scalesOfAny(clients)
	if err != nil {
		return err
	}
	resource := schema.GroupResource{Group: "apps", Resource: "deployments"}
	if err := scaleTo(ctx, any, resource, "a", 3); err != nil {
		return err
	}
	object, err := deployments.Get(ctx, "a", meta.GetOptions{})
	return first(
		err,
		expect("replicas of the object", *object.Spec.Replicas, 3),
		deployments.Delete(ctx, "a", meta.DeleteOptions{}),
	)
}

// scalesOfAny returns a client that finds the scale of any kind by discovery.
func scalesOfAny(clients connection) (scale.ScalesGetter, error) {
	cached := memory.NewMemCacheClient(clients.Discovery())
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(cached)
	kinds := scale.NewDiscoveryScaleKindResolver(cached)
	return scale.NewForConfig(clients.config, mapper, dynamic.LegacyAPIPathResolverFunc, kinds)
}

func scaleTo(ctx context.Context, scales scale.ScalesGetter, resource schema.GroupResource, name string, replicas int32) error {
	all := scales.Scales(namespace)
	found, err := all.Get(ctx, resource, name, meta.GetOptions{})
	if err != nil {
		return err
	}
	found.Spec = autoscaling.ScaleSpec{Replicas: replicas}
	found, err = all.Update(ctx, resource, found, meta.UpdateOptions{})
	return first(err, expect("replicas after an update", found.Spec.Replicas, replicas))
}

// identity asks who the server takes the client for, and shows a wrong token.
func identity(ctx context.Context, clients connection) error {
	if clients.config.BearerToken == "" {
		return leftOut{"there is no token"}
	}
	return asks(ctx, clients)
}
