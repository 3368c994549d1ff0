package photos

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/assay-project/assay/services/analyzer/photojob/provider/gemini/geminitest"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/providertest"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestPaidBudget: when a budget is used up, jobs wait. Four analyzers together do not exceed the budget, and the waiting
// jobs do not delay other providers. They continue once the budget is increased.
func TestPaidBudget(t *testing.T) {
	t.Parallel()
	cluster := system.StartCluster(t, paidEnv()...)
	ingest := cluster.Service(t, "ingest")
	cluster.Front(t, ingest, cluster.Service(t, "query"))
	cluster.Operator = ingest.Operator
	p := newPaid(t, &system.Server{System: cluster.System})
	p.enable(t)
	for range 4 {
		cluster.Service(t, "analyzer")
	}
	const price, most, n = 45_000, 4, 12
	p.set(t, "seedream", system.Settings{"dailyBudgetMicros": most*price + price/2, "concurrent": 100})
	c := p.Client(t, system.NewOwner())
	var jobs []string
	for range n {
		jobs = append(jobs, p.send(t, c, "seedream").JobID)
	}
	system.Eventually(t, func() error {
		if got := p.seedream.Billed(); got != most {
			return fmt.Errorf("%d billed, want %d", got, most)
		}
		return nil
	})
	system.AwaitPhoto(t, c, p.send(t, c, "gemini").JobID, client.Completed)
	system.AwaitPhoto(t, c, system.SendPhoto(t, c, "sepia", system.DrawPhoto(t, 3)).JobID, client.Completed)
	if got := p.provider(t, "seedream").State; got.CostTodayMicros != most*price || p.seedream.Billed() != most {
		t.Errorf("the provider is %+v, %d billed; want the budget for %d used", got, p.seedream.Billed(), most)
	}
	p.set(t, "seedream", system.Settings{"dailyBudgetMicros": 2 * n * price})
	for _, id := range jobs {
		system.AwaitPhoto(t, c, id, client.Completed)
	}
	if got := p.provider(t, "seedream").State; got.CostTodayMicros != n*price || p.seedream.Billed() != n {
		t.Errorf("the provider is %+v, %d billed; want %d at %d", got, p.seedream.Billed(), n, price)
	}
}

// TestPaidFallbackAfter: jobs wait for a held provider for the duration of fallbackAfter, and then its fallback processes
// them.
func TestPaidFallbackAfter(t *testing.T) {
	t.Parallel()
	p := startPaid(t)
	const wait = 3 * time.Second
	p.gemini.Choose(func(int) providertest.Reply { return geminitest.TooMany(geminitest.RetryInfo("600s")) })
	p.set(t, "gemini", system.Settings{"fallback": []string{"seedream"}, "fallbackAfter": "10m"})
	c := p.Client(t, system.NewOwner())
	held := []client.Photo{p.send(t, c, "gemini"), p.send(t, c, "gemini")}
	system.Eventually(t, func() error {
		if p.gemini.Calls() == 0 {
			return errors.New("gemini has not been called, want at least one call")
		}
		return nil
	})
	system.AwaitPhoto(t, c, p.send(t, c, "seedream").JobID, client.Completed)
	if p.seedream.Billed() != 1 {
		t.Errorf("%d calls to the fallback before fallbackAfter, want 0", p.seedream.Billed()-1)
	}
	p.set(t, "gemini", system.Settings{"fallbackAfter": wait.String()})
	held = append(held, p.send(t, c, "gemini"))
	for _, job := range held {
		done := system.AwaitPhoto(t, c, job.JobID, client.Completed)
		if took := done.ProcessingCompletedAt.Sub(done.CreatedAt); done.Provider != "seedream" || took < wait {
			t.Errorf("processed by %s %s after it was created, want seedream after %s", done.Provider, took, wait)
		}
	}
	if p.gemini.Billed() != 0 || p.seedream.Billed() != 1+len(held) {
		t.Errorf("%d calls of gemini and %d of seedream are billed, want 0 and %d", p.gemini.Billed(), p.seedream.Billed(), 1+len(held))
	}
}
