package library

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/lifecycle/plan"
)

// Workflow is an item of the workflow table: the run of a file's workflow, or an erase operation. Times are in
// TimeLayout. The sets are authoritative; the booleans are a summary for users. Run and the following attributes are not in
// the seed.
//
// The booleans are false for a type of file that does not have the step, and true when:
//
//	thumbnailCompleted         the step thumbnails has ended: it is done, failed or skipped
//	parseCompleted             the step parse or records has ended: it is done, failed or skipped
//	metadataCompleted          the step metadata has ended: it is done, failed or skipped
//	recordProcessingCompleted  records were found, and all their steps have ended
//	indexingCompleted          the text is stored
//	optimizationCompleted      the step optimize is done
//	trainingCompleted          the step train is done
//	reportCompleted            the step report is done
type Workflow struct {
	CorrelationID    string          `dynamodbav:"correlationId"` // id of the file or operation
	WorkflowType     string          `dynamodbav:"workflowType"`  // such as FileWorkflow
	CurrentState     lifecycle.State `dynamodbav:"currentState"`
	Version          int64           `dynamodbav:"version"`
	CreatedAt        string          `dynamodbav:"createdAt"`
	UpdatedAt        string          `dynamodbav:"updatedAt"`
	FileID           string          `dynamodbav:"fileId"`
	BlobID           string          `dynamodbav:"blobId,omitempty"`
	Bucket           string          `dynamodbav:"bucket,omitempty"`
	UserID           string          `dynamodbav:"userId"`
	FileWorkflowType extract.Type    `dynamodbav:"fileWorkflowType,omitempty"`
	FailureMessage   string          `dynamodbav:"failureMessage,omitempty"`

	ThumbnailCompleted        bool `dynamodbav:"thumbnailCompleted"`
	ParseCompleted            bool `dynamodbav:"parseCompleted"`
	RecordProcessingCompleted bool `dynamodbav:"recordProcessingCompleted"`
	MetadataCompleted         bool `dynamodbav:"metadataCompleted"`
	IndexingCompleted         bool `dynamodbav:"indexingCompleted"`

	TrainingID            string `dynamodbav:"trainingId,omitempty"` // id of the model; empty for other types of workflows
	OptimizationCompleted bool   `dynamodbav:"optimizationCompleted"`
	TrainingCompleted     bool   `dynamodbav:"trainingCompleted"`
	ReportCompleted       bool   `dynamodbav:"reportCompleted"`

	Run         int64  `dynamodbav:"run"`
	Key         string `dynamodbav:"key,omitempty"`
	ETag        string `dynamodbav:"etag,omitempty"`
	Deadline    string `dynamodbav:"deadline"`
	Republished int    `dynamodbav:"republished"` // number of republications since the last step ended
	plan.Steps
}

// Types of workflows.
const (
	FileWorkflow       = "File"
	TrainingWorkflow   = "Training"   // of a model
	PredictionWorkflow = "Prediction" // of a file with predictions
	EraseWorkflow      = "Erase"
)

// chunkPrefix begins the names of the steps that process the records which extract.StepParse found.
const chunkPrefix = "chunk/"

// ChunkStep returns the step that processes the n-th chunk of records.
func ChunkStep(n int) string { return fmt.Sprintf("%s%05d", chunkPrefix, n) }

// ParseChunkStep returns the number of the chunk of records that a step processes. ok is false for other steps.
func ParseChunkStep(step string) (n int, ok bool) {
	digits, ours := strings.CutPrefix(step, chunkPrefix)
	n, err := strconv.Atoi(digits)
	return n, ours && err == nil
}

// Plan lists the steps for a type of file. If it contains extract.StepParse, the workflow starts with parsing.
type Plan struct {
	Type       extract.Type
	Steps      []extract.Step
	Sequential bool // the end of a step opens the next one
}

// PlanOf returns the plan for a type of file, or that of extract.Generic for an unknown type.
func PlanOf(t extract.Type) Plan {
	f := FormatOf(t)
	return Plan{f.Type, f.Steps, f.Sequential}
}

// Names returns the names of the steps.
func (p Plan) Names() []string {
	names := make([]string, len(p.Steps))
	for i, step := range p.Steps {
		names[i] = step.Name
	}
	return names
}

// first returns the names of the steps that are open at the beginning.
func (p Plan) first() []string {
	if p.Sequential {
		return p.Names()[:1]
	}
	return p.Names()
}

// Next returns the name of the step that the end of a step opens, or "".
func (p Plan) Next(step string) string {
	if !p.Sequential {
		return ""
	}
	i := 1 + slices.IndexFunc(p.Steps, func(known extract.Step) bool { return known.Name == step })
	if i == 0 || i == len(p.Steps) {
		return ""
	}
	return p.Steps[i].Name
}

// Class returns the class of a step.
func (p Plan) Class(step string) extract.Class {
	for _, known := range p.Steps {
		if known.Name == step {
			return known.Class
		}
	}
	if strings.HasPrefix(step, chunkPrefix) {
		return extract.ClassRecords
	}
	return extract.ClassLight
}

// HasRecords reports whether files of the type can have records.
func (p Plan) HasRecords() bool {
	return slices.ContainsFunc(p.Steps, func(known extract.Step) bool {
		return known.Name == extract.StepParse || known.Name == extract.StepRecords
	})
}

func (p Plan) required(step string) bool {
	return slices.ContainsFunc(p.Steps, func(known extract.Step) bool { return known.Name == step && known.Required })
}

// Final reports whether the workflow has ended.
func (w Workflow) Final() bool { return Machine().IsFinal(w.CurrentState) }

// HasRecords reports whether records of the file were found.
func (w Workflow) HasRecords() bool {
	return slices.Contains(w.StepsDone, extract.StepParse) || slices.Contains(w.StepsDone, extract.StepRecords)
}

// Created returns the time at which the run or operation began.
func (w Workflow) Created() time.Time { return when(w.CreatedAt) }

// Updated returns the time of the last write of the workflow, which for a finished workflow is the time of its end.
func (w Workflow) Updated() time.Time { return when(w.UpdatedAt) }

// Due returns the time at which a sweep must check the workflow.
func (w Workflow) Due() time.Time { return when(w.Deadline) }

// Patience is the time without a finished step after which a workflow is overdue.
const Patience = time.Hour

func (s *Store) deadline() string { return stamp(s.now().Add(Patience)) }

// Workflow reads the workflow of a file or an operation, with a strongly consistent read. It returns
// lifecycle.ErrNotFound if there is none.
func (s *Store) Workflow(ctx context.Context, id string) (Workflow, error) {
	var w Workflow
	return w, s.read(ctx, s.workflows, workflowKey(id), &w)
}

// WorkflowOf returns the workflow of the current run of a file. It returns lifecycle.ErrNotFound if there is none: the row may be
// of the operation that erased a file with the same id.
func (s *Store) WorkflowOf(ctx context.Context, f File) (Workflow, error) {
	w, err := s.Workflow(ctx, f.ID)
	if err == nil && w.Run != f.Run {
		return Workflow{}, lifecycle.ErrNotFound
	}
	return w, err
}

// newWorkflow returns a new run of a file's workflow. Its version continues that of the row it replaces.
func (s *Store) newWorkflow(ctx context.Context, f File, run int64, open []string) (Workflow, error) {
	old, err := s.Workflow(ctx, f.ID)
	if err != nil && !errors.Is(err, lifecycle.ErrNotFound) {
		return Workflow{}, err
	}
	now, training := stamp(s.now()), ""
	if f.Type == ModelType {
		training = f.ID
	}
	return Workflow{
		CorrelationID: f.ID, WorkflowType: WorkflowTypeOf(f.Type), TrainingID: training, CurrentState: Loaded, Version: old.Version + 1, CreatedAt: now, UpdatedAt: now,
		FileID: f.ID, BlobID: f.BlobID, Bucket: f.Bucket, UserID: f.OwnedBy, FileWorkflowType: f.Type,
		Run: run, Key: f.Key, ETag: f.ETag, Deadline: s.deadline(), Steps: plan.Open(open),
	}, nil
}
