package photojob

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/photojob/policy"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/analyzer/photojob/provider"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/gemini/geminitest"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/seedream/seedreamtest"
)

// newTestCatalog opens a catalog of test providers, all disabled.
func newTestCatalog(t *testing.T, keys map[string]string) *catalog {
	t.Helper()
	db, _ := tabletest.Start(t)
	cfg := platform.Config{Table: "assay-platform"}
	if err := table.EnsureAll(t.Context(), db, platform.Storage(cfg).Tables); err != nil {
		t.Fatal(err)
	}
	c := newCatalog(Config{}, policy.NewStore(platform.NewStore(db, cfg)), nil, nil, nil, newMetrics(prometheus.NewRegistry()))
	transport := &http.Transport{}
	c.client = &http.Client{Transport: transport}
	t.Cleanup(transport.CloseIdleConnections)
	c.key = func(variable string) string { return keys[variable] }
	return c
}

func set(t *testing.T, c *catalog, name string, change func(*policy.Settings)) {
	t.Helper()
	p, err := c.policies.Get(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	change(&p.Settings)
	if _, err := c.policies.Put(t.Context(), name, p.Settings, platform.Match{Any: true}); err != nil {
		t.Fatal(err)
	}
}

// TestCheckProvider checks that a free call reports whether the provider accepts the key.
func TestCheckProvider(t *testing.T) {
	gemini, seedream := geminitest.Start(t), seedreamtest.Start(t)
	keys := map[string]string{"ASSAY_GEMINI_KEY": geminitest.Key}
	c := newTestCatalog(t, keys)
	set(t, c, photojob.Gemini, func(s *policy.Settings) { s.BaseURL = gemini.URL })
	set(t, c, photojob.Seedream, func(s *policy.Settings) { s.BaseURL = seedream.URL })
	router := web.NewRouter(web.Options{Roles: []web.Role{web.Operator}})
	(&Area{catalog: c}).OperatorRoutes(router)
	check := func(name string, status int, want ...string) {
		t.Helper()
		w := httptest.NewRecorder()
		router.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "http://127.0.0.1/v1/photo-providers/"+name+"/check", nil))
		for _, part := range want {
			if w.Code != status || !strings.Contains(w.Body.String(), part) {
				t.Errorf("%s: got %d %s, want %d %s", name, w.Code, w.Body, status, part)
			}
		}
	}
	check(photojob.Gemini, http.StatusOK, `"ok":true`, geminitest.EditModel)
	check(photojob.Seedream, http.StatusOK, `"ok":false`, provider.AccessDenied, "set ASSAY_SEEDREAM_KEY")
	keys["ASSAY_SEEDREAM_KEY"] = seedreamtest.Key
	check(photojob.Seedream, http.StatusOK, `"ok":true`)
	gemini.Accept("another")
	check(photojob.Gemini, http.StatusOK, `"ok":false`, provider.AccessDenied, "API key not valid", `"httpStatus":400`)
	check("stub", http.StatusNotFound, "no paid provider")
	if n := gemini.Calls() + seedream.Calls(); n != 0 {
		t.Errorf("got %d paid calls, want 0", n)
	}
}

// TestGateChecksAreShared checks that the workers of a process share one check per second, and that an
// error is returned to only one worker.
func TestGateChecksAreShared(t *testing.T) {
	checks, broken := 0, errors.New("broken")
	g := &gate{check: func(context.Context) (bool, error) {
		if checks++; checks == 1 {
			return false, broken
		}
		return checks == 2, nil
	}}
	if _, err := g.isOpen(t.Context()); !errors.Is(err, broken) {
		t.Errorf("got error %v, want %v", err, broken)
	}
	for range 10 {
		if open, err := g.isOpen(t.Context()); !open || err != nil {
			t.Errorf("got open %v, error %v, want an open gate", open, err)
		}
	}
	g.at = g.at.Add(-gateEvery)
	if open, err := g.isOpen(t.Context()); open || err != nil || checks != 3 {
		t.Errorf("got open %v, error %v after %d checks, want a closed gate and 3 checks", open, err, checks)
	}
}

// TestHoldMetric checks that a metric shows why a provider is not called.
func TestHoldMetric(t *testing.T) {
	c := newTestCatalog(t, map[string]string{"ASSAY_GEMINI_KEY": geminitest.Key})
	holds := func(reason string) float64 {
		return testutil.ToFloat64(c.metrics.holds.WithLabelValues(photojob.Gemini, reason))
	}
	look := func() {
		t.Helper()
		o, err := c.open(t.Context(), photojob.Gemini)
		if err == nil {
			_, err = c.held(t.Context(), o, o.maxCost())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if look(); holds(policy.HeldDisabled) != 1 {
		t.Errorf("got metric %v for a disabled provider, want 1", holds(policy.HeldDisabled))
	}
	set(t, c, photojob.Gemini, func(s *policy.Settings) { s.Enabled, s.DailyBudget = true, 1 })
	if look(); holds(policy.HeldDisabled) != 0 || holds(policy.HeldDailyBudget) != 1 {
		t.Errorf("got metrics %v (disabled) and %v (budget) with an exhausted budget, want 0 and 1", holds(policy.HeldDisabled), holds(policy.HeldDailyBudget))
	}
	c.metrics.called(photojob.Gemini, photojob.StepEdit, time.Second, 101_000, &provider.Error{Class: provider.Unknown})
	c.metrics.called(photojob.Gemini, photojob.StepEdit, time.Second, 101_000, nil)
	if cost := testutil.ToFloat64(c.metrics.cost.WithLabelValues(photojob.Gemini, photojob.StepEdit)); cost != 0.202 {
		t.Errorf("got cost %v, want 0.202", cost)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(c.metrics.calls)
	families, err := registry.Gather()
	if err != nil || len(families) != 1 {
		t.Fatalf("got %d families, error %v, want 1", len(families), err)
	}
	calls := map[string]uint64{}
	for _, series := range families[0].GetMetric() {
		for _, label := range series.GetLabel() {
			if label.GetName() == "outcome" {
				calls[label.GetValue()] += series.GetHistogram().GetSampleCount()
			}
		}
	}
	want := map[string]uint64{"ok": 1, "unknown": 1, "retry": 0, "defer": 0, "suspend": 0, "permanent": 0, "internal": 0}
	if !maps.Equal(calls, want) {
		t.Errorf("got the outcomes %v, want %v", calls, want)
	}
}

// TestAnswerWait checks that a worker whose clock is ahead of the caller's by the maximum
// difference waits until the call has ended on the caller's clock.
func TestAnswerWait(t *testing.T) {
	cfg, until := Config{ClockSkew: 30 * time.Second}, time.UnixMilli(1_760_000_000_000)
	sent := photojob.Call{Outcome: photojob.CallSent, Until: until.UnixMilli()}
	for behind, want := range map[time.Duration]time.Duration{
		-30 * time.Second: 65 * time.Second, 0: 35 * time.Second, 30 * time.Second: 5 * time.Second, 35 * time.Second: 0, time.Hour: 0,
	} {
		if wait := cfg.answerWait(sent, until.Add(behind)); wait != want {
			t.Errorf("%s after the call: got a wait of %s, want %s", behind, wait, want)
		}
	}
	for _, call := range []photojob.Call{{}, {Outcome: photojob.CallSent}, {Outcome: photojob.CallOK, Until: until.UnixMilli()}} {
		if wait := cfg.answerWait(call, until); wait != 0 {
			t.Errorf("%+v: got a wait of %s, want none", call, wait)
		}
	}
}

// TestChainCanDoThePrompt checks that a fallback that cannot do all of a prompt is skipped, and that the requested
// provider never is.
func TestChainCanDoThePrompt(t *testing.T) {
	c := newTestCatalog(t, nil)
	set(t, c, photojob.Gemini, func(s *policy.Settings) { s.Fallback = []string{photojob.Seedream, photojob.Stub} })
	set(t, c, photojob.Seedream, func(s *policy.Settings) { s.Fallback = []string{photojob.Stub} })
	long := strings.Repeat("a ", 601)
	for _, test := range []struct {
		route, prompt string
		want          []string
	}{
		{photojob.Gemini, "", []string{photojob.Gemini, photojob.Seedream, photojob.Stub}},
		{photojob.Gemini, "sepia, as png", []string{photojob.Gemini, photojob.Seedream, photojob.Stub}},
		{photojob.Gemini, "make it pop", []string{photojob.Gemini, photojob.Seedream}},
		{photojob.Gemini, "sepia, make it pop", []string{photojob.Gemini, photojob.Seedream}},
		{photojob.Gemini, long, []string{photojob.Gemini}},
		{photojob.Seedream, long, []string{photojob.Seedream}},
		{photojob.Stub, "make it pop", []string{photojob.Stub}},
	} {
		chain, skipped, err := c.chain(t.Context(), test.route, test.prompt)
		var names []string
		for _, o := range chain {
			names = append(names, o.name)
		}
		all := map[string]int{photojob.Gemini: 3, photojob.Seedream: 2, photojob.Stub: 1}[test.route]
		if err != nil || !slices.Equal(names, test.want) || skipped != (len(names) < all) {
			t.Errorf("%s, %.20q: got %v, skipped %t, error %v, want %v", test.route, test.prompt, names, skipped, err, test.want)
		}
	}
}
