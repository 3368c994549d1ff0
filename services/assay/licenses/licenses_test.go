package licenses_test

import (
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/cli"
	"github.com/assay-project/assay/services/assay/licenses"
)

// TestLicenses: the program carries the text that each license wants to go along.
func TestLicenses(t *testing.T) {
	var out, errs strings.Builder
	if status := cli.Run(t.Context(), []string{"licenses"}, strings.NewReader(""), &out, &errs, licenses.Command()); status != 0 {
		t.Fatalf("assay licenses ends with %d: %s", status, errs.String())
	}
	for _, want := range []string{
		"Apache License", "Version 2.0", "END OF TERMS AND CONDITIONS",
		"data of VADER", "Copyright (c) 2016 C.J. Hutto", "The above copyright notice and this permission notice shall be included",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("assay licenses does not say %q", want)
		}
	}
}
