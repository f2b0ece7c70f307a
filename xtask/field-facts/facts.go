package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"sort"
)

// A fact is what a Go struct says about one field.
type fact struct {
	Inline    bool   `json:"inline,omitempty"`
	Shape     string `json:"shape"`
	Type      string `json:"type"`
	OmitEmpty bool   `json:"omitempty,omitempty"`
	OmitZero  bool   `json:"omitzero,omitempty"`
	Protobuf  int    `json:"protobuf,omitempty"`
}

// A field is the fact about the field of a name.
type field struct {
	name string
	fact fact
}

// A declaration is a type with its fields in the order of the struct.
type declaration struct {
	name   string
	file   string
	fields []field
}

// facts are the declarations of all modules, and all errors: a new release that violates a rule often
// violates it in more than one place.
type facts struct {
	declarations map[string]declaration
	errors       []error
}

func newFacts() *facts {
	return &facts{declarations: map[string]declaration{}}
}

func (f *facts) fail(errs ...error) {
	f.errors = append(f.errors, errs...)
}

func (f *facts) addModule(argument string) {
	opened, err := openModule(argument)
	if err != nil {
		f.fail(err)
		return
	}
	files, err := opened.sourceFiles()
	if err != nil {
		f.fail(err)
		return
	}
	for _, file := range files {
		declarations, errs := readFile(file)
		f.fail(errs...)
		for _, declaration := range declarations {
			f.add(declaration)
		}
	}
}

// add adds a declaration. A type may be declared twice (in files for different builds, in a module that
// was named twice), as long as both say the same.
func (f *facts) add(second declaration) {
	first, known := f.declarations[second.name]
	if known && !reflect.DeepEqual(first.fields, second.fields) {
		f.fail(fmt.Errorf("%s: %s and %s declare different fields", second.name, first.file, second.file))
		return
	}
	if !known {
		f.declarations[second.name] = second
	}
}

// write prints the facts as JSON, of types that have fields. Types are sorted by name, fields keep the
// order of the struct, which is why a map doesn't do.
func (f *facts) write(out io.Writer) error {
	names := make([]string, 0, len(f.declarations))
	for name, declaration := range f.declarations {
		if len(declaration.fields) > 0 {
			names = append(names, name)
		}
	}
	sort.Strings(names)

	var compact bytes.Buffer
	compact.WriteByte('{')
	for i, name := range names {
		if err := writeKey(&compact, i, name); err != nil {
			return err
		}
		compact.WriteByte('{')
		for i, field := range f.declarations[name].fields {
			if err := writeKey(&compact, i, field.name); err != nil {
				return err
			}
			if err := writeValue(&compact, field.fact); err != nil {
				return err
			}
		}
		compact.WriteByte('}')
	}
	compact.WriteByte('}')

	var text bytes.Buffer
	if err := json.Indent(&text, compact.Bytes(), "", " "); err != nil {
		return err
	}
	text.WriteByte('\n')
	_, err := out.Write(text.Bytes())
	return err
}

func writeKey(out *bytes.Buffer, index int, key string) error {
	if index > 0 {
		out.WriteByte(',')
	}
	if err := writeValue(out, key); err != nil {
		return err
	}
	out.WriteByte(':')
	return nil
}

// writeValue keeps `<` readable, which json.Marshal would escape for HTML.
func writeValue(out *bytes.Buffer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}
