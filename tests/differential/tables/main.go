// Command tables shows objects in the columns of Kubernetes' own printers. It
// reads a request per line from standard input, with an object, and writes it
// with the table that a kube-apiserver would make of the object. Objects are
// defaulted first, as they are when a server reads them.
// docs/differential.md describes requests and answers.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	crds "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kube "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/printers"
	printersinternal "k8s.io/kubernetes/pkg/printers/internalversion"
)

// record is a request and, once it is answered, its answer.
type record struct {
	Object  json.RawMessage `json:"object"`
	Release string          `json:"release,omitempty"`
	Columns []column        `json:"columns,omitempty"`
	Rows    []row           `json:"rows,omitempty"`
	Error   string          `json:"error,omitempty"`
}

// column is a column without its description.
type column struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Format   string `json:"format"`
	Priority int32  `json:"priority"`
}

// row is a row without its object, and without messages.
type row struct {
	Cells  []any  `json:"cells"`
	Reason string `json:"reason,omitempty"`
}

var scheme = legacyscheme.Scheme

var generator = printers.NewTableGenerator().With(printersinternal.AddHandlers)

// usual are the kinds that a kube-apiserver shows with the columns of all
// other kinds, although there may be a printer.
var usual = map[schema.GroupKind]bool{
	{Group: "", Kind: "LimitRange"}:                           true,
	{Group: "rbac.authorization.k8s.io", Kind: "Role"}:        true,
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"}: true,
	{Group: "storage.k8s.io", Kind: "CSIStorageCapacity"}:     true,
}

var release = func() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "k8s.io/kubernetes" {
			return strings.TrimPrefix(module.Version, "v")
		}
	}
	panic("the program was built without k8s.io/kubernetes")
}()

func main() {
	crds.Install(scheme)
	if err := answerAll(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "tables:", err)
		os.Exit(1)
	}
}

func answerAll(in io.Reader, out io.Writer) error {
	reader, writer := bufio.NewReaderSize(in, 1<<20), bufio.NewWriterSize(out, 1<<20)
	for {
		line, err := reader.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			return writer.Flush()
		}
		if err != nil && err != io.EOF {
			return err
		}
		var asked record
		if err := json.Unmarshal(line, &asked); err != nil {
			return err
		}
		asked.Release, asked.Columns, asked.Rows, asked.Error = release, nil, nil, ""
		if err := answer(&asked); err != nil {
			asked.Error = err.Error()
		}
		encoder := json.NewEncoder(writer)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(asked); err != nil {
			return err
		}
	}
}

func answer(asked *record) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic: %v", panicked)
		}
	}()
	object, kind, err := legacyscheme.Codecs.UniversalDeserializer().Decode(asked.Object, nil, nil)
	if err != nil {
		return err
	}
	scheme.Default(object)
	group := kind.Group
	if kind.Kind == "Event" {
		group = ""
	}
	hub, err := scheme.UnsafeConvertToVersion(object, schema.GroupVersion{Group: group, Version: kube.APIVersionInternal})
	if err != nil {
		return err
	}
	var table *metav1.Table
	if usual[kind.GroupKind()] {
		table, err = rest.NewDefaultTableConvertor(schema.GroupResource{}).ConvertToTable(context.TODO(), hub, nil)
	} else {
		table, err = generator.GenerateTable(hub, printers.GenerateOptions{Wide: true})
	}
	if err != nil {
		return err
	}
	for _, each := range table.ColumnDefinitions {
		asked.Columns = append(asked.Columns, column{each.Name, each.Type, each.Format, each.Priority})
	}
	for _, each := range table.Rows {
		shown := row{Cells: each.Cells}
		if len(each.Conditions) > 0 {
			shown.Reason = each.Conditions[0].Reason
		}
		asked.Rows = append(asked.Rows, shown)
	}
	return nil
}
