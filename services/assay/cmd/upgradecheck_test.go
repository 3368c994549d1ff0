package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/setup"
)

// TestUpgradeCheckOfAFolder checks that a folder of a newer format, and a missing one, are reported with status 1.
func TestUpgradeCheckOfAFolder(t *testing.T) {
	run(t.Context(), "", "upgrade-check").want(t, 2, "", "assay: ASSAY_NATS_URL")
	dir := t.TempDir()
	run(t.Context(), "", "upgrade-check", "--data", dir).want(t, 0, "Version devel reads the format of "+dir+". Make a backup, and start the new version with it.\n", "")
	run(t.Context(), "", "upgrade-check", "--data", dir, "--json").want(t, 0, `{"possible":true,"version":"devel","data":"`+dir+`"}`+"\n", "")
	if err := os.WriteFile(filepath.Join(dir, "identity"), []byte(`{"id":"a","format":2}`), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t.Context(), "", "upgrade-check", "--data", dir).want(t, 1, "", "a newer version of Assay has changed its format")
	run(t.Context(), "", "upgrade-check", "--data", filepath.Join(dir, "missing")).want(t, 1, "", "missing")
}

// TestUpgradeText checks the text of a report.
func TestUpgradeText(t *testing.T) {
	got := upgradeText(setup.Report{
		Version: "v0.2.0",
		Changes: []setup.Change{{Kind: "stream", Name: "ASSAY_DEAD", Action: "update"}, {Kind: "table", Name: "jobs", Action: "add the index by_tag", Manual: true}},
		Services: []setup.Running{
			{URL: "http://a", Name: "ingest", Version: "v0.1.0"}, {URL: "http://b", Error: "connection refused"},
		},
		Newer:    []setup.Newer{{Kind: "messages", Name: "ASSAY_WORK_FEED", Count: 7}},
		Blockers: []string{"no"}, Steps: []string{"no", "again"},
	})
	const want = `Upgrade to version v0.2.0

assay setup would change:
  stream ASSAY_DEAD: update
  table jobs: add the index by_tag (by hand)

Running services:
  http://a: ingest, version v0.1.0
  http://b: connection refused

Of a newer version: 7 or more messages of ASSAY_WORK_FEED

A rolling upgrade is not possible:
  1. no
  2. again
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	empty := upgradeText(setup.Report{Version: "v0.2.0", Steps: []string{"go"}})
	for _, want := range []string{"  nothing\n", "  none were given; use --service\n", "A rolling upgrade is possible:\n  1. go\n"} {
		if !strings.Contains(empty, want) {
			t.Errorf("got\n%s\nwant it to contain %q", empty, want)
		}
	}
}
