package analyzer

import (
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/services/analyzer/wordstats"
)

// textFileBounds are those of an attempt at a file, by its size. What cannot be
// read is given up at once and needs no more than the time of an empty file.
func (c Config) textFileBounds(d *bus.Delivery) bus.Bounds {
	uploaded, err := readUploaded(d)
	if err != nil {
		return c.feedBounds(d)
	}
	size := max(0, int64(uploaded.Size))
	return bus.Bounds{
		Time:   (c.AnalysisTime + time.Duration(float64(size)/float64(c.AnalysisRate)*float64(time.Second))).Round(time.Second),
		Memory: wordstats.Limits{Vocabulary: c.Vocabulary}.Memory(size, c.readers(size)),
	}
}

// readUploaded reads the event once.
func readUploaded(d *bus.Delivery) (*event.FileUploaded, error) {
	if read, ok := d.Event.(*event.FileUploaded); ok {
		return read, nil
	}
	uploaded := &event.FileUploaded{}
	if err := event.Unmarshal(d.Data, uploaded); err != nil {
		return nil, err
	}
	d.Event = uploaded
	return uploaded, nil
}

// readers is how many readers share a file of so many bytes.
func (c Config) readers(size int64) int {
	if size <= c.RangeSize {
		return 1
	}
	return c.Readers
}

// feedBounds are those of an item of the feed, whose text is always small.
func (c Config) feedBounds(*bus.Delivery) bus.Bounds { return bus.Bounds{Time: c.AnalysisTime} }
