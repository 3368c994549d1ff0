package photos

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestPaidOperators: operators check a key, choose the default provider, and see calls and costs.
func TestPaidOperators(t *testing.T) {
	t.Parallel()
	p := startPaid(t)
	operator := system.OperatorClient(t, p.Operator)
	ctx := system.Within(t)
	for _, name := range []string{"gemini", "seedream"} {
		if found, err := operator.CheckPhotoProvider(ctx, name); err != nil || !found.OK {
			t.Errorf("check of %s: %+v, %v; want ok", name, found, err)
		}
	}
	p.gemini.Accept(otherKey)
	if found, err := operator.CheckPhotoProvider(ctx, "gemini"); err != nil || found.OK || found.Code != "PROVIDER_ACCESS_DENIED" {
		t.Errorf("check of a revoked key: %+v, %v; want PROVIDER_ACCESS_DENIED", found, err)
	}
	if got := p.provider(t, "gemini").State; got.CallsToday != 0 || got.Suspended != "" || p.gemini.Calls()+p.seedream.Calls() != 0 {
		t.Errorf("after the checks, the provider is %+v, want no calls", got)
	}
	all, err := operator.PhotoProviders(ctx)
	if err != nil || all.Default != "local" {
		t.Fatalf("PhotoProviders = %+v, %v; want the default local", all, err)
	}
	if _, err := operator.PutDefaultPhotoProvider(ctx, "seedream", `"7"`); !system.IsProblem(err, http.StatusPreconditionFailed) {
		t.Errorf("a change of an older version returned %v, want 412", err)
	}
	if all, err = operator.PutDefaultPhotoProvider(ctx, "seedream", all.ETag); err != nil || all.Default != "seedream" {
		t.Errorf("PutDefaultPhotoProvider = %+v, %v; want the default seedream", all, err)
	}
	c := p.Client(t, system.NewOwner())
	job := system.AwaitPhoto(t, c, system.SendPhoto(t, c, "sepia", system.DrawPhoto(t, 1)).JobID, client.Completed)
	if job.Provider != "seedream" || job.Options.Provider != "seedream" {
		t.Errorf("the job without a provider is %s, want the default seedream", system.JSON(job))
	}
	costs, err := operator.PhotoCosts(ctx, "", "")
	if err != nil || costs.Calls != 1 || costs.CostMicros != 45_000 || len(costs.Providers) != 2 || len(costs.Providers[1].Days) != 1 {
		t.Errorf("PhotoCosts = %+v, %v; want 1 call at 45000", costs, err)
	}
	if costs, err = operator.PhotoCosts(ctx, "2026-01-01", "2026-01-02"); err != nil || costs.Calls != 0 {
		t.Errorf("PhotoCosts of another period = %+v, %v; want no calls", costs, err)
	}
	_, metrics := system.Get(t, p.Operator+"/metrics")
	for _, line := range []string{
		`assay_photo_call_duration_seconds_count{outcome="ok",provider="seedream",step="edit"} 1`,
		`assay_photo_call_cost_dollars_total{provider="seedream",step="edit"} 0.045`,
		`assay_photo_provider_held{provider="seedream",reason="breaker"} 0`,
	} {
		if !strings.Contains(metrics, line+"\n") {
			t.Errorf("the metrics do not contain %s", line)
		}
	}
}
