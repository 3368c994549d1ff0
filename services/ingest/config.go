package ingest

import (
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/engine"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/ingest/source"
)

// Config is ingest's settings.
type Config struct {
	Addr            string        `env:"ASSAY_ADDR" envDefault:"127.0.0.1:8081" doc:"the address of the HTTP API, health and metrics"`
	OperatorAddr    string        `env:"ASSAY_OPERATOR_ADDR" envDefault:"127.0.0.1:8084" doc:"the address of the calls for operators, such as those on dead letters; whoever reaches it may make them"`
	MaxFileSize     int64         `env:"ASSAY_MAX_FILE_SIZE" envDefault:"5368709120" doc:"the largest file in bytes; S3 takes at most 5 GiB in one request"`
	UploadExpires   time.Duration `env:"ASSAY_UPLOAD_EXPIRES" envDefault:"15m" doc:"how long a presigned upload can be started"`
	StreamedUploads int           `env:"ASSAY_STREAMED_UPLOADS" envDefault:"32" doc:"how many uploads may stream through ingest at once; each holds about 10 MiB at most, and more wait 15s for a place before they get 503; while some wait, an upload below 64 KiB/s is ended with 408"`
	NoticesParallel int           `env:"ASSAY_NOTICES_PARALLEL" envDefault:"4" doc:"how many bucket notices are worked on at once"`
	SQSURL          string        `env:"ASSAY_SQS_URL" doc:"the URL of an SQS queue that the bucket's notices go to, in AWS_REGION; none by default"`
	Lease           time.Duration `env:"ASSAY_LEASE" envDefault:"30s" doc:"how long a notice may be in hand, such as that of a process that died, before it comes again"`
	Drain           time.Duration `env:"ASSAY_DRAIN" envDefault:"10s" doc:"how long requests in hand may take on shutdown"`

	Exposure process.Exposure
	Log      obs.Config
	Engines  engine.Config
	TextFile textfile.Config
	Feed     feed.Config
	Sources  source.Config
	Platform platform.Config
}

// maxExpiry is the longest that AWS lets a presigned URL live.
const maxExpiry = 7 * 24 * time.Hour

// HTTPAddr is where the service listens.
func (c Config) HTTPAddr() string { return c.Addr }

func (c Config) validate() error {
	switch {
	case c.MaxFileSize < 1:
		return fmt.Errorf("ASSAY_MAX_FILE_SIZE is %d: give at least 1 byte", c.MaxFileSize)
	case c.UploadExpires < time.Second || c.UploadExpires > maxExpiry:
		return fmt.Errorf("ASSAY_UPLOAD_EXPIRES is %s: give between 1s and %s", c.UploadExpires, maxExpiry)
	case c.StreamedUploads < 1:
		return fmt.Errorf("ASSAY_STREAMED_UPLOADS is %d: give at least 1", c.StreamedUploads)
	case c.NoticesParallel < 1:
		return fmt.Errorf("ASSAY_NOTICES_PARALLEL is %d: give at least 1", c.NoticesParallel)
	case c.Lease < time.Second:
		return fmt.Errorf("ASSAY_LEASE is %s: give at least 1s", c.Lease)
	}
	return c.Sources.Validate()
}
