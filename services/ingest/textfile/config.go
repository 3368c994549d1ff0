package textfile

import (
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/textfile"
)

// Config is the settings of uploads.
type Config struct {
	MaxSize  int64         `env:"ASSAY_MAX_FILE_SIZE" envDefault:"5368709120" use:"often" doc:"the largest file in bytes; S3 accepts at most 5 GiB in one request"`
	Expires  time.Duration `env:"ASSAY_UPLOAD_EXPIRES" envDefault:"15m" doc:"how long a presigned upload can be started"`
	Streamed int           `env:"ASSAY_STREAMED_UPLOADS" envDefault:"32" use:"often" doc:"how many uploads may stream through ingest at once, each with about 10 MiB of memory; others wait up to 15s, then get 503"`

	Table textfile.Config
}

// maxExpires is the longest that AWS lets a presigned URL live.
const maxExpires = 7 * 24 * time.Hour

// Validate returns an error that names the setting that cannot be used.
func (c Config) Validate() error {
	switch {
	case c.MaxSize < 1:
		return fmt.Errorf("ASSAY_MAX_FILE_SIZE is %d: must be at least 1 byte", c.MaxSize)
	case c.Expires < time.Second || c.Expires > maxExpires:
		return fmt.Errorf("ASSAY_UPLOAD_EXPIRES is %s: must be between 1s and %s", c.Expires, maxExpires)
	case c.Streamed < 1:
		return fmt.Errorf("ASSAY_STREAMED_UPLOADS is %d: must be at least 1", c.Streamed)
	}
	return nil
}
