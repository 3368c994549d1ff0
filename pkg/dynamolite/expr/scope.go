// Package expr parses and evaluates DynamoDB's expressions: conditions and
// filters, key conditions, updates and projections.
//
// The expressions of one request share a Scope, which holds the request's
// ExpressionAttributeNames and ExpressionAttributeValues and knows in the end
// which of them no expression used. Every error is an *attr.ValidationError
// with DynamoDB's message, as far as it is publicly known. What is checked in
// which order follows what others observed and published: the tests of the
// dynalite project against AWS, and the nubo-db/dynamodb-conformance suite.
package expr

import (
	"maps"
	"slices"
	"strings"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
)

// maxPlaceholder is the longest placeholder allowed, in bytes.
const maxPlaceholder = 255

// Scope holds the placeholders of one request.
type Scope struct {
	names      map[string]string
	values     attr.Item
	usedNames  map[string]bool
	usedValues map[string]bool
}

// NewScope checks a request's ExpressionAttributeNames and
// ExpressionAttributeValues; nil means that the request has none. It keeps
// both maps.
func NewScope(names map[string]string, values attr.Item) (*Scope, error) {
	if err := checkPlaceholders("ExpressionAttributeNames", '#', names); err != nil {
		return nil, err
	}
	for key, name := range names {
		if name == "" {
			return nil, invalid("ExpressionAttributeNames contains invalid value: Empty attribute name for key " + key)
		}
	}
	if err := checkPlaceholders("ExpressionAttributeValues", ':', values); err != nil {
		return nil, err
	}
	for _, key := range values.Names() {
		err := values[key].Validate()
		if err == nil {
			continue
		}
		if values[key].Kind != attr.Invalid && strings.HasPrefix(err.Error(), "Nesting Levels") {
			return nil, err
		}
		return nil, invalid("ExpressionAttributeValues contains invalid value: " + err.Error() + " for key " + key)
	}
	return &Scope{
		names: names, values: values,
		usedNames: make(map[string]bool, len(names)), usedValues: make(map[string]bool, len(values)),
	}, nil
}

func checkPlaceholders[V any](parameter string, sign byte, entries map[string]V) error {
	if entries != nil && len(entries) == 0 {
		return invalid(parameter + " must not be empty")
	}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		switch {
		case len(key) > maxPlaceholder:
			return invalid(parameter + " contains invalid key: The expression attribute map contains a key that is too long;")
		case len(key) < 2 || key[0] != sign || wordEnd(key, 1) != len(key):
			return invalid(parameter + ` contains invalid key: Syntax error; key: "` + key + `"`)
		}
	}
	return nil
}

// Unused returns an error that names the placeholders that no expression
// parsed so far has used, nil if there is none.
func (s *Scope) Unused() error {
	if err := unused("ExpressionAttributeNames", s.names, s.usedNames); err != nil {
		return err
	}
	return unused("ExpressionAttributeValues", s.values, s.usedValues)
}

func unused[V any](parameter string, entries map[string]V, used map[string]bool) error {
	if len(entries) == len(used) {
		return nil
	}
	var left []string
	for key := range entries {
		if !used[key] {
			left = append(left, key)
		}
	}
	slices.Sort(left)
	return invalid("Value provided in " + parameter + " unused in expressions: keys: {" + strings.Join(left, ", ") + "}")
}

func (s *Scope) name(placeholder string) (string, bool) {
	name, ok := s.names[placeholder]
	if ok {
		s.usedNames[placeholder] = true
	}
	return name, ok
}

func (s *Scope) value(placeholder string) (attr.Value, bool) {
	v, ok := s.values[placeholder]
	if ok {
		s.usedValues[placeholder] = true
	}
	return v, ok
}

func invalid(message string) error { return &attr.ValidationError{Message: message} }
