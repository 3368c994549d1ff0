package words

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/assay-project/assay/services/assay/test/bench/paired"
)

// shared adds the trials of several readers, and of a text in a bucket. They
// measure wall time, which several readers reduce.
func (m *maker) shared(ctx context.Context, dir string) error {
	args, err := m.startBucket(ctx, dir, m.book)
	if err != nil {
		return err
	}
	file := func(readers int) paired.Process {
		return paired.Process{Path: m.own, Args: []string{"-readers", fmt.Sprint(readers), m.book.path}}
	}
	bucket := func(readers int) paired.Process {
		return paired.Process{Path: m.own, Args: append([]string{"-readers", fmt.Sprint(readers)}, args...)}
	}
	title := fmt.Sprintf("%s, %d MB", m.book.name, m.book.size/megabyte)
	m.trials = append(m.trials, paired.Trial{
		Title: title,
		Own:   paired.Command(m.kernel+", 2 readers", file(2)), Rival: paired.Command(m.kernel+", 1 reader", file(1)),
		Goals: []paired.Goal{{ID: "W7", What: "wall", Quantity: paired.Wall, Must: 1.5, Target: 1.65}},
	}, paired.Trial{
		Title: title,
		Own:   paired.Command("from S3, 1 reader", bucket(1)), Rival: paired.Command("from a file, 1 reader", file(1)),
		Goals: []paired.Goal{{ID: "W11a", What: "wall", Quantity: paired.Wall, Must: 0.65, Target: 0.8}},
	}, paired.Trial{
		Title: title,
		Own:   paired.Command("from S3, 2 readers", bucket(2)), Rival: paired.Command("from a file, 1 reader", file(1)),
		Goals: []paired.Goal{{ID: "W11b", What: "wall", Quantity: paired.Wall, Must: 0.65, Target: 0.8}},
	})
	return nil
}

// startBucket starts an S3 server that serves a text until this process exits, and
// returns the flags that make the program count read the text.
func (p programs) startBucket(ctx context.Context, dir string, t text) ([]string, error) {
	const key = "assay-bench"
	cmd := exec.CommandContext(ctx, p.bucket, filepath.Join(dir, "s3"), key, t.path)
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil { // closed when this process exits
		return nil, err
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cmd, err)
	}
	words := strings.Fields(line)
	if len(words) != 2 {
		return nil, fmt.Errorf("%s printed %q, want a URL and an ETag", cmd, line)
	}
	return []string{"-url", words[0], "-etag", words[1], "-key", key, "-size", fmt.Sprint(t.size)}, nil
}
