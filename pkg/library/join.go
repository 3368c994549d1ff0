package library

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// StepEnd is how a step ended.
type StepEnd int

// The ends of a step.
const (
	StepDone    StepEnd = iota // with a StepResult.Reason, something is missing of it
	StepFailed                 // StepResult.Reason says why
	StepSkipped                // not possible here, such as without an engine; StepResult.Reason says why
)

func (e StepEnd) attribute() string {
	return [...]string{"stepsDone", "stepsFailed", "stepsSkipped"}[e]
}

// FinishStep ends an open step of a run, in any state, and returns the workflow as written. If no step
// is open then, the caller publishes the end of the workflow. A step ends once: a second call returns
// lifecycle.ErrCondition and the workflow as it is, which the caller treats as the first. It returns
// lifecycle.ErrFenceLost when another run has begun or the file is being erased, and
// lifecycle.ErrNotFound when there is no workflow; the caller then deletes what the step made.
// Images, if any, are stored on the file and its node at once.
func (s *Store) FinishStep(ctx context.Context, fileID string, run int64, step string, end StepEnd, result StepResult, images []Image) (Workflow, error) {
	value, err := attributevalue.Marshal(result)
	if err != nil {
		return Workflow{}, err
	}
	item := s.ofWorkflow(fileID, summary(step, end))
	item.Set["republished"] = table.Integer(0)
	item.Add[end.attribute()] = set(step)
	item.Delete = map[string]table.Value{"stepsOpen": set(step)}
	item.Put = []lifecycle.Member{{Path: []string{"stepResults", step}, Value: value}}
	item.Condition = expression.Name("stepsOpen").Contains(step)
	write := lifecycle.Write{Fence: runFence(run, run), Items: []lifecycle.Item{item}}
	if len(images) == 0 {
		write.Image = true
	} else {
		list, err := attributevalue.Marshal(images)
		if err != nil {
			return Workflow{}, err
		}
		drawn := map[string]table.Value{"images": list}
		write.Items = append(write.Items, s.both(fileID, drawn, drawn)...)
	}
	found, err := Machine().Update(ctx, s.db, "finishStep", write)
	if err != nil && !errors.Is(err, lifecycle.ErrCondition) {
		return Workflow{}, err
	}
	if found == nil { // a transaction returns no image
		w, failed := s.Workflow(ctx, fileID)
		return w, errors.Join(err, failed)
	}
	var w Workflow
	if failed := attributevalue.UnmarshalMap(found, &w); failed != nil {
		return Workflow{}, failed
	}
	return w, err
}

// summary returns the attribute that summarizes a step that is no longer open.
func summary(step string, end StepEnd) map[string]table.Value {
	names := map[string]string{StepThumbnails: "thumbnailCompleted", StepParse: "parseCompleted", StepMetadata: "metadataCompleted"}
	if end == StepDone {
		names[StepText] = "indexingCompleted"
	}
	if name, known := names[step]; known {
		return map[string]table.Value{name: &types.AttributeValueMemberBOOL{Value: true}}
	}
	return nil
}

// End is how a workflow ends when all its steps have.
type End struct {
	State   lifecycle.State // Processed, ProcessedPartially or Failed
	Message string          // for a person; empty when Processed
	Records int64           // found in the file; 0 leaves the number as it is
}

// End returns how the workflow ends by its steps: as Failed if a required one failed, and partially if
// another one did, or something is missing of one that was done. Skipped steps do not count.
func (w Workflow) End(plan Plan) End {
	var reasons []string
	for _, step := range slices.Sorted(slices.Values(slices.Concat(w.StepsFailed, w.StepsDone))) {
		reason := step + ": " + w.StepResults[step].Reason
		switch failed := slices.Contains(w.StepsFailed, step); {
		case failed && plan.required(step):
			return End{State: Failed, Message: reason}
		case failed || w.StepResults[step].Reason != "":
			reasons = append(reasons, reason)
		}
	}
	if len(reasons) == 0 {
		return End{State: Processed}
	}
	const most = 20 // the item has a limit
	message := strings.Join(reasons[:min(most, len(reasons))], "; ")
	if len(reasons) > most {
		message += "; and others"
	}
	return End{State: ProcessedPartially, Message: message}
}

// Partly returns the end with another reason why it is partial. A failed end stays as it is.
func (e End) Partly(reason string) End {
	if e.State == Failed {
		return e
	}
	if e.Message != "" {
		reason = e.Message + "; " + reason
	}
	e.State, e.Message = ProcessedPartially, reason
	return e
}

// Finish ends a Processing workflow with no open step, once. The file's metadata is replaced unless
// it is nil. A second call returns *lifecycle.MovedError, one too early lifecycle.ErrCondition.
func (s *Store) Finish(ctx context.Context, w Workflow, end End, metadata map[string]any) error {
	if !w.Joined() {
		return lifecycle.ErrCondition // the sets that it was read with are not the last ones
	}
	m := complete
	switch end.State {
	case ProcessedPartially:
		m = completePartially
	case Failed:
		m = fail
	}
	file, node := map[string]table.Value{}, map[string]table.Value{}
	if end.Records > 0 {
		node["totalRecords"] = table.Integer(end.Records)
	}
	item := s.ofWorkflow(w.CorrelationID, map[string]table.Value{})
	if end.Message != "" {
		item.Set["failureMessage"] = table.Text(end.Message)
	}
	if end.State == Failed {
		file["errorMessage"] = table.Text(end.Message)
	}
	if metadata != nil {
		value, err := attributevalue.Marshal(metadata)
		if err != nil {
			return err
		}
		file["metadata"] = value
	}
	if w.HasRecords() {
		item.Set["recordProcessingCompleted"] = &types.AttributeValueMemberBOOL{Value: true}
	}
	item.Condition = expression.Name("stepsOpen").AttributeNotExists()
	return s.move(ctx, m, w, item, file, node)
}
