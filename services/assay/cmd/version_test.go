package cmd_test

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/extract"
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

// TestVersion checks that the program names itself and its engines, as text and as JSON.
func TestVersion(t *testing.T) {
	var text, line, errs strings.Builder
	for out, args := range map[*strings.Builder][]string{&text: {"version"}, &line: {"version", "--json"}} {
		if status := cmd.Run(t.Context(), args, strings.NewReader(""), out, &errs); status != 0 {
			t.Fatalf("%v: exit status %d, want 0: %s", args, status, errs.String())
		}
	}
	var got struct {
		Version, Go, Platform string
		Engines               []struct{ Name, Version string }
		Embedded              []extract.Component
	}
	if err := json.Unmarshal([]byte(line.String()), &got); err != nil {
		t.Fatalf("%v: %s", err, line.String())
	}
	if got.Version == "" || got.Go != runtime.Version() || got.Platform != runtime.GOOS+"/"+runtime.GOARCH || len(got.Embedded) != len(extract.Embedded()) {
		t.Errorf("got %+v, want the version, Go, the platform and %d embedded components", got, len(extract.Embedded()))
	}
	if want := "assay " + got.Version + "\n"; !strings.HasPrefix(text.String(), want) {
		t.Errorf("got %q, want the first line %q", text.String(), want)
	}
	want := map[string]bool{"nats-server": true, "versitygw": true, "dynamolite": true, "bbolt": true, "sqlite": true, "wazero": true}
	for _, e := range got.Engines {
		if !want[e.Name] || e.Version == "" || !strings.Contains(text.String(), e.Name+" "+e.Version+"\n") {
			t.Errorf("got the engine %+v, want one of %v with a version, in both forms", e, want)
		}
		delete(want, e.Name)
	}
	// Test binaries have no record of their modules in all versions of Go.
	if len(got.Engines) > 0 && len(want) > 0 {
		t.Errorf("got the engines %v, want also %v", got.Engines, want)
	}
	if !strings.Contains(text.String(), "pdfium ") {
		t.Errorf("got %q, want also the programs for documents", text.String())
	}
}
