package wait

import "fmt"

// Config holds the settings for requests that wait.
type Config struct {
	Waits     int `env:"ASSAY_WAITS" envDefault:"2000" use:"often" doc:"maximum number of requests with wait= or after= that wait concurrently; further ones are rejected with 503"`
	PerClient int `env:"ASSAY_WAITS_PER_CLIENT" envDefault:"1000" use:"often" doc:"maximum number of requests with wait= or after= that wait concurrently per client address; further ones are rejected with 429; all clients of a proxy share its address"`
}

// Validate returns an error that names an invalid setting.
func (c Config) Validate() error {
	switch {
	case c.Waits < 1:
		return fmt.Errorf("ASSAY_WAITS is %d: must be at least 1", c.Waits)
	case c.PerClient < 1:
		return fmt.Errorf("ASSAY_WAITS_PER_CLIENT is %d: must be at least 1", c.PerClient)
	}
	return nil
}
