package photos

import (
	"fmt"
	"slices"
	"syscall"
	"testing"

	"github.com/assay-project/assay/services/analyzer/photojob/provider/gemini/geminitest"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/providertest"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestFrozenWorker: a worker that is suspended during a paid call and resumes after another worker has completed the job
// makes no further call and overwrites nothing, although it receives the response.
func TestFrozenWorker(t *testing.T) {
	t.Parallel()
	gemini := geminitest.Start(t)
	c := system.StartCluster(t, "ASSAY_GEMINI_KEY="+geminitest.Key, "ASSAY_PHOTOJOB_ALLOW_NETWORKS=127.0.0.0/8", noSkew)
	ingest := c.Service(t, "ingest")
	c.Front(t, ingest, c.Service(t, "query"))
	p := paid{Server: &system.Server{System: c.System}, gemini: gemini}
	p.Operator = ingest.Operator
	p.set(t, "gemini", system.Settings{
		"enabled": true, "baseUrl": gemini.URL, "analyzeModel": geminitest.AnalyzeModel, "editModel": geminitest.EditModel, "editTime": "4s",
	})
	reached, awake := make(chan struct{}), make(chan struct{})
	gemini.Next(providertest.OK, func(x providertest.Exchange) {
		x.Bill()
		close(reached)
		select {
		case <-awake:
			x.Write(x.Answer)
		case <-x.R.Context().Done(): // the test has failed
		}
	})
	frozen := c.Service(t, "analyzer")
	owner := c.Client(t, system.NewOwner())
	job := p.send(t, owner, "gemini")
	<-reached
	signal(t, frozen, syscall.SIGSTOP)
	c.Service(t, "analyzer")
	job = system.AwaitPhoto(t, owner, job.JobID, client.Completed)
	before, objects := c.PhotoItem(system.Within(t), t, job.JobID), c.PhotoKeys(t, job.JobID)

	close(awake)
	signal(t, frozen, syscall.SIGCONT)
	if status := frozen.Interrupt(t); status != 0 { // it exits once its work is done
		t.Errorf("the exit status of the frozen worker is %d, want 0", status)
	}
	if after := c.PhotoItem(system.Within(t), t, job.JobID); system.JSON(after) != system.JSON(before) {
		t.Errorf("the item is %s, want %s as before the worker resumed", system.JSON(after), system.JSON(before))
	}
	if now := c.PhotoKeys(t, job.JobID); len(now[system.PhotoFinal]) != 3 || !slices.Equal(now[system.PhotoFinal], objects[system.PhotoFinal]) { // the photo and its previews
		t.Errorf("the objects are %v, want %v with 3 final objects", now, objects)
	}
	want := "[{analyze gemini ok gemini-3.5-flash 40000} {edit gemini unknown gemini-3.1-flash-image 101000} {edit gemini ok gemini-3.1-flash-image 101000}]"
	if calls := fmt.Sprint(p.calls(t, job.JobID)); calls != want || gemini.Calls() != 3 || gemini.Billed() != 3 {
		t.Errorf("calls %s, want %s; %d made and %d billed, want 3 and 3", calls, want, gemini.Calls(), gemini.Billed())
	}
	if ids := c.PhotoOutcomes(t, job.JobID); len(ids) != 1 {
		t.Errorf("outcomes %v, want one", ids)
	}
}

func signal(t *testing.T, s *system.Service, which syscall.Signal) {
	t.Helper()
	if err := s.Cmd.Process.Signal(which); err != nil {
		t.Fatal(err)
	}
}
