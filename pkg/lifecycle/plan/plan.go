// Package plan contains items that are processed in several steps: the steps that are open or ended, the write that ends
// one, and the outcome of their join. Steps run in parallel; the write that ends the last one returns a run without open
// steps, and the worker that made it ends the item.
package plan

import (
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// Names in messages of a run that are not of its steps.
const (
	Start  = "start"  // determines the steps of the run and publishes them
	Finish = "finish" // ends a run without open steps
)

// Steps is the part of a run's item that lists its steps. The sets are authoritative. A run embeds it.
type Steps struct {
	StepsOpen    []string          `dynamodbav:"stepsOpen,stringset,omitempty"`
	StepsDone    []string          `dynamodbav:"stepsDone,stringset,omitempty"`
	StepsFailed  []string          `dynamodbav:"stepsFailed,stringset,omitempty"`
	StepsSkipped []string          `dynamodbav:"stepsSkipped,stringset,omitempty"`
	StepResults  map[string]Result `dynamodbav:"stepResults"`
}

// Result is the result of a step.
type Result struct {
	Key      string `dynamodbav:"key,omitempty"`   // key of the object that the step created
	Reason   string `dynamodbav:"error,omitempty"` // why the step failed or was skipped, or what is missing from its result; for display
	Attempts int    `dynamodbav:"attempts"`
	MS       int64  `dynamodbav:"ms"` // duration of the last attempt in milliseconds
	Engine   string `dynamodbav:"engine,omitempty"`
	// Metadata is the metadata that the step adds to the item. If it is large, it is stored in the object MetadataKey
	// instead.
	Metadata    table.Document `dynamodbav:"metadata,omitempty"`
	MetadataKey string         `dynamodbav:"metadataKey,omitempty"`
}

// End is the outcome of a step.
type End int

// Outcomes of a step.
const (
	Done    End = iota // if Result.Reason is set, the result is incomplete
	Failed             // Result.Reason states why
	Skipped            // the step was not possible, for example because an engine is missing; Result.Reason states why
)

func (e End) attribute() string {
	return [...]string{"stepsDone", "stepsFailed", "stepsSkipped"}[e]
}

// Open returns the steps of a new run.
func Open(steps []string) Steps {
	return Steps{StepsOpen: slices.Sorted(slices.Values(steps)), StepResults: map[string]Result{}}
}

// Joined reports whether no step is open, so that the run can end.
func (s Steps) Joined() bool { return len(s.StepsOpen) == 0 }

// IsOpen reports whether a step is open.
func (s Steps) IsOpen(step string) bool { return slices.Contains(s.StepsOpen, step) }

// Failure returns why a step failed, or "".
func (s Steps) Failure(step string) string {
	if !slices.Contains(s.StepsFailed, step) {
		return ""
	}
	return s.StepResults[step].Reason
}

// Add adds open steps to the write of a run.
func Add(item *lifecycle.Item, steps []string) {
	if len(steps) > 0 {
		item.Add["stepsOpen"] = &types.AttributeValueMemberSS{Value: steps}
	}
}

// Ended adds the end of an open step to the write of its run, on condition that the step is open: a step ends once.
func Ended(item *lifecycle.Item, step string, end End, r Result) error {
	value, err := attributevalue.Marshal(r)
	if err != nil {
		return err
	}
	one := &types.AttributeValueMemberSS{Value: []string{step}}
	item.Add[end.attribute()] = one
	item.Delete = map[string]table.Value{"stepsOpen": one}
	item.Put = []lifecycle.Member{{Path: []string{"stepResults", step}, Value: value}}
	item.Condition = WhileOpen(step)
	return nil
}

// WhileOpen returns the condition that a step is open, so that its run cannot have joined.
func WhileOpen(step string) expression.ConditionBuilder {
	return expression.Name("stepsOpen").Contains(step)
}

// WhenJoined returns the condition that no step is open.
func WhenJoined() expression.ConditionBuilder {
	return expression.Name("stepsOpen").AttributeNotExists()
}

// Outcome states how the steps of a run ended: failed is the reason why a required one failed, or "", and partial lists what
// is missing because an optional one failed or a result is incomplete. Skipped steps do not count.
func (s Steps) Outcome(required func(step string) bool) (failed, partial string) {
	var reasons []string
	for _, step := range slices.Sorted(slices.Values(slices.Concat(s.StepsFailed, s.StepsDone))) {
		reason := step + ": " + s.StepResults[step].Reason
		switch failed := slices.Contains(s.StepsFailed, step); {
		case failed && required(step):
			return reason, ""
		case failed || s.StepResults[step].Reason != "":
			reasons = append(reasons, reason)
		}
	}
	const maxReasons = 20 // the size of an item is limited
	partial = strings.Join(reasons[:min(maxReasons, len(reasons))], "; ")
	if len(reasons) > maxReasons {
		partial += "; and others"
	}
	return "", partial
}
