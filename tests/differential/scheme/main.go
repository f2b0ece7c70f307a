// Command scheme answers requests with the legacy scheme of Kubernetes: it
// defaults objects, converts them to other versions, and encodes them in
// protobuf. It reads a request per line from standard input and writes the
// answers in the same order to standard output. docs/differential.md describes
// requests and answers.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	crds "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	kube "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	aggregated "k8s.io/kube-aggregator/pkg/apis/apiregistration/install"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// record is a request and, once it is answered, its answer. Fields are written
// in this order.
type record struct {
	Default  *bool                      `json:"default,omitempty"`
	To       []string                   `json:"to,omitempty"`
	Encode   string                     `json:"encode,omitempty"`
	Object   json.RawMessage            `json:"object"`
	Release  string                     `json:"release,omitempty"`
	Now      string                     `json:"now,omitempty"`
	Answer   json.RawMessage            `json:"answer,omitempty"`
	Versions map[string]json.RawMessage `json:"versions,omitempty"`
	Protobuf []byte                     `json:"protobuf,omitempty"`
	Error    string                     `json:"error,omitempty"`
}

var scheme = legacyscheme.Scheme

// release is the release of Kubernetes that answers, such as 1.35.4.
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
	aggregated.Install(scheme)
	if err := answerAll(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "scheme:", err)
		os.Exit(1)
	}
}

// answerAll answers batches of lines on all processors, and writes each batch
// in the order of its requests.
func answerAll(in io.Reader, out io.Writer) error {
	const batch = 512
	reader := bufio.NewReaderSize(in, 1<<20)
	writer := bufio.NewWriterSize(out, 1<<20)
	for first, ended := 1, false; !ended; first += batch {
		var lines [][]byte
		for len(lines) < batch && !ended {
			line, err := reader.ReadBytes('\n')
			if err != nil && err != io.EOF {
				return err
			}
			if ended = err == io.EOF; !ended || len(line) > 0 {
				lines = append(lines, line)
			}
		}
		errs := make([]error, len(lines))
		next := make(chan int)
		var workers sync.WaitGroup
		for i := 0; i < runtime.GOMAXPROCS(0); i++ {
			workers.Add(1)
			go func() {
				defer workers.Done()
				for i := range next {
					lines[i], errs[i] = answerLine(lines[i])
				}
			}()
		}
		for i := range lines {
			next <- i
		}
		close(next)
		workers.Wait()
		for i, line := range lines {
			if errs[i] != nil {
				return fmt.Errorf("line %d: expected a request: %w", first+i, errs[i])
			}
			if _, err := writer.Write(line); err != nil {
				return err
			}
		}
	}
	return writer.Flush()
}

func answerLine(line []byte) ([]byte, error) {
	var asked record
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&asked); err != nil {
		return nil, err
	}
	if asked.Object == nil {
		return nil, fmt.Errorf("no field `object`")
	}
	// Replaces the answers of an earlier run.
	asked.Now, asked.Answer, asked.Versions, asked.Protobuf, asked.Error = "", nil, nil, nil, ""
	asked.Release = release
	if err := answer(&asked); err != nil {
		asked.Error = err.Error()
	}
	// An encoder, because json.Marshal would escape characters of the object for HTML.
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(asked)
	return out.Bytes(), err
}

// answer fills in the requested answers. An error means that the object cannot
// be decoded or encoded.
func answer(asked *record) (err error) {
	defer caught(&err)
	object, kind, err := legacyscheme.Codecs.UniversalDeserializer().Decode(asked.Object, nil, nil)
	if err != nil {
		return err
	}
	switch asked.Encode {
	case "":
	case "protobuf":
		var out bytes.Buffer
		err := protobuf.NewSerializer(scheme, scheme).Encode(object, &out)
		asked.Protobuf = out.Bytes()
		return err
	default:
		return fmt.Errorf("encode: expected protobuf, found %q", asked.Encode)
	}
	if asked.Default != nil && *asked.Default {
		before := time.Now()
		scheme.Default(object)
		// Some defaults are the current time. If the second has changed
		// since, answer again.
		if after := time.Now(); after.Unix() != before.Unix() {
			return answer(asked)
		}
		asked.Now = before.UTC().Format(time.RFC3339)
	}
	if asked.Answer, err = encodeJSON(object); err != nil {
		return err
	}
	for _, version := range asked.To {
		if asked.Versions == nil {
			asked.Versions = map[string]json.RawMessage{}
		}
		converted, err := convert(object, kind.Group, version)
		if err != nil {
			converted, _ = json.Marshal(map[string]string{"error": err.Error()})
		}
		asked.Versions[version] = converted
	}
	return nil
}

// convert converts an object to a version through the internal version of its
// group, as an API server does.
func convert(object kube.Object, group, version string) (out []byte, err error) {
	defer caught(&err)
	to, err := schema.ParseGroupVersion(version)
	if err != nil {
		return nil, err
	}
	internal := schema.GroupVersion{Group: group, Version: kube.APIVersionInternal}
	// The internal object may share memory with the original.
	hub, err := scheme.UnsafeConvertToVersion(object.DeepCopyObject(), internal)
	if err != nil {
		return nil, err
	}
	converted, err := scheme.ConvertToVersion(hub, to)
	if err != nil {
		return nil, err
	}
	return encodeJSON(converted)
}

func encodeJSON(object kube.Object) ([]byte, error) {
	var out bytes.Buffer
	serializer := jsonserializer.NewSerializerWithOptions(jsonserializer.DefaultMetaFactory, scheme, scheme, jsonserializer.SerializerOptions{})
	err := serializer.Encode(object, &out)
	return out.Bytes(), err
}

// caught converts a panic of upstream's code to an error.
func caught(err *error) {
	if panicked := recover(); panicked != nil {
		*err = fmt.Errorf("panic: %v", panicked)
	}
}
