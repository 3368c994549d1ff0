package textfile

import (
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/textfile"
)

// Config holds the settings for reading text files.
type Config struct {
	DownloadExpires time.Duration `env:"ASSAY_DOWNLOAD_EXPIRES" envDefault:"5m" doc:"lifetime of presigned download URLs"`

	Table textfile.Config
}

// Validate returns an error that names an invalid setting.
func (c Config) Validate() error {
	if c.DownloadExpires < time.Second {
		return fmt.Errorf("ASSAY_DOWNLOAD_EXPIRES is %s: must be at least 1s", c.DownloadExpires)
	}
	return nil
}
