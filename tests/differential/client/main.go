// Command client checks a running server with Kubernetes' own Go client: objects
// of a few kinds at several versions, watches and caches, patches and applies,
// definitions, leader election, discovery, in JSON and in protobuf. It prints a
// line per check and exits with 1 at the first check that fails.
//
// It writes to the namespace `differential` and two definitions, and removes its
// objects.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	core "k8s.io/api/core/v1"
	api "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const namespace = "differential"

// The longest time that one check may take.
const patience = time.Minute

// A connection is a way to the server, and the typed clients that use it.
type connection struct {
	*kubernetes.Clientset
	config *rest.Config
}

// A check tests a behavior that clients rely on.
type check struct {
	name string
	run  func(context.Context, connection) error
}

// checks are done in JSON and in protobuf.
var checks = []check{
	{"discovery", discovered},
	{"a config map from creation to deletion", configMap},
	{"lists in pages, by label and by name", lists},
	{"a deployment and its status", deployment},
	{"an autoscaler at two versions", autoscaler},
	{"a disruption budget at two versions", disruptionBudget},
	{"deletion of a collection", collection},
	{"patches", patches},
	{"applies by two managers", applies},
	{"a scale subresource", scales},
	{"a watch from a version on, by a label", watchFrom},
	{"a watch that begins with all objects", stream},
	{"an informer that lists and watches", informsByList},
	{"an informer that only watches", informsByStream},
	{"an informer whose watch the server ends", informsAgain},
	{"leader election", election},
	{"an event that is told twice", events},
}

// onceChecks use clients that choose the encoding themselves.
var onceChecks = []check{
	{"who asks", identity},
	{"objects without types", untyped},
	{"a definition and its objects", definition},
	{"an informer of a definition's objects", informsOfDefinition},
	{"metadata alone", metadataAlone},
	{"short names, and kinds that come later", mapping},
}

// A leftOut check is one that the server gives no occasion for.
type leftOut struct{ why string }

func (l leftOut) Error() string { return l.why }

func main() {
	kubeconfig := flag.String("kubeconfig", "", "the `FILE` that tells the server and the credentials")
	flag.Parse()
	if (*kubeconfig == "") != (flag.NArg() == 1) {
		fmt.Fprintln(os.Stderr, "usage: client URL, such as client http://127.0.0.1:8080, or client --kubeconfig FILE")
		os.Exit(2)
	}
	// Without a file, the first argument is the server.
	config, err := clientcmd.BuildConfigFromFlags(flag.Arg(0), *kubeconfig)
	if err != nil {
		fail("%v", err)
	}
	config.QPS = -1
	count := 0
	for _, media := range []string{"application/json", "application/vnd.kubernetes.protobuf"} {
		config := rest.CopyConfig(config)
		config.ContentType = media
		// Clients that prefer protobuf accept JSON, too: not everything is available in protobuf.
		config.AcceptContentTypes = media + ",application/json"
		count += run(checks, config, ", in "+media)
	}
	count += run(onceChecks, config, "")
	fmt.Printf("%d of %d checks\n", count, count)
}

// run returns how many checks have passed: all but those that are left out.
func run(checks []check, config *rest.Config, how string) (count int) {
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		fail("%v", err)
	}
	ctx := context.Background()
	space := &core.Namespace{ObjectMeta: meta.ObjectMeta{Name: namespace}}
	if _, err := clients.CoreV1().Namespaces().Create(ctx, space, meta.CreateOptions{}); err != nil && !api.IsAlreadyExists(err) {
		fail("namespace %s: %v", namespace, err)
	}
	for _, check := range checks {
		ctx, cancel := context.WithTimeout(ctx, patience)
		err := check.run(ctx, connection{clients, config})
		cancel()
		var left leftOut
		switch {
		case errors.As(err, &left):
			fmt.Printf("left out: %s%s: %s\n", check.name, how, left.why)
		case err != nil:
			fail("%s%s: %v", check.name, how, err)
		default:
			fmt.Printf("ok: %s%s\n", check.name, how)
			count++
		}
	}
	return count
}

func fail(format string, values ...any) {
	fmt.Fprintf(os.Stderr, "failed: "+format+"\n", values...)
	os.Exit(1)
}
