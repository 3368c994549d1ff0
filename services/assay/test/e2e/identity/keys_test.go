package identity

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/cmd"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// secured runs commands on a server that requires a token.
type secured struct {
	*testing.T
	http     string // URL
	operator string // the token of the first operator
}

func startSecured(t *testing.T, env ...string) secured {
	t.Helper()
	s := system.StartServer(t, t.TempDir(), append(env, "ASSAY_AUTH=token")...)
	t.Setenv("ASSAY_SERVER", s.HTTP)
	t.Setenv("ASSAY_OPERATOR", s.Operator)
	t.Setenv("ASSAY_OWNER", "nobody") // has no effect with a token
	return secured{t, s.HTTP, keyPattern.FindString(s.Program.Written())}
}

// ran is the result of one command.
type ran struct {
	status      int
	out, errors string
}

func (s secured) run(token string, args ...string) ran {
	s.Helper()
	s.Setenv("ASSAY_TOKEN", token)
	var out, errs bytes.Buffer
	status := cmd.Run(s.Context(), args, strings.NewReader(""), &out, &errs)
	return ran{status, out.String(), errs.String()}
}

// want checks the exit status, and that output and errors contain the given texts, or are empty if the texts are.
func (r ran) want(t *testing.T, status int, out, errs string) {
	t.Helper()
	if r.status != status || (out == "") != (r.out == "") || (errs == "") != (r.errors == "") || !strings.Contains(r.out, out) || !strings.Contains(r.errors, errs) {
		t.Errorf("got %+v, want exit status %d, output containing %q and errors containing %q", r, status, out, errs)
	}
}

// write creates a text file and returns its path.
func write(t *testing.T, content string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// created returns the token that a command printed, and its id.
func (s secured) created(r ran) (token, id string) {
	s.Helper()
	found := keyPattern.FindStringSubmatch(r.out)
	if r.status != 0 || found == nil || r.out != found[0]+"\n" {
		s.Fatalf("got %+v, want exit status 0 and only a key", r)
	}
	return found[0], found[1]
}

// ends waits up to 5 seconds for a token to be rejected.
func (s secured) ends(token string) {
	s.Helper()
	pause := time.NewTicker(50 * time.Millisecond)
	defer pause.Stop()
	began := time.Now()
	for asked := range pause.C {
		r := s.run(token, "list")
		switch {
		case r.status == 1 && strings.Contains(r.errors, "has expired or was revoked"):
			return
		case r.status != 0 || asked.Sub(began) > 5*time.Second:
			s.Fatalf("after %s, got %+v, want the token rejected", asked.Sub(began), r)
		}
	}
}

var times = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`)

// TestKeys manages the keys of `assay serve` with commands.
func TestKeys(t *testing.T) {
	s := startSecured(t)
	s.run("", "list").want(t, 1, "", "the server requires an API key: set ASSAY_TOKEN or --token")
	anna, id := s.created(s.run(s.operator, "keys", "create", "--owner", "anna", "--name", "laptop"))
	s.run(anna, "list").want(t, 0, "", "No files yet")
	s.run(anna, "upload", write(t, "one two")).want(t, 0, "PENDING      a.txt\n", "")
	s.run(anna, "keys", "list").want(t, 1, "", "This call needs the operator role.")
	s.run(s.operator, "keys", "create").want(t, 2, "", "See: assay keys create --help")
	s.run(s.operator, "keys", "create", "--owner", "a b").want(t, 1, "", "owner must have the form")
	s.run(s.operator, "keys", "create", "--owner", "anna", "--expires", "1s").want(t, 1, "", "expiresIn must be a duration from 1m")

	var reader client.NewKey
	made := s.run(s.operator, "keys", "create", "--owner", "anna", "--scope", "read", "--expires", "1h", "--json")
	if err := json.Unmarshal([]byte(made.out), &reader); err != nil || reader.Owner != "anna" || len(reader.Scopes) != 1 || reader.ExpiresAt.Sub(reader.CreatedAt) != time.Hour {
		t.Fatalf("got %+v, %v; want a key of anna with the scope read that expires after 1h", made, err)
	}
	s.run(reader.Token, "upload", write(t, "one")).want(t, 1, "", "does not have the scope write")

	list := func(args ...string) (shown []string) {
		t.Helper()
		r := s.run(s.operator, append([]string{"keys", "list"}, args...)...)
		for line := range strings.Lines(times.ReplaceAllString(r.out, "TIME")) {
			shown = append(shown, strings.Join(strings.Fields(line)[1:], " ")) // without the id
		}
		return shown
	}
	want := func(got []string, rows ...string) {
		t.Helper()
		rows = append([]string{"OWNER NAME STATUS ACCESS EXPIRES LAST USED"}, rows...)
		if strings.Join(got, "\n") != strings.Join(rows, "\n") {
			t.Errorf("the keys are %q, want %q", got, rows)
		}
	}
	want(list("--owner", "anna"), "anna active read TIME TIME", "anna laptop active read,write never TIME")
	want(list(), "anna active read TIME TIME", "anna laptop active read,write never TIME", "operator first active read,write,operator never TIME")

	rotated, same := s.created(s.run(s.operator, "keys", "rotate", id, "--grace", "1h"))
	if rotated == anna || same != id {
		t.Errorf("the rotation of %s returned %s, want a new token with the same id", anna, rotated)
	}
	again, _ := s.created(s.run(s.operator, "keys", "rotate", id))
	s.ends(anna)
	s.ends(rotated)
	s.run(again, "list").want(t, 0, s.run(reader.Token, "list").out, "")

	s.run(s.operator, "keys", "revoke", id).want(t, 0, "", "")
	s.ends(again)
	want(list("--owner", "anna"), "anna active read TIME TIME", "anna laptop revoked read,write never TIME")
	s.run(s.operator, "keys", "rotate", id).want(t, 1, "", "revoked")
	s.run(s.operator, "keys", "revoke", "aaaaaaaaaaaaaaaa").want(t, 1, "", "There is no API key")

	audit := s.run(s.operator, "audit")
	for _, operation := range []string{"create-key", "rotate-key", "revoke-key"} {
		if !regexp.MustCompile(`operator +key ` + keyPattern.FindStringSubmatch(s.operator)[1] + ` .* ` + operation + ` `).MatchString(audit.out) {
			t.Errorf("the audit log contains no %s with the operator's key: %+v", operation, audit)
		}
	}
}
