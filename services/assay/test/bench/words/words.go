// Package words measures the counting of words: the goals W1 to W11 of
// docs/performance.md.
package words

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/assay-project/assay/services/assay/test/bench/paired"
)

// Options configures the measurement.
type Options struct {
	Dir    string    // for programs, and for corpora, which are kept for later runs
	Rivals string    // the directory of the rival programs; may be empty
	Book   string    // a file with natural-language text; empty for Newton's Opticks
	Out    io.Writer // for messages
}

// Trials writes the corpora, builds the programs, checks that programs with the same definition of
// a word agree, and returns the trials.
func Trials(ctx context.Context, o Options) ([]paired.Trial, error) {
	c, err := makeCorpora(o.Dir, o.Book, o.Out)
	if err != nil {
		return nil, err
	}
	p, err := build(ctx, o.Dir, o.Rivals)
	if err != nil {
		return nil, err
	}
	kernel := ""
	for _, t := range []text{c.english, c.vocabulary, c.multilingual} {
		if kernel, err = p.check(ctx, t); err != nil {
			return nil, err
		}
	}
	fmt.Fprintf(o.Out, "kernel %s and the portable kernel; both agree with uax29+map on the checked corpora\n", kernel)
	m := maker{programs: p, corpora: c}
	m.kernel, m.own = kernel, p.count
	m.all()
	if kernel != "portable" {
		m.kernel, m.own = "portable", p.portable
		m.all()
	}
	m.kernel, m.own = kernel, p.count
	m.growth()
	return m.trials, m.shared(ctx, o.Dir)
}

// smallText is the size of a small text in bytes.
const smallText = 4 << 10

// maker creates trials.
type maker struct {
	programs
	corpora
	kernel string // name of the kernel of own
	own    string // path of the measured program
	trials []paired.Trial
}

// all adds the trials that are repeated for every kernel.
func (m *maker) all() {
	m.program("W1a", m.book, goOptimized, 4, 6)
	m.program("W1b", m.book, goCustom, 3, 5)
	m.add("W2a", m.book, 2.5, 3.5)(wc("-w", m.book))
	m.add("W2b", m.english, 2, 2.5)(wc("-w", m.english))
	m.program("W3a", m.book, rustTrie, 2, 2.8)
	m.program("W3b", m.book, publicTrie, 2, 2.8)
	m.program("W4a", m.book, fastlwc, 0.10, 0.14)
	m.add("W4b", m.book, 0.10, 0.14)(wc("-l", m.book))
	m.libraries("W5a", m.multilingual, 1)
	m.libraries("W5b", m.slice, 8)
	m.small()
	m.program("W6a", m.vocabulary, goCustom, 4, 6)
	m.program("W6b", m.vocabulary, cOptimized, 2.5, 3.5)
}

func (m *maker) program(id string, t text, name string, must, target float64) {
	m.add(id, t, must, target)(m.rival(name, t))
}

// libraries adds a trial against libraries that split words by the same rules. Each measurement
// is the mean of the given number of runs.
func (m *maker) libraries(id string, t text, runs int) {
	m.add(id, t, 3, 4)(paired.Command("uax29 + x/text + map", paired.Process{Path: m.count, Args: []string{"-by", "uax29", t.path}}), "")
	trial := &m.trials[len(m.trials)-1]
	trial.Own, trial.Rival = trial.Own.Mean(runs), trial.Rival.Mean(runs)
}

// small adds a trial against the same libraries with many small texts.
func (m *maker) small() {
	each := []string{"-each", strconv.Itoa(smallText), m.few.path}
	m.trials = append(m.trials, paired.Trial{
		Title: fmt.Sprintf("%s, %d MB as texts of 4 KB", m.english.name, m.few.size/megabyte),
		Own:   paired.Command(m.kernel, paired.Process{Path: m.own, Args: each}),
		Rival: paired.Command("uax29 + x/text + map", paired.Process{Path: m.count, Args: append([]string{"-by", "uax29"}, each...)}),
		Goals: []paired.Goal{{ID: "-", What: "CPU", Quantity: paired.CPU}},
	})
}

// add returns a function that adds a trial of CPU time against a rival.
func (m *maker) add(id string, t text, must, target float64) func(rival paired.Side, absent string) {
	return func(rival paired.Side, absent string) {
		m.trials = append(m.trials, paired.Trial{
			Title: fmt.Sprintf("%s, %d MB", t.name, t.size/megabyte),
			Own:   paired.Command(m.kernel, paired.Process{Path: m.own, Args: []string{t.path}}),
			Rival: rival, Absent: absent,
			Goals: []paired.Goal{{ID: id, What: "CPU", Quantity: paired.CPU, Must: must, Target: target}},
		})
	}
}
