package engines

import "os"

// Settings holds the settings of a service that runs engines.
type Settings struct {
	Engines string `env:"ASSAY_ENGINES" doc:"the folder for the compiled engines of documents, pictures and molecules; its content is executed, so it must belong to the user of the process; default: in the user's cache, with assay serve in its data folder"`
}

// Config returns the configuration of engines that compile with the given number of goroutines. The error says why
// there is no directory for compiled code; the engines are then compiled at every start.
func (s Settings) Config(workers int) (Config, error) {
	cache, err := s.Engines, error(nil)
	if cache == "" {
		cache, err = UserCache()
	}
	if err != nil {
		cache = ""
	}
	return Config{Cache: cache, Workers: workers, Compiler: os.Getenv(compilerVariable)}, err
}
