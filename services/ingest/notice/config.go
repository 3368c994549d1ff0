package notice

import (
	"fmt"
	"net/url"
	"time"
)

// Config contains the settings of bucket notifications.
type Config struct {
	Parallel int           `env:"ASSAY_NOTICES_PARALLEL" envDefault:"4" doc:"number of bucket notifications processed concurrently"`
	Lease    time.Duration `env:"ASSAY_LEASE" envDefault:"30s" doc:"time without progress after which a notification is redelivered"`
	SQSURL   url.URL       `env:"ASSAY_SQS_URL" use:"often" doc:"the URL of an SQS queue with the bucket's notifications, in AWS_REGION; default: none"`
}

// Validate returns an error that names an invalid setting.
func (c Config) Validate() error {
	switch {
	case c.Parallel < 1:
		return fmt.Errorf("ASSAY_NOTICES_PARALLEL is %d: must be at least 1", c.Parallel)
	case c.Lease < time.Second:
		return fmt.Errorf("ASSAY_LEASE is %s: must be at least 1s", c.Lease)
	case c.SQSURL != (url.URL{}) && (c.SQSURL.Host == "" || c.SQSURL.Scheme != "https" && c.SQSURL.Scheme != "http"):
		return fmt.Errorf("ASSAY_SQS_URL is %q: must be the URL of a queue, such as https://sqs.eu-central-1.amazonaws.com/123456789012/assay-notices", c.SQSURL.String())
	}
	return nil
}
