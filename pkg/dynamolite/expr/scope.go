// Package expr parses and evaluates DynamoDB's expressions: conditions and
// filters, key conditions, updates and projections.
//
// The expressions of one request share a Scope, which contains the request's
// ExpressionAttributeNames and ExpressionAttributeValues and tracks which of
// them are used. Every error is an *attr.ValidationError with DynamoDB's
// message, as far as it is publicly known. The checks and their order follow
// published observations: the tests of the dynalite project against AWS, and
// the nubo-db/dynamodb-conformance suite.
package expr

import (
	"maps"
	"slices"
	"strings"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
)

// maxPlaceholder is the maximum length of a placeholder, in bytes.
const maxPlaceholder = 255

// Scope contains the placeholders of one request.
type Scope struct {
	names      map[string]string
	values     attr.Item
	usedNames  []string // a slice, because there are few
	usedValues []string
	cache      *Cache // nil disables caching
}

// NewScope checks a request's ExpressionAttributeNames and
// ExpressionAttributeValues; nil means that the request has none. The scope
// keeps references to both.
func NewScope(names map[string]string, values attr.Item) (*Scope, error) {
	if names != nil && len(names) == 0 {
		return nil, errEmpty("ExpressionAttributeNames")
	}
	for key, name := range names {
		if name != "" && checkPlaceholder("ExpressionAttributeNames", '#', key) == nil {
			continue
		}
		return nil, nameError(names)
	}
	if values != nil && len(values) == 0 {
		return nil, errEmpty("ExpressionAttributeValues")
	}
	for _, v := range values {
		if err := checkPlaceholder("ExpressionAttributeValues", ':', v.Name); err != nil {
			return nil, err
		}
	}
	for _, v := range values {
		err := v.Value.Validate()
		if err == nil {
			continue
		}
		if v.Value.Kind != attr.Invalid && strings.HasPrefix(err.Error(), "Nesting Levels") {
			return nil, err
		}
		return nil, invalid("ExpressionAttributeValues contains invalid value: " + err.Error() + " for key " + v.Name)
	}
	used := make([]string, len(names)+len(values))
	return &Scope{names: names, values: values, usedNames: used[:0:len(names)], usedValues: used[len(names):len(names)]}, nil
}

// nameError returns an error in names. If there are several, it always returns the same one.
func nameError(names map[string]string) error {
	keys := slices.Sorted(maps.Keys(names))
	for _, key := range keys {
		if err := checkPlaceholder("ExpressionAttributeNames", '#', key); err != nil {
			return err
		}
	}
	for _, key := range keys {
		if names[key] == "" {
			return invalid("ExpressionAttributeNames contains invalid value: Empty attribute name for key " + key)
		}
	}
	return nil
}

func errEmpty(parameter string) error { return invalid(parameter + " must not be empty") }

func checkPlaceholder(parameter string, sign byte, key string) error {
	switch {
	case len(key) > maxPlaceholder:
		return invalid(parameter + " contains invalid key: The expression attribute map contains a key that is too long;")
	case len(key) < 2 || key[0] != sign || wordEnd(key, 1) != len(key):
		return invalid(parameter + ` contains invalid key: Syntax error; key: "` + key + `"`)
	}
	return nil
}

// Unused returns an error that lists the placeholders that no parsed expression
// uses, or nil if all are used.
func (s *Scope) Unused() error {
	var left []string
	if len(s.usedNames) < len(s.names) {
		for key := range s.names {
			if !slices.Contains(s.usedNames, key) {
				left = append(left, key)
			}
		}
		return unused("ExpressionAttributeNames", left)
	}
	if len(s.usedValues) < len(s.values) {
		for _, v := range s.values {
			if !slices.Contains(s.usedValues, v.Name) {
				left = append(left, v.Name)
			}
		}
		return unused("ExpressionAttributeValues", left)
	}
	return nil
}

func unused(parameter string, left []string) error {
	slices.Sort(left)
	return invalid("Value provided in " + parameter + " unused in expressions: keys: {" + strings.Join(left, ", ") + "}")
}

func (s *Scope) name(placeholder string) (string, bool) {
	name, ok := s.names[placeholder]
	if ok && !slices.Contains(s.usedNames, placeholder) {
		s.usedNames = append(s.usedNames, placeholder)
	}
	return name, ok
}

func (s *Scope) value(placeholder string) (attr.Value, bool) {
	v, ok := s.values.Get(placeholder)
	if ok && !slices.Contains(s.usedValues, placeholder) {
		s.usedValues = append(s.usedValues, placeholder)
	}
	return v, ok
}

func invalid(message string) error { return &attr.ValidationError{Message: message} }
