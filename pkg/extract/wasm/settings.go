package wasm

import "os"

// Settings contains the settings of a service that runs engines.
type Settings struct {
	Engines string `env:"ASSAY_ENGINES" doc:"the folder for the compiled engines for documents, pictures and molecules; its content is executed, so it must belong to the user of the process; default: in the user's cache folder, or with assay serve in its data folder"`
}

// Config returns the configuration of engines that compile with the given number of goroutines. If there is no
// directory for compiled code, it returns the reason as an error, and engines with the returned configuration compile
// at every start.
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
