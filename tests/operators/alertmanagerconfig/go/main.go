// prometheus-operator converts AlertmanagerConfigs with the methods of v1beta1, whose hub is v1alpha1.
package main

import (
	"encoding/json"
	"net/http"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	webhooks "sigs.k8s.io/controller-runtime/pkg/webhook/conversion"

	"github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1alpha1"
	"github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1beta1"
	"hubgen.invalid/answer"
)

// handler is the conversion webhook of prometheus-operator's admission server.
func handler() http.Handler {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, v1beta1.AddToScheme} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	return webhooks.NewWebhookHandler(scheme, webhooks.NewRegistry())
}

func main() {
	answer.Webhook(handler)
	answer.Serve(map[string]answer.Kind{
		"AlertmanagerConfig": {
			Hub: "v1alpha1",
			// The methods do not set the version and the kind, so that an empty object has them.
			New: map[string]func() any{
				"v1alpha1": func() any {
					return &hub{v1alpha1.AlertmanagerConfig{TypeMeta: at("v1alpha1")}}
				},
				"v1beta1": func() any {
					return &beta{v1beta1.AlertmanagerConfig{TypeMeta: at("v1beta1")}}
				},
			},
			ToHub: func(object, to any) error {
				return object.(*beta).ConvertTo(&to.(*hub).AlertmanagerConfig)
			},
			FromHub: func(object, from any) error {
				return object.(*beta).ConvertFrom(&from.(*hub).AlertmanagerConfig)
			},
		},
	})
}

func at(version string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: "monitoring.coreos.com/" + version, Kind: "AlertmanagerConfig"}
}

type hub struct{ v1alpha1.AlertmanagerConfig }

type beta struct{ v1beta1.AlertmanagerConfig }

// MarshalJSON writes child routes as the conversion does, even if the object was not converted.
func (object *hub) MarshalJSON() ([]byte, error) {
	routes := func(route *v1alpha1.Route) []apiextensionsv1.JSON { return route.Routes }
	encode(object.Spec.Route, routes, (*v1alpha1.Route).ChildRoutes)
	return json.Marshal(&object.AlertmanagerConfig)
}

// MarshalJSON does the same for v1beta1.
func (object *beta) MarshalJSON() ([]byte, error) {
	routes := func(route *v1beta1.Route) []apiextensionsv1.JSON { return route.Routes }
	encode(object.Spec.Route, routes, (*v1beta1.Route).ChildRoutes)
	return json.Marshal(&object.AlertmanagerConfig)
}

// encode replaces the JSON of child routes by what their type writes. It leaves what is no route as it is.
func encode[R any](route *R, routes func(*R) []apiextensionsv1.JSON, children func(*R) ([]R, error)) {
	if route == nil {
		return
	}
	all, err := children(route)
	if err != nil {
		return
	}
	for i := range all {
		encode(&all[i], routes, children)
		if text, err := json.Marshal(&all[i]); err == nil {
			routes(route)[i].Raw = text
		}
	}
}
