package query

import (
	"errors"

	feeditems "github.com/assay-project/assay/pkg/feed"
	libraries "github.com/assay-project/assay/pkg/library"
	photojobs "github.com/assay-project/assay/pkg/photojob"
	textfiles "github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/query/feed"
	"github.com/assay-project/assay/services/query/library"
	"github.com/assay-project/assay/services/query/photojob"
	"github.com/assay-project/assay/services/query/textfile"
)

// Areas contains the settings of the areas. To add an area, add its settings here and an entry to entries.
type Areas struct {
	TextFile textfile.Config
	Feed     feed.Config
	PhotoJob photojob.Config
	Library  library.Config
}

func (c Areas) validate() error {
	return errors.Join(c.TextFile.Validate(), c.Feed.Validate(), c.PhotoJob.Validate())
}

// entries lists the areas of the product.
func entries(cfg Areas) []Entry {
	return []Entry{
		{Name: textfiles.Name, Work: textfiles.Work(), Open: func(s Shared) (Area, error) { return textfile.New(cfg.TextFile, s.Backends, s.Waits, s.Indexes), nil }},
		{Name: feeditems.Name, Work: feeditems.Work(), Open: func(s Shared) (Area, error) {
			return feed.New(cfg.Feed, s.Backends, s.Hub, s.Waits, s.Indexes, s.Webhooks.Emit, s.Log, s.Registry)
		}},
		{Name: photojobs.Name, Work: photojobs.Work(), Open: func(s Shared) (Area, error) {
			return photojob.New(cfg.PhotoJob, s.Engines, s.Backends, s.Waits, s.Indexes, s.Registry)
		}},
		{Name: libraries.Name, Work: libraries.Work(), Open: func(s Shared) (Area, error) {
			return library.New(cfg.Library, s.Backends, s.Hub, s.Waits, s.Indexes, s.Log, s.Registry), nil
		}},
	}
}
