package cmd

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/endpoints"
)

// ownFolder sets the configuration folder of the user to an empty one and returns it.
func ownFolder(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("XDG_CONFIG_HOME determines the folder on Linux only")
	}
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	return filepath.Join(dir, "assay")
}

func TestProfiles(t *testing.T) {
	dir := ownFolder(t)
	running, err := endpoints.Read(testDir)
	if err != nil {
		t.Fatal(err)
	}
	cli := func(args ...string) ran { return run(t.Context(), "secret\n", args...) }
	cli("profiles", "list").want(t, 0, "", "No profiles yet; add one with: assay profiles set NAME --server URL\n")
	cli("profiles", "set", "lab").want(t, 2, "", "a profile needs --server")
	cli("profiles", "set", "lab", "--server", running.HTTP, "--owner", "profile-"+t.Name()).want(t, 0, "lab  "+running.HTTP+"\n", "")
	cli("profiles", "set", "far", "--server", "127.0.0.1:1", "--token", "-").want(t, 0, "far  "+nowhere+"\n", "")
	cli("profiles", "list").want(t, 0, "NAME  SERVER"+strings.Repeat(" ", len(running.HTTP)-6)+"  OPERATOR  OWNER                 TOKEN\n"+
		"far   "+nowhere+strings.Repeat(" ", len(running.HTTP)-len(nowhere))+"  -         -                     set\n"+
		"lab   "+running.HTTP+"  -         profile-TestProfiles  -\n", "")
	if listed := cli("profiles", "list", "--json"); strings.Contains(listed.out, "secret") || !strings.Contains(listed.out, `"hasToken":true`) {
		t.Errorf("profiles list --json: got %+v, want lines without tokens", listed)
	}
	info, err := os.Stat(filepath.Join(dir, "profiles.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file of profiles: got %v, %v, want one that only the user can read", info, err)
	}

	// A profile takes precedence over the variables, and a flag over the profile.
	t.Setenv("ASSAY_SERVER", nowhere)
	t.Setenv("ASSAY_TOKEN", "of-another-server")
	cli("--profile", "lab", "list").want(t, 0, "", "No files yet")
	cli("list").want(t, 1, "", nowhere)
	t.Setenv("ASSAY_PROFILE", "lab")
	cli("list").want(t, 0, "", "No files yet")
	cli("--profile", "far", "list").want(t, 1, "", "no Assay server responds at "+nowhere)
	cli("list", "--server", "http://127.0.0.1:2").want(t, 1, "", "no Assay server responds at http://127.0.0.1:2")
	cli("--profile", "none", "list").want(t, 2, "", "there is no profile none; see: assay profiles list")
	if got := cli("__complete", "--profile", "l"); !strings.HasPrefix(got.out, "lab\t"+running.HTTP+"\n") {
		t.Errorf("completion of --profile: got %q, want lab", got.out)
	}

	// Commands for operators do not fall back to the server of this machine.
	cli("dead", "list", "--data", t.TempDir()).want(t, 1, "", "set it with --operator or ASSAY_OPERATOR, such as")
	cli("profiles", "set", "lab", "--operator", running.Operator).want(t, 0, "lab  "+running.HTTP+"\n", "")
	cli("alerts", "list").want(t, 0, "", "No alerts yet")
	if letters := cli("dead", "list"); letters.status != 0 {
		t.Errorf("dead list with the operator address of the profile: got %+v, want status 0", letters)
	}
	cli("profiles", "delete", "far").want(t, 0, "far  deleted\n", "")
	cli("profiles", "delete", "far").want(t, 2, "", "there is no profile far")
}

// TestProfileSendsNoOtherToken: the token of a variable is not sent to the server of a profile.
func TestProfileSendsNoOtherToken(t *testing.T) {
	ownFolder(t)
	t.Setenv("ASSAY_TOKEN", "of-another-server")
	if err := writeProfiles(map[string]profile{"a": {Server: nowhere}, "b": {Server: nowhere, Token: "own"}}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"": "of-another-server", "a": "", "b": "own"} {
		s := settings{profile: name}
		if got, err := s.findToken(); err != nil || got != want {
			t.Errorf("profile %q: got the token %q, %v, want %q", name, got, err, want)
		}
	}
}
