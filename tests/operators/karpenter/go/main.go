// Karpenter converts NodePools, NodeClaims and EC2NodeClasses with the functions of Karpenter and its provider for AWS.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"knative.dev/pkg/apis"
	"sigs.k8s.io/controller-runtime/pkg/client"

	awsv1 "github.com/aws/karpenter-provider-aws/pkg/apis/v1"
	awsv1beta1 "github.com/aws/karpenter-provider-aws/pkg/apis/v1beta1"
	"hubgen.invalid/answer"
	"sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/apis/v1beta1"
	"sigs.k8s.io/karpenter/pkg/operator/injection"
)

// nothing is a cluster without objects. The conversion of a NodeClaim asks for its NodePool.
type nothing struct{ client.Client }

func (nothing) Get(_ context.Context, key client.ObjectKey, _ client.Object, _ ...client.GetOption) error {
	return errors.NewNotFound(schema.GroupResource{Group: "karpenter.sh", Resource: "nodepools"}, key.Name)
}

func main() {
	// The operator puts both into the context of its webhook: the class to which a reference without a kind or a group
	// refers, and the client for the cluster.
	classes := []schema.GroupVersionKind{{Group: "karpenter.k8s.aws", Version: "v1", Kind: "EC2NodeClass"}}
	ctx := injection.WithClient(injection.WithNodeClasses(context.Background(), classes), nothing{})

	answer.Serve(map[string]answer.Kind{
		"NodePool": kind(ctx, map[string]func() any{
			"v1beta1": func() any { return &v1beta1.NodePool{TypeMeta: named("karpenter.sh/v1beta1", "NodePool")} },
			"v1":      func() any { return &v1.NodePool{TypeMeta: named("karpenter.sh/v1", "NodePool")} },
		}),
		"NodeClaim": kind(ctx, map[string]func() any{
			"v1beta1": func() any { return &v1beta1.NodeClaim{TypeMeta: named("karpenter.sh/v1beta1", "NodeClaim")} },
			"v1":      func() any { return &v1.NodeClaim{TypeMeta: named("karpenter.sh/v1", "NodeClaim")} },
		}),
		"EC2NodeClass": kind(ctx, map[string]func() any{
			"v1beta1": func() any {
				return &awsv1beta1.EC2NodeClass{TypeMeta: named("karpenter.k8s.aws/v1beta1", "EC2NodeClass")}
			},
			"v1": func() any {
				return &class{awsv1.EC2NodeClass{TypeMeta: named("karpenter.k8s.aws/v1", "EC2NodeClass")}}
			},
		}),
	})
}

func named(apiVersion, kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: apiVersion, Kind: kind}
}

// kind converts with the methods of the hub.
func kind(ctx context.Context, versions map[string]func() any) answer.Kind {
	return answer.Kind{
		Hub: "v1",
		New: versions,
		ToHub: func(object, hub any) error {
			return hub.(apis.Convertible).ConvertFrom(ctx, object.(apis.Convertible))
		},
		FromHub: func(object, hub any) error {
			return hub.(apis.Convertible).ConvertTo(ctx, object.(apis.Convertible))
		},
	}
}

// class is an EC2NodeClass at v1. It reads an alias as the definition allows it, alone: generated objects do not follow
// the definition's rules in CEL. Another alias than those of the definition would end the whole process.
type class struct{ awsv1.EC2NodeClass }

func (c *class) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, &c.EC2NodeClass); err != nil {
		return err
	}
	for _, term := range c.Spec.AMISelectorTerms {
		if term.Alias == "" {
			continue
		}
		family, version, _ := strings.Cut(term.Alias, "@")
		known := slices.Contains([]string{"al2", "al2023", "bottlerocket", "windows2019", "windows2022"}, family)
		if !known || version == "" || strings.Contains(version, "@") {
			return fmt.Errorf("the alias %q would end the process", term.Alias)
		}
		c.Spec.AMISelectorTerms = []awsv1.AMISelectorTerm{{Alias: term.Alias}}
		return nil
	}
	return nil
}
