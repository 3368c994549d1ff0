package process

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Set by the linker for releases and images, whose builds have no repository to read them from; see deploy/build.
var (
	release string
	commit  string
	date    string
)

// devel is the version of a build that does not know its version or commit.
const devel = "devel"

// Build describes the build of this program.
type Build struct {
	Version  string `json:"version"`          // see Version
	Commit   string `json:"commit,omitempty"` // hash of the commit; empty if unknown
	Date     string `json:"date,omitempty"`   // time of the commit (RFC 3339, UTC); empty if unknown
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`       // version of Go, such as go1.26.8
	Platform string `json:"platform"` // such as linux/amd64
}

// ThisBuild returns the build of this program. Modified reports that it contains changes that are not in the commit.
func ThisBuild() Build {
	b := Build{Version: release, Commit: commit, Date: date, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			switch setting.Key {
			case "vcs.revision":
				b.Commit = cmp.Or(b.Commit, setting.Value)
			case "vcs.time":
				b.Date = cmp.Or(b.Date, setting.Value)
			case "vcs.modified":
				b.Modified = setting.Value == "true"
			}
		}
		if v := info.Main.Version; v != "(devel)" {
			b.Version = cmp.Or(b.Version, v)
		}
	}
	b.Version = cmp.Or(b.Version, b.Commit[:min(len(b.Commit), 12)], devel)
	return b
}

// String returns the build in one line, such as "v0.1.0, commit 0123456789ab of 2026-11-29T10:00:00Z, go1.26.8
// linux/amd64".
func (b Build) String() string {
	text := b.Version
	if b.Commit != "" {
		text += ", commit " + b.Commit[:min(len(b.Commit), 12)]
		if b.Date != "" {
			text += " of " + b.Date
		}
		if b.Modified {
			text += " with changes"
		}
	}
	return fmt.Sprintf("%s, %s %s", text, b.Go, b.Platform)
}

// Version returns the version of this build: the version given to the release or image, otherwise the tag of its module,
// otherwise the commit, otherwise "devel".
func Version() string { return ThisBuild().Version }

// registerBuild registers a gauge that is always 1, whose labels describe this build.
func registerBuild(reg prometheus.Registerer) {
	b := ThisBuild()
	promauto.With(reg).NewGauge(prometheus.GaugeOpts{
		Name: "assay_build_info", Help: "Always 1; the labels describe the running program.",
		ConstLabels: prometheus.Labels{"version": b.Version, "commit": b.Commit, "go": b.Go},
	}).Set(1)
}
