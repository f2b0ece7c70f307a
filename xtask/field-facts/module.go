package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A module is a Go module in a folder.
type module struct {
	path   string
	folder string
}

// openModule finds the module that an argument of the command line denotes.
func openModule(argument string) (module, error) {
	path, folder, named := strings.Cut(argument, "=")
	if !named {
		path, folder = "", argument
	}
	if info, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return module{}, fmt.Errorf("%s: there is no such folder", folder)
	} else if err != nil {
		return module{}, err
	} else if !info.IsDir() {
		return module{}, fmt.Errorf("%s: this is not a folder", folder)
	}
	file := filepath.Join(folder, "go.mod")
	text, err := os.ReadFile(file)
	switch {
	case err == nil:
		declared := declaredPath(string(text))
		if declared == "" {
			return module{}, fmt.Errorf("%s: there is no line `module PATH`", file)
		}
		if named && path != declared {
			return module{}, fmt.Errorf("%s: this is module %s, not %s", file, declared, path)
		}
		path = declared
	case !errors.Is(err, fs.ErrNotExist):
		return module{}, err
	case path == "":
		return module{}, fmt.Errorf("%s: there is no go.mod: write PATH=DIR (such as k8s.io/api=%s)", folder, folder)
	}
	return module{path, folder}, nil
}

// declaredPath returns the path in the module line of a go.mod.
func declaredPath(text string) string {
	for _, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		if len(words) != 2 || words[0] != "module" {
			continue
		}
		if path, err := strconv.Unquote(words[1]); err == nil {
			return path
		}
		return words[1]
	}
	return ""
}

// packageName returns the name under which Kubernetes publishes the types of a package: the domain in
// reverse order, then the folders. `k8s.io/api` and `apps/v1` are `io.k8s.api.apps.v1`.
func (m module) packageName(folder string) string {
	domain, rest, _ := strings.Cut(m.path, "/")
	parts := strings.Split(domain, ".")
	for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
		parts[i], parts[j] = parts[j], parts[i]
	}
	if rest != "" {
		parts = append(parts, strings.Split(rest, "/")...)
	}
	if folder != "." {
		parts = append(parts, strings.Split(folder, "/")...)
	}
	return strings.Join(parts, ".")
}
