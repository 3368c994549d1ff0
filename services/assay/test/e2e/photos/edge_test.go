package photos

import (
	"bytes"
	"errors"
	"fmt"
	"image/jpeg"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/services/analyzer/photojob/provider/local/sample"
	"github.com/assay-project/assay/services/analyzer/pixels/scene"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// inEditing uploads a photo whose edit takes about a second, and returns its job once it is
// EDITING.
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
			err = fmt.Errorf("the job is %s", now.Status)
		}
		return err
	})
	return job
}

// photosEndWhileTheyAreEdited: a job that is canceled or deleted while it is edited does not change
// afterwards; the worker leaves no photo behind, and the cost of its call is recorded.
func photosEndWhileTheyAreEdited(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	cancelled, deleted := inEditing(t, c), inEditing(t, c)
	if _, err := c.CancelPhoto(system.Within(t), cancelled.JobID); err != nil {
		t.Fatal(err)
	}
	if err := c.DeletePhoto(system.Within(t), deleted.JobID); err != nil {
		t.Fatal(err)
	}
	for _, job := range []client.Photo{cancelled, deleted} { // their messages are acknowledged
		if ids := s.PhotoOutcomes(t, job.JobID); len(ids) > 1 {
			t.Errorf("outcomes %v", ids)
		}
	}
	if job := system.AwaitPhoto(t, c, cancelled.JobID, client.Failed); job.Error.Code != "CANCELLED" {
		t.Errorf("the cancelled job is %s", system.JSON(job))
	}
	if keys := s.PhotoKeys(t, cancelled.JobID)[system.PhotoFinal]; len(keys) != 0 {
		t.Errorf("the cancelled job has %v", keys)
	}
	calls, ok := s.PhotoItem(system.Within(t), t, cancelled.JobID)["calls"].(*types.AttributeValueMemberM)
	if !ok || len(calls.Value) == 0 {
		t.Fatalf("the cancelled job has the calls %v", calls)
	}
	for n, call := range calls.Value {
		if entry, ok := call.(*types.AttributeValueMemberM); !ok || system.Attribute(t, entry.Value, "outcome") != "ok" {
			t.Errorf("call %s is %v", n, call)
		}
	}
	if left, keys := s.PhotoItem(system.Within(t), t, deleted.JobID), s.PhotoKeys(t, deleted.JobID); left != nil || len(keys) != 0 {
		t.Errorf("the deleted job left %s and %v", system.JSON(left), keys)
	}
}

// photoDeadLettersAreReplayedOnce: a replay retries the job of a dead letter; a second replay of the
// same dead letter has no effect, whatever the job's state is.
func photoDeadLettersAreReplayedOnce(t *testing.T, s system.System) {
	operator, speaker := system.OperatorClient(t, s.Operator), s.Client(t, system.NewOwner())
	job := system.AwaitPhoto(t, speaker, system.SendPhoto(t, speaker, "abracadabra", system.DrawPhoto(t, 20)).JobID, client.Failed)
	deadLetters := func(want int) (mine []client.DeadLetter) {
		t.Helper()
		system.Eventually(t, func() error {
			mine = nil
			all, more, err := operator.DeadLetters(system.Within(t), client.DeadFilter{Consumer: "analyzer-photojob-stub"}, 0, 1000)
			for _, deadLetter := range all {
				if deadLetter.Item == job.JobID {
					mine = append(mine, deadLetter)
				}
			}
			if err == nil && (more || len(mine) != want) {
				err = fmt.Errorf("%d dead letters, want %d", len(mine), want)
			}
			return err
		})
		return mine
	}
	first := deadLetters(1)[0]
	replay := func() client.BulkResult {
		t.Helper()
		result, err := operator.ReplayDead(system.Within(t), client.BulkRequest{Sequence: first.Sequence})
		if err != nil || len(result.Results) != 1 {
			t.Fatal(errors.Join(err, fmt.Errorf("%d results", len(result.Results))))
		}
		return result
	}
	if done := replay(); done.Done != 1 {
		t.Errorf("the replay is %+v", done)
	}
	deadLetters(2) // it failed again
	if again := replay(); again.Done != 0 || !strings.Contains(again.Results[0].Note, "failed again since") {
		t.Errorf("the same dead letter again: %+v", again)
	}
	better := "sepia"
	if _, err := speaker.RetryPhoto(system.Within(t), job.JobID, client.PhotoChange{Prompt: &better}); err != nil {
		t.Fatal(err)
	}
	system.AwaitPhoto(t, speaker, job.JobID, client.Completed)
	before := s.PhotoOutcomes(t, job.JobID)
	if again := replay(); again.Done != 0 || !strings.Contains(again.Results[0].Note, "COMPLETED") {
		t.Errorf("the dead letter of a COMPLETED job: %+v", again)
	}
	if after := s.PhotoOutcomes(t, job.JobID); len(after) != len(before) || len(before) != 3 {
		t.Errorf("outcomes %v, then %v", before, after)
	}
}

// TestObjectsAreNamed: a description names the objects in the photo, unless the server is configured to omit them.
func TestObjectsAreNamed(t *testing.T) {
	t.Parallel()
	const person = "Shown: person."
	for setting, want := range map[string]bool{"ASSAY_PHOTOJOB_OBJECTS=true": true, system.WithoutObjects: false} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			s := system.StartServer(t, t.TempDir(), setting)
			c := s.Client(t, system.NewOwner())
			job := system.AwaitPhoto(t, c, system.SendPhoto(t, c, "sepia", sample.Portrait(t)).JobID, client.Completed)
			labeled := slices.ContainsFunc(job.AnalysisResult.Labels, func(l client.PhotoLabel) bool { return l.Name == "person" })
			if labeled != want || strings.Contains(job.AnalysisResult.Description, person) != want {
				t.Errorf("the photo is described as %s", system.JSON(job.AnalysisResult))
			}
		})
	}
}

// TestPhotoEdges proves the promises that need the operator address, or a photo whose
// edit takes time.
func TestPhotoEdges(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir(), system.NoSweep)
	t.Run("cancel and delete while edited", func(t *testing.T) { photosEndWhileTheyAreEdited(t, s.System) })
	t.Run("replay", func(t *testing.T) { photoDeadLettersAreReplayedOnce(t, s.System) })
}
