package release_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestWorkflowsUseTheScripts checks that the workflows build with the Go version of the images, so that both give the same
// programs, and run the scripts that work on every machine.
func TestWorkflowsUseTheScripts(t *testing.T) {
	read := func(name string) string {
		content, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	image := regexp.MustCompile(`GO_IMAGE=golang:([0-9.]+)-`).FindStringSubmatch(read("deploy/Dockerfile"))
	if image == nil {
		t.Fatal("deploy/Dockerfile names no Go image")
	}
	for name, wants := range map[string][]string{
		"ci.yml": {"run: .ci/run\n", "run: make vulnerabilities\n"}, "release.yml": {"make release VERSION=", "run: make vulnerabilities\n"},
	} {
		workflow := read(".github/workflows/" + name)
		for _, want := range append(wants, "go-version: "+image[1]+"}") {
			if !strings.Contains(workflow, want) {
				t.Errorf("%s does not contain %q", name, want)
			}
		}
		for _, used := range regexp.MustCompile(`uses: (\S+)`).FindAllStringSubmatch(workflow, -1) {
			if !regexp.MustCompile(`^actions/[a-z-]+@v\d+$`).MatchString(used[1]) {
				t.Errorf("%s uses %s, want an action of GitHub at a version", name, used[1])
			}
		}
	}
}
