package photos

import (
	"bytes"
	"fmt"
	"image/jpeg"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/extract/photo/sample"
	"github.com/assay-project/assay/pkg/extract/pixels/scene"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// inEditing uploads a photo whose edit takes about a second, and returns its job once it is EDITING.
func inEditing(t *testing.T, c *client.Client) client.Photo {
	t.Helper()
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, scene.New(2000, 1500, 1), nil); err != nil {
		t.Fatal(err)
	}
	job := system.SendPhoto(t, c, "denoise strong, denoise strong, blur strong, as png", photo.Bytes())
	system.Eventually(t, func() error {
		now, err := c.GetPhoto(system.Within(t), job.JobID, 0)
		if err == nil && now.Status != client.Editing {
			err = fmt.Errorf("the job is %s, want %s", now.Status, client.Editing)
		}
		return err
	})
	return job
}

// photosEndWhileTheyAreEdited: a job that is canceled or deleted while its photo is edited does not change afterwards;
// the worker leaves no edited photo behind, and its call is recorded.
func photosEndWhileTheyAreEdited(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	canceled := inEditing(t, c)
	if _, err := c.CancelPhoto(system.Within(t), canceled.JobID); err != nil {
		t.Fatal(err)
	}
	deleted := inEditing(t, c)
	if err := c.DeletePhoto(system.Within(t), deleted.JobID); err != nil {
		t.Fatal(err)
	}
	for _, job := range []client.Photo{canceled, deleted} {
		if ids := s.PhotoOutcomes(t, job.JobID); len(ids) > 1 { // waits until its messages are acknowledged
			t.Errorf("outcomes %v, want at most one", ids)
		}
	}
	if job := system.AwaitPhoto(t, c, canceled.JobID, client.Failed); job.Error.Code != "CANCELLED" {
		t.Errorf("the canceled job is %s, want the code CANCELLED", system.JSON(job))
	}
	if keys := s.PhotoKeys(t, canceled.JobID)[system.PhotoFinal]; len(keys) != 0 {
		t.Errorf("the canceled job left the edited photos %v", keys)
	}
	calls, ok := s.PhotoItem(system.Within(t), t, canceled.JobID)["calls"].(*types.AttributeValueMemberM)
	if !ok || len(calls.Value) == 0 {
		t.Fatalf("the canceled job has the calls %v, want at least one", calls)
	}
	for n, call := range calls.Value {
		if entry, ok := call.(*types.AttributeValueMemberM); !ok || system.Attribute(t, entry.Value, "outcome") != "ok" {
			t.Errorf("call %s is %v, want the outcome ok", n, call)
		}
	}
	if left, keys := s.PhotoItem(system.Within(t), t, deleted.JobID), s.PhotoKeys(t, deleted.JobID); left != nil || len(keys) != 0 {
		t.Errorf("the deleted job left %s and %v", system.JSON(left), keys)
	}
}

// TestPhotoDeadLetters: a replay retries the job of a dead letter and deletes the dead letter. If the job fails again because
// of a fault, its new dead letter names the replayed one. A prompt that is not understood is not a fault.
func TestPhotoDeadLetters(t *testing.T) {
	t.Parallel()
	c := system.StartCluster(t, system.NoSweep)
	hiding := system.StartHidingBucket(t, c.System)
	ingest := c.Service(t, "ingest")
	c.Front(t, ingest, c.Service(t, "query"))
	c.Service(t, "analyzer", "ASSAY_S3_ENDPOINT="+hiding.URL)
	operator, user := system.OperatorClient(t, ingest.Operator), c.Client(t, system.NewOwner())
	job := system.AwaitPhoto(t, user, system.SendPhoto(t, user, "sepia", system.DrawPhoto(t, 20)).JobID, client.Failed)
	next := func(after uint64) (letter client.DeadLetter) {
		t.Helper()
		system.Eventually(t, func() error {
			all, _, err := operator.DeadLetters(system.Within(t), client.DeadFilter{Consumer: "analyzer-photojob-stub"}, after, 10)
			if err != nil || len(all) != 1 {
				return fmt.Errorf("the dead letters after %d are %+v, %w; want one", after, all, err)
			}
			letter = all[0]
			return nil
		})
		return letter
	}
	replay := func(l client.DeadLetter) {
		t.Helper()
		if done, err := operator.ReplayDead(system.Within(t), client.BulkRequest{Sequence: l.Sequence}); err != nil || done.Done != 1 {
			t.Fatalf("the replay is %+v, %v, want 1 done", done, err)
		}
	}
	first := next(0)
	if first.Item != job.JobID || first.Area != "photojob" || first.Class != "missing" || first.Name == "" || first.Path != "/v1/photos/"+job.JobID {
		t.Errorf("the dead letter is %+v, want one of the job, with its file name and path", first)
	}
	replay(first)
	second := next(first.Sequence) // the job failed again
	if second.ReplayOf != first.Sequence {
		t.Errorf("the new dead letter is %+v, want it to name %d", second, first.Sequence)
	}
	if _, err := operator.DeadLetter(system.Within(t), first.Sequence); !system.IsProblem(err, http.StatusNotFound) {
		t.Errorf("the replayed dead letter: %v, want 404", err)
	}
	hiding.Hidden.Store(false)
	replay(second)
	system.AwaitPhoto(t, user, job.JobID, client.Completed)
	if outcomes := c.PhotoOutcomes(t, job.JobID); len(outcomes) != 3 {
		t.Errorf("the outcomes are %v, want three", outcomes)
	}
	system.AwaitPhoto(t, user, system.SendPhoto(t, user, "abracadabra", system.DrawPhoto(t, 20)).JobID, client.Failed)
	system.NoDeadLetters(t, c.System, operator, "ASSAY_WORK_PHOTOJOB")
}

// TestFacesAreDescribed: a description states the faces in the photo, unless the server is configured to omit them.
func TestFacesAreDescribed(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]bool{"ASSAY_PHOTOJOB_FACES=true": true, system.WithoutFaces: false} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			s := system.StartServer(t, t.TempDir(), setting)
			c := s.Client(t, system.NewOwner())
			job := system.AwaitPhoto(t, c, system.SendPhoto(t, c, "sepia", sample.Portrait(t)).JobID, client.Completed)
			labeled := slices.ContainsFunc(job.AnalysisResult.Labels, func(l client.PhotoLabel) bool { return l.Name == "portrait" })
			if labeled != want || strings.Contains(job.AnalysisResult.Description, "portrait") != want {
				t.Errorf("the photo is described as %s, want a portrait = %t", system.JSON(job.AnalysisResult), want)
			}
		})
	}
}

// TestPhotoEdges proves the promises that need the operator address, or a photo whose edit takes time.
func TestPhotoEdges(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir(), system.NoSweep)
	t.Run("cancel and delete while edited", func(t *testing.T) { photosEndWhileTheyAreEdited(t, s.System) })
}
