// Program kueue-answers converts objects with the functions of Kueue's published Go module.
package main

import (
	"encoding/json"
	"net/http"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
	webhooks "sigs.k8s.io/controller-runtime/pkg/webhook/conversion"

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

// missing is what the assignments of generated objects lack.
const missing = "missing"

// resized is a list with a number of items.
func resized[T any](items []T, count int, lacking T) []T {
	for len(items) < count {
		items = append(items, lacking)
	}
	return items[:count]
}

// olderWorkload is a Workload at v1beta1. It reads topology assignments as a server accepts them: a value of each domain
// for each level. Generated objects do not follow that, and the Go code would panic.
type olderWorkload struct{ v1beta1.Workload }

func (w *olderWorkload) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, &w.Workload); err != nil || w.Status.Admission == nil {
		return err
	}
	for _, assignment := range w.Status.Admission.PodSetAssignments {
		if topology := assignment.TopologyAssignment; topology != nil {
			for at := range topology.Domains {
				domain := &topology.Domains[at]
				domain.Values = resized(domain.Values, len(topology.Levels), missing)
			}
		}
	}
	return nil
}

// newerWorkload is a Workload at v1beta2. It reads topology assignments as the definition's rules in CEL demand them,
// with few domains: the Go code allocates as much as domainCount asks for.
type newerWorkload struct{ v1beta2.Workload }

func (w *newerWorkload) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, &w.Workload); err != nil || w.Status.Admission == nil {
		return err
	}
	for _, assignment := range w.Status.Admission.PodSetAssignments {
		if topology := assignment.TopologyAssignment; topology != nil {
			for at := range topology.Slices {
				accepted(&topology.Slices[at], len(topology.Levels))
			}
		}
	}
	return nil
}

func accepted(slice *v1beta2.TopologyAssignmentSlice, levels int) {
	count := int(slice.DomainCount)
	if count < 1 || count > 100 {
		count = max(count, -count)%5 + 1
	}
	slice.DomainCount = int32(count)
	counts := &slice.PodCounts
	switch one := int32(1); {
	case counts.Universal != nil:
		counts.Individual = nil
	case counts.Individual != nil:
		counts.Individual = resized(counts.Individual, count, one)
	default:
		counts.Universal = &one
	}
	slice.ValuesPerLevel = resized(slice.ValuesPerLevel, levels, v1beta2.TopologyAssignmentSliceLevelValues{})
	for at := range slice.ValuesPerLevel {
		values := &slice.ValuesPerLevel[at]
		switch lacking := missing; {
		case values.Universal != nil:
			values.Individual = nil
		case values.Individual != nil:
			values.Individual.Roots = resized(values.Individual.Roots, count, lacking)
		default:
			values.Universal = &lacking
		}
	}
}

// handler is the conversion webhook that Kueue registers.
func handler() http.Handler {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1beta1.AddToScheme, v1beta2.AddToScheme} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	return webhooks.NewWebhookHandler(scheme, webhooks.NewRegistry())
}

func main() {
	answer.Webhook(handler)
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
		"Workload": {
			Hub: hub,
			New: map[string]func() any{
				old: func() any { return new(olderWorkload) },
				hub: func() any { return new(newerWorkload) },
			},
			ToHub: func(object, converted any) error {
				newer := &converted.(*newerWorkload).Workload
				err := object.(*olderWorkload).ConvertTo(newer)
				named(newer, hub, "Workload")
				return err
			},
			FromHub: func(object, converted any) error {
				older := &object.(*olderWorkload).Workload
				err := older.ConvertFrom(&converted.(*newerWorkload).Workload)
				named(older, old, "Workload")
				return err
			},
		},

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
