// Package iam implements dynamolite.Options.Allow with IAM policies. It supports a
// subset of the policy language; Read rejects policies that use other features.
package iam

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-project/assay/pkg/dynamolite"
)

// Policy is an identity-based policy in version 2012-10-17 of the policy language.
type Policy struct {
	Version   string
	Statement []Statement
}

// Statement allows its actions on its resources if all its conditions hold.
type Statement struct {
	Sid, Effect      string
	Action, Resource OneOrMore
	Condition        map[string]map[string]OneOrMore // by operator and key
}

// OneOrMore is a list, or a single element without the brackets.
type OneOrMore []string

// UnmarshalJSON reads either form.
func (o *OneOrMore) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		*o = make(OneOrMore, 1)
		return json.Unmarshal(data, &(*o)[0])
	}
	return json.Unmarshal(data, (*[]string)(o))
}

// The supported condition operators. forAll requires that every value in the request
// matches a pattern. ifExists also holds if the request has no value for the key.
const (
	forAll   = "ForAllValues:StringLike"
	ifExists = "StringEqualsIfExists"
)

// keys contains, by operator and condition key, the functions that return the values
// of the key in a request.
var keys = map[string]map[string]func(dynamolite.Access) []string{
	forAll: {
		"dynamodb:LeadingKeys": func(a dynamolite.Access) []string { return []string{a.LeadingKey} },
		"dynamodb:Attributes":  func(a dynamolite.Access) []string { return a.Attributes },
	},
	ifExists: {
		"dynamodb:Select":       func(a dynamolite.Access) []string { return given(a.Select) },
		"dynamodb:ReturnValues": func(a dynamolite.Access) []string { return given(a.ReturnValues) },
	},
}

func given(value string) []string {
	if value == "" {
		return nil
	}
	return []string{value}
}

// Read returns the policies in a directory by name: that of a file without .json, or
// that of a subdirectory, whose files together are one policy. It returns an error for a
// policy that uses an unsupported feature.
func Read(folder string) (map[string]Policy, error) {
	all := map[string]Policy{}
	for _, pattern := range []string{"*.json", "*/*.json"} {
		paths, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			return nil, fmt.Errorf("iam: %w", err)
		}
		for _, path := range paths {
			p, err := read(path)
			if err != nil {
				return nil, fmt.Errorf("iam: %s: %w", path, err)
			}
			name := strings.TrimSuffix(filepath.Base(path), ".json")
			if pattern != "*.json" {
				name = filepath.Base(filepath.Dir(path))
			}
			p.Statement = append(all[name].Statement, p.Statement...)
			all[name] = p
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("iam: no policies in %s", folder)
	}
	return all, nil
}

func read(path string) (Policy, error) {
	file, err := os.Open(path)
	if err != nil {
		return Policy{}, err
	}
	defer func() { _ = file.Close() }() // Close reports write errors only, and nothing was written
	var p Policy
	decoder := json.NewDecoder(file)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&p); err != nil {
		return Policy{}, err
	}
	if p.Version != "2012-10-17" {
		return Policy{}, fmt.Errorf("unsupported version %q", p.Version)
	}
	for _, s := range p.Statement {
		if s.Effect != "Allow" {
			return Policy{}, fmt.Errorf("%s: unsupported effect %q", s.Sid, s.Effect)
		}
		for operator, conditions := range s.Condition {
			for key := range conditions {
				if keys[operator][key] == nil {
					return Policy{}, fmt.Errorf("%s: unsupported condition %s on %s", s.Sid, operator, key)
				}
			}
		}
	}
	return p, nil
}

// Uses returns the parts of a policy that allow a request, or nil if the policy does
// not allow it.
func (p Policy) Uses(a dynamolite.Access) []string {
	var all []string
	for _, s := range p.Statement {
		all = append(all, s.uses(a)...)
	}
	return all
}

func (s Statement) uses(a dynamolite.Access) []string {
	var all []string
	for _, action := range s.Action {
		for _, resource := range s.Resource {
			if like(action, a.Action) && like(resource, a.Resource) {
				all = append(all, part(s.Sid, action, resource))
			}
		}
	}
	if all == nil {
		return nil
	}
	for operator, conditions := range s.Condition {
		for key, patterns := range conditions {
			for _, value := range keys[operator][key](a) {
				i := slices.IndexFunc(patterns, func(pattern string) bool {
					return pattern == value || operator == forAll && like(pattern, value)
				})
				if i < 0 {
					return nil
				}
				if operator == forAll {
					all = append(all, part(s.Sid, key, patterns[i]))
				}
			}
		}
	}
	return all
}

// Parts returns everything that Uses can return: every action on every resource,
// and the attributes that requests may name. The attributes of responses are not
// included.
func (p Policy) Parts() []string {
	var all []string
	for _, s := range p.Statement {
		for _, action := range s.Action {
			for _, resource := range s.Resource {
				all = append(all, part(s.Sid, action, resource))
			}
		}
		for key, patterns := range s.Condition[forAll] {
			for _, pattern := range patterns {
				all = append(all, part(s.Sid, key, pattern))
			}
		}
	}
	return all
}

func part(sid, name, value string) string { return sid + ": " + name + " " + value }

// like reports whether text matches a pattern with IAM's wildcard *.
func like(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	text, begins := strings.CutPrefix(text, parts[0])
	text, ends := strings.CutSuffix(text, parts[len(parts)-1])
	if !begins || !ends {
		return false
	}
	for _, between := range parts[1 : len(parts)-1] {
		i := strings.Index(text, between)
		if i < 0 {
			return false
		}
		text = text[i+len(between):]
	}
	return true
}
