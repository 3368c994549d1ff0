package photojob

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/platform"
)

// Config holds the settings of photo jobs.
type Config struct {
	PaidCalls    int           `env:"ASSAY_PHOTOJOB_PAID_CALLS" envDefault:"2" doc:"the number of provider calls for one step of a photo job, including those lost in crashes, after which the job becomes FAILED; 1 means at most once"`
	Deadline     time.Duration `env:"ASSAY_PHOTOJOB_DEADLINE" envDefault:"24h" doc:"the time after its creation or last retry at which an unfinished photo job becomes FAILED"`
	ClockSkew    time.Duration `env:"ASSAY_PHOTOJOB_CLOCK_SKEW" envDefault:"30s" doc:"the maximum difference between the clocks of analyzers: a provider call is repeated only after it has timed out on all of them"`
	KeepOriginal bool          `env:"ASSAY_PHOTOJOB_KEEP_ORIGINAL" envDefault:"true" doc:"false to delete an uploaded photo as soon as its job is COMPLETED; otherwise it is deleted 48h later"`
	Faces        bool          `env:"ASSAY_PHOTOJOB_FACES" envDefault:"true" doc:"false to leave faces out of the local provider's descriptions, which makes describing a photo faster"`
	Memory       int64         `env:"ASSAY_PHOTOJOB_MEMORY" envDefault:"1610612736" doc:"the memory in bytes for processing photo jobs concurrently; further jobs wait until enough memory is free"`

	AllowNetworks []netip.Prefix `env:"ASSAY_PHOTOJOB_ALLOW_NETWORKS" doc:"private networks that may contain paid providers, such as 10.1.0.0/16,fd00:1::/64"`

	Names    photojob.Config
	Platform platform.Config
}

// maxSkew is far above the difference between synchronized clocks.
const maxSkew = 5 * time.Minute

// minMemory is enough for a photo of 50 megapixels.
const minMemory = 1 << 30

// Validate returns an error that names an invalid setting.
func (c Config) Validate() error {
	switch {
	case c.PaidCalls < 1:
		return fmt.Errorf("ASSAY_PHOTOJOB_PAID_CALLS is %d: must be at least 1", c.PaidCalls)
	case c.ClockSkew < 0 || c.ClockSkew > maxSkew:
		return fmt.Errorf("ASSAY_PHOTOJOB_CLOCK_SKEW is %s: must be 0 to %s", c.ClockSkew, maxSkew)
	case c.Deadline < time.Minute:
		return fmt.Errorf("ASSAY_PHOTOJOB_DEADLINE is %s: must be at least 1m", c.Deadline)
	case c.Memory < minMemory:
		return fmt.Errorf("ASSAY_PHOTOJOB_MEMORY is %d: must be at least %d", c.Memory, minMemory)
	}
	return nil
}
