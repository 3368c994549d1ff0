package photos

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"net/http"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/extract/pixels/scene"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/gemini/geminitest"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/providertest"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestPaidWithdrawn: if a job is canceled or deleted while a provider edits its photo, the cost is in the ledger and no
// edit remains; no object of a deleted job remains.
func TestPaidWithdrawn(t *testing.T) {
	t.Parallel()
	p := startPaid(t)
	c := p.Client(t, system.NewOwner())
	// during withdraws a job while the provider edits its photo, and then lets the provider respond.
	during := func(withdraw func(ctx context.Context, id string) error) string {
		t.Helper()
		reached, withdrawn := make(chan struct{}), make(chan struct{})
		p.gemini.Next(providertest.OK, func(x providertest.Exchange) {
			close(reached)
			<-withdrawn
			providertest.OK(x)
		})
		job := p.send(t, c, "gemini")
		<-reached
		err := withdraw(system.Within(t), job.JobID)
		close(withdrawn)
		if err != nil {
			t.Fatal(err)
		}
		if ids := p.PhotoOutcomes(t, job.JobID); len(ids) > 1 { // waits until its messages are acknowledged
			t.Errorf("outcomes %v, want at most one", ids)
		}
		return job.JobID
	}
	canceled := during(func(ctx context.Context, id string) error {
		_, err := c.CancelPhoto(ctx, id)
		return err
	})
	if job := system.AwaitPhoto(t, c, canceled, client.Failed); job.Error.Code != "CANCELLED" {
		t.Errorf("the canceled job is %s, want the code CANCELLED", system.JSON(job))
	}
	want := "[{analyze gemini ok gemini-3.5-flash 40000} {edit gemini ok gemini-3.1-flash-image 101000}]"
	if calls := fmt.Sprint(p.calls(t, canceled)); calls != want {
		t.Errorf("calls %s, want %s", calls, want)
	}
	deleted := during(c.DeletePhoto)
	if _, err := c.GetPhoto(system.Within(t), deleted, 0); !system.IsProblem(err, http.StatusNotFound) {
		t.Errorf("GetPhoto of the deleted job returned %v, want 404", err)
	}
	edits, all := p.PhotoKeys(t, canceled)[system.PhotoFinal], p.PhotoKeys(t, deleted)
	if len(edits) > 0 || len(all) > 0 {
		t.Errorf("the canceled job left the edits %v, and the deleted job left the objects %v; want none", edits, all)
	}
	if got := p.provider(t, "gemini").State; got.CostTodayMicros != 2*141_000 || p.gemini.Billed() != 4 {
		t.Errorf("the provider is %+v, %d billed; want 4 calls at %d", got, p.gemini.Billed(), 2*141_000)
	}
}

// TestPaidStreamLost: a job whose work stream is lost is completed after a sweep. A stored response is not requested
// again.
func TestPaidStreamLost(t *testing.T) {
	t.Parallel()
	cluster := system.StartCluster(t, append(paidEnv(), noSkew, system.NoSweep)...)
	ingest := cluster.Service(t, "ingest")
	cluster.Front(t, ingest, cluster.Service(t, "query"))
	cluster.Operator = ingest.Operator
	p := newPaid(t, &system.Server{System: cluster.System})
	p.enable(t)
	worker := cluster.Service(t, "analyzer")
	reached := make(chan struct{})
	p.gemini.Next(providertest.OK, func(x providertest.Exchange) {
		close(reached)
		providertest.Silent(x)
	})
	c := p.Client(t, system.NewOwner())
	job := p.send(t, c, "gemini")
	<-reached
	worker.Kill(t)
	var picture bytes.Buffer
	if err := png.Encode(&picture, scene.New(90, 60, 1)); err != nil {
		t.Fatal(err)
	}
	// Store a response, as if the worker had done so before it was killed.
	p.PutObject(t, system.PhotoTemp, photojob.AnswerKey(job.JobID, 2), geminitest.Picture(picture.Bytes(), "image/png"))
	if err := p.JetStream(t).DeleteStream(system.Within(t), photojob.WorkStream); err != nil {
		t.Fatal(err)
	}
	cluster.SetUp(t)
	cluster.Service(t, "analyzer")
	system.Eventually(t, func() error {
		cluster.Sweep(t)
		found, err := c.GetPhoto(system.Within(t), job.JobID, time.Second)
		if err == nil && found.Status != client.Completed {
			err = fmt.Errorf("the job is %s, want COMPLETED", system.JSON(found))
		}
		return err
	})
	if done := system.AwaitPhoto(t, c, job.JobID, client.Completed); done.EditResult.Width != 90 || p.gemini.Calls() != 2 {
		t.Errorf("after %d calls, the job is %s, want 2 calls and the stored photo", p.gemini.Calls(), system.JSON(done))
	}
	if ids := p.PhotoOutcomes(t, job.JobID); len(ids) != 1 {
		t.Errorf("outcomes %v, want one", ids)
	}
}
