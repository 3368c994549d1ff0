package cmd_test

import (
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/cmd"
)

// TestLicenses checks that the program contains the text that each license requires.
func TestLicenses(t *testing.T) {
	var out, errs strings.Builder
	if status := cmd.Run(t.Context(), []string{"licenses"}, strings.NewReader(""), &out, &errs); status != 0 {
		t.Fatalf("assay licenses: exit status %d, want 0: %s", status, errs.String())
	}
	for _, want := range []string{
		"Apache License", "Version 2.0", "END OF TERMS AND CONDITIONS",
		"Go standard library", "github.com/nats-io/nats-server/v2 v", "Mozilla Public License, version 2.0",
		"github.com/hashicorp/go-retryablehttp v0.7.8, whose source is at https://proxy.golang.org/github.com/hashicorp/go-retryablehttp/@v/v0.7.8.zip",
		"Molecules are identified by RDKit", "Copyright (c) 2006-2015, Rational Discovery LLC",
		"data of VADER", "Copyright (c) 2016 C.J. Hutto", "The above copyright notice and this permission notice shall be included",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("assay licenses does not print %q", want)
		}
	}
}
