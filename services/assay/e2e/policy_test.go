package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
)

// policy is the part of an IAM policy that deploy/iam uses.
type policy struct {
	Version   string
	Statement []statement
}

type statement struct {
	Sid, Effect      string
	Action, Resource oneOrMore
	Condition        map[string]map[string]oneOrMore
}

// oneOrMore is a list, or one of it without the brackets.
type oneOrMore []string

func (o *oneOrMore) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		*o = make(oneOrMore, 1)
		return json.Unmarshal(data, &(*o)[0])
	}
	return json.Unmarshal(data, (*[]string)(o))
}

// policies are those of deploy/iam, by the names of the files.
func policies(t *testing.T) map[string]policy {
	t.Helper()
	paths, err := filepath.Glob("../../../deploy/iam/*.json")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]policy{}
	for _, path := range paths {
		content, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var p policy
		decoder := json.NewDecoder(content)
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&p); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if err := content.Close(); err != nil {
			t.Fatal(err)
		}
		for _, s := range p.Statement {
			if s.Effect != "Allow" || p.Version != "2012-10-17" {
				t.Fatalf("%s: the test knows no %s of version %s", path, s.Effect, p.Version)
			}
			for operator, keys := range s.Condition {
				for key := range keys {
					if operator != "ForAllValues:StringLike" || key != "dynamodb:LeadingKeys" && key != "dynamodb:Attributes" {
						t.Fatalf("%s: the test knows no condition %s of %s", path, operator, key)
					}
				}
			}
		}
		all[strings.TrimSuffix(filepath.Base(path), ".json")] = p
	}
	return all
}

// uses are the parts of a policy that let a request pass, empty when it does not
// pass.
func (p policy) uses(a dynamolite.Access) []string {
	var all []string
	for _, s := range p.Statement {
		all = append(all, s.uses(a)...)
	}
	return all
}

func (s statement) uses(a dynamolite.Access) []string {
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
	for _, keys := range s.Condition {
		for key, patterns := range keys {
			values := a.Attributes
			if key == "dynamodb:LeadingKeys" {
				values = []string{a.LeadingKey}
			}
			for _, value := range values {
				i := slices.IndexFunc(patterns, func(pattern string) bool { return like(pattern, value) })
				if i < 0 {
					return nil
				}
				all = append(all, part(s.Sid, key, patterns[i]))
			}
		}
	}
	return all
}

// parts are all that uses can return.
func (p policy) parts() []string {
	var all []string
	for _, s := range p.Statement {
		for _, action := range s.Action {
			for _, resource := range s.Resource {
				all = append(all, part(s.Sid, action, resource))
			}
		}
		for _, keys := range s.Condition {
			for key, patterns := range keys {
				for _, pattern := range patterns {
					all = append(all, part(s.Sid, key, pattern))
				}
			}
		}
	}
	return all
}

func part(sid, what, of string) string { return fmt.Sprintf("%s: %s %s", sid, what, of) }

// like says whether IAM's wildcards match.
func like(pattern, text string) bool {
	quoted := regexp.QuoteMeta(pattern)
	quoted = strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(quoted)
	return regexp.MustCompile("^(?s:" + quoted + ")$").MatchString(text)
}
