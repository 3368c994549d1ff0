package library

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// run waits until a run of a file's workflow has ended, and returns the workflow.
func run(t *testing.T, c *client.Client, id string, number int64) client.LibraryWorkflow {
	t.Helper()
	var w client.LibraryWorkflow
	system.Eventually(t, func() (err error) {
		if w, err = c.Workflow(system.Within(t), id); err == nil && (w.Run != number || w.State != client.LibraryProcessed && w.State != client.LibraryFailed) {
			err = fmt.Errorf("run %d is %s, want run %d in a final state", w.Run, w.State, number)
		}
		return err
	})
	return w
}

func steps(w client.LibraryWorkflow) map[string]client.LibraryStep {
	found := map[string]client.LibraryStep{}
	for _, s := range w.Steps {
		found[s.ID] = s
	}
	return found
}

// stepsAreRetried: a retry runs the failed step again and keeps the results of the other steps; reprocessing a file runs
// all its steps again. Steps that have been removed cannot be retried.
func stepsAreRetried(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	broken, err := upload(system.Within(t), c, "broken.png", "", "\x89PNG\r\n\x1a\nbroken")
	if err != nil {
		t.Fatal(err)
	}
	first := steps(run(t, c, broken.ID, 1))
	if first["thumbnails"].State != "failed" || first["metadata"].State != "done" {
		t.Fatalf("the steps are %+v, want thumbnails failed and metadata done", first)
	}
	retry := func(step string) (*http.Response, string) {
		t.Helper()
		return s.Ask(t, http.MethodPost, "/v1/library/files/"+broken.ID+"/workflow/steps/"+step+"/retry", map[string]string{"X-Owner-Id": owner}, "")
	}
	for _, step := range []string{"metadata", "none"} {
		resp, body := retry(step)
		system.Refused(t, resp, body, http.StatusConflict, "not-failed")
	}
	if _, err := c.RetryLibraryStep(system.Within(t), broken.ID, "thumbnails"); err != nil {
		t.Fatal(err)
	}
	second := steps(run(t, c, broken.ID, 2))
	if second["thumbnails"].State != "failed" || second["metadata"] != first["metadata"] {
		t.Errorf("after the retry, the steps are %+v, want thumbnails failed and metadata as in %+v", second, first)
	}
	resp, body := s.Ask(t, http.MethodGet, "/v1/library/files/"+broken.ID+"/metadata", map[string]string{"X-Owner-Id": owner}, "")
	if resp.StatusCode != http.StatusOK || !strings.Contains(body, "image/png") {
		t.Errorf("the metadata: %d %s, want 200 and image/png", resp.StatusCode, body)
	}
	_, err = c.ReprocessLibraryFile(system.Within(t), broken.ID)
	if !system.IsProblem(err, http.StatusConflict) {
		t.Errorf("reprocessing a Failed file returned %v, want 409", err)
	}

	// Delete the workflow, as a sweep does after seven days.
	workflows, key := "leanda-ng-dev-workflow-state", system.Item{"correlationId": &types.AttributeValueMemberS{Value: broken.ID}}
	if _, err := s.Tables().DeleteItem(system.Within(t), &dynamodb.DeleteItemInput{TableName: &workflows, Key: key}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Workflow(system.Within(t), broken.ID); !system.IsProblem(err, http.StatusNotFound) {
		t.Errorf("reading the deleted workflow returned %v, want 404", err)
	}
	resp, body = retry("thumbnails")
	system.Refused(t, resp, body, http.StatusGone, "steps-removed")
	if _, err := c.RetryLibraryFile(system.Within(t), broken.ID); err != nil {
		t.Fatal(err)
	}
	if third := steps(run(t, c, broken.ID, 3)); third["thumbnails"].State != "failed" || third["metadata"].State != "done" {
		t.Errorf("after a retry of the file, the steps are %+v, want thumbnails failed and metadata done", third)
	}

	keptResultsAreCopied(t, s, c)
	good := file(t, c, "good.txt", "", "text")
	if _, err := c.RetryLibraryFile(system.Within(t), good.ID); !system.IsProblem(err, http.StatusConflict) {
		t.Errorf("retrying a Processed file returned %v, want 409", err)
	}
	if _, err := c.ReprocessLibraryFile(system.Within(t), good.ID); err != nil {
		t.Fatal(err)
	}
	if again := run(t, c, good.ID, 2); again.State != client.LibraryProcessed || steps(again)["text"].State != "done" {
		t.Errorf("after reprocessing, the workflow is %+v, want Processed with the text done", again)
	}
}

// keptResultsAreCopied retries a step of a file and checks that the new run has its own copy of the kept result of the
// text step.
func keptResultsAreCopied(t *testing.T, s system.System, c *client.Client) {
	t.Helper()
	kept := file(t, c, "kept.txt", "", "some text")
	failed, step := &types.AttributeValueMemberS{Value: client.LibraryFailed}, &types.AttributeValueMemberSS{Value: []string{"metadata"}}
	id := &types.AttributeValueMemberS{Value: kept.ID}
	for _, u := range []dynamodb.UpdateItemInput{ // as if a step had failed
		{TableName: aws.String("leanda-ng-dev-files"), Key: system.Item{"id": id}, UpdateExpression: aws.String("SET #s = :f"),
			ExpressionAttributeNames: map[string]string{"#s": "status"}, ExpressionAttributeValues: system.Item{":f": failed}},
		{TableName: aws.String("leanda-ng-dev-nodes"), Key: system.Item{"id": id}, UpdateExpression: aws.String("SET #s = :f"),
			ExpressionAttributeNames: map[string]string{"#s": "status"}, ExpressionAttributeValues: system.Item{":f": failed}},
		{TableName: aws.String("leanda-ng-dev-workflow-state"), Key: system.Item{"correlationId": id},
			UpdateExpression:          aws.String("SET currentState = :f ADD stepsFailed :m DELETE stepsDone :m"),
			ExpressionAttributeValues: system.Item{":f": failed, ":m": step}},
	} {
		if _, err := s.Tables().UpdateItem(system.Within(t), &u); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.RetryLibraryStep(system.Within(t), kept.ID, "metadata"); err != nil {
		t.Fatal(err)
	}
	if again := run(t, c, kept.ID, 2); again.State != client.LibraryProcessed || steps(again)["text"].State != "done" || steps(again)["metadata"].State != "done" {
		t.Errorf("after the retry, the workflow is %+v, want Processed with text and metadata done", again)
	}
	objects := map[bool]int{}
	for _, key := range s.Keys(t) {
		if strings.Contains(key, kept.ID) && strings.HasSuffix(key, "/text.gz") {
			objects[strings.Contains(key, "/r2/")]++
		}
	}
	if objects[true] != 1 || objects[false] > 1 {
		t.Errorf("%d texts of the second run and %d of the first, want 1 and at most 1", objects[true], objects[false])
	}
}

// displayNamesAreSet: any node, including a root, can have a display name in addition to its name.
func displayNamesAreSet(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	root, err := c.Root(system.Within(t))
	if err != nil {
		t.Fatal(err)
	}
	docs, shown, none := folder(t, c, "docs", ""), "Ann's \u0041\u030a archive", ""
	for _, n := range []client.Node{root, docs} {
		changed, err := c.ChangeNode(system.Within(t), n.ID, client.NodeChange{DisplayName: &shown})
		if err != nil || changed.DisplayName != "Ann's \u00c5 archive" || changed.Name != n.Name { // in Unicode normalization form C
			t.Errorf("got %+v, %v; want the display name in normalization form C", changed, err)
		}
		if changed, err = c.ChangeNode(system.Within(t), n.ID, client.NodeChange{DisplayName: &none}); err != nil || changed.DisplayName != "" {
			t.Errorf("got %+v, %v; want no display name", changed, err)
		}
	}
	name, bad := "other", "a\nb"
	if _, err := c.ChangeNode(system.Within(t), root.ID, client.NodeChange{Name: &name, DisplayName: &shown}); !system.IsProblem(err, http.StatusConflict) {
		t.Errorf("renaming a root returned %v, want 409", err)
	}
	_, err = c.ChangeNode(system.Within(t), docs.ID, client.NodeChange{DisplayName: &bad})
	if !system.IsProblem(err, http.StatusUnprocessableEntity) || !strings.Contains(err.Error(), "displayName") {
		t.Errorf("a display name with a line break returned %v, want 422 for displayName", err)
	}
}
