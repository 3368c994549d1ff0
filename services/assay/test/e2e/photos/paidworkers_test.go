package photos

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/assay-project/assay/services/analyzer/photojob/provider/gemini/geminitest"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/providertest"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestPaidWorkers: what separate analyzers do together.
func TestPaidWorkers(t *testing.T) {
	t.Parallel()
	cluster := system.StartCluster(t, append(paidEnv(), noSkew)...)
	ingest := cluster.Service(t, "ingest")
	cluster.Front(t, ingest, cluster.Service(t, "query"))
	cluster.Operator = ingest.Operator
	p := newPaid(t, &system.Server{System: cluster.System})
	p.enable(t)
	p.set(t, "gemini", system.Settings{"editTime": "2s"})
	first := cluster.Service(t, "analyzer")
	t.Run("stopped", func(t *testing.T) {
		p.stoppedWorker(t, first, func() {
			for range 3 {
				cluster.Service(t, "analyzer")
			}
		})
	})
	t.Run("budget", p.budget)
}

// stoppedWorker: a worker that stops during a call, for longer than its lease, and goes on
// when another has done the job changes nothing, and makes no call.
func (p paid) stoppedWorker(t *testing.T, stopped *system.Service, startOthers func()) {
	signal := func(s os.Signal) {
		t.Helper()
		if err := stopped.Cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	reached, resumed := make(chan struct{}), make(chan struct{})
	p.gemini.Next(providertest.OK, func(x providertest.Exchange) {
		close(reached)
		<-resumed
		providertest.OK(x)
	})
	c := p.Client(t, system.NewOwner())
	job := p.send(t, c, "gemini")
	<-reached
	signal(syscall.SIGSTOP)
	startOthers()
	job = system.AwaitPhoto(t, c, job.JobID, client.Completed)
	edited := system.DownloadPhoto(t, c, job.JobID, client.EditedPhoto)
	close(resumed)
	signal(syscall.SIGCONT)
	stopped.Await(t, job.JobID) // its attempt has ended
	want := "[{analyze gemini ok gemini-3.5-flash 40000} {edit gemini unknown gemini-3.1-flash-image 101000} {edit gemini ok gemini-3.1-flash-image 101000}]"
	if calls := p.calls(t, job.JobID); fmt.Sprint(calls) != want || p.gemini.Calls() != 3 || p.gemini.Billed() != 3 {
		t.Errorf("calls %v, want %s; %d calls, %d billed", calls, want, p.gemini.Calls(), p.gemini.Billed())
	}
	if ids := p.PhotoOutcomes(t, job.JobID); len(ids) != 1 {
		t.Errorf("outcomes %v", ids)
	}
	again, err := c.GetPhoto(system.Within(t), job.JobID, 0)
	if err != nil || system.JSON(again) != system.JSON(job) || !bytes.Equal(edited, system.DownloadPhoto(t, c, job.JobID, client.EditedPhoto)) {
		t.Errorf("the stopped worker changed %s to %s, %v", system.JSON(job), system.JSON(again), err)
	}
	system.Eventually(t, func() error {
		if keys := p.PhotoKeys(t, job.JobID)[system.PhotoFinal]; len(keys) != 1 {
			return fmt.Errorf("the final bucket has %v", keys)
		}
		return nil
	})
	if got := p.provider(t, "gemini").State; got.CostTodayMicros < 40_000+2*101_000 {
		t.Errorf("the books have %+v", got)
	}
}

// budget: a budget that is used up holds the jobs of four analyzers, which together do not
// exceed it, and delays no other provider. A larger one lets them go on.
func (p paid) budget(t *testing.T) {
	const price, most, n = 45_000, 7, 24
	p.set(t, "seedream", system.Settings{"dailyBudgetMicros": most*price + price/2, "concurrent": 100})
	c := p.Client(t, system.NewOwner())
	var jobs []string
	for range n {
		jobs = append(jobs, p.send(t, c, "seedream").JobID)
	}
	system.Eventually(t, func() error {
		if got := p.seedream.Billed(); got != most {
			return fmt.Errorf("%d billed", got)
		}
		return nil
	})
	system.AwaitPhoto(t, c, p.send(t, c, "gemini").JobID, client.Completed)
	system.AwaitPhoto(t, c, system.SendPhoto(t, c, "sepia", system.DrawPhoto(t, 3)).JobID, client.Completed)
	if got := p.provider(t, "seedream").State; got.CostTodayMicros != most*price || p.seedream.Billed() != most {
		t.Errorf("%+v, %d billed of a budget for %d", got, p.seedream.Billed(), most)
	}
	p.set(t, "seedream", system.Settings{"dailyBudgetMicros": 2 * n * price})
	for _, id := range jobs {
		system.AwaitPhoto(t, c, id, client.Completed)
	}
	if got := p.provider(t, "seedream").State; got.CostTodayMicros != n*price || p.seedream.Billed() != n {
		t.Errorf("%+v, %d billed for %d jobs", got, p.seedream.Billed(), n)
	}
}

// TestPaidFallbackAfter: jobs wait for a provider that is held until they have waited for
// fallbackAfter. Then its fallback does them.
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
			return fmt.Errorf("no call yet")
		}
		return nil
	})
	system.AwaitPhoto(t, c, p.send(t, c, "seedream").JobID, client.Completed)
	if p.seedream.Billed() != 1 {
		t.Errorf("%d calls to the fallback before fallbackAfter", p.seedream.Billed()-1)
	}
	p.set(t, "gemini", system.Settings{"fallbackAfter": wait.String()})
	held = append(held, p.send(t, c, "gemini"))
	for _, job := range held {
		done := system.AwaitPhoto(t, c, job.JobID, client.Completed)
		if took := done.ProcessingCompletedAt.Sub(done.CreatedAt); done.Provider != "seedream" || took < wait {
			t.Errorf("done by %s %s after it was created, want seedream after %s", done.Provider, took, wait)
		}
	}
	if p.gemini.Billed() != 0 || p.seedream.Billed() != 1+len(held) {
		t.Errorf("%d and %d billed", p.gemini.Billed(), p.seedream.Billed())
	}
}
