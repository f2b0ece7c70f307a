package main

import (
	"go/ast"
	"strconv"
)

// readStruct returns the facts about the fields of a struct that are in JSON. A struct none of whose
// fields has a `json` tag has its own form in JSON (a Quantity is a string): its fields are no facts.
func (r *reader) readStruct(body *ast.StructType) []field {
	var fields []field
	var untagged []*ast.Field
	anyJSON := false
	seen := map[string]bool{}
	for _, syntax := range body.Fields.List {
		tags, ok := r.readTags(syntax)
		if !ok {
			continue
		}
		if tags.json == nil {
			if !tags.inProtobuf && exported(syntax) {
				untagged = append(untagged, syntax)
			}
			continue
		}
		anyJSON = true
		if tags.json.skipped {
			continue
		}
		read, ok := r.readField(syntax, tags)
		if !ok {
			continue
		}
		if seen[read.name] {
			r.fail(syntax, "`%s` is the name of two fields", read.name)
			continue
		}
		seen[read.name] = true
		fields = append(fields, read)
	}
	if anyJSON {
		// A field that has only a `protobuf` tag exists only in protobuf. With neither tag, nobody has
		// said what the field is called.
		for _, syntax := range untagged {
			r.fail(syntax, "`%s` has neither a `json` nor a `protobuf` tag, other fields have", goName(syntax))
		}
	}
	return fields
}

func (r *reader) readField(syntax *ast.Field, tags fieldTags) (field, bool) {
	if len(syntax.Names) > 1 {
		r.fail(syntax, "two fields share one `json` tag")
		return field{}, false
	}
	if !exported(syntax) {
		r.fail(syntax, "`%s` has a `json` tag but is not exported", goName(syntax))
		return field{}, false
	}
	shape, text, err := describe(syntax.Type)
	if err != nil {
		r.fail(syntax, "`%s`: %v", goName(syntax), err)
		return field{}, false
	}
	name := tags.json.name
	embedded := len(syntax.Names) == 0
	inline := tags.json.inline || embedded && name == ""
	switch {
	case inline && name != "":
		r.fail(syntax, "`%s` is inline but has a name in JSON", name)
		return field{}, false
	case inline:
		name = "<inline> " + text
	case name == "":
		name = goName(syntax)
	}
	return field{name, fact{
		Inline:    inline,
		Shape:     shape,
		Type:      text,
		OmitEmpty: tags.json.omitEmpty,
		OmitZero:  tags.json.omitZero,
		Protobuf:  tags.protobuf,
	}}, true
}

// readTags returns false if it reported an error.
func (r *reader) readTags(syntax *ast.Field) (tags fieldTags, ok bool) {
	if syntax.Tag == nil {
		return fieldTags{}, true
	}
	text, err := strconv.Unquote(syntax.Tag.Value)
	if err == nil {
		tags, err = parseTags(text)
	}
	if err != nil {
		r.fail(syntax.Tag, "`%s`: %v", goName(syntax), err)
		return fieldTags{}, false
	}
	return tags, true
}

func exported(syntax *ast.Field) bool {
	return ast.IsExported(goName(syntax))
}

// goName returns the name of a field in Go, which for an embedded type is that of the type.
func goName(syntax *ast.Field) string {
	if len(syntax.Names) > 0 {
		return syntax.Names[0].Name
	}
	switch embedded := syntax.Type.(type) {
	case *ast.StarExpr:
		return goName(&ast.Field{Type: embedded.X})
	case *ast.SelectorExpr:
		return embedded.Sel.Name
	case *ast.Ident:
		return embedded.Name
	}
	return "?"
}
