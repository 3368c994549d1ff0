package cmd

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/endpoints"
)

// TestEnv checks that a shell that evaluates the output can reach the engines and the credentials
// file, and that no secret is printed.
func TestEnv(t *testing.T) {
	dir := t.TempDir() + "/it's here"
	at := endpoints.Endpoints{HTTP: "http://h", NATS: "nats://n", S3: "http://s", DynamoDB: "http://d", Region: "eu-north-1", Credentials: dir + "/credentials"}
	if err := endpoints.Write(dir, at); err != nil {
		t.Fatal(err)
	}
	keys, err := endpoints.EnsureCredentials(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"AWS_PAGER": "", "NATS_URL": at.NATS, "AWS_ENDPOINT_URL_S3": at.S3, "AWS_ENDPOINT_URL_DYNAMODB": at.DynamoDB, "AWS_ENDPOINT_URL_DYNAMODB_STREAMS": at.DynamoDB,
		"AWS_REGION": at.Region, "AWS_DEFAULT_REGION": at.Region, "AWS_SHARED_CREDENTIALS_FILE": at.Credentials, "AWS_CONFIG_FILE": "/dev/null",
	}
	got := run(t.Context(), "", "env", "--data", dir)
	shell := exec.CommandContext(t.Context(), "sh", "-ec", got.out+"\nenv")
	shell.Env = []string{"AWS_ACCESS_KEY_ID=of another account", "AWS_PROFILE=other", "AWS_DEFAULT_PROFILE=other"}
	environ, err := shell.Output()
	if err != nil || got.status != 0 || strings.Contains(got.out, keys.SecretKey) {
		t.Fatalf("env: got %+v, %v, want a script without the secret key", got, err)
	}
	for name, value := range want {
		if !strings.Contains("\n"+string(environ), "\n"+name+"="+value+"\n") {
			t.Errorf("got the environment\n%s\nwant %s=%s in it", environ, name, value)
		}
	}
	if strings.Contains(string(environ), "other") {
		t.Errorf("got the keys of another account in the environment, want none:\n%s", environ)
	}

	var object map[string]string
	got = run(t.Context(), "", "env", "--json", "--data", dir)
	if err := json.Unmarshal([]byte(got.out), &object); err != nil || len(object) != len(want) || object["NATS_URL"] != at.NATS {
		t.Errorf("env --json: got %+v, %v, want %v", got, err, want)
	}
	run(t.Context(), "", "env", "--data", t.TempDir()).want(t, 1, "", "no Assay server has run")
}
