// Command client checks a running server with Kubernetes' own Go client: it
// creates, reads, lists, updates and deletes objects of a few kinds at several
// versions, in JSON and in protobuf, and reads discovery. It prints a line per
// check and exits with 1 at the first check that fails.
//
// It writes to the namespace `differential`, and removes its objects.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

const namespace = "differential"

// A check tests a behavior that clients rely on.
type check struct {
	name string
	run  func(context.Context, *kubernetes.Clientset) error
}

var checks = []check{
	{"discovery", discovered},
	{"a config map from creation to deletion", configMap},
	{"lists in pages, by label and by name", lists},
	{"a deployment and its status", deployment},
	{"an autoscaler at two versions", autoscaler},
	{"a disruption budget at two versions", disruptionBudget},
	{"deletion of a collection", collection},
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: client URL, such as client http://127.0.0.1:8080")
		os.Exit(2)
	}
	count := 0
	for _, media := range []string{"application/json", "application/vnd.kubernetes.protobuf"} {
		config := &rest.Config{Host: os.Args[1], QPS: -1, Timeout: time.Minute}
		config.ContentType = media
		// Clients that prefer protobuf accept JSON, too: not everything is available in protobuf.
		config.AcceptContentTypes = media + ",application/json"
		clients, err := kubernetes.NewForConfig(config)
		if err != nil {
			fail("%s: %v", os.Args[1], err)
		}
		for _, check := range checks {
			if err := check.run(context.Background(), clients); err != nil {
				fail("%s, in %s: %v", check.name, media, err)
			}
			fmt.Printf("ok: %s, in %s\n", check.name, media)
			count++
		}
	}
	fmt.Printf("%d of %d checks\n", count, count)
}

func fail(format string, values ...any) {
	fmt.Fprintf(os.Stderr, "failed: "+format+"\n", values...)
	os.Exit(1)
}
