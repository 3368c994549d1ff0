//go:build clockstep

package clock

import (
	"syscall"
	"testing"
	"time"

	"github.com/assay-project/assay/services/analyzer/photojob/provider/gemini/geminitest"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/providertest"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestClocksOfServicesInPaidCalls: a worker whose clock is 30 s ahead takes over the job of a worker that stopped during
// a call to a paid provider. It makes no second call before the time limit of the first call has passed on both clocks.
func TestClocksOfServicesInPaidCalls(t *testing.T) {
	const ahead, callTime = 30 * time.Second, 3 * time.Second
	gemini := geminitest.Start(t)
	c := system.StartCluster(t, "ASSAY_LEASE=2s", "ASSAY_GEMINI_KEY="+geminitest.Key, "ASSAY_PHOTOJOB_ALLOW_NETWORKS=127.0.0.0/8")
	ingest := c.Service(t, "ingest")
	c.Front(t, ingest, c.Service(t, "query"))
	operator := system.OperatorClient(t, ingest.Operator)
	provider, err := operator.PhotoProvider(system.Within(t), "gemini")
	if err != nil {
		t.Fatal(err)
	}
	settings := provider.PhotoProviderSettings
	settings.Enabled, settings.BaseURL, settings.EditTime = true, gemini.URL, callTime.String()
	if _, err := operator.PutPhotoProvider(system.Within(t), "gemini", settings, "*"); err != nil {
		t.Fatal(err)
	}
	first := c.Service(t, "analyzer")
	began, again := make(chan time.Time, 1), make(chan time.Time, 1)
	gemini.Next(providertest.OK, func(x providertest.Exchange) {
		began <- time.Now()
		providertest.Silent(x)
	}, func(x providertest.Exchange) {
		again <- time.Now()
		providertest.OK(x)
	})
	user := c.Client(t, system.NewOwner())
	job, err := user.UploadPhoto(system.Within(t), system.PhotoSource("a.jpg", "a red boat", system.DrawPhoto(t, 1)), client.PhotoOptions{Provider: "gemini"})
	if err != nil {
		t.Fatal(err)
	}
	since := <-began
	if err := first.Cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	at := newClock(t)
	at.set(t, ahead)
	c.Service(t, "analyzer", at.env())
	system.AwaitPhoto(t, user, job.JobID, client.Completed)
	wait := (<-again).Sub(since)
	t.Logf("the second call was made %s after the first", wait)
	if wait < callTime+4*time.Second || wait > callTime+ahead {
		t.Errorf("the second call was made %s after the first, want %s to %s", wait, callTime+4*time.Second, callTime+ahead)
	}
	if gemini.Billed() != 3 {
		t.Errorf("Billed() = %d, want 3", gemini.Billed())
	}
}
