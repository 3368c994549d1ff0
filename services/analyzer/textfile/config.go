package textfile

import (
	"fmt"
	"math"

	"github.com/assay-project/assay/pkg/extract/wordstats"
	"github.com/assay-project/assay/pkg/textfile"
)

// Config holds the settings for the analysis of text files.
type Config struct {
	Rate       int64 `env:"ASSAY_ANALYSIS_RATE" envDefault:"6291456" doc:"the minimum throughput of an attempt in bytes per second; the default is 50 Mbit/s, which allows 15m for a file of 5 GiB"`
	Memory     int64 `env:"ASSAY_ANALYSIS_MEMORY" envDefault:"2147483648" use:"often" doc:"the memory in bytes for analyzing text files concurrently; large files wait until enough memory is free"`
	Readers    int   `env:"ASSAY_READERS" envDefault:"2" doc:"the number of readers of a text file larger than ASSAY_RANGE_SIZE, each with its own vocabulary"`
	RangeSize  int64 `env:"ASSAY_RANGE_SIZE" envDefault:"33554432" doc:"the number of bytes that a reader requests in one range"`
	Vocabulary int64 `env:"ASSAY_VOCABULARY" envDefault:"268435456" use:"often" doc:"maximum memory in bytes for the distinct words of a text, counting 64 bytes in addition to each word; the default is enough for 3.7 million words of eight letters; a text with more becomes FAILED"`

	Table textfile.Config
}

const (
	minRange      = 64 << 10 // bytes; more than the head from which the charset is detected
	minVocabulary = 1 << 10  // bytes
)

// Validate returns an error that names an invalid setting.
func (c Config) Validate() error {
	minMemory := 2 * c.limits().Memory(math.MaxInt64, c.Readers)
	switch {
	case c.Rate < 1:
		return fmt.Errorf("ASSAY_ANALYSIS_RATE is %d: must be at least 1", c.Rate)
	case c.Readers < 1:
		return fmt.Errorf("ASSAY_READERS is %d: must be at least 1", c.Readers)
	case c.RangeSize < minRange:
		return fmt.Errorf("ASSAY_RANGE_SIZE is %d: must be at least %d", c.RangeSize, minRange)
	case c.Vocabulary < minVocabulary:
		return fmt.Errorf("ASSAY_VOCABULARY is %d: must be at least %d", c.Vocabulary, minVocabulary)
	case c.Memory < minMemory:
		return fmt.Errorf("ASSAY_ANALYSIS_MEMORY is %d: must be at least %d, twice the maximum of one text with this ASSAY_VOCABULARY and ASSAY_READERS", c.Memory, minMemory)
	}
	return nil
}

func (c Config) limits() wordstats.Limits { return wordstats.Limits{Vocabulary: c.Vocabulary} }

// readers returns the number of readers for a file of size bytes.
func (c Config) readers(size int64) int {
	if size <= c.RangeSize {
		return 1
	}
	return c.Readers
}
