package rendition_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/photojob/rendition"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

// TestSignatures checks that a URL is valid for its job, its rendition and its lifetime only, in every process.
func TestSignatures(t *testing.T) {
	db, _ := tabletest.Start(t)
	cfg := platform.Config{Table: "assay-platform"}
	if err := table.EnsureAll(t.Context(), db, platform.Storage(cfg).Tables); err != nil {
		t.Fatal(err)
	}
	documents := platform.NewStore(db, cfg)
	now := time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)
	job := photojob.Job{JobID: "01JD0000000000000000000000", CreatedAt: 1_795_000_000_123}
	r := rendition.Rendition{Width: 800, Format: "webp"}
	reader := rendition.NewSigner(documents)
	if _, _, err := reader.Verify(t.Context(), job.JobID, "w800.webp", url.Values{}, now); !errors.Is(err, rendition.ErrSignature) {
		t.Errorf("before any URL was signed: got error %v, want ErrSignature", err)
	}
	signed, err := rendition.NewSigner(documents).Sign(t.Context(), job, r, now.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(signed)
	if err != nil || at.Path != "/v1/photos/01JD0000000000000000000000/w800.webp" {
		t.Fatalf("got URL %q, error %v, want the path of the rendition", signed, err)
	}
	query := at.Query()
	created, expires, err := reader.Verify(t.Context(), job.JobID, "w800.webp", query, now.Add(time.Hour-time.Second))
	if err != nil || created != job.CreatedAt || !expires.Equal(now.Add(time.Hour)) {
		t.Errorf("got created %d, expiry %s, error %v, want %d and %s", created, expires, err, job.CreatedAt, now.Add(time.Hour))
	}
	if _, _, err := reader.Verify(t.Context(), job.JobID, "w800.webp", query, now.Add(time.Hour)); !errors.Is(err, rendition.ErrExpired) {
		t.Errorf("at its expiry: got error %v, want ErrExpired", err)
	}
	changed := func(name string, change func(string) string) url.Values {
		all := url.Values{}
		for n, v := range query {
			all[n] = v
		}
		all.Set(name, change(all.Get(name)))
		return all
	}
	for name, test := range map[string]struct {
		id, file string
		query    url.Values
	}{
		"another job":       {strings.Replace(job.JobID, "1", "2", 1), "w800.webp", query},
		"another rendition": {job.JobID, "w801.webp", query},
		"later":             {job.JobID, "w800.webp", changed(rendition.ExpiresParam, func(string) string { return "1999999999" })},
		"no expiry":         {job.JobID, "w800.webp", changed(rendition.ExpiresParam, func(string) string { return "" })},
		"another creation":  {job.JobID, "w800.webp", changed(rendition.SignatureParam, func(s string) string { return "B" + s[1:] })},
		"another code":      {job.JobID, "w800.webp", changed(rendition.SignatureParam, func(s string) string { return s[:20] + string(s[20]^1) + s[21:] })},
		"shorter":           {job.JobID, "w800.webp", changed(rendition.SignatureParam, func(s string) string { return s[:10] })},
		"none":              {job.JobID, "w800.webp", url.Values{}},
	} {
		if _, _, err := reader.Verify(t.Context(), test.id, test.file, test.query, now); !errors.Is(err, rendition.ErrSignature) {
			t.Errorf("%s: got error %v, want ErrSignature", name, err)
		}
	}
}
