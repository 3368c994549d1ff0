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

// photoDeadLettersAreReplayedOnce: a replay retries the job of a dead letter; a second replay of the same dead letter
// has no effect, regardless of the job's state.
func photoDeadLettersAreReplayedOnce(t *testing.T, s system.System) {
	operator, user := system.OperatorClient(t, s.Operator), s.Client(t, system.NewOwner())
	job := system.AwaitPhoto(t, user, system.SendPhoto(t, user, "abracadabra", system.DrawPhoto(t, 20)).JobID, client.Failed)
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
			t.Fatal(errors.Join(err, fmt.Errorf("the replay has %d results, want 1", len(result.Results))))
		}
		return result
	}
	if done := replay(); done.Done != 1 {
		t.Errorf("the replay is %+v, want 1 done", done)
	}
	deadLetters(2) // the job failed again
	if again := replay(); again.Done != 0 || !strings.Contains(again.Results[0].Note, "since failed again") {
		t.Errorf("the second replay of the dead letter is %+v, want 0 done", again)
	}
	better := "sepia"
	if _, err := user.RetryPhoto(system.Within(t), job.JobID, client.PhotoChange{Prompt: &better}); err != nil {
		t.Fatal(err)
	}
	system.AwaitPhoto(t, user, job.JobID, client.Completed)
	before := s.PhotoOutcomes(t, job.JobID)
	if again := replay(); again.Done != 0 || !strings.Contains(again.Results[0].Note, "COMPLETED") {
		t.Errorf("the replay for a COMPLETED job is %+v, want 0 done", again)
	}
	if after := s.PhotoOutcomes(t, job.JobID); len(after) != len(before) || len(before) != 3 {
		t.Errorf("the outcomes were %v and are %v, want the same three", before, after)
	}
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
	t.Run("replay", func(t *testing.T) { photoDeadLettersAreReplayedOnce(t, s.System) })
}
