// Command cert-manager converts objects of cert-manager 1.5.0 with its own functions, one request per line.
//
// The functions convert each version to an internal type and back. They are in internal packages, but the Scheme of its
// conversion webhook knows them all, and is exported. So this program needs no copy of the module.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/jetstack/cert-manager/pkg/webhook"
	"github.com/jetstack/cert-manager/pkg/webhook/handlers"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/klog/v2/klogr"

	"hubgen.invalid/answer"
)

// hub is the version by way of which two other versions convert. The internal type differs from it only in names.
const hub = "v1"

// The webhook decodes with the same options. Unlike encoding/json, it tells acmedns and acmeDNS apart.
var decoder = serializer.NewSerializerWithOptions(
	serializer.DefaultMetaFactory, webhook.Scheme, webhook.Scheme, serializer.SerializerOptions{})

// versioned is an object of a kind at a version.
type versioned struct {
	kind   schema.GroupVersionKind
	object runtime.Object
}

func (v *versioned) UnmarshalJSON(text []byte) error {
	object, found, err := decoder.Decode(text, &v.kind, nil)
	if err != nil {
		return err
	}
	if *found != v.kind {
		return fmt.Errorf("expected %s, found %s", v.kind, found)
	}
	v.object = object
	return nil
}

func (v *versioned) MarshalJSON() ([]byte, error) {
	return json.Marshal(v.object)
}

// convert turns one version into another, by way of the internal type.
func convert(from, to *versioned) error {
	internal, err := webhook.Scheme.ConvertToVersion(from.object, runtime.InternalGroupVersioner)
	if err != nil {
		return err
	}
	to.object, err = webhook.Scheme.ConvertToVersion(internal, to.kind.GroupVersion())
	return err
}

// handler converts reviews with the converter of cert-manager's webhook. Its own server wants a source of certificates.
func handler() http.Handler {
	converter := handlers.NewSchemeBackedConverter(klogr.New(), webhook.Scheme)
	return http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		var review apiextensions.ConversionReview
		if err := json.NewDecoder(in.Body).Decode(&review); err != nil || review.Request == nil {
			http.Error(out, "no review", http.StatusBadRequest)
			return
		}
		review.Response = converter.Convert(review.Request)
		review.Request = nil
		if err := json.NewEncoder(out).Encode(&review); err != nil {
			panic(err)
		}
	})
}

func main() {
	answer.Webhook(handler)
	groups := map[string][]string{
		"cert-manager.io":      {"Certificate", "CertificateRequest", "ClusterIssuer", "Issuer"},
		"acme.cert-manager.io": {"Challenge", "Order"},
	}
	kinds := map[string]answer.Kind{}
	for group, names := range groups {
		for _, name := range names {
			kind := answer.Kind{
				Hub:     hub,
				New:     map[string]func() any{},
				ToHub:   func(object, hub any) error { return convert(object.(*versioned), hub.(*versioned)) },
				FromHub: func(object, hub any) error { return convert(hub.(*versioned), object.(*versioned)) },
			}
			for _, version := range []string{"v1alpha2", "v1alpha3", "v1beta1", hub} {
				is := schema.GroupVersionKind{Group: group, Version: version, Kind: name}
				kind.New[version] = func() any { return &versioned{kind: is} }
			}
			kinds[name] = kind
		}
	}
	answer.Serve(kinds)
}
