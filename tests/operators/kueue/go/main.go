// Program kueue-answers converts objects with the functions of Kueue's published Go module.
package main

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/conversion"

	"sigs.k8s.io/kueue/apis/kueue/v1beta1"
	"sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"hubgen.invalid/answer"
)

const (
	group = "kueue.x-k8s.io"
	old   = group + "/v1beta1"
	hub   = group + "/v1beta2"
)

// spoke is an older version in the style of controller-runtime.
type spoke interface {
	ConvertTo(hub conversion.Hub) error
	ConvertFrom(hub conversion.Hub) error
}

// named sets what a webhook sets after the functions: the version and the kind.
func named(object any, version, kind string) {
	object.(runtime.Object).GetObjectKind().SetGroupVersionKind(
		schema.FromAPIVersionAndKind(version, kind))
}

// webhook is a kind that Kueue's conversion webhook converts.
func webhook(kind string, older func() spoke, newest func() conversion.Hub) answer.Kind {
	return answer.Kind{
		Hub: hub,
		New: map[string]func() any{
			old: func() any { return older() },
			hub: func() any { return newest() },
		},
		ToHub: func(object, converted any) error {
			err := object.(spoke).ConvertTo(converted.(conversion.Hub))
			named(converted, hub, kind)
			return err
		},
		FromHub: func(object, converted any) error {
			err := object.(spoke).ConvertFrom(converted.(conversion.Hub))
			named(object, old, kind)
			return err
		},
	}
}

// generated is a kind that only has the functions of conversion-gen. No webhook calls them.
func generated(scheme *runtime.Scheme, kind string, older, newest func() any) answer.Kind {
	return answer.Kind{
		Hub: hub,
		New: map[string]func() any{old: older, hub: newest},
		ToHub: func(object, converted any) error {
			err := scheme.Converter().Convert(object, converted, nil)
			named(converted, hub, kind)
			return err
		},
		FromHub: func(object, converted any) error {
			err := scheme.Converter().Convert(converted, object, nil)
			named(object, old, kind)
			return err
		},
	}
}

func main() {
	scheme := runtime.NewScheme()
	if err := v1beta1.RegisterConversions(scheme); err != nil {
		panic(err)
	}
	answer.Serve(map[string]answer.Kind{
		"ClusterQueue": webhook("ClusterQueue",
			func() spoke { return new(v1beta1.ClusterQueue) },
			func() conversion.Hub { return new(v1beta2.ClusterQueue) }),
		"Cohort": webhook("Cohort",
			func() spoke { return new(v1beta1.Cohort) },
			func() conversion.Hub { return new(v1beta2.Cohort) }),
		"LocalQueue": webhook("LocalQueue",
			func() spoke { return new(v1beta1.LocalQueue) },
			func() conversion.Hub { return new(v1beta2.LocalQueue) }),
		"MultiKueueCluster": webhook("MultiKueueCluster",
			func() spoke { return new(v1beta1.MultiKueueCluster) },
			func() conversion.Hub { return new(v1beta2.MultiKueueCluster) }),
		"Workload": webhook("Workload",
			func() spoke { return new(v1beta1.Workload) },
			func() conversion.Hub { return new(v1beta2.Workload) }),

		"AdmissionCheck": generated(scheme, "AdmissionCheck",
			func() any { return new(v1beta1.AdmissionCheck) },
			func() any { return new(v1beta2.AdmissionCheck) }),
		"MultiKueueConfig": generated(scheme, "MultiKueueConfig",
			func() any { return new(v1beta1.MultiKueueConfig) },
			func() any { return new(v1beta2.MultiKueueConfig) }),
		"ProvisioningRequestConfig": generated(scheme, "ProvisioningRequestConfig",
			func() any { return new(v1beta1.ProvisioningRequestConfig) },
			func() any { return new(v1beta2.ProvisioningRequestConfig) }),
		"ResourceFlavor": generated(scheme, "ResourceFlavor",
			func() any { return new(v1beta1.ResourceFlavor) },
			func() any { return new(v1beta2.ResourceFlavor) }),
		"Topology": generated(scheme, "Topology",
			func() any { return new(v1beta1.Topology) },
			func() any { return new(v1beta2.Topology) }),
		"WorkloadPriorityClass": generated(scheme, "WorkloadPriorityClass",
			func() any { return new(v1beta1.WorkloadPriorityClass) },
			func() any { return new(v1beta2.WorkloadPriorityClass) }),
	})
}
