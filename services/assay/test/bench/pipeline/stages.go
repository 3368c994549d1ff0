package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/pprof/profile"
)

// stages lists the parts of a program with substrings of the names of their functions.
// Function names escape a dot in the last element of a package path, but not in others.
// A sample belongs to the stage of the matching function nearest to the leaf of its stack:
// for example, the time that an engine spends in a sync belongs to the engine.
var stages = []struct {
	name       string
	substrings []string
}{
	{"garbage collection", []string{"runtime.gcBgMarkWorker", "runtime.gcAssistAlloc", "runtime.bgsweep", "runtime.bgscavenge"}},
	{"S3 engine", []string{"versity/versitygw", "valyala/fasthttp", "gofiber/fiber", "assay/embedded.(*durableStore)"}},
	{"DynamoDB engine", []string{"pkg/dynamolite", "go.etcd.io/bbolt"}},
	{"NATS server", []string{"nats-io/nats-server"}},
	{"NATS client", []string{"nats-io/nats.go", "nats-io/nats%2ego"}},
	{"AWS SDK", []string{"aws/aws-sdk-go-v2", "aws/smithy-go"}},
	{"word statistics", []string{"extract/wordstats", "extract/plaintext"}},
	{"HTTP", []string{"net/http"}},
	{"Assay, and the floor's own code", []string{"assay-project/assay", "danielgtaylor/huma", "rs/zerolog", "prometheus", "protobuf"}},
	{"scheduler, timers, and samples without a caller", []string{""}},
}

// Stages returns a Markdown table of the CPU time per file by stage, with 32 files in
// flight. It is based on CPU profiles, which are kept in Options.Profiles.
func Stages(ctx context.Context, o Options) (string, error) {
	var times [3][]float64 // seconds per file, by stage
	for i, role := range []string{roleAssay, roleCalls, roleFloor} {
		var err error
		if times[i], err = o.stagesOf(ctx, role); err != nil {
			return "", err
		}
	}
	var b strings.Builder
	b.WriteString("|CPU of a file, 32 in flight|assay serve, µs|floor with its calls, µs|floor, µs|\n|---|---|---|---|\n")
	for i, stage := range stages {
		fmt.Fprintf(&b, "|%s|%.0f|%.0f|%.0f|\n", stage.name, times[0][i]*1e6, times[1][i]*1e6, times[2][i]*1e6)
	}
	return b.String(), nil
}

func (o Options) stagesOf(ctx context.Context, role string) (seconds []float64, err error) {
	p, err := start(role, filepath.Join(o.Dir, "profiled", role))
	if err != nil {
		return nil, err
	}
	defer p.stop()
	if _, err := load(ctx, p, 32, time.Second); err != nil {
		return nil, err
	}
	var s sample
	err = p.profiled(o.Profiles, func() (err error) {
		s, err = load(ctx, p, 32, 3*o.Length)
		return err
	})
	if err != nil {
		return nil, err
	}
	file, err := os.Open(filepath.Join(o.Profiles, role+".pprof"))
	if err != nil {
		return nil, err
	}
	parsed, err := profile.Parse(file)
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	seconds = make([]float64, len(stages))
	for _, moment := range parsed.Sample {
		// The second value of a sample is CPU time in nanoseconds.
		seconds[stageOf(moment)] += time.Duration(moment.Value[1]).Seconds() / float64(len(s.ends))
	}
	return seconds, nil
}

// stageOf returns the index of the stage of a sample.
func stageOf(moment *profile.Sample) int {
	for _, at := range moment.Location {
		for _, line := range at.Line {
			for i, stage := range stages[:len(stages)-1] {
				for _, part := range stage.substrings {
					if strings.Contains(line.Function.Name, part) {
						return i
					}
				}
			}
		}
	}
	return len(stages) - 1
}
