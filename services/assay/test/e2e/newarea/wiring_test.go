package newarea

import (
	"sync/atomic"

	"github.com/assay-project/assay/pkg/area"
	"github.com/assay-project/assay/services/analyzer"
	"github.com/assay-project/assay/services/ingest"
	"github.com/assay-project/assay/services/query"
)

// This file is what the services need of the area outside its own directories: an entry in setup.Config.Areas, and one in
// areas.go of each service. CONTRIBUTING.md lists what pages, commands, events and tests of an area need in addition.

func described() []area.Area { return []area.Area{describe()} }

func ingested() ingest.Entry { return ingest.Entry{Work: work(), Open: newAccepting} }

func analyzed(broken *atomic.Bool) analyzer.Entry {
	return analyzer.Entry{Work: work(), Open: func(s analyzer.Shared) (analyzer.Area, error) {
		return &adding{store{s.Backends.DB}, s.Backends.Bus, s.Worker, broken}, nil
	}}
}

func queried() query.Entry { return query.Entry{Name: areaName, Work: work(), Open: newReading} }
