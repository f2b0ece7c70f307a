package main

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// fieldTags are the parts of a field's tags that say something about the API.
type fieldTags struct {
	// json is nil if there is no `json` tag.
	json *jsonTag
	// protobuf is 0 if the field has no number in protobuf.
	protobuf   int
	inProtobuf bool
}

type jsonTag struct {
	name      string
	skipped   bool
	inline    bool
	omitEmpty bool
	omitZero  bool
}

// misspelled are options that published releases have by mistake. Go ignores them: such a field is never
// omitted.
var misspelled = map[string]bool{"omitemtpy": true, "omitEmpty": true}

// tagForm matches the conventional form of all tags of a field: pairs key:"value", separated by spaces.
var tagForm = regexp.MustCompile(`^\s*([^\s":]+:"([^"\\]|\\.)*"(\s+|$))*$`)

// parseTags parses the text between the backquotes. It checks the form itself, because a lookup in tags
// of another form finds nothing and says nothing.
func parseTags(text string) (fieldTags, error) {
	if !tagForm.MatchString(text) {
		return fieldTags{}, fmt.Errorf("the tags `%s` are not of the form key:\"value\"", text)
	}
	var tags fieldTags
	structTag := reflect.StructTag(text)
	if value, ok := structTag.Lookup("json"); ok {
		parsed, err := parseJSONTag(value)
		if err != nil {
			return fieldTags{}, err
		}
		tags.json = parsed
	}
	if value, ok := structTag.Lookup("protobuf"); ok {
		number, err := parseProtobufTag(value)
		if err != nil {
			return fieldTags{}, err
		}
		tags.protobuf = number
		tags.inProtobuf = true
	}
	return tags, nil
}

func parseJSONTag(value string) (*jsonTag, error) {
	if value == "-" {
		return &jsonTag{skipped: true}, nil
	}
	name, rest, more := strings.Cut(value, ",")
	tag := &jsonTag{name: name}
	for more {
		var option string
		option, rest, more = strings.Cut(rest, ",")
		switch option {
		case "inline":
			tag.inline = true
		case "omitempty":
			tag.omitEmpty = true
		case "omitzero":
			tag.omitZero = true
		default:
			if misspelled[option] {
				continue
			}
			return nil, fmt.Errorf("unknown option `%s` in the tag json:%q", option, value)
		}
	}
	if name == "-" {
		return nil, fmt.Errorf("the tag json:%q names a field `-`, which is likely to mean something else", value)
	}
	return tag, nil
}

// parseProtobufTag returns the number in `bytes,1,opt,name=x`; `-` is a field that protobuf doesn't have.
func parseProtobufTag(value string) (int, error) {
	if value == "-" {
		return 0, nil
	}
	parts := strings.Split(value, ",")
	if len(parts) < 2 {
		return 0, fmt.Errorf("the tag protobuf:%q has no number", value)
	}
	number, err := strconv.Atoi(parts[1])
	if err != nil || number < 1 {
		return 0, fmt.Errorf("`%s` in the tag protobuf:%q is not a number of a field", parts[1], value)
	}
	return number, nil
}
