// Package reasontest tests lists of sentences.
package reasontest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"
)

// Complete checks that the texts of all constants that a Go file declares are listed once.
func Complete(t *testing.T, file string, listed []string) {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var declared []string
	for _, d := range tree.Decls {
		constants, ok := d.(*ast.GenDecl)
		if !ok || constants.Tok != token.CONST {
			continue
		}
		for _, spec := range constants.Specs {
			for _, value := range spec.(*ast.ValueSpec).Values {
				text, err := strconv.Unquote(value.(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				declared = append(declared, text)
			}
		}
	}
	slices.Sort(declared)
	if listed = slices.Sorted(slices.Values(listed)); !slices.Equal(listed, declared) {
		t.Errorf("got %d listed texts of %d constants, want the same texts:\n%q\n%q", len(listed), len(declared), listed, declared)
	}
}
