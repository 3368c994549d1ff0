package release

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// image is an image of the release.
type image struct {
	name    string
	program string
	engines bool // with the engines of "assay serve"
}

// images are the images of a release: those of docker-compose.yml, and assay-serve, which runs all of Assay.
var images = []image{{"ingest", "ingest", false}, {"analyzer", "analyzer", false}, {"query", "query", false}, {"assay", "assay", false}, {"assay-serve", "assay", true}}

// user is the user and the group of an image, as in deploy/Dockerfile.
const user = 65532

// file returns the name of the file with the image.
func (i image) file(version string) string { return i.name + "_" + version + "_oci.tar" }

// archive builds an image for the architectures of Linux among the targets, and returns it as a tar archive of an OCI
// layout, which contains an index. work is a folder for temporary files.
func (i image) archive(ctx context.Context, s source, version string, targets []Target, work string) ([]byte, error) {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, t := range targets {
		if t.OS != "linux" {
			continue
		}
		dir, err := os.MkdirTemp(work, "image")
		if err != nil {
			return nil, err
		}
		if err := s.content(ctx, version, t, i.program, i.engines, dir); err != nil {
			return nil, err
		}
		built, err := i.build(dir, version, t, s.date)
		if err != nil {
			return nil, err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: built, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: t.OS, Architecture: t.Arch}},
		})
	}
	dir := filepath.Join(work, i.name+".oci")
	path, err := layout.Write(dir, empty.Index)
	if err != nil {
		return nil, err
	}
	// Tools such as skopeo and podman find the image by this annotation.
	if err := path.AppendIndex(index, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": version})); err != nil {
		return nil, err
	}
	files, err := tree(dir)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = tarOf(&out, files, s.date)
	return out.Bytes(), err
}

// build returns the image with the content that deploy/compile has created in dir. It equals the image that
// deploy/Dockerfile builds, except for the boundaries of its layers.
func (i image) build(dir, version string, t Target, created time.Time) (v1.Image, error) {
	program, err := layer(filepath.Join(dir, "root"), "", 0, created)
	if err != nil {
		return nil, err
	}
	data, err := layer(filepath.Join(dir, "data"), "data", user, created)
	if err != nil {
		return nil, err
	}
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	img, err := mutate.Append(base,
		mutate.Addendum{Layer: program, History: v1.History{Created: v1.Time{Time: created}, CreatedBy: "COPY root /"}},
		mutate.Addendum{Layer: data, History: v1.History{Created: v1.Time{Time: created}, CreatedBy: "COPY data /data"}})
	if err != nil {
		return nil, err
	}
	cfg, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	cfg = cfg.DeepCopy()
	cfg.OS, cfg.Architecture, cfg.Created = t.OS, t.Arch, v1.Time{Time: created}
	cfg.Config = v1.Config{
		User: fmt.Sprintf("%d:%d", user, user), Env: []string{"ASSAY_DATA_DIR=/data"}, Entrypoint: []string{"/program"},
		Healthcheck: &v1.HealthConfig{Test: []string{"CMD", "/program", "health"}, Interval: 5 * time.Second, Timeout: 5 * time.Second, StartPeriod: 30 * time.Second},
		Labels: map[string]string{
			"org.opencontainers.image.title":    "assay " + i.name,
			"org.opencontainers.image.version":  version,
			"org.opencontainers.image.licenses": "Apache-2.0",
			"org.opencontainers.image.source":   Repository,
		},
	}
	return mutate.ConfigFile(img, cfg)
}

// layer returns a layer with the files below dir, in the folder prefix, which belong to owner.
func layer(dir, prefix string, owner int, modified time.Time) (v1.Layer, error) {
	files, err := tree(dir)
	if err != nil {
		return nil, err
	}
	if prefix != "" {
		for n := range files {
			files[n].name = prefix + "/" + files[n].name
		}
		files = append([]file{{name: prefix, mode: fs.ModeDir | 0o755}}, files...)
	}
	for n := range files {
		files[n].owner = owner
	}
	var content bytes.Buffer
	if err := tarOf(&content, files, modified); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content.Bytes())), nil },
		tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(9), tarball.WithCompressedCaching)
}

// tree returns the folders and files below dir by name. Their modes do not depend on the umask.
func tree(dir string) ([]file, error) {
	var files []file
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		f := file{name: filepath.ToSlash(strings.TrimPrefix(path, dir+string(filepath.Separator))), mode: 0o644}
		switch {
		case entry.IsDir():
			f.mode = fs.ModeDir | 0o755
		case info.Mode()&0o111 != 0:
			f.mode = 0o755
		}
		if !entry.IsDir() {
			f.content, err = os.ReadFile(path)
		}
		files = append(files, f)
		return err
	})
	return files, err
}
