package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func runWith(arguments ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(arguments, &out, &errs)
	return code, out.String(), errs.String()
}

func TestFacts(t *testing.T) {
	code, stdout, stderr := runWith("testdata/machinery", "k8s.io/api=testdata/flat")
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d, errors:\n%s", code, stderr)
	}
	expected, err := os.ReadFile("testdata/facts.json")
	if err != nil {
		t.Fatal(err)
	}
	if stdout != string(expected) {
		got, want := strings.Split(stdout, "\n"), strings.Split(string(expected), "\n")
		for i := range got {
			if i >= len(want) || got[i] != want[i] {
				t.Fatalf("line %d differs from testdata/facts.json:\n%s", i+1, got[i])
			}
		}
		t.Fatalf("only the first %d lines of testdata/facts.json were printed", len(got))
	}
}

func TestSameModuleTwice(t *testing.T) {
	_, once, _ := runWith("testdata/machinery")
	code, twice, stderr := runWith("testdata/machinery", "testdata/machinery")
	if code != 0 || once != twice {
		t.Errorf("exit code %d, errors:\n%s", code, stderr)
	}
}

// writeModule writes a module and returns its folder.
func writeModule(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

const goMod = "module example.org/some\n"

// expectErrors checks that an error prints nothing but itself, with all parts in its text; FOLDER in a
// part is the folder of the module.
func expectErrors(t *testing.T, folder string, arguments []string, parts ...string) {
	t.Helper()
	code, stdout, stderr := runWith(arguments...)
	if code != 1 {
		t.Errorf("exit code %d", code)
	}
	if stdout != "" {
		t.Errorf("something was printed:\n%s", stdout)
	}
	for _, part := range parts {
		part = filepath.FromSlash(strings.ReplaceAll(part, "FOLDER", folder))
		if !strings.Contains(stderr, part) {
			t.Errorf("no `%s` in the errors:\n%s", part, stderr)
		}
	}
}

func TestErrorsInFields(t *testing.T) {
	for name, test := range map[string]struct{ field, message string }{
		"tags of another form":      {"A string `json:a`", "not of the form key:\"value\""},
		"tag without end":           {"A string `json:\"a`", "not of the form key:\"value\""},
		"tags without space":        {"A string `json:\"a\"protobuf:\"bytes,1\"`", "not of the form key:\"value\""},
		"unknown option":            {"A string `json:\"a,string\"`", "unknown option `string`"},
		"empty option":              {"A string `json:\"a,\"`", "unknown option ``"},
		"name of a skipped field":   {"A string `json:\"-,\"`", "unknown option ``"},
		"skipped with an option":    {"A string `json:\"-,omitempty\"`", "names a field `-`"},
		"no protobuf number":        {"A string `json:\"a\" protobuf:\"bytes\"`", "has no number"},
		"wrong protobuf number":     {"A string `json:\"a\" protobuf:\"bytes,x\"`", "`x` in the tag"},
		"protobuf number 0":         {"A string `json:\"a\" protobuf:\"bytes,0\"`", "`0` in the tag"},
		"protobuf without json":     {"A string `protobuf:\"x\"`", "has no number"},
		"inline with a name":        {"A string `json:\"a,inline\"`", "is inline but has a name"},
		"no tag beside others":      {"A string", "`A` has neither a `json` nor a `protobuf` tag"},
		"embedded without tag":      {"other.A", "`A` has neither a `json` nor a `protobuf` tag"},
		"other tag beside others":   {"A string `yaml:\"a\"`", "`A` has neither a `json` nor a `protobuf` tag"},
		"two names for one tag":     {"A, B string `json:\"a\"`", "two fields share one `json` tag"},
		"one name twice":            {"A string `json:\"first\"`", "`first` is the name of two fields"},
		"tag that Go does not read": {"a string `json:\"a\"`", "`a` has a `json` tag but is not exported"},
		"array of fixed length":     {"A [4]byte `json:\"a\"`", "array of fixed length"},
		"function":                  {"A func() `json:\"a\"`", "not one of an API"},
		"struct without name":       {"A []struct{} `json:\"a\"`", "not one of an API"},
		"interface with methods":    {"A interface{ B() } `json:\"a\"`", "not one of an API"},
	} {
		t.Run(name, func(t *testing.T) {
			source := "package v1\n\ntype Some struct {\n\tFirst string `json:\"first\"`\n\t" + test.field + "\n}\n"
			folder := writeModule(t, map[string]string{"go.mod": goMod, "some/v1/types.go": source})
			expectErrors(t, folder, []string{folder}, "FOLDER/some/v1/types.go:5: ", test.message)
		})
	}
}

func TestAllErrorsAreReported(t *testing.T) {
	folder := writeModule(t, map[string]string{
		"go.mod":            goMod,
		"some/v1/types.go":  "package v1\n\ntype Broken struct {\n",
		"some/v2/types.go":  "package v2\n\ntype Some struct {\n\tA string `json:\"a,x\"`\n\tB string `json:\"b,y\"`\n}\n",
		"other/v1/types.go": "package v1\n\ntype Right struct {\n\tA string `json:\"a\"`\n}\n",
	})
	expectErrors(t, folder, []string{folder},
		"FOLDER/some/v1/types.go:3: this is not Go", "FOLDER/some/v2/types.go:4: ", "FOLDER/some/v2/types.go:5: ")
}

func TestGenericType(t *testing.T) {
	source := "package v1\n\ntype Some[T any] struct {\n\tA T `json:\"a\"`\n}\n"
	folder := writeModule(t, map[string]string{"go.mod": goMod, "some/v1/types.go": source})
	expectErrors(t, folder, []string{folder}, "FOLDER/some/v1/types.go:3: Some has type parameters")
}

func TestDifferentFacts(t *testing.T) {
	source := func(fields string) string { return "package v1\n\ntype Some struct {\n" + fields + "}\n" }
	first := source("\tA string `json:\"a\"`\n\tB string `json:\"b\"`\n")
	for name, second := range map[string]string{
		"order":   source("\tB string `json:\"b\"`\n\tA string `json:\"a\"`\n"),
		"fact":    source("\tA string `json:\"a\"`\n\tB *string `json:\"b\"`\n"),
		"nothing": source(""),
	} {
		t.Run(name, func(t *testing.T) {
			folder := writeModule(t, map[string]string{
				"go.mod": goMod, "some/v1/types.go": first, "some/v1/types_other.go": second,
			})
			expectErrors(t, folder, []string{folder}, "org.example.some.some.v1.Some: ",
				"FOLDER/some/v1/types.go and FOLDER/some/v1/types_other.go declare different fields")
		})
	}
}

func TestFoldersThatHoldNothing(t *testing.T) {
	types := "package v1\n\ntype Some struct {\n\tA string `json:\"a\"`\n}\n"
	for name, test := range map[string]struct {
		files   map[string]string
		prefix  string
		suffix  string
		message string
	}{
		"no such folder":    {nil, "", "/none", "FOLDER/none: there is no such folder"},
		"a file":            {map[string]string{"go.mod": goMod}, "", "/go.mod", "FOLDER/go.mod: this is not a folder"},
		"no Go file":        {map[string]string{"go.mod": goMod}, "", "", "FOLDER: there is no Go file"},
		"no API types":      {map[string]string{"go.mod": goMod, "v1/types.go": types}, "", "", "FOLDER: no package"},
		"no go.mod":         {map[string]string{"some/v1/types.go": types}, "", "", "FOLDER: there is no go.mod"},
		"no module line":    {map[string]string{"go.mod": "go 1.21\n"}, "", "", "FOLDER/go.mod: there is no line"},
		"another module":    {map[string]string{"go.mod": goMod}, "k8s.io/api=", "", "example.org/some, not k8s.io/api"},
		"no folder, a path": {nil, "k8s.io/api=", "/none", "FOLDER/none: there is no such folder"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := writeModule(t, test.files)
			argument := test.prefix + filepath.FromSlash(folder+test.suffix)
			// What is right must not be printed either.
			expectErrors(t, folder, []string{"testdata/machinery", argument}, test.message)
		})
	}
}

func TestNoArgument(t *testing.T) {
	if code, stdout, stderr := runWith(); code != 2 || stdout != "" || !strings.Contains(stderr, "usage") {
		t.Errorf("exit code %d, output %q, errors %q", code, stdout, stderr)
	}
}
