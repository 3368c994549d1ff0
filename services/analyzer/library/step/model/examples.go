package model

import (
	"context"
	"errors"
	"iter"

	"github.com/assay-project/assay/pkg/extract/learn/dataset"
	"github.com/assay-project/assay/pkg/extract/learn/fold"
	"github.com/assay-project/assay/pkg/extract/learn/trained"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/reason"
)

// trainingMemory bounds the memory in bytes of examples within dataset.MaxValues, of what is derived from them, and of the
// models that are compared. BenchmarkChoice in package trained reports what 20,000 rows of 200 features need.
const trainingMemory = 450 << 20

// examples makes the examples of a model. It returns permanent errors for a column that cannot be predicted.
func (s *source) examples(ctx context.Context, column string, seed uint64) (*dataset.Set, error) {
	plan, err := dataset.NewPlan(s.overview.Columns, column)
	if err != nil {
		return nil, unfit(err)
	}
	all := s.records()
	set, err := dataset.Build(ctx, plan, dataset.Source{
		Records:     func(ctx context.Context) iter.Seq2[*records.Record, error] { return ahead(all.All(ctx, nil)) },
		Fingerprint: s.sequence(),
	}, dataset.Limits{Seed: seed})
	return set, unfit(err)
}

// unfit returns the reason for a column that cannot be predicted, and other errors unchanged.
func unfit(err error) error {
	if target, ok := errors.AsType[*dataset.TargetError](err); ok {
		return reason.ColumnUnfit.Fill(target.Problem)
	}
	return err
}

// folds splits examples for cross-validation.
func folds(set *dataset.Set, seed uint64) ([]int, error) {
	split, err := fold.Split(trained.Folds, set.Data, seed)
	if errors.Is(err, fold.ErrGroups) || errors.Is(err, fold.ErrClasses) {
		return nil, reason.FewExamples.Fill(set.Data.X.Rows, trained.Folds)
	}
	return split, err
}

// batch is the number of records that ahead reads at a time.
const batch = 100

// ahead returns the same records. It reads the next ones while the caller uses the previous ones.
func ahead(all iter.Seq2[*records.Record, error]) iter.Seq2[*records.Record, error] {
	type read struct {
		records []*records.Record
		err     error
	}
	return func(yield func(*records.Record, error) bool) {
		batches, stop := make(chan read, 1), make(chan struct{})
		go func() {
			defer close(batches)
			send := func(r read) bool {
				select {
				case batches <- r:
					return true
				case <-stop:
					return false
				}
			}
			var some []*records.Record
			for r, err := range all {
				if err != nil {
					send(read{some, err})
					return
				}
				if some = append(some, r); len(some) == batch {
					if !send(read{some, nil}) {
						return
					}
					some = nil
				}
			}
			send(read{some, nil})
		}()
		defer func() {
			close(stop)
			for range batches { // until the goroutine has ended
			}
		}()
		for b := range batches {
			for _, r := range b.records {
				if !yield(r, nil) {
					return
				}
			}
			if b.err != nil {
				yield(nil, b.err)
				return
			}
		}
	}
}
