package library

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/lifecycle/plan"
	"github.com/assay-project/assay/pkg/table"
)

// The workflow ends once, even if messages are lost, late or delivered twice, or responses are lost.
func TestJoinEndsOnce(t *testing.T) {
	r := open(t)
	const chunks, workers = 50, 8
	f, w := r.in(Loaded)
	if err := r.StartParsing(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	if err := r.FinishParsing(t.Context(), w, chunks, 50_000); err != nil {
		t.Fatal(err)
	}
	if err := r.StartProcessing(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	before := r.stored(f.ID)
	r.faults.Add(dynamolite.Fault{Kind: dynamolite.ErrorAfter, Operation: "UpdateItem", Probability: 0.02, Seed: 1})
	r.faults.Add(dynamolite.Fault{Kind: dynamolite.ErrorAfter, Operation: "TransactWriteItems", Count: 1})
	random := rand.New(rand.NewPCG(1, 2))
	var ended, settled atomic.Int64
	finish := func(w Workflow) {
		err := r.Finish(t.Context(), w, w.End(records), nil)
		moved, ok := errors.AsType[*lifecycle.MovedError](err)
		switch {
		case err == nil:
			ended.Add(1)
		case !ok || moved.Found != Processed:
			t.Errorf("Finish: got error %v, want nil or a MovedError that found Processed", err)
		}
	}
	handle := func(step string) {
		w, err := r.FinishStep(t.Context(), f.ID, f.Run, step, plan.Done, plan.Result{Key: step, Attempts: 1}, nil)
		switch {
		case err == nil:
			settled.Add(1)
		case !errors.Is(err, lifecycle.ErrCondition):
			t.Errorf("FinishStep(%s): got error %v, want nil or ErrCondition", step, err)
			return
		}
		if w.Joined() {
			finish(w)
		}
	}
	for range 100 { // sweeps
		w, err := r.Workflow(t.Context(), f.ID)
		if err != nil {
			t.Fatal(err)
		}
		if w.Final() {
			break
		}
		if w.Joined() { // the worker that ended the last step crashed
			finish(w)
		}
		var queue []string
		for _, step := range w.StepsOpen {
			queue = append(queue, slices.Repeat([]string{step}, random.IntN(9))...) // 0 means lost
		}
		random.Shuffle(len(queue), func(i, j int) { queue[i], queue[j] = queue[j], queue[i] })
		deliveries := make(chan string, len(queue))
		for _, step := range queue {
			deliveries <- step
		}
		close(deliveries)
		var all sync.WaitGroup
		for range workers {
			all.Go(func() {
				for step := range deliveries {
					handle(step)
				}
			})
		}
		all.Wait()
	}
	w, err := r.Workflow(t.Context(), f.ID)
	if err != nil {
		t.Fatal(err)
	}
	const steps = chunks + 3
	if w.CurrentState != Processed || !w.Joined() || len(w.StepsDone) != steps || len(w.StepResults) != steps || !w.RecordProcessingCompleted ||
		!w.ThumbnailCompleted || !w.ParseCompleted || !w.MetadataCompleted || w.IndexingCompleted {
		t.Errorf("got workflow %+v, want it Processed with %d steps done", w, steps)
	}
	// A workflow that ended twice would have written two more versions of its file.
	after := r.stored(f.ID)
	if ended.Load() != 1 || after.Version != before.Version+1 || after.Status != Processed || r.node(f.ID).Status != Processed {
		t.Errorf("got %d ends, file version %d, status %s, want 1, %d, Processed", ended.Load(), after.Version, after.Status, before.Version+1)
	}
	if settled.Load() > steps || w.Version != 1+3+steps+1 {
		t.Errorf("got %d settled steps, version %d, want at most %d, version %d", settled.Load(), w.Version, steps, 1+3+steps+1)
	}
}

func TestWorkflowEndsAfterLastStep(t *testing.T) {
	r := open(t)
	_, f := r.file("a.jpg", "")
	f, w, err := r.StoreUpload(t.Context(), f, Content{Type: "Image", ETag: "e"}, PlanOf("Image"))
	if err != nil || !slices.Equal(w.StepsOpen, []string{extract.StepMetadata, extract.StepThumbnails}) {
		t.Fatalf("got workflow %+v, error %v, want the open steps %s and %s", w, err, extract.StepMetadata, extract.StepThumbnails)
	}
	if err := r.StartProcessing(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	if err := r.Finish(t.Context(), w, End{State: Processed}, nil); !errors.Is(err, lifecycle.ErrCondition) {
		t.Errorf("an end with open steps: got error %v, want ErrCondition", err)
	}
	joined := w
	joined.StepsOpen = nil
	if err := r.Finish(t.Context(), joined, End{State: Processed}, nil); !errors.Is(err, lifecycle.ErrCondition) {
		t.Errorf("an end with open steps in the table: got error %v, want ErrCondition", err)
	}
	images := []Image{{ID: "300", Key: "k", Width: 300, Height: 200, MimeType: "image/jpeg", Length: 9}}
	w, err = r.FinishStep(t.Context(), f.ID, 1, extract.StepThumbnails, plan.Done, plan.Result{Engine: "pixels"}, images)
	if err != nil || !slices.Equal(r.node(f.ID).Images, images) || !slices.Equal(r.stored(f.ID).Images, images) {
		t.Errorf("images of a step: got %+v, error %v, want %+v in the node and the file", w, err, images)
	}
	if again, err := r.FinishStep(t.Context(), f.ID, 1, extract.StepThumbnails, plan.Done, plan.Result{}, images); !errors.Is(err, lifecycle.ErrCondition) || !slices.Equal(again.StepsDone, w.StepsDone) {
		t.Errorf("the same step: got %+v, error %v, want steps done %q, ErrCondition", again, err, w.StepsDone)
	}
	w, err = r.FinishStep(t.Context(), f.ID, 1, extract.StepMetadata, plan.Failed, plan.Result{Reason: "it is damaged"}, nil)
	if end := w.End(PlanOf("Image")); err != nil || end != (End{State: Failed, Message: "metadata: it is damaged"}) {
		t.Fatalf("got end %+v, error %v, want Failed because of the metadata", end, err)
	}
	if err := r.Finish(t.Context(), w, w.End(PlanOf("Image")), nil); err != nil {
		t.Fatal(err)
	}
	if f := r.stored(f.ID); f.Status != Failed || f.ErrorMessage != "metadata: it is damaged" {
		t.Errorf("got file %+v, want Failed with the message of the end", f)
	}
	if _, err := r.FinishStep(t.Context(), r.id(), 1, extract.StepMetadata, plan.Done, plan.Result{}, nil); !errors.Is(err, lifecycle.ErrNotFound) {
		t.Errorf("a step of a missing file: got error %v, want ErrNotFound", err)
	}
}

func TestEraseFile(t *testing.T) {
	r := open(t)
	f, _ := r.in(Processing)
	op, err := r.Erase(t.Context(), f.ID, ann)
	if err != nil || op.CorrelationID != f.ID || op.Run != f.Run+1 || op.WorkflowType != EraseWorkflow || op.Key != f.Key {
		t.Fatalf("got %+v, error %v, want an EraseWorkflow of the file with run %d", op, err, f.Run+1)
	}
	again, err := r.Erase(t.Context(), f.ID, ann)
	if err != nil || again.Run != op.Run || again.Version != op.Version {
		t.Errorf("second Erase: got %+v, error %v, want %+v", again, err, op)
	}
	if _, err := r.FinishStep(t.Context(), f.ID, f.Run, extract.StepMetadata, plan.Done, plan.Result{}, nil); !errors.Is(err, lifecycle.ErrFenceLost) {
		t.Errorf("a step of an erased file: got error %v, want ErrFenceLost", err)
	}
	if _, err := r.Readable(t.Context(), f.ID, Caller{Owner: "ann"}); !errors.Is(err, lifecycle.ErrNotFound) {
		t.Errorf("a read by the owner: got error %v, want ErrNotFound", err)
	}
	if _, err := r.Restore(t.Context(), f.ID, ann); !errors.Is(err, lifecycle.ErrNotFound) {
		t.Errorf("a restore: got error %v, want ErrNotFound", err)
	}
	if names := r.names(RootID("ann")); len(names) != 0 {
		t.Errorf("got names %q in the root, want none", names)
	}
	for range 2 {
		if err := r.Erased(t.Context(), op); err != nil {
			t.Fatal(err)
		}
	}
	for name, key := range map[string]table.Key{config.Nodes: key(f.ID), config.Files: key(f.ID)} {
		if row := r.row(name, key); row != nil {
			t.Errorf("%s: got row %v, want none", name, row)
		}
	}
	if w, err := r.Workflow(t.Context(), f.ID); err != nil || w.CurrentState != Processed || w.Run != op.Run {
		t.Errorf("got workflow %+v, error %v, want the operation, Processed", w, err)
	}
	if _, err := r.Erase(t.Context(), f.ID, ann); !errors.Is(err, lifecycle.ErrNotFound) {
		t.Errorf("Erase of a removed file: got error %v, want ErrNotFound", err)
	}
}

// TestErasedIDIsReused: a new file with the id of an erased one has later runs, and no workflow until it is started.
func TestErasedIDIsReused(t *testing.T) {
	r := open(t)
	f, _ := r.in(Processing)
	op, err := r.Erase(t.Context(), f.ID, ann)
	if err == nil {
		err = r.Erased(t.Context(), op)
	}
	if err != nil {
		t.Fatal(err)
	}
	again := r.newFile("again.txt", "")
	again.ID, again.Keyed = f.ID, true
	node, file, err := r.Reserve(t.Context(), again)
	if err != nil || file.Run != op.Run+1 || node.Run != file.Run {
		t.Fatalf("got run %d of the file and %d of the node, error %v, want %d", file.Run, node.Run, err, op.Run+1)
	}
	if w, err := r.WorkflowOf(t.Context(), file); !errors.Is(err, lifecycle.ErrNotFound) {
		t.Errorf("got workflow %+v, error %v, want none", w, err)
	}
	if first, before := file.Start("e").ID, f.Start("e").ID; first == before {
		t.Errorf("got event id %s twice, want one for each file", first)
	}
	if op, err = r.Erase(t.Context(), f.ID, ann); err != nil || op.Run != file.Run+1 {
		t.Errorf("erasing it again: got run %d, error %v, want %d", op.Run, err, file.Run+1)
	}
}

func TestEraseFolder(t *testing.T) {
	r := open(t)
	folder := r.folder("old", "")
	file, _ := r.file("a.txt", folder.ID)
	op, err := r.Erase(t.Context(), folder.ID, ann)
	if err != nil || op.CorrelationID == folder.ID || !ValidID(op.CorrelationID) {
		t.Fatalf("got %+v, error %v, want an operation with an id of its own", op, err)
	}
	if _, _, err := r.Reserve(t.Context(), r.newFile("late.txt", folder.ID)); !errors.Is(err, ErrTrashed) {
		t.Errorf("an upload into the folder: got error %v, want ErrTrashed", err)
	}
	if err := r.Erased(t.Context(), op); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("Erased of a folder with a child: got error %v, want ErrNotEmpty", err)
	}
	child, err := r.Erase(t.Context(), file.ID, ann)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := r.Erased(t.Context(), op); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Erased(t.Context(), child); err != nil {
		t.Fatal(err)
	}
	if done, err := r.Workflow(t.Context(), op.CorrelationID); err != nil || done.CurrentState != Processed {
		t.Errorf("got operation %+v, error %v, want it Processed", done, err)
	}
	if row := r.row(config.Nodes, key(folder.ID)); row != nil {
		t.Errorf("got folder %v, want none", row)
	}
	if _, err := r.Erase(t.Context(), RootID("ann"), ann); !errors.Is(err, ErrRoot) {
		t.Errorf("Erase of the root: got error %v, want ErrRoot", err)
	}
}
