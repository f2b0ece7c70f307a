// Field-facts prints what the Go types of Kubernetes modules say about the fields of the API: their
// order, pointer or value, omission, protobuf number and embedding. No other published document has all
// of this.
//
//	go run . DIR... >facts.json
//
// Each DIR is the root folder of a module, such as k8s.io/api, with its go.mod; a folder without go.mod
// is written PATH=DIR (k8s.io/api=DIR).
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run returns the exit code. It prints facts only if there was no error: half of the facts would look
// like all facts of a smaller release.
func run(arguments []string, stdout, stderr io.Writer) int {
	if len(arguments) == 0 {
		fmt.Fprintln(stderr, "usage: field-facts DIR... (or PATH=DIR, if the module has no go.mod)")
		return 2
	}
	facts := newFacts()
	for _, argument := range arguments {
		facts.addModule(argument)
	}
	if len(facts.errors) > 0 {
		for _, err := range facts.errors {
			fmt.Fprintln(stderr, err)
		}
		return 1
	}
	var text bytes.Buffer
	if err := facts.write(&text); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	if _, err := stdout.Write(text.Bytes()); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}
