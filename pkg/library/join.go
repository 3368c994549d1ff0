package library

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/lifecycle/plan"
	"github.com/assay-project/assay/pkg/table"
)

// FinishStep ends an open step of a run, in any state, and returns the workflow as written. If no open step
// remains, the caller publishes the end of the workflow. A step ends once: a second call returns
// lifecycle.ErrCondition and the current workflow, which the caller treats like the first result. It returns
// lifecycle.ErrFenceLost if another run has begun or the file is being erased, and lifecycle.ErrNotFound if there
// is no workflow; the caller then deletes the results of the step. Images, if any, are stored in the file and its
// node in the same transaction.
func (s *Store) FinishStep(ctx context.Context, fileID string, run int64, step string, end plan.End, result plan.Result, images []Image) (Workflow, error) {
	item := s.ofWorkflow(fileID, summary(step, end))
	item.Set["republished"] = table.Integer(0)
	if err := plan.Ended(&item, step, end, result); err != nil {
		return Workflow{}, err
	}
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
	found, err := Machine().Apply(ctx, s.db, finishStep, write)
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

// summary returns the attribute that summarizes a finished step; see Workflow.
func summary(step string, end plan.End) map[string]table.Value {
	names := map[string]string{
		extract.StepThumbnails: "thumbnailCompleted", extract.StepParse: "parseCompleted", extract.StepRecords: "parseCompleted",
		extract.StepMetadata: "metadataCompleted",
	}
	if end == plan.Done {
		names[extract.StepText], names[StepOptimize] = "indexingCompleted", "optimizationCompleted"
		names[StepTrain], names[StepReport] = "trainingCompleted", "reportCompleted"
	}
	if name, known := names[step]; known {
		return map[string]table.Value{name: &types.AttributeValueMemberBOOL{Value: true}}
	}
	return nil
}

// End is the outcome of a workflow whose steps have all ended.
type End struct {
	State   lifecycle.State // Processed, ProcessedPartially or Failed
	Message string          // for display; empty if Processed
	Records int64           // found in the file; 0 leaves the number unchanged
}

// End derives the outcome of the workflow from its steps: Failed if a required one failed, ProcessedPartially if an
// optional one failed or a result is incomplete. Skipped steps do not count.
func (w Workflow) End(p Plan) End {
	switch failed, partial := w.Outcome(p.required); {
	case failed != "":
		return End{State: Failed, Message: failed}
	case partial != "":
		return End{State: ProcessedPartially, Message: partial}
	}
	return End{State: Processed}
}

// Partly returns e as ProcessedPartially with an additional reason. It returns a Failed end unchanged.
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

// Finish ends a Processing workflow that has no open steps. It replaces the file's metadata unless metadata is nil. A
// second call returns *lifecycle.MovedError, a premature call lifecycle.ErrCondition.
func (s *Store) Finish(ctx context.Context, w Workflow, end End, metadata table.Document) error {
	if !w.Joined() {
		return lifecycle.ErrCondition // the sets that were read may be outdated
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
		item.Set["failureMessage"], file[errorMessageName] = table.Text(end.Message), table.Text(end.Message)
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
	item.Condition = plan.WhenJoined()
	return s.move(ctx, m, w, item, file, node)
}
