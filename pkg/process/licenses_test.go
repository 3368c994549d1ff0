package process

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestLicenseMatchesTheRepository(t *testing.T) {
	want, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, []byte(license)) {
		t.Error("pkg/process/LICENSE differs from the LICENSE of the repository: copy it")
	}
}

// TestLicensesAreShown checks that licenses works without any setting, and prints the project's
// license first.
func TestLicensesAreShown(t *testing.T) {
	service := exec.CommandContext(t.Context(), os.Args[0], "licenses")
	service.Env = append(os.Environ(), "ASSAY_TEST_SERVICE=1")
	output, err := service.Output()
	if err != nil {
		t.Fatal(err)
	}
	own, other, found := strings.Cut(string(output), "Copyright of the porter's keys")
	if !found || !strings.Contains(other, "\n  Go standard library, ") || !strings.Contains(own, "Apache License") || !strings.Contains(own, "END OF TERMS AND CONDITIONS") {
		t.Errorf("got output %s, want the project's license, then the given notice and the standard library", output)
	}
}
