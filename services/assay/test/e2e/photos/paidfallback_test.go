package photos

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/assay-project/assay/services/analyzer/photojob/provider/gemini/geminitest"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/providertest"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestPaidFallbackUnderstands: after a provider has denied access, its fallback processes the jobs whose prompts it can do.
// The others wait, and are processed by the provider once it has a new key.
func TestPaidFallbackUnderstands(t *testing.T) {
	t.Parallel()
	p := startPaid(t)
	p.set(t, "gemini", system.Settings{"fallback": []string{"stub"}})
	denied := providertest.Status(http.StatusUnauthorized, "application/json", geminitest.Error(http.StatusUnauthorized, "UNAUTHENTICATED", "expired"))
	p.gemini.Next(denied)
	c := p.Client(t, system.NewOwner())
	send := func(prompt string) client.Photo {
		t.Helper()
		job, err := c.UploadPhoto(system.Within(t), system.PhotoSource("a.jpg", prompt, system.DrawPhoto(t, 1)), client.PhotoOptions{Provider: "gemini"})
		if err != nil {
			t.Fatal(err)
		}
		return job
	}
	waiting := send("make it pop")
	system.Eventually(t, func() error {
		if got := p.provider(t, "gemini").State; got.Suspended == "" {
			return fmt.Errorf("the provider is %+v, want suspended", got)
		}
		return nil
	})
	local := system.AwaitPhoto(t, c, send("sepia").JobID, client.Completed)
	if local.Provider != "local" || local.Degraded != "edited by the local provider instead of gemini" {
		t.Errorf("a job that the fallback can do is %s, want an edit by local", system.JSON(local))
	}
	still, err := c.GetPhoto(system.Within(t), waiting.JobID, 0)
	if err != nil || still.Status == client.Completed || still.Status == client.Failed || still.Provider != "gemini" || still.Error == nil || still.Error.Code != "PROVIDER_ACCESS_DENIED" {
		t.Errorf("a job that the fallback cannot do is %s, %v; want it to wait for gemini, which denied access", system.JSON(still), err)
	}
	p.set(t, "gemini", system.Settings{"keyVariable": "ASSAY_GEMINI_KEY_NEW"})
	p.gemini.Accept(otherKey)
	done := system.AwaitPhoto(t, c, waiting.JobID, client.Completed)
	if done.Provider != "gemini" || done.Error != nil || done.Degraded != "" {
		t.Errorf("with a new key, the job is %s, want an edit by gemini", system.JSON(done))
	}
	for _, call := range p.calls(t, waiting.JobID) {
		if call.Provider != "gemini" {
			t.Errorf("the job has the call %+v, want calls of gemini only", call)
		}
	}
}

// TestPaidAttempts: the calls to a provider count as attempts, in the error of the job and in its dead letter.
func TestPaidAttempts(t *testing.T) {
	t.Parallel()
	p := startPaid(t)
	unusable := providertest.Body(func([]byte) []byte { return geminitest.Candidate("NO_IMAGE") })
	p.gemini.Next(providertest.OK, unusable, unusable)
	c := p.Client(t, system.NewOwner())
	job := system.AwaitPhoto(t, c, p.send(t, c, "gemini").JobID, client.Failed)
	if job.Error.Code != "PROVIDER_BAD_ANSWER" || job.Error.RetryCount != 1 || job.Provider != "gemini" {
		t.Errorf("the job is %s, want PROVIDER_BAD_ANSWER of gemini after one retry", system.JSON(job))
	}
	operator := system.OperatorClient(t, p.Operator)
	system.Eventually(t, func() error {
		letters, _, err := operator.DeadLetters(system.Within(t), client.DeadFilter{Consumer: "analyzer-photojob-gemini"}, 0, 10)
		if err != nil || len(letters) != 1 {
			return fmt.Errorf("%d dead letters, %w; want 1", len(letters), err)
		}
		if letters[0].Attempts != 2 || letters[0].Reason != job.Error.Message {
			t.Errorf("the dead letter is %+v, want 2 attempts and the reason %q", letters[0], job.Error.Message)
		}
		return nil
	})
}
