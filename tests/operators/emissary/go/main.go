// Command emissary converts objects of getambassador.io with the functions of Emissary-ingress.
//
// The webhook of Emissary-ingress writes a mark before each ID in ambassador_id of v1 and v2, and an ID where v3alpha1
// has none, so that older releases ignore these objects. With -plain-ids, the IDs stay the same.
package main

import (
	"flag"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/conversion"

	"github.com/emissary-ingress/emissary/v3/pkg/api/getambassador.io/v1"
	"github.com/emissary-ingress/emissary/v3/pkg/api/getambassador.io/v2"
	"github.com/emissary-ingress/emissary/v3/pkg/api/getambassador.io/v3alpha1"

	"hubgen.invalid/answer"
)

const hub = "v3alpha1"

// schemes has the types of each version.
func schemes() map[string]*runtime.Scheme {
	all := map[string]*runtime.Scheme{}
	for version, add := range map[string]func(*runtime.Scheme) error{
		"v1": v1.AddToScheme,
		"v2": v2.AddToScheme,
		hub:  v3alpha1.AddToScheme,
	} {
		scheme := runtime.NewScheme()
		if err := add(scheme); err != nil {
			panic(err)
		}
		all[version] = scheme
	}
	return all
}

// kind finds a kind's versions.
func kind(schemes map[string]*runtime.Scheme, name string) answer.Kind {
	kind := answer.Kind{
		Hub: hub,
		New: map[string]func() any{},
		ToHub: func(object, hub any) error {
			return object.(conversion.Convertible).ConvertTo(hub.(conversion.Hub))
		},
		FromHub: func(object, hub any) error {
			return object.(conversion.Convertible).ConvertFrom(hub.(conversion.Hub))
		},
	}
	for version, scheme := range schemes {
		gvk := v3alpha1.GroupVersion.WithKind(name)
		gvk.Version = version
		if !scheme.Recognizes(gvk) {
			continue
		}
		kind.New[version] = func() any {
			object, err := scheme.New(gvk)
			if err != nil {
				panic(err)
			}
			object.GetObjectKind().SetGroupVersionKind(gvk)
			return object
		}
	}
	return kind
}

func main() {
	plain := flag.Bool("plain-ids", false, "leave ambassador_id as it is")
	flag.Parse()
	v2.MangleAmbassadorID = !*plain

	schemes := schemes()
	kinds := map[string]answer.Kind{}
	for _, name := range []string{
		"AuthService",
		"ConsulResolver",
		"DevPortal",
		"Host",
		"KubernetesEndpointResolver",
		"KubernetesServiceResolver",
		"LogService",
		"Mapping",
		"Module",
		"RateLimitService",
		"TCPMapping",
		"TLSContext",
		"TracingService",
	} {
		kinds[name] = kind(schemes, name)
	}
	answer.Serve(kinds)
}
