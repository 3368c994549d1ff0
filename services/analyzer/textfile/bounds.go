package textfile

import (
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
)

// bounds limits an attempt according to the size of the file. An event that cannot be decoded fails
// immediately and needs only the limits of an empty file.
func (a *Area) bounds(d *bus.Delivery) bus.Bounds {
	base := a.worker.Config.Time
	uploaded, err := readUploaded(d)
	if err != nil {
		return bus.Bounds{Time: base}
	}
	size := max(0, int64(uploaded.Size))
	return bus.Bounds{
		Time:   (base + time.Duration(float64(size)/float64(a.cfg.Rate)*float64(time.Second))).Round(time.Second),
		Memory: a.cfg.limits().Memory(size, a.cfg.readers(size)),
	}
}

// readUploaded decodes the event of a delivery and caches it.
func readUploaded(d *bus.Delivery) (*event.FileUploaded, error) {
	if read, ok := d.Event.(*event.FileUploaded); ok {
		return read, nil
	}
	uploaded := &event.FileUploaded{}
	if err := d.Unmarshal(d.Data, uploaded); err != nil {
		return nil, err
	}
	d.Event = uploaded
	return uploaded, nil
}
