package webhook_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/webhook"
)

// document returns docs/webhooks.md.
func document(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "webhooks.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// example returns the first code in a language below a heading of the document.
func example(t *testing.T, heading, language string) string {
	t.Helper()
	_, section, _ := strings.Cut(document(t), "\n### "+heading+"\n")
	_, rest, found := strings.Cut(section, "```"+language+"\n")
	code, _, _ := strings.Cut(rest, "```\n")
	if !found {
		t.Fatalf("docs/webhooks.md contains no code in %s below %s", language, heading)
	}
	return code
}

// TestDocumentedRequest: the signature of the request in the document is that of its body by its secret.
func TestDocumentedRequest(t *testing.T) {
	text := document(t)
	find := func(pattern string) string {
		found := regexp.MustCompile(pattern).FindStringSubmatch(text)
		if found == nil {
			t.Fatalf("docs/webhooks.md does not contain %s", pattern)
		}
		return found[1]
	}
	seconds, err := strconv.ParseInt(find(`\nwebhook-timestamp: (\d+)\n`), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	secret, id, body := find("The secret of this example is `(.*)`"), find(`\nwebhook-id: (.*)\n`), find(`\n\n(\{"type".*)\n`)
	got, err := webhook.Sign([]string{secret}, id, time.Unix(seconds, 0), []byte(body))
	if want := find(`\nwebhook-signature: (.*)\n`); err != nil || got != want {
		t.Errorf("got the signature %s, %v for the documented request, want %s", got, err, want)
	}
}

// request is a request as a receiver has it.
type request struct {
	secret string // of the receiver
	header http.Header
	body   string
}

// requests returns requests with whether they are valid.
func requests(t *testing.T, secret, other string) map[string]struct {
	request
	valid bool
} {
	t.Helper()
	const id, body = "analysis_completed_library_1_1795885217375", `{"type":"library.completed","data":{"name":"Grüße & <b>"}}` + "\n"
	sent := func(at time.Time, secrets ...string) http.Header {
		signature, err := webhook.Sign(secrets, id, at, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		header := http.Header{}
		header.Set(webhook.HeaderID, id)
		header.Set(webhook.HeaderTimestamp, strconv.FormatInt(at.Unix(), 10))
		header.Set(webhook.HeaderSignature, signature)
		return header
	}
	key, err := webhook.Public(secret)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	renamed := sent(now, secret)
	renamed.Set(webhook.HeaderID, "another")
	return map[string]struct {
		request
		valid bool
	}{
		"valid":                  {request{key, sent(now, secret), body}, true},
		"rotation, new secret":   {request{key, sent(now, secret, other), body}, true},
		"rotation, old secret":   {request{key, sent(now, other, secret), body}, true},
		"other secret":           {request{key, sent(now, other), body}, false},
		"other body":             {request{key, sent(now, secret), strings.TrimSpace(body)}, false},
		"other id":               {request{key, renamed, body}, false},
		"ten minutes ago":        {request{key, sent(now.Add(-10*time.Minute), secret), body}, false},
		"ten minutes from now":   {request{key, sent(now.Add(10*time.Minute), secret), body}, false},
		"without any signatures": {request{key, sent(now), body}, false},
	}
}

// program is a receiver: a command that ends with status 0 for valid requests. The variables SECRET, ID, TIMESTAMP and SIGNATURE
// contain the headers; the body is in body.json in its folder.
type program []string

func (p program) accepts(t *testing.T, r request) bool {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "body.json"), []byte(r.body), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), p[0], p[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "SECRET="+r.secret, "ID="+r.header.Get(webhook.HeaderID), "TIMESTAMP="+r.header.Get(webhook.HeaderTimestamp),
		"SIGNATURE="+r.header.Get(webhook.HeaderSignature))
	output, err := cmd.CombinedOutput()
	t.Logf("%s", output)
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if code := cmd.ProcessState.ExitCode(); code != 0 && code != refused {
		t.Fatalf("%s ended with status %d, want 0 or %d", p[0], code, refused)
	}
	return err == nil
}

// refused is the exit status of receivers for invalid requests.
const refused = 3

// write creates a file in a temporary folder and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestDocumentedReceivers: the functions in the document accept requests that Sign has signed, and no others. .ci/clients tests
// those in TypeScript.
func TestDocumentedReceivers(t *testing.T) {
	source := write(t, "main.go", "package main\n\n"+strings.Replace(example(t, "Go", "go"), "import (", "import (\n\t\"os\"", 1)+`
func main() {
	body, err := os.ReadFile("body.json")
	if err != nil {
		panic(err)
	}
	header := http.Header{}
	for name, variable := range map[string]string{"id": "ID", "timestamp": "TIMESTAMP", "signature": "SIGNATURE"} {
		header.Set("webhook-"+name, os.Getenv(variable))
	}
	if err := verify(os.Getenv("SECRET"), header, body); err != nil {
		println(err.Error())
		os.Exit(3)
	}
}
`)
	compiled := filepath.Join(t.TempDir(), "receiver")
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-o", compiled, source).CombinedOutput(); err != nil {
		t.Fatalf("build the documented receiver in Go: %v\n%s", err, output)
	}
	script := write(t, "receiver.py", example(t, "Python", "python")+`

import os, sys
try:
    verify(os.environ["SECRET"], {"webhook-" + n: os.environ[n.upper()] for n in ("id", "timestamp", "signature")}, open("body.json", "rb").read())
except ValueError as failed:
    print(failed)
    sys.exit(3)
`)
	shell := write(t, "receiver.sh", `set -eu
secret=$SECRET id=$ID timestamp=$TIMESTAMP signature=$SIGNATURE
result=$(`+example(t, "Shell", "sh")+`)
echo "$result"
[ "$result" = valid ] || exit 3
`)
	hmac, other := webhook.NewSecret(false), webhook.NewSecret(false)
	private, otherPrivate := webhook.NewSecret(true), webhook.NewSecret(true)
	for name, receiver := range map[string]struct {
		program
		secret, other string
		anyTime       bool // does not check the timestamp
	}{
		"Go":          {program{compiled}, hmac, other, false},
		"Go, ed25519": {program{compiled}, private, otherPrivate, false},
		"Python":      {program{"python3", script}, hmac, other, false},
		"shell":       {program{"sh", shell}, hmac, other, true},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(receiver.program[0]); err != nil {
				t.Fatalf("%v (make check installs it)", err)
			}
			for what, r := range requests(t, receiver.secret, receiver.other) {
				if receiver.anyTime && strings.HasPrefix(what, "ten minutes") {
					continue
				}
				if got := receiver.accepts(t, r.request); got != r.valid {
					t.Errorf("request %s: accepted is %t, want %t", what, got, r.valid)
				}
			}
		})
	}
}

// TestDocumentedSender: the request that the document sends with curl is valid.
func TestDocumentedSender(t *testing.T) {
	_, section, _ := strings.Cut(document(t), "To send a signed request")
	_, rest, _ := strings.Cut(section, "```sh\n")
	code, _, _ := strings.Cut(rest, "```\n")
	secret := webhook.NewSecret(false)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "body.json"), []byte(`{"type":"webhook.test"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	received := make(chan http.Header, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { received <- r.Header }))
	defer server.Close()
	cmd := exec.CommandContext(t.Context(), "sh", "-euc", code)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "secret="+secret, "url="+server.URL)
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("send the documented request: %v\n%s", err, output)
	}
	header := <-received
	seconds, err := strconv.ParseInt(header.Get(webhook.HeaderTimestamp), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	want, err := webhook.Sign([]string{secret}, header.Get(webhook.HeaderID), time.Unix(seconds, 0), []byte(`{"type":"webhook.test"}`))
	if got := header.Get(webhook.HeaderSignature); err != nil || got != want {
		t.Errorf("got the signature %q, want %q, %v", got, want, err)
	}
}
