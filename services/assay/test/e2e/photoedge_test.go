package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"image/jpeg"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/services/analyzer/pixels/scene"
	"github.com/assay-project/assay/services/assay/client"
)

// inEditing uploads a photo whose edit takes about a second, and returns its job once it is
// EDITING.
func inEditing(t *testing.T, c *client.Client) client.Photo {
	t.Helper()
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, scene.New(2400, 1800, 1), nil); err != nil {
		t.Fatal(err)
	}
	job := sendPhoto(t, c, "denoise strong, denoise strong, blur strong, as png", photo.Bytes())
	eventually(t, func() error {
		now, err := c.GetPhoto(within(t), job.JobID, 0)
		if err == nil && now.Status != client.Editing {
			err = fmt.Errorf("the job is %s", now.Status)
		}
		return err
	})
	return job
}

// photosEndWhileTheyAreEdited: a job that is cancelled or deleted while it is edited stays so;
// the worker leaves no photo, and the cost of its call is recorded.
func photosEndWhileTheyAreEdited(t *testing.T, s system) {
	c := s.client(t, newOwner())
	cancelled, deleted := inEditing(t, c), inEditing(t, c)
	if _, err := c.CancelPhoto(within(t), cancelled.JobID); err != nil {
		t.Fatal(err)
	}
	if err := c.DeletePhoto(within(t), deleted.JobID); err != nil {
		t.Fatal(err)
	}
	for _, job := range []client.Photo{cancelled, deleted} { // their worker is done
		if ids := s.photoOutcomes(t, job.JobID); len(ids) > 1 {
			t.Errorf("outcomes %v", ids)
		}
	}
	if job := endOf(t, c, cancelled.JobID, client.Failed); job.Error.Code != "CANCELLED" {
		t.Errorf("the cancelled job is %s", show(job))
	}
	if keys := s.photoKeys(t, cancelled.JobID)[photoFinal]; len(keys) != 0 {
		t.Errorf("the cancelled job has %v", keys)
	}
	calls, ok := s.photoItem(within(t), t, cancelled.JobID)["calls"].(*types.AttributeValueMemberM)
	if !ok || len(calls.Value) == 0 {
		t.Fatalf("the cancelled job has the calls %v", calls)
	}
	for n, call := range calls.Value {
		if entry, ok := call.(*types.AttributeValueMemberM); !ok || attribute(t, entry.Value, "outcome") != "ok" {
			t.Errorf("call %s is %v", n, call)
		}
	}
	if left, keys := s.photoItem(within(t), t, deleted.JobID), s.photoKeys(t, deleted.JobID); left != nil || len(keys) != 0 {
		t.Errorf("left of the deleted job are %s and %v", show(left), keys)
	}
}

// photoLettersAreReplayedOnce: a replay retries the job of a dead letter; the same letter again
// does nothing, whatever became of the job.
func photoLettersAreReplayedOnce(t *testing.T, s system) {
	operator, speaker := operatorClient(t, s.Operator), s.client(t, newOwner())
	job := endOf(t, speaker, sendPhoto(t, speaker, "abracadabra", drawPhoto(t, 20)).JobID, client.Failed)
	letters := func(want int) (mine []client.DeadLetter) {
		t.Helper()
		eventually(t, func() error {
			mine = nil
			all, more, err := operator.DeadLetters(within(t), client.DeadFilter{Consumer: "analyzer-photojob-stub"}, 0, 1000)
			for _, letter := range all {
				if letter.Item == job.JobID {
					mine = append(mine, letter)
				}
			}
			if err == nil && (more || len(mine) != want) {
				err = fmt.Errorf("%d dead letters, want %d", len(mine), want)
			}
			return err
		})
		return mine
	}
	first := letters(1)[0]
	replay := func() client.BulkResult {
		t.Helper()
		result, err := operator.ReplayDead(within(t), client.BulkRequest{Sequence: first.Sequence})
		if err != nil || len(result.Results) != 1 {
			t.Fatal(errors.Join(err, fmt.Errorf("%d results", len(result.Results))))
		}
		return result
	}
	if done := replay(); done.Done != 1 {
		t.Errorf("the replay is %+v", done)
	}
	letters(2) // it failed again
	if again := replay(); again.Done != 0 || !strings.Contains(again.Results[0].Note, "failed again since") {
		t.Errorf("the same dead letter again: %+v", again)
	}
	better := "sepia"
	if _, err := speaker.RetryPhoto(within(t), job.JobID, client.PhotoChange{Prompt: &better}); err != nil {
		t.Fatal(err)
	}
	endOf(t, speaker, job.JobID, client.Completed)
	before := s.photoOutcomes(t, job.JobID)
	if again := replay(); again.Done != 0 || !strings.Contains(again.Results[0].Note, "COMPLETED") {
		t.Errorf("the dead letter of a COMPLETED job: %+v", again)
	}
	if after := s.photoOutcomes(t, job.JobID); len(after) != len(before) || len(before) != 3 {
		t.Errorf("outcomes %v, then %v", before, after)
	}
}

// TestPhotoEdges proves what needs the operator address, or a photo that takes its time.
func TestPhotoEdges(t *testing.T) {
	t.Parallel()
	s := startServe(t, t.TempDir(), noSweep)
	t.Run("cancel and delete while edited", func(t *testing.T) { photosEndWhileTheyAreEdited(t, s.system) })
	t.Run("replay", func(t *testing.T) { photoLettersAreReplayedOnce(t, s.system) })
}
