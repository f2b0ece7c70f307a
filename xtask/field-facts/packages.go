package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// apiPackage matches the folders that hold the types of an API version: GROUP/VERSION in k8s.io/api,
// pkg/apis/GROUP/VERSION elsewhere. Folders deeper in a module (clients, examples, vendored copies) have
// copies of those types or other forms of them.
var apiPackage = regexp.MustCompile(`^(pkg/apis/)?[a-z0-9]+/v[0-9]+((alpha|beta)[0-9]+)?$`)

// otherPackages are the folders with published types that belong to no API version.
var otherPackages = map[string]bool{"pkg/runtime": true, "pkg/version": true}

// privatePackage matches packages of that form that no API server serves: those for the tests of the API
// machinery, and files that configure a program.
var privatePackage = regexp.MustCompile(`^pkg/apis/(testapigroup|config)/`)

func holdsTypes(folder string) bool {
	return otherPackages[folder] || apiPackage.MatchString(folder) && !privatePackage.MatchString(folder)
}

// declaresTypes tells whether a file of an API package declares types of the API. By convention they are
// in types.go and its companions (types_jsonschema.go). The protobuf form of a time has a file of its
// own; other files declare what the machinery itself reads and writes (WatchEvent, GroupVersionKind).
func declaresTypes(file string) bool {
	if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
		return false
	}
	return strings.HasPrefix(file, "types") || file == "time_proto.go"
}

// A sourceFile is a file that declares types.
type sourceFile struct {
	packageName string
	path        string
}

// sourceFiles returns the files of the module that declare types, in the order of their paths. Build
// constraints are ignored on purpose: facts don't depend on how a program is built, and two forms of a
// type that differ are an error later.
func (m module) sourceFiles() ([]sourceFile, error) {
	var files []sourceFile
	anyGo := false
	err := fs.WalkDir(os.DirFS(m.folder), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		anyGo = anyGo || path.Ext(name) == ".go"
		folder := path.Dir(name)
		if holdsTypes(folder) && declaresTypes(path.Base(name)) {
			files = append(files, sourceFile{m.packageName(folder), filepath.Join(m.folder, filepath.FromSlash(name))})
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", m.folder, err)
	case !anyGo:
		return nil, fmt.Errorf("%s: there is no Go file in this folder", m.folder)
	case len(files) == 0:
		return nil, fmt.Errorf("%s: no package of this module holds API types: "+
			"none is named GROUP/VERSION or pkg/apis/GROUP/VERSION and has a file types.go", m.folder)
	}
	return files, nil
}
