package iam

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
)

func policy(t *testing.T, text string) (Policy, error) {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "p.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := Read(folder)
	return all["p"], err
}

func TestUses(t *testing.T) {
	p, err := policy(t, `{"Version": "2012-10-17", "Statement": [
		{"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": ["arn:*:table/a", "arn:*:table/b"], "Condition": {
			"ForAllValues:StringLike": {"dynamodb:Attributes": ["pk", "x*"]},
			"StringEqualsIfExists": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES", "dynamodb:ReturnValues": ["NONE"]}
		}},
		{"Effect": "Allow", "Action": ["dynamodb:PutItem"], "Resource": "arn:*:table/a", "Condition": {
			"ForAllValues:StringLike": {"dynamodb:LeadingKeys": "OWNER#*"}
		}}
	]}`)
	if err != nil {
		t.Fatal(err)
	}
	const a, get = "arn:aws:table/a", "dynamodb:GetItem"
	for name, c := range map[string]struct {
		access dynamolite.Access
		want   bool
	}{
		"named attributes":         {dynamolite.Access{Action: get, Resource: a, Attributes: []string{"pk", "xy"}, Select: "SPECIFIC_ATTRIBUTES"}, true},
		"second table":             {dynamolite.Access{Action: get, Resource: "arn:aws:table/b"}, true},
		"other table":              {dynamolite.Access{Action: get, Resource: "arn:aws:table/c"}, false},
		"other action":             {dynamolite.Access{Action: "dynamodb:Query", Resource: a}, false},
		"other attribute":          {dynamolite.Access{Action: get, Resource: a, Attributes: []string{"pk", "y"}}, false},
		"all attributes":           {dynamolite.Access{Action: get, Resource: a, Attributes: []string{"pk"}, Select: "ALL_ATTRIBUTES"}, false},
		"old item":                 {dynamolite.Access{Action: get, Resource: a, ReturnValues: "ALL_OLD"}, false},
		"matching key":             {dynamolite.Access{Action: "dynamodb:PutItem", Resource: a, LeadingKey: "OWNER#1"}, true},
		"other key":                {dynamolite.Access{Action: "dynamodb:PutItem", Resource: a, LeadingKey: "FILE#1"}, false},
		"key that is not a string": {dynamolite.Access{Action: "dynamodb:PutItem", Resource: a}, false},
	} {
		if got := len(p.Uses(c.access)) > 0; got != c.want {
			t.Errorf("%s: got allowed = %v, want %v", name, got, c.want)
		}
	}
}

// TestReadJoinsFilesOfADirectory checks that the files of a subdirectory are one policy, and that a file beside it is another.
func TestReadJoinsFilesOfADirectory(t *testing.T) {
	folder := t.TempDir()
	statement := func(sid string) []byte {
		return []byte(`{"Version": "2012-10-17", "Statement": [{"Sid": "` + sid + `", "Effect": "Allow", "Action": "a", "Resource": "b"}]}`)
	}
	if err := os.Mkdir(filepath.Join(folder, "program"), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, sid := range map[string]string{"program/one.json": "One", "program/two.json": "Two", "other.json": "Other"} {
		if err := os.WriteFile(filepath.Join(folder, path), statement(sid), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, err := Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	if got := all["program"].Statement; len(all) != 2 || len(got) != 2 || got[0].Sid != "One" || got[1].Sid != "Two" {
		t.Errorf("got %+v, want a policy program with the statements One and Two, and a policy other", all)
	}
}

func TestReadRejectsUnsupportedPolicies(t *testing.T) {
	for _, text := range []string{
		`{"Version": "2008-10-17", "Statement": []}`,
		`{"Version": "2012-10-17", "Statement": [{"Effect": "Deny", "Action": "a", "Resource": "b"}]}`,
		`{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "NotAction": "a", "Resource": "b"}]}`,
		`{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "a", "Resource": "b", "Condition": {"StringLike": {"dynamodb:Select": "c"}}}]}`,
	} {
		if _, err := policy(t, text); err == nil {
			t.Errorf("Read of %s: got no error, want one", text)
		}
	}
	if _, err := Read(t.TempDir()); err == nil {
		t.Error("Read of a directory without policies: got no error, want one")
	}
}

func TestLike(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"a", "a", true}, {"a", "ab", false}, {"*", "", true}, {"a*", "a", true}, {"*a", "ba", true}, {"a*a", "a", false},
		{"a*b*c", "a-b-c", true}, {"a*b*c", "a-c-b", false}, {"a*b*b", "ab", false}, {"arn:*:t/x/*", "arn:aws:t/x/y/z", true},
	} {
		if got := like(c.pattern, c.text); got != c.want {
			t.Errorf("like(%q, %q) = %v, want %v", c.pattern, c.text, got, c.want)
		}
	}
}
