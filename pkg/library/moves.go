package library

import (
	"context"
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/lifecycle/plan"
	"github.com/assay-project/assay/pkg/table"
)

var (
	// ErrNoWorkflow means that the workflow of the file, with the step to retry, was removed.
	ErrNoWorkflow = errors.New("the steps of the file have been removed; retry the file")
	// ErrStep means that the step did not fail and cannot be retried.
	ErrStep = errors.New("only a failed step can be retried")
)

// Content describes the stored content of a file.
type Content struct {
	Type   extract.Type // workflow type, as determined from the content
	Length int64
	ETag   string // of the object
	MD5    string // may be empty
	// For a fetched file only: the final URL and the media type of the response.
	Origin, ContentType string
}

// of returns the file with this content.
func (c Content) of(f File) File {
	f.Type, f.Length, f.ETag, f.MD5 = c.Type, c.Length, c.ETag, c.MD5
	if c.Origin != "" {
		f.Origin, f.ContentType = c.Origin, c.ContentType
	}
	return f
}

// StoreUpload moves a Loading file to Loaded and writes its workflow, with all steps of the plan open.
// Like every move, it returns lifecycle.ErrNotFound, *lifecycle.MovedError, lifecycle.ErrFenceLost or
// lifecycle.ErrInconsistent. It returns lifecycle.ErrCondition if a workflow of this run or a later one exists.
func (s *Store) StoreUpload(ctx context.Context, f File, c Content, p Plan) (File, Workflow, error) {
	f = c.of(f)
	w, err := s.newWorkflow(ctx, f, f.Run, p.first())
	if err != nil {
		return File{}, Workflow{}, err
	}
	file, node, err := f.content()
	if err != nil {
		return File{}, Workflow{}, err
	}
	f, err = s.begin(ctx, store, f, w, file, node, earlier(w))
	return f, w, err
}

// content returns the attributes of a file and its node that describe the content.
func (f File) content() (file, node map[string]table.Value, err error) {
	file = map[string]table.Value{typeName: table.Text(string(f.Type)), "length": table.Integer(f.Length), "etag": table.Text(f.ETag)}
	if f.MD5 != "" {
		file["md5"] = table.Text(f.MD5)
	}
	if f.Origin != "" {
		file["origin"], file["contentType"] = table.Text(f.Origin), table.Text(f.ContentType)
	}
	stored, err := attributevalue.Marshal(Blob{ID: f.BlobID, Bucket: f.Bucket, Key: f.Key, Length: f.Length, MD5: f.MD5})
	return file, map[string]table.Value{"subType": table.Text(string(f.Type)), "blob": stored}, err
}

// Identify is like StoreUpload for a file that failed in Loading and is Loaded after a retry: it records the
// content and opens the steps of the plan. It returns lifecycle.ErrCondition if the content is already recorded.
func (s *Store) Identify(ctx context.Context, f File, c Content, p Plan) (File, Workflow, error) {
	f = c.of(f)
	file, node, err := f.content()
	if err != nil {
		return File{}, Workflow{}, err
	}
	item := s.ofWorkflow(f.ID, map[string]table.Value{
		"fileWorkflowType": table.Text(string(f.Type)), "etag": table.Text(f.ETag), "stepsOpen": &types.AttributeValueMemberSS{Value: p.first()},
	})
	item.Condition = expression.Name("etag").AttributeNotExists()
	write := lifecycle.Write{Fence: runFence(f.Run, f.Run), Items: append([]lifecycle.Item{item}, s.both(f.ID, file, node)...)}
	if _, err := Machine().Apply(ctx, s.db, identify, write); err != nil {
		return File{}, Workflow{}, err
	}
	w, err := s.Workflow(ctx, f.ID)
	return f, w, err
}

// Retry moves a Failed or ProcessedPartially file to Loaded, to run all its steps again. Unless o is nil, the file gets these
// options instead of its own.
func (s *Store) Retry(ctx context.Context, f File, o *ReadOptions) (File, Workflow, error) {
	return s.again(ctx, retry, f, o)
}

// Reprocess moves a Processed file to Loaded, to run all its steps again, with options like Retry.
func (s *Store) Reprocess(ctx context.Context, f File, o *ReadOptions) (File, Workflow, error) {
	return s.again(ctx, reprocess, f, o)
}

func (s *Store) again(ctx context.Context, m lifecycle.Move, f File, o *ReadOptions) (File, Workflow, error) {
	w, err := s.newWorkflow(ctx, f, f.Run+1, PlanOf(f.Type).first())
	if err != nil {
		return File{}, Workflow{}, err
	}
	var stated map[string]table.Value
	if o != nil {
		f.Options = o.stored()
		value, err := attributevalue.Marshal(o)
		if err != nil {
			return File{}, Workflow{}, err
		}
		stated = map[string]table.Value{"options": value}
	}
	f, err = s.begin(ctx, m, f, w, stated, nil, earlier(w))
	return f, w, err
}

// RetryStep is like Retry for one failed step. The results of the other steps are kept; kept contains those whose
// objects the caller has copied for the new run. It also returns ErrNoWorkflow or ErrStep.
func (s *Store) RetryStep(ctx context.Context, f File, step string, kept map[string]plan.Result) (File, Workflow, error) {
	old, err := s.Workflow(ctx, f.ID)
	if errors.Is(err, lifecycle.ErrNotFound) || err == nil && (old.Run != f.Run || old.ETag != f.ETag) {
		return File{}, Workflow{}, ErrNoWorkflow
	}
	if err != nil {
		return File{}, Workflow{}, err
	}
	if !slices.Contains(old.StepsFailed, step) {
		return File{}, Workflow{}, ErrStep
	}
	w, err := s.newWorkflow(ctx, f, f.Run+1, []string{step})
	if err != nil {
		return File{}, Workflow{}, err
	}
	w.StepsDone, w.StepsSkipped = old.StepsDone, old.StepsSkipped
	for _, failed := range old.StepsFailed {
		if failed != step {
			w.StepsFailed = append(w.StepsFailed, failed)
		}
	}
	for name, result := range old.StepResults {
		if name != step {
			w.StepResults[name] = result
		}
	}
	for name, result := range kept {
		w.StepResults[name] = result
	}
	w.ThumbnailCompleted = old.ThumbnailCompleted && step != extract.StepThumbnails
	w.ParseCompleted = old.ParseCompleted && step != extract.StepParse && step != extract.StepRecords
	w.MetadataCompleted = old.MetadataCompleted && step != extract.StepMetadata
	w.IndexingCompleted = old.IndexingCompleted
	w.OptimizationCompleted = old.OptimizationCompleted && step != StepOptimize
	w.TrainingCompleted = old.TrainingCompleted && step != StepTrain
	f, err = s.begin(ctx, retry, f, w, nil, nil, expression.Name(runName).Equal(expression.Value(f.Run)))
	return f, w, err
}

// earlier returns the condition on the row that a new run replaces: no row, or a row of an earlier run.
func earlier(w Workflow) expression.ConditionBuilder {
	return expression.AttributeNotExists(expression.Name(correlationIDName)).Or(expression.Name(runName).LessThan(expression.Value(w.Run)))
}

// begin moves a file and its node to the state and the run of a new workflow, and writes the workflow.
func (s *Store) begin(ctx context.Context, m lifecycle.Move, f File, w Workflow, file, node map[string]table.Value, replaced expression.ConditionBuilder) (File, error) {
	put, err := s.replace(w, replaced)
	if err != nil {
		return File{}, err
	}
	write := lifecycle.Write{
		Fence: runFence(f.Run, w.Run), Items: s.both(f.ID, file, node), Also: []types.TransactWriteItem{put},
	}
	if m.Explicit {
		write.Items[0].Remove = []string{errorMessageName}
		f.ErrorMessage = ""
	}
	if _, err := Machine().Apply(ctx, s.db, m, write); err != nil {
		return File{}, err
	}
	f.Status, f.Run, f.UpdatedAt = m.To, w.Run, table.TextOf(write.Items[0].Set[updatedName])
	f.Version++ // the stored version is higher if the node was edited in the meantime
	return f, nil
}

// replace returns the write that replaces a workflow's row, under a condition.
func (s *Store) replace(w Workflow, condition expression.ConditionBuilder) (types.TransactWriteItem, error) {
	expr, err := expression.NewBuilder().WithCondition(condition).Build()
	if err != nil {
		return types.TransactWriteItem{}, err
	}
	item, err := attributevalue.MarshalMap(w)
	return types.TransactWriteItem{Put: &types.Put{
		TableName: &s.workflows, Item: item, ConditionExpression: expr.Condition(),
		ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
	}}, err
}

// both returns the writes of a file and of its node. Each write also increments the version and sets the update time.
func (s *Store) both(id string, file, node map[string]table.Value) []lifecycle.Item {
	now := table.Text(stamp(s.now()))
	items := []lifecycle.Item{{Table: s.files, Key: key(id), Set: file}, {Table: s.nodes, Key: key(id), Set: node}}
	for i := range items {
		set := map[string]table.Value{updatedName: now}
		for name, value := range items[i].Set {
			set[name] = value
		}
		items[i].Set, items[i].Add = set, map[string]table.Value{versionName: table.Integer(1)}
	}
	return items
}

func runFence(seen, next int64) lifecycle.Fence {
	return lifecycle.Fence{Attribute: runName, Seen: table.Integer(seen), Next: table.Integer(next)}
}

// ofWorkflow returns a write of a workflow that also increments its version and sets its update time and a new
// deadline.
func (s *Store) ofWorkflow(id string, set map[string]table.Value) lifecycle.Item {
	all := map[string]table.Value{workflowUpdatedAt: table.Text(stamp(s.now())), "deadline": table.Text(s.deadline())}
	for name, value := range set {
		all[name] = value
	}
	return lifecycle.Item{
		Table: s.workflows, Key: workflowKey(id), Status: currentStateName, Set: all,
		Add: map[string]table.Value{versionName: table.Integer(1)},
	}
}

// StartParsing moves a Loaded file to Parsing.
func (s *Store) StartParsing(ctx context.Context, w Workflow) error {
	return s.move(ctx, startParsing, w, s.ofWorkflow(w.CorrelationID, nil), nil, nil)
}

// FinishParsing moves a Parsing file to Parsed and opens a step for each chunk of its records. FinishStep ends
// extract.StepParse afterwards.
func (s *Store) FinishParsing(ctx context.Context, w Workflow, chunks int, records int64) error {
	item := s.ofWorkflow(w.CorrelationID, nil)
	steps := make([]string, chunks)
	for i := range steps {
		steps[i] = ChunkStep(i)
	}
	plan.Add(&item, steps)
	item.Condition = plan.WhileOpen(extract.StepParse)
	return s.move(ctx, finishParsing, w, item, nil, map[string]table.Value{"totalRecords": table.Integer(records)})
}

// OpenStep opens a step while another one is open, unless it is open already. It returns lifecycle.ErrCondition if that one
// has ended.
func (s *Store) OpenStep(ctx context.Context, w Workflow, step, while string) error {
	item := s.ofWorkflow(w.CorrelationID, nil)
	plan.Add(&item, []string{step})
	item.Condition = plan.WhileOpen(while)
	_, err := Machine().Apply(ctx, s.db, openStep, lifecycle.Write{Fence: runFence(w.Run, w.Run), Items: []lifecycle.Item{item}})
	return err
}

// StartProcessing moves a Loaded or Parsed file to Processing. It is called after all open steps were published.
func (s *Store) StartProcessing(ctx context.Context, w Workflow) error {
	return s.move(ctx, startProcessing, w, s.ofWorkflow(w.CorrelationID, nil), nil, nil)
}

// Fail moves a file that is not in a final state, with or without a workflow, to Failed. The message is for display.
func (s *Store) Fail(ctx context.Context, f File, message string) error {
	reason := table.Text(message)
	file := map[string]table.Value{errorMessageName: reason}
	items := s.both(f.ID, file, nil)
	w, err := s.Workflow(ctx, f.ID)
	switch {
	case err != nil && !errors.Is(err, lifecycle.ErrNotFound):
		return err
	case err == nil && w.Run == f.Run:
		items = append(items, s.ofWorkflow(f.ID, map[string]table.Value{"failureMessage": reason}))
	}
	_, err = Machine().Apply(ctx, s.db, fail, lifecycle.Write{Fence: runFence(f.Run, f.Run), Items: items})
	return err
}

// move applies m to a workflow, its file and its node.
func (s *Store) move(ctx context.Context, m lifecycle.Move, w Workflow, workflow lifecycle.Item, file, node map[string]table.Value) error {
	items := append([]lifecycle.Item{workflow}, s.both(w.FileID, file, node)...)
	_, err := Machine().Apply(ctx, s.db, m, lifecycle.Write{Fence: runFence(w.Run, w.Run), Items: items})
	return err
}
