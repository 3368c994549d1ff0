package words

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/assay-project/assay/services/assay/test/bench/paired"
)

const perGB = "CPU seconds per GB"

// growth adds the trial of a large text against texts that are a hundred and a thousand times
// smaller, with the same vocabulary.
func (m *maker) growth() {
	small, middle, large := max(1, 10*megabyte/m.page.size), max(1, 100*megabyte/m.page.size), 10_000*megabyte/m.page.size
	run := func(ctx context.Context, times int64) (paired.Sample, error) {
		process := paired.Process{Path: m.own, Args: []string{"-times", fmt.Sprint(times), m.page.path}}
		sample, output, err := process.Run(ctx)
		if err != nil {
			return nil, err
		}
		var printed counted
		if err := json.Unmarshal(output, &printed); err != nil {
			return nil, fmt.Errorf("%s: %w", process.Path, err)
		}
		return paired.Sample{paired.Peak: printed.Peak, perGB: sample[paired.CPU] / float64(times*m.page.size) * 1e9}, nil
	}
	m.trials = append(m.trials, paired.Trial{
		Title: "10 GB of " + m.page.name,
		Own:   paired.Side{Name: m.kernel, Run: func(ctx context.Context) (paired.Sample, error) { return run(ctx, large) }},
		Rival: paired.Side{Name: "10 MB (memory), 100 MB (CPU)", Run: func(ctx context.Context) (paired.Sample, error) {
			sample, err := run(ctx, middle)
			if err != nil {
				return nil, err
			}
			tiny, err := run(ctx, small)
			if err != nil {
				return nil, err
			}
			sample[paired.Peak] = tiny[paired.Peak]
			return sample, nil
		}},
		Goals: []paired.Goal{
			{ID: "W8", What: "memory", Quantity: paired.Peak, Direction: paired.AtMost, Must: 1.1, Target: 1.05},
			{ID: "W9", What: "CPU per GB", Quantity: perGB, Direction: paired.AtMost, Must: 1.1, Target: 1.05},
		},
	})
}
