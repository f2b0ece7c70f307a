// Converts Tekton's objects with Tekton's own functions: one request per line.
package main

import (
	"context"
	"sort"

	pipelinev1 "github.com/tektoncd/pipeline/pkg/apis/pipeline/v1"
	pipelinev1alpha1 "github.com/tektoncd/pipeline/pkg/apis/pipeline/v1alpha1"
	pipelinev1beta1 "github.com/tektoncd/pipeline/pkg/apis/pipeline/v1beta1"
	resolutionv1alpha1 "github.com/tektoncd/pipeline/pkg/apis/resolution/v1alpha1"
	resolutionv1beta1 "github.com/tektoncd/pipeline/pkg/apis/resolution/v1beta1"
	"hubgen.invalid/answer"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"knative.dev/pkg/apis"
)

// object is what every version of every kind is.
type object interface {
	runtime.Object
	apis.Convertible
}

// between is a kind with two versions. Both functions belong to the older one, so the newer one is the hub.
func between(group, name, older, hub string, newOlder, newHub func() object) answer.Kind {
	ctx := context.Background()
	// The functions leave out version and kind, which the caller sets.
	as := func(converted object, version string) {
		kind := schema.GroupVersionKind{Group: group, Version: version, Kind: name}
		converted.GetObjectKind().SetGroupVersionKind(kind)
	}
	return answer.Kind{
		Hub: group + "/" + hub,
		New: map[string]func() any{
			group + "/" + older: func() any { return newOlder() },
			group + "/" + hub:   func() any { return newHub() },
		},
		ToHub: func(from, to any) error {
			as(to.(object), hub)
			err := from.(object).ConvertTo(ctx, to.(object))
			sortParams(to)
			return err
		},
		FromHub: func(to, from any) error {
			as(to.(object), older)
			return to.(object).ConvertFrom(ctx, from.(object))
		},
	}
}

// sortParams sorts the parameters of a ResolutionRequest by their names. The Go code makes this list of a map, and goes
// through a map in another order each time. Names from a map differ.
func sortParams(hub any) {
	if request, is := hub.(*resolutionv1beta1.ResolutionRequest); is {
		params := request.Spec.Params
		sort.Slice(params, func(one, other int) bool { return params[one].Name < params[other].Name })
	}
}

func main() {
	answer.Serve(map[string]answer.Kind{
		"Pipeline": between("tekton.dev", "Pipeline", "v1beta1", "v1",
			func() object { return &pipelinev1beta1.Pipeline{} },
			func() object { return &pipelinev1.Pipeline{} }),
		"PipelineRun": between("tekton.dev", "PipelineRun", "v1beta1", "v1",
			func() object { return &pipelinev1beta1.PipelineRun{} },
			func() object { return &pipelinev1.PipelineRun{} }),
		"Task": between("tekton.dev", "Task", "v1beta1", "v1",
			func() object { return &pipelinev1beta1.Task{} },
			func() object { return &pipelinev1.Task{} }),
		"TaskRun": between("tekton.dev", "TaskRun", "v1beta1", "v1",
			func() object { return &pipelinev1beta1.TaskRun{} },
			func() object { return &pipelinev1.TaskRun{} }),
		"StepAction": between("tekton.dev", "StepAction", "v1alpha1", "v1beta1",
			func() object { return &pipelinev1alpha1.StepAction{} },
			func() object { return &pipelinev1beta1.StepAction{} }),
		"ResolutionRequest": between("resolution.tekton.dev", "ResolutionRequest", "v1alpha1", "v1beta1",
			func() object { return &resolutionv1alpha1.ResolutionRequest{} },
			func() object { return &resolutionv1beta1.ResolutionRequest{} }),
	})
}
