package linecount

import (
	"fmt"

	"github.com/assay-project/assay/pkg/linecount"
)

// Config contains the settings of the analysis.
type Config struct {
	MaxLines int64 `env:"ASSAY_LINECOUNT_MAX" envDefault:"1000000" doc:"maximum number of lines of a text whose lines are counted; a text with more becomes FAILED"`

	Table linecount.Config
}

// Validate returns an error that names an invalid setting.
func (c Config) Validate() error {
	if c.MaxLines < 1 {
		return fmt.Errorf("ASSAY_LINECOUNT_MAX is %d: must be at least 1", c.MaxLines)
	}
	return nil
}
