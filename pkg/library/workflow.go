package library

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/lifecycle"
)

// Workflow is an item of the workflow table: the run of a file's workflow, or an erase. Times are in
// TimeLayout. The sets decide; the booleans are a summary for people, set when the steps of their
// kind are no longer open. Run and what follows it are not in the seed.
type Workflow struct {
	CorrelationID    string          `dynamodbav:"correlationId"` // the file's id, or that of the operation
	WorkflowType     string          `dynamodbav:"workflowType"`  // FileWorkflow or EraseWorkflow
	CurrentState     lifecycle.State `dynamodbav:"currentState"`
	Version          int64           `dynamodbav:"version"`
	CreatedAt        string          `dynamodbav:"createdAt"`
	UpdatedAt        string          `dynamodbav:"updatedAt"`
	FileID           string          `dynamodbav:"fileId"`
	BlobID           string          `dynamodbav:"blobId,omitempty"`
	Bucket           string          `dynamodbav:"bucket,omitempty"`
	UserID           string          `dynamodbav:"userId"`
	FileWorkflowType string          `dynamodbav:"fileWorkflowType,omitempty"`
	FailureMessage   string          `dynamodbav:"failureMessage,omitempty"`

	ThumbnailCompleted        bool `dynamodbav:"thumbnailCompleted"`
	ParseCompleted            bool `dynamodbav:"parseCompleted"`
	RecordProcessingCompleted bool `dynamodbav:"recordProcessingCompleted"`
	MetadataCompleted         bool `dynamodbav:"metadataCompleted"`
	IndexingCompleted         bool `dynamodbav:"indexingCompleted"` // the text is stored

	Run          int64                 `dynamodbav:"run"`
	Key          string                `dynamodbav:"key,omitempty"`
	ETag         string                `dynamodbav:"etag,omitempty"`
	Deadline     string                `dynamodbav:"deadline"`
	Republished  int                   `dynamodbav:"republished"` // times since a step ended
	StepsOpen    []string              `dynamodbav:"stepsOpen,stringset,omitempty"`
	StepsDone    []string              `dynamodbav:"stepsDone,stringset,omitempty"`
	StepsFailed  []string              `dynamodbav:"stepsFailed,stringset,omitempty"`
	StepsSkipped []string              `dynamodbav:"stepsSkipped,stringset,omitempty"`
	StepResults  map[string]StepResult `dynamodbav:"stepResults"`
}

// The types of workflows.
const (
	FileWorkflow  = "File"
	EraseWorkflow = "Erase"
)

// StepResult is what a step left behind.
type StepResult struct {
	Key      string `dynamodbav:"key,omitempty"`   // of the object that it made
	Reason   string `dynamodbav:"error,omitempty"` // why it failed or was skipped, or what is missing of a done one, in words for a person
	Attempts int    `dynamodbav:"attempts"`
	MS       int64  `dynamodbav:"ms"` // milliseconds of the last attempt
	Engine   string `dynamodbav:"engine,omitempty"`
	// Metadata is what the step adds to the metadata of the file; if that is large, the object MetadataKey has it.
	Metadata    map[string]any `dynamodbav:"metadata,omitempty"`
	MetadataKey string         `dynamodbav:"metadataKey,omitempty"`
}

// The steps of workflows. StepParse finds the records of a file, which the steps chunk/00000 and on process;
// StepRecords does both, for a file that is more than its records.
const (
	StepParse      = "parse"
	StepRecords    = "records"
	StepThumbnails = "thumbnails"
	StepMetadata   = "metadata"
	StepText       = "text"
	chunkPrefix    = "chunk/"
)

// ChunkStep is the step of the n-th chunk of records.
func ChunkStep(n int) string { return fmt.Sprintf("%s%05d", chunkPrefix, n) }

// ParseChunkStep returns the number of the chunk of records that a step processes. It is not ok for others.
func ParseChunkStep(step string) (n int, ok bool) {
	digits, ours := strings.CutPrefix(step, chunkPrefix)
	n, err := strconv.Atoi(digits)
	return n, ours && err == nil
}

// Step is a step of a plan.
type Step struct {
	Name     string
	Class    string // of resources: the consumer that takes it
	Required bool   // its failure fails the file
}

// The classes of steps.
const (
	ClassLight   = "light"
	ClassRender  = "render"
	ClassRecords = "records"
	ClassFetch   = "fetch" // waits for servers that others name, which may be slow
)

// Plan is the steps of a type of file. With a StepParse among them the workflow parses first.
type Plan struct {
	Type  string
	Steps []Step
}

// Plans returns the plans of all types. The first takes the files of no other.
func Plans() []Plan {
	metadata := Step{StepMetadata, ClassLight, true}
	thumbnails := Step{StepThumbnails, ClassRender, false} // of files other than pictures
	text := Step{StepText, ClassLight, true}
	parse := Step{StepParse, ClassRecords, true}
	values := Step{StepText, ClassRecords, false} // of the records, for search
	return []Plan{
		{"Generic", []Step{metadata}},
		{"Image", []Step{{StepThumbnails, ClassRender, true}, metadata}},
		{"Pdf", []Step{{StepText, ClassRender, true}, thumbnails, metadata}},
		{"Office", []Step{text, thumbnails, metadata, {StepRecords, ClassRecords, false}}}, // of workbooks
		{"WebPage", []Step{text, {StepThumbnails, ClassFetch, false}, metadata}},
		{"Text", []Step{text, metadata}},
		{"Table", []Step{parse, values, metadata}},
		{"Chemical", []Step{parse, thumbnails, values, metadata}},
		{"Reaction", []Step{parse, thumbnails, values, metadata}},
		{"Crystal", []Step{parse, thumbnails, values, metadata}},
		{"Spectrum", []Step{parse, thumbnails, values, metadata}},
		{"Microscopy", []Step{thumbnails, metadata}},
	}
}

// PlanOf returns the plan of a type of file, that of Generic for an unknown one.
func PlanOf(fileWorkflowType string) Plan {
	plans := Plans()
	if i := slices.IndexFunc(plans, func(p Plan) bool { return p.Type == fileWorkflowType }); i >= 0 {
		return plans[i]
	}
	return plans[0]
}

func (p Plan) names() []string {
	names := make([]string, len(p.Steps))
	for i, step := range p.Steps {
		names[i] = step.Name
	}
	return names
}

// Class is the class of a step.
func (p Plan) Class(step string) string {
	for _, known := range p.Steps {
		if known.Name == step {
			return known.Class
		}
	}
	if strings.HasPrefix(step, chunkPrefix) {
		return ClassRecords
	}
	return ClassLight
}

// HasRecords reports whether files of the type can have records.
func (p Plan) HasRecords() bool {
	return slices.ContainsFunc(p.Steps, func(known Step) bool { return known.Name == StepParse || known.Name == StepRecords })
}

func (p Plan) required(step string) bool {
	return slices.ContainsFunc(p.Steps, func(known Step) bool { return known.Name == step && known.Required })
}

// Final reports whether the workflow has ended.
func (w Workflow) Final() bool { return Machine().IsFinal(w.CurrentState) }

// HasRecords reports whether the records of the file were found.
func (w Workflow) HasRecords() bool {
	return slices.Contains(w.StepsDone, StepParse) || slices.Contains(w.StepsDone, StepRecords)
}

// Joined reports whether no step is open: the workflow can end.
func (w Workflow) Joined() bool { return len(w.StepsOpen) == 0 }

// Created is when the run, or the operation, began.
func (w Workflow) Created() time.Time { return when(w.CreatedAt) }

// Updated is when the workflow was last written; of one that has ended, when it ended.
func (w Workflow) Updated() time.Time { return when(w.UpdatedAt) }

// Due is when a sweep must look at the workflow.
func (w Workflow) Due() time.Time { return when(w.Deadline) }

// Patience is how long a workflow may stay without a step that ends.
const Patience = time.Hour

func (s *Store) deadline() string { return stamp(s.now().Add(Patience)) }

// Workflow reads the workflow of a file, or an operation, strongly consistent. It returns
// lifecycle.ErrNotFound.
func (s *Store) Workflow(ctx context.Context, id string) (Workflow, error) {
	var w Workflow
	return w, s.read(ctx, s.workflows, workflowKey(id), &w)
}

// newWorkflow is a run of a file's workflow. The version goes on from that of the row it replaces.
func (s *Store) newWorkflow(ctx context.Context, f File, run int64, open []string) (Workflow, error) {
	old, err := s.Workflow(ctx, f.ID)
	if err != nil && !errors.Is(err, lifecycle.ErrNotFound) {
		return Workflow{}, err
	}
	now := stamp(s.now())
	return Workflow{
		CorrelationID: f.ID, WorkflowType: FileWorkflow, CurrentState: Loaded, Version: old.Version + 1, CreatedAt: now, UpdatedAt: now,
		FileID: f.ID, BlobID: f.BlobID, Bucket: f.Bucket, UserID: f.OwnedBy, FileWorkflowType: f.Type,
		Run: run, Key: f.Key, ETag: f.ETag, Deadline: s.deadline(), StepsOpen: slices.Sorted(slices.Values(open)),
		StepResults: map[string]StepResult{},
	}, nil
}
