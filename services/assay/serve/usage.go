package serve

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/services/assay/embedded"
	"github.com/assay-project/assay/services/assay/folder"
)

const (
	// usageInterval is the minimum interval between two measurements of the disk usage of the engines.
	usageInterval = 30 * time.Second
	// usageShare is the minimum ratio of that interval to the duration of a measurement, which reads the attributes of every
	// file: it takes at most 2 % of a processor's time.
	usageShare = 50
)

// usage measures what the engines take on the disk.
type usage struct {
	dir  string // data directory
	disk *prometheus.GaugeVec
	log  zerolog.Logger
}

// newUsage registers the gauges of a data directory. Those of the disk and the journal are read at each scrape, the others by
// work.
func newUsage(dir string, log zerolog.Logger, reg prometheus.Registerer) *usage {
	factory := promauto.With(reg)
	u := &usage{dir: dir, log: log, disk: factory.NewGaugeVec(prometheus.GaugeOpts{
		Name: "assay_engine_disk_bytes", Help: "Disk space that the data of an embedded engine takes, measured at most every 30 s.",
	}, []string{"engine"})}
	for engine := range u.engines() {
		u.disk.WithLabelValues(engine)
	}
	factory.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "assay_engine_journal_bytes", Help: "Size of the journal of an embedded engine; only the DynamoDB engine has one.",
		ConstLabels: prometheus.Labels{"engine": "dynamodb"},
	}, func() float64 {
		is, err := os.Stat(u.journal())
		if err != nil { // it exists on Linux, while the engine runs
			return 0
		}
		return float64(is.Size())
	})
	space := func(name, help string, value func(embedded.Space) uint64) {
		factory.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
			space, err := embedded.SpaceOf(dir)
			if err != nil {
				log.Debug().Err(err).Msg("cannot read the size of the disk")
			}
			return float64(value(space))
		})
	}
	space("assay_disk_free_bytes", "Free space of the file system of the data folder.", func(s embedded.Space) uint64 { return s.Free })
	space("assay_disk_size_bytes", "Size of the file system of the data folder, without reserved space.", func(s embedded.Space) uint64 { return s.Size })
	return u
}

// engines returns the files and folders of each engine.
func (u *usage) engines() map[string][]string {
	return map[string][]string{
		"nats":     {filepath.Join(u.dir, folder.Streams)},
		"s3":       {filepath.Join(u.dir, folder.Objects)},
		"dynamodb": {filepath.Join(u.dir, folder.Database), u.journal()},
	}
}

func (u *usage) journal() string { return filepath.Join(u.dir, folder.Database+".journal") }

// work measures the engines until ctx is done. It returns nil.
func (u *usage) work(ctx context.Context) error {
	for {
		began := time.Now()
		for engine, paths := range u.engines() {
			bytes, err := embedded.Usage(ctx, paths...)
			if err == nil {
				u.disk.WithLabelValues(engine).Set(float64(bytes))
			} else if ctx.Err() == nil {
				u.log.Debug().Err(err).Str("engine", engine).Msg("cannot measure the disk usage of an engine")
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(max(usageInterval, usageShare*time.Since(began))):
		}
	}
}
