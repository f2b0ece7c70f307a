// Package answer converts objects with an operator's own functions, one request per line.
package answer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// Kind is a kind with its versions, which convert to and from one of them, the hub.
type Kind struct {
	// Hub is the version to which the operator's functions convert.
	Hub string
	// New makes an empty object of each version.
	New map[string]func() any
	// ToHub converts an object of another version to the hub.
	ToHub func(object, hub any) error
	// FromHub converts the hub to an object of another version.
	FromHub func(object, hub any) error
}

// request asks for an object at another version. With the same version twice, it is only decoded and encoded.
type request struct {
	Kind   string          `json:"kind"`
	From   string          `json:"from"`
	To     string          `json:"to"`
	Object json.RawMessage `json:"object"`
}

// response has the object, or the reason why there is none.
type response struct {
	Object any    `json:"object,omitempty"`
	Error  string `json:"error,omitempty"`
}

// Serve answers the requests on standard input, each with one line on standard output, until the input ends. With the
// arguments `cost ROUNDS`, it measures the conversions of all of them instead.
func Serve(kinds map[string]Kind) {
	if len(os.Args) == 3 && os.Args[1] == "cost" {
		measure(kinds, os.Args[2])
		return
	}
	input := bufio.NewReaderSize(os.Stdin, 1<<20)
	output := bufio.NewWriterSize(os.Stdout, 1<<20)
	defer output.Flush()
	for {
		line, err := input.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			output.Write(encoded(answer(kinds, line)))
		}
		if err != nil {
			return
		}
		if input.Buffered() == 0 {
			output.Flush()
		}
	}
}

// encoded is a line. What cannot be encoded is an error, like what cannot be decoded.
func encoded(answer response) []byte {
	line, err := json.Marshal(answer)
	if err != nil {
		line, err = json.Marshal(response{Error: "the answer: " + err.Error()})
	}
	if err != nil {
		panic(err)
	}
	return append(line, '\n')
}

func answer(kinds map[string]Kind, line []byte) (out response) {
	defer func() {
		if reason := recover(); reason != nil {
			out = response{Error: fmt.Sprintf("panic: %v", reason)}
		}
	}()
	object, err := convert(kinds, line)
	if err != nil {
		return response{Error: err.Error()}
	}
	return response{Object: object}
}

func convert(kinds map[string]Kind, line []byte) (any, error) {
	asked, err := parsed(line)
	if err != nil {
		return nil, err
	}
	return asked.convert(kinds)
}

func parsed(line []byte) (*request, error) {
	asked := new(request)
	if err := json.Unmarshal(line, asked); err != nil {
		return nil, fmt.Errorf("the request: %w", err)
	}
	return asked, nil
}

func (asked *request) convert(kinds map[string]Kind) (any, error) {
	kind, known := kinds[asked.Kind]
	if !known {
		return nil, fmt.Errorf("unknown kind %q", asked.Kind)
	}
	for _, version := range []*string{&asked.From, &asked.To} {
		if kind.New[*version] == nil {
			// A program may name its versions without the group.
			*version = (*version)[strings.LastIndex(*version, "/")+1:]
		}
		if kind.New[*version] == nil {
			return nil, fmt.Errorf("unknown version %q of %s", *version, asked.Kind)
		}
	}
	object := kind.New[asked.From]()
	if err := json.Unmarshal(asked.Object, object); err != nil {
		return nil, fmt.Errorf("the object: %w", err)
	}
	if asked.From == asked.To {
		return object, nil
	}
	if asked.From != kind.Hub {
		hub := kind.New[kind.Hub]()
		if err := kind.ToHub(object, hub); err != nil {
			return nil, err
		}
		object = hub
	}
	if asked.To != kind.Hub {
		shown := kind.New[asked.To]()
		if err := kind.FromHub(shown, object); err != nil {
			return nil, err
		}
		object = shown
	}
	return object, nil
}
