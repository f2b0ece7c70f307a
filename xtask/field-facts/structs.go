package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
)

// A reader reads the structs of one file and notes each error at its place.
type reader struct {
	positions *token.FileSet
	errors    []error
}

func (r *reader) fail(node ast.Node, format string, arguments ...any) {
	place := r.positions.Position(node.Pos())
	message := fmt.Sprintf(format, arguments...)
	r.errors = append(r.errors, fmt.Errorf("%s:%d: %s", place.Filename, place.Line, message))
}

// readFile returns the exported structs of a file, also those without fields in JSON.
func readFile(file sourceFile) ([]declaration, []error) {
	r := &reader{positions: token.NewFileSet()}
	syntax, err := parser.ParseFile(r.positions, file.path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, syntaxErrors(err)
	}
	var declarations []declaration
	for _, decl := range syntax.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.TYPE {
			continue
		}
		for _, spec := range group.Specs {
			spec := spec.(*ast.TypeSpec)
			body, ok := spec.Type.(*ast.StructType)
			if !ok || !spec.Name.IsExported() {
				continue
			}
			fields := r.readStruct(body)
			if spec.TypeParams != nil {
				r.fail(spec, "%s has type parameters, which this program does not know", spec.Name.Name)
			}
			name := file.packageName + "." + spec.Name.Name
			declarations = append(declarations, declaration{name, file.path, fields})
		}
	}
	return declarations, r.errors
}

// syntaxErrors splits the errors of the parser, whose joint text has only the first.
func syntaxErrors(err error) []error {
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return []error{err}
	}
	errs := make([]error, len(list))
	for i, one := range list {
		errs[i] = fmt.Errorf("%s:%d: this is not Go: %s", one.Pos.Filename, one.Pos.Line, one.Msg)
	}
	return errs
}
