package photos

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/analyzer/photojob/provider/gemini/geminitest"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/providertest"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/seedream/seedreamtest"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// paid is a server with test servers as paid providers.
type paid struct {
	*system.Server
	gemini   *geminitest.Server
	seedream *seedreamtest.Server
}

const otherKey = "another-key"

func startPaid(t *testing.T, env ...string) paid {
	t.Helper()
	p := newPaid(t, system.StartServer(t, t.TempDir(), append(paidEnv(), env...)...))
	p.enable(t)
	return p
}

func newPaid(t *testing.T, s *system.Server) paid {
	t.Helper()
	return paid{s, geminitest.Start(t), seedreamtest.Start(t)}
}

// paidEnv returns the environment of a system that uses test servers as paid providers.
func paidEnv() []string {
	return []string{
		"ASSAY_GEMINI_KEY=" + geminitest.Key, "ASSAY_GEMINI_KEY_NEW=" + otherKey, "ASSAY_SEEDREAM_KEY=" + seedreamtest.Key,
		"ASSAY_PHOTOJOB_ALLOW_NETWORKS=127.0.0.0/8",
	}
}

// enable configures the system to call the test servers.
func (p paid) enable(t *testing.T) {
	t.Helper()
	p.set(t, "gemini", system.Settings{"enabled": true, "baseUrl": p.gemini.URL, "analyzeModel": geminitest.AnalyzeModel, "editModel": geminitest.EditModel})
	p.set(t, "seedream", system.Settings{"enabled": true, "baseUrl": p.seedream.URL, "editModel": seedreamtest.Model})
}

// photoProvider contains the fields of a provider that are checked.
type photoProvider struct {
	State struct {
		Suspended       string
		CallsToday      int
		CostTodayMicros int64
		Running         int
	}
}

func (p paid) set(t *testing.T, name string, change system.Settings) {
	t.Helper()
	setPhotoProvider(t, p.Operator, name, change)
}

func (p paid) provider(t *testing.T, name string) (got photoProvider) {
	t.Helper()
	_, body := system.Get(t, p.Operator+"/v1/photo-providers/"+name)
	system.Decode(t, body, &got)
	return got
}

func (p paid) send(t *testing.T, c *client.Client, provider string) client.Photo {
	t.Helper()
	job, err := c.UploadPhoto(system.Within(t), system.PhotoSource("a photo.jpg", "a red boat", system.DrawPhoto(t, 1)), client.PhotoOptions{Provider: provider})
	if err != nil {
		t.Fatal(err)
	}
	return job
}

// photoCall contains the fields of a call that are compared.
type photoCall struct {
	Step, Provider, Outcome, Model string
	CostMicros                     int64
}

func (p paid) calls(t *testing.T, jobID string) []photoCall {
	t.Helper()
	var list struct{ Calls []photoCall }
	_, body := system.Get(t, p.LiveOperator+"/v1/photos/"+jobID+"/calls")
	system.Decode(t, body, &list)
	return list.Calls
}

// recorded returns the number of calls in the ledger of a job that a provider may bill.
func recorded(calls []photoCall, provider string) (n int) {
	for _, call := range calls {
		if call.Provider == provider && (call.Outcome != "error" && call.Outcome != "refused" || call.CostMicros > 0) {
			n++
		}
	}
	return n
}

// TestPaidProviders: a job is processed by the requested provider, its calls are in the ledger at their prices, and a
// rejected edit is not repeated.
func TestPaidProviders(t *testing.T) {
	t.Parallel()
	p := startPaid(t)
	c := p.Client(t, system.NewOwner())
	for provider, want := range map[string]string{
		"gemini":   "[{analyze gemini ok gemini-3.5-flash 40000} {edit gemini ok gemini-3.1-flash-image 101000}]",
		"seedream": "[{analyze local ok local-6 0} {edit seedream ok seedream-4-5-251128 45000}]",
	} {
		job := system.AwaitPhoto(t, c, p.send(t, c, provider).JobID, client.Completed)
		if calls := fmt.Sprint(p.calls(t, job.JobID)); calls != want {
			t.Errorf("calls %s, want %s", calls, want)
		}
		edited := system.DownloadPhoto(t, c, job.JobID, client.EditedPhoto)
		if config, format, err := image.DecodeConfig(bytes.NewReader(edited)); err != nil || format != "jpeg" || config.Width != job.EditResult.Width ||
			job.Provider != provider || job.Degraded != "" || job.AnalysisResult == nil {
			t.Errorf("the edited photo is %s %+v, %v; want a JPEG of the size in %s", format, config, err, system.JSON(job))
		}
	}
	if got := p.provider(t, "gemini").State; got.CallsToday != 2 || got.CostTodayMicros != 141_000 || got.Running != 0 || p.gemini.Billed() != 2 {
		t.Errorf("the provider is %+v, %d billed; want 2 calls at 141000 in total", got, p.gemini.Billed())
	}
	p.gemini.Next(providertest.OK, providertest.Body(func([]byte) []byte { return geminitest.Candidate("IMAGE_SAFETY") }))
	refused := system.AwaitPhoto(t, c, p.send(t, c, "gemini").JobID, client.Failed)
	if refused.Error.Code != "SAFETY_BLOCKED" || len(p.calls(t, refused.JobID)) != 2 || p.seedream.Billed() != 1 {
		t.Errorf("rejected content: %s, calls %v; want SAFETY_BLOCKED after 2 calls", system.JSON(refused), p.calls(t, refused.JobID))
	}
	p.set(t, "gemini", system.Settings{"enabled": false})
	_, err := c.UploadPhoto(system.Within(t), system.PhotoSource("a.jpg", "", system.DrawPhoto(t, 1)), client.PhotoOptions{Provider: "gemini"})
	if problem, ok := errors.AsType[*client.Problem](err); !ok || problem.Status != http.StatusConflict {
		t.Errorf("an upload for a disabled provider returned %v, want 409", err)
	}
	p.set(t, "gemini", system.Settings{"fallback": []string{"stub"}})
	job, err := c.UploadPhoto(system.Within(t), system.PhotoSource("a.jpg", "sepia", system.DrawPhoto(t, 1)), client.PhotoOptions{Provider: "gemini"})
	if err != nil {
		t.Fatal(err)
	}
	if job = system.AwaitPhoto(t, c, job.JobID, client.Completed); job.Provider != "local" || job.Degraded != "edited by the local provider instead of gemini" {
		t.Errorf("with a fallback of a disabled provider, the job is %s, want an edit by local", system.JSON(job))
	}
}

// TestPaidKeyRevoked: a rejected key suspends its provider, and waiting jobs continue with a new key.
func TestPaidKeyRevoked(t *testing.T) {
	t.Parallel()
	p := startPaid(t)
	p.gemini.Accept(otherKey)
	c := p.Client(t, system.NewOwner())
	first, second := p.send(t, c, "gemini"), p.send(t, c, "gemini")
	system.Eventually(t, func() error {
		if got := p.provider(t, "gemini").State; !strings.Contains(got.Suspended, "API key not valid") {
			return fmt.Errorf("the provider is %+v, want suspended", got)
		}
		return nil
	})
	p.set(t, "gemini", system.Settings{"keyVariable": "ASSAY_GEMINI_KEY_NEW"})
	for _, job := range []client.Photo{first, second} {
		system.AwaitPhoto(t, c, job.JobID, client.Completed)
	}
	if got := p.provider(t, "gemini").State; got.Suspended != "" || p.gemini.Billed() != 4 {
		t.Errorf("the provider is %+v, %d billed; want not suspended, 4 billed", got, p.gemini.Billed())
	}
}

// TestPaidSettings: settings are validated, and a change based on an older version is rejected.
func TestPaidSettings(t *testing.T) {
	t.Parallel()
	p := startPaid(t)
	at := system.System{HTTP: p.Operator}
	resp, body := at.Ask(t, http.MethodGet, "/v1/photo-providers/gemini", nil, "")
	good := system.Settings{}
	system.Decode(t, body, &good)
	for _, field := range []string{"name", "state", "$schema"} {
		delete(good, field)
	}
	put := func(etag string, change system.Settings) (int, string) {
		all := system.Settings{}
		for field, value := range good {
			all[field] = value
		}
		for field, value := range change {
			all[field] = value
		}
		document, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		answer, problem := at.Ask(t, http.MethodPut, "/v1/photo-providers/gemini", map[string]string{"Content-Type": "application/json", "If-Match": etag}, string(document))
		return answer.StatusCode, problem
	}
	wrong := system.Settings{
		"keyVariable": "AWS_SECRET_ACCESS_KEY", "baseUrl": "file:///etc/passwd", "editTime": "1h", "fallbackAfter": "never",
		"fallback": []string{"gemini"}, "perMinute": 0, "editModel": "",
	}
	for field, value := range wrong {
		if status, problem := put("*", system.Settings{field: value}); status != http.StatusUnprocessableEntity && status != http.StatusBadRequest || !strings.Contains(problem, field) {
			t.Errorf("%s %v: %d %s, want an error that names the field", field, value, status, problem)
		}
	}
	etag := resp.Header.Get("ETag")
	if status, problem := put(etag, nil); status != http.StatusOK {
		t.Errorf("the current version: %d %s, want 200", status, problem)
	}
	if status, _ := put(etag, nil); status != http.StatusPreconditionFailed {
		t.Errorf("an older version: %d, want 412", status)
	}
	if status, _ := put("", nil); status != http.StatusPreconditionRequired {
		t.Errorf("without a version: %d, want 428", status)
	}
	if resp, _ := p.Ask(t, http.MethodGet, "/v1/photo-providers/gemini", nil, ""); resp.StatusCode != http.StatusNotFound {
		t.Errorf("GET of a provider at the public address: %d, want 404", resp.StatusCode)
	}
}

// TestPaidKilled: a call whose worker was killed is in the ledger as possibly billed, at its full price, and is repeated
// once if its response is lost.
func TestPaidKilled(t *testing.T) {
	t.Parallel()
	p := startPaid(t, system.ShortLease, noSkew)
	p.set(t, "gemini", system.Settings{"editTime": "5s"})
	reached := make(chan struct{})
	p.gemini.Next(providertest.OK, func(x providertest.Exchange) {
		close(reached)
		providertest.Silent(x)
	})
	c := p.Client(t, system.NewOwner())
	job := p.send(t, c, "gemini")
	<-reached
	p.Program.Kill(t)
	p.Restart(t)
	job = system.AwaitPhoto(t, p.Client(t, job.UserID), job.JobID, client.Completed)
	want := "[{analyze gemini ok gemini-3.5-flash 40000} {edit gemini unknown gemini-3.1-flash-image 101000} {edit gemini ok gemini-3.1-flash-image 101000}]"
	if calls := p.calls(t, job.JobID); fmt.Sprint(calls) != want || p.gemini.Billed() != 3 {
		t.Errorf("calls %v, want %s; %d billed, want 3", calls, want, p.gemini.Billed())
	}
	if got := p.provider(t, "gemini").State; got.CostTodayMicros != 40_000+2*101_000 {
		t.Errorf("the provider is %+v, want a cost of %d", got, 40_000+2*101_000)
	}
	if ids := p.PhotoOutcomes(t, job.JobID); len(ids) != 1 {
		t.Errorf("outcomes %v, want one", ids)
	}
}
