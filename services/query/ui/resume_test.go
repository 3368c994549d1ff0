package ui_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// resumed runs the page's live events in Node.js: a stream that opens again, as after a restart of the
// server, sends no event before something happens.
const resumed = `
let source, reads = 0;
globalThis.localStorage = { getItem: () => 'me', setItem() {} };
globalThis.document = { hidden: false, addEventListener() {} };
globalThis.EventSource = class { static CLOSED = 2; addEventListener() {} close() {} constructor() { source = this; } };
const { follow } = await import('./api.js');
follow('feedEvents', {}, () => reads++, () => {});
source.onopen();
source.onerror();
const before = reads;
source.onopen();
if (reads === before) throw new Error('the page does not read again after the stream resumed');
`

// TestPageReadsAgainAfterAResume runs the page's script with Node.js.
func TestPageReadsAgainAfterAResume(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatalf("install Node.js, which runs the page's script: %v", err)
	}
	dir := t.TempDir()
	for name, content := range map[string]string{"api.js": loaded(t)["/ui/api.js"], "test.mjs": resumed, "package.json": `{"type":"module"}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.CommandContext(t.Context(), node, filepath.Join(dir, "test.mjs")).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
