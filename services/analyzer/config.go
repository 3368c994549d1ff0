package analyzer

import (
	"fmt"
	"math"
	"time"

	"github.com/assay-project/assay/pkg/engine"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/analyzer/sweeper"
	"github.com/assay-project/assay/services/analyzer/wordstats"
)

// Config is the analyzer's settings.
type Config struct {
	Addr     string        `env:"ASSAY_ADDR" envDefault:"127.0.0.1:8082" doc:"the address for health and metrics"`
	Parallel int           `env:"ASSAY_ANALYZER_PARALLEL" envDefault:"16" doc:"how many items of each area are analyzed at once"`
	Lease    time.Duration `env:"ASSAY_LEASE" envDefault:"30s" doc:"how long a worker may be silent before another takes its item over"`
	Attempts int           `env:"ASSAY_ATTEMPTS" envDefault:"12" doc:"how often an item is tried before it ends as FAILED"`
	Drain    time.Duration `env:"ASSAY_DRAIN" envDefault:"10s" doc:"how long work in hand may take on shutdown"`

	AnalysisTime   time.Duration `env:"ASSAY_ANALYSIS_TIME" envDefault:"1m" doc:"how long one attempt at an item may take, besides the time for its bytes"`
	AnalysisRate   int64         `env:"ASSAY_ANALYSIS_RATE" envDefault:"6291456" doc:"how many bytes in a second an attempt must get through; the default is 50 Mbit/s, at which a file of 5 GiB has 15m"`
	AnalysisMemory int64         `env:"ASSAY_ANALYSIS_MEMORY" envDefault:"2147483648" doc:"bytes that the analyses of text files in hand may be expected to take together; of large ones some wait"`
	Abandoned      int           `env:"ASSAY_ABANDONED" envDefault:"8" doc:"how many attempts may go on beyond their time in each area; with one more the process ends, to be started anew"`
	AbandonedFor   time.Duration `env:"ASSAY_ABANDONED_TIME" envDefault:"5m" doc:"how long an attempt may go on beyond its time, maybe in a loop that takes a processor; then the process ends, to be started anew"`

	Readers    int   `env:"ASSAY_READERS" envDefault:"2" doc:"how many readers share a text file above ASSAY_RANGE_SIZE, each with a vocabulary of its own"`
	RangeSize  int64 `env:"ASSAY_RANGE_SIZE" envDefault:"33554432" doc:"bytes that each of these readers asks for at once"`
	Vocabulary int64 `env:"ASSAY_VOCABULARY" envDefault:"268435456" doc:"bytes that the different words of a text may take, with 64 for the place of each; the default holds 3.7 million words of eight letters, and a text with more ends as FAILED"`

	ReservationExpires time.Duration `env:"ASSAY_RESERVATION_EXPIRES" envDefault:"24h" doc:"how old a reservation without bytes, or bytes without a file, are when a sweep removes them; longer than ASSAY_UPLOAD_EXPIRES and the longest upload together"`
	UploadExpires      time.Duration `env:"ASSAY_UPLOAD_EXPIRES" envDefault:"15m" doc:"how long a presigned upload can be started, as ingest has it"`

	Sweep    sweeper.Config
	Log      obs.Config
	Engines  engine.Config
	TextFile textfile.Config
	Feed     feed.Config
}

const (
	leastRange      = 64 << 10 // bytes; the head that decides about the text is less
	leastVocabulary = 1 << 10  // bytes
)

// HTTPAddr is where the service listens.
func (c Config) HTTPAddr() string { return c.Addr }

func (c Config) validate() error {
	leastMemory := 2 * wordstats.Limits{Vocabulary: c.Vocabulary}.Memory(math.MaxInt64, c.Readers)
	switch {
	case c.Parallel < 1:
		return fmt.Errorf("ASSAY_ANALYZER_PARALLEL is %d: give at least 1", c.Parallel)
	case c.Lease < time.Second:
		return fmt.Errorf("ASSAY_LEASE is %s: give at least 1s", c.Lease)
	case c.Attempts < 1:
		return fmt.Errorf("ASSAY_ATTEMPTS is %d: give at least 1", c.Attempts)
	case c.AnalysisTime < time.Second:
		return fmt.Errorf("ASSAY_ANALYSIS_TIME is %s: give at least 1s", c.AnalysisTime)
	case c.AnalysisRate < 1:
		return fmt.Errorf("ASSAY_ANALYSIS_RATE is %d: give at least 1", c.AnalysisRate)
	case c.Readers < 1:
		return fmt.Errorf("ASSAY_READERS is %d: give at least 1", c.Readers)
	case c.RangeSize < leastRange:
		return fmt.Errorf("ASSAY_RANGE_SIZE is %d: give at least %d", c.RangeSize, leastRange)
	case c.Vocabulary < leastVocabulary:
		return fmt.Errorf("ASSAY_VOCABULARY is %d: give at least %d", c.Vocabulary, leastVocabulary)
	case c.AnalysisMemory < leastMemory:
		return fmt.Errorf("ASSAY_ANALYSIS_MEMORY is %d: give at least %d, twice what one text may take with this ASSAY_VOCABULARY and these ASSAY_READERS", c.AnalysisMemory, leastMemory)
	case c.Abandoned < 1:
		return fmt.Errorf("ASSAY_ABANDONED is %d: give at least 1", c.Abandoned)
	case c.AbandonedFor < time.Second:
		return fmt.Errorf("ASSAY_ABANDONED_TIME is %s: give at least 1s", c.AbandonedFor)
	case c.ReservationExpires <= c.UploadExpires:
		return fmt.Errorf("ASSAY_RESERVATION_EXPIRES is %s: give more than ASSAY_UPLOAD_EXPIRES, which is %s", c.ReservationExpires, c.UploadExpires)
	}
	return c.Sweep.Validate()
}
