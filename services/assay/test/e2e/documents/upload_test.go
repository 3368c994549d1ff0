// Package documents tests how `assay serve` processes generated, hostile and mutated documents, and public documents in
// the folder named by ASSAY_CORPUS.
package documents

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/corpus"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// document is a file to upload.
type document struct {
	name string
	data func() []byte
}

// outcome is the result of processing a document.
type outcome struct {
	document
	node     client.Node
	workflow client.LibraryWorkflow
	text     string
}

// reasons returns the messages of the file and its steps that explain missing results, separated by semicolons.
func (o outcome) reasons() string {
	all := []string{o.node.ErrorMessage, o.workflow.FailureMessage}
	for _, s := range o.workflow.Steps {
		if s.State == "failed" || s.State == "skipped" || s.Reason != "" {
			all = append(all, s.ID+" "+s.State+": "+s.Reason)
		}
	}
	return strings.TrimSpace(strings.Join(all, "; "))
}

const (
	// parallel is the number of documents processed concurrently.
	parallel = 24
	// timeout limits the processing time of one document while others are processed.
	timeout = 10 * time.Minute
)

// process uploads documents and returns their outcomes.
func process(t *testing.T, s system.System, documents []document) []outcome {
	t.Helper()
	c := s.Client(t, system.NewOwner())
	all, ctx := errgroup.WithContext(t.Context())
	all.SetLimit(parallel)
	outcomes := make([]outcome, len(documents))
	for i, d := range documents {
		all.Go(func() (err error) {
			outcomes[i], err = processOne(ctx, c, d)
			return err
		})
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	return outcomes
}

func processOne(ctx context.Context, c *client.Client, d document) (outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	o, data := outcome{document: d}, d.data()
	n, err := c.UploadLibraryFile(ctx, client.NewLibraryFile{Name: d.name, Size: int64(len(data)), SHA256: corpus.Sum(data)}, client.Source{Content: bytes.NewReader(data)})
	if err != nil {
		return o, err
	}
	if o.node, err = c.WaitNode(ctx, n.ID); err != nil {
		return o, err
	}
	o.workflow, err = c.Workflow(ctx, n.ID)
	if system.IsProblem(err, http.StatusNotFound) && o.node.Status == client.LibraryFailed { // it failed before its first step
		return o, nil
	}
	if err != nil || !o.has("text") {
		return o, err
	}
	body, err := c.NodeText(ctx, n.ID, client.Reading{})
	if system.IsProblem(err, http.StatusNotFound) && o.node.Status == client.LibraryProcessedPartially {
		return o, nil
	}
	if err != nil {
		return o, err
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	o.text = string(text)
	return o, err
}

// has reports whether a step is completed.
func (o outcome) has(step string) bool {
	for _, s := range o.workflow.Steps {
		if s.ID == step {
			return s.State == "done"
		}
	}
	return false
}

// explained fails the test unless a document is in a final state and the reasons of its failures concern its content.
func explained(t *testing.T, o outcome) {
	t.Helper()
	reason := o.reasons()
	switch {
	case !o.node.Final():
		t.Errorf("%s is %s, want a final state", o.name, o.node.Status)
	case o.node.Status != client.LibraryProcessed && reason == "":
		t.Errorf("%s is %s without a reason", o.name, o.node.Status)
	case strings.Contains(reason, "defect in Assay"), strings.Contains(reason, "did not succeed"):
		t.Errorf("%s is %s: %s; want a reason that concerns its content", o.name, o.node.Status, reason)
	}
	forUsers(t, o)
	for _, step := range o.workflow.Steps {
		if step.State == "open" || step.State != "done" && step.Reason == "" {
			t.Errorf("%s: step %s is %s with reason %q, want it done, or ended with a reason", o.name, step.ID, step.State, step.Reason)
		}
	}
}

// otherWork sequentially uploads and processes texts of another owner until stop is called. stop returns the time that
// each text took.
func otherWork(t *testing.T, s system.System) (stop func() []time.Duration) {
	t.Helper()
	c := s.Client(t, system.NewOwner())
	ctx, cancel := context.WithCancel(t.Context())
	var took []time.Duration
	var working sync.WaitGroup
	working.Go(func() {
		for ctx.Err() == nil {
			began := time.Now()
			o, err := processOne(t.Context(), c, document{"other.txt", func() []byte { return []byte("some other text") }})
			if err != nil || o.node.Status != client.LibraryProcessed {
				t.Errorf("the text of another owner is %s, %v; want %s", o.node.Status, err, client.LibraryProcessed)
				return
			}
			took = append(took, time.Since(began))
		}
	})
	return func() []time.Duration {
		cancel()
		working.Wait()
		return took
	}
}
