package crashpoint

import (
	"context"
	"fmt"
	"testing"

	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/photojob/policy"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/gemini/geminitest"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
)

// maxPaidCalls is the value of ASSAY_PHOTOJOB_PAID_CALLS: after two crashes, one call remains.
const maxPaidCalls = 3

// paidEnviron returns the settings of an analyzer that calls the test's paid provider.
func paidEnviron() []string {
	return []string{
		"ASSAY_PHOTOJOB_ALLOW_NETWORKS=127.0.0.0/8", "ASSAY_PHOTOJOB_CLOCK_SKEW=0s", fmt.Sprint("ASSAY_PHOTOJOB_PAID_CALLS=", maxPaidCalls),
	}
}

// openProvider starts the system's paid provider and enables it.
func (s *system) openProvider(ctx context.Context, t *testing.T) {
	t.Helper()
	s.gemini = geminitest.Start(t)
	settings := policy.Defaults(photojob.Gemini)
	settings.Enabled, settings.BaseURL, settings.EditTime, settings.AnalyzeTime = true, s.gemini.URL, "2s", "2s"
	settings.PerMinute, settings.PerDay, settings.DailyBudget, settings.Concurrent = 100_000, 1_000_000, 1_000_000_000_000, 1000
	policies := policy.NewStore(platform.NewStore(s.audit.DB(), s.cfg.Platform))
	if _, err := policies.Put(ctx, photojob.Gemini, settings, platform.Match{Any: true}); err != nil {
		t.Fatal(err)
	}
}

// paidPhoto has a photo edited by the paid provider. Regardless of crashes, each step is
// billed at most maxPaidCalls times, and the job records every billed call.
func paidPhoto(ctx context.Context, r *run) {
	before := r.system.gemini.Bills()
	r.begin()
	var u photoUpload
	photo := drawPhoto()
	r.reservePhotos(ctx, "/v1/photos", fmt.Sprintf(`{"fileName":"a.jpg","contentType":"image/jpeg","size":%d,"options":{"provider":"gemini"}}`, len(photo)), &u)
	r.putPhoto(ctx, u, photo)
	r.change(ctx, u.JobID, "uploaded")
	r.promisedPhoto(ctx, audit.Promise{Result: editedPhoto})
	job, err := r.system.jobs.Get(ctx, u.JobID)
	if err != nil {
		r.t.Errorf("%s: %v", r.title, err)
		return
	}
	billed := map[string]int{}
	for _, bill := range r.system.gemini.Bills()[len(before):] {
		billed[bill.Model]++
	}
	for step, model := range map[string]string{photojob.StepAnalyze: geminitest.AnalyzeModel, photojob.StepEdit: geminitest.EditModel} {
		if n := job.Calls.Paid(step); billed[model] < 1 || billed[model] > n || n > maxPaidCalls {
			r.t.Errorf("%s: the step %s was billed %d times and the job records %d calls, want at least 1 bill, no more bills than calls, and at most 3 calls: %+v", r.title, step, billed[model], n, job.Calls.Calls())
		}
	}
}
