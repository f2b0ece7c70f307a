package main

import (
	"errors"
	"fmt"
	"go/ast"
)

// anything is the text of a type that can hold every value; `any` is its other name.
const anything = "interface{}"

// describe returns the shape of a field's type and its text, which for a pointer is that of the type it
// points to. A named list or map has the shape `value`: what the name stands for is declared elsewhere.
func describe(expr ast.Expr) (shape, text string, err error) {
	shape = "value"
	switch expr := expr.(type) {
	case *ast.StarExpr:
		text, err = typeText(expr.X)
		return "pointer", text, err
	case *ast.ArrayType:
		shape = "list"
		if element, ok := expr.Elt.(*ast.Ident); ok && (element.Name == "byte" || element.Name == "uint8") {
			shape = "bytes"
		}
	case *ast.MapType:
		shape = "map"
	}
	text, err = typeText(expr)
	return shape, text, err
}

// typeText returns the text of a type as gofmt writes it. Types that no API uses are errors: nobody has
// said how they look in JSON and protobuf.
func typeText(expr ast.Expr) (string, error) {
	switch expr := expr.(type) {
	case *ast.Ident:
		if expr.Name == "any" {
			return anything, nil
		}
		return expr.Name, nil
	case *ast.SelectorExpr:
		scope, err := typeText(expr.X)
		return scope + "." + expr.Sel.Name, err
	case *ast.StarExpr:
		text, err := typeText(expr.X)
		return "*" + text, err
	case *ast.ArrayType:
		if expr.Len != nil {
			return "", errors.New("an array of fixed length is not a type of an API")
		}
		text, err := typeText(expr.Elt)
		return "[]" + text, err
	case *ast.MapType:
		key, err := typeText(expr.Key)
		if err != nil {
			return "", err
		}
		value, err := typeText(expr.Value)
		return "map[" + key + "]" + value, err
	case *ast.InterfaceType:
		if len(expr.Methods.List) == 0 {
			return anything, nil
		}
	}
	return "", fmt.Errorf("this form of type (%T) is not one of an API", expr)
}
