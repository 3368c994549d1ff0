package release_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// testImages validates the OCI layouts, and compares the images with what deploy/Dockerfile builds.
func testImages(t *testing.T, m made) {
	for _, name := range []string{"ingest", "analyzer", "query", "assay", "assay-serve"} {
		dir := t.TempDir()
		archive := tar.NewReader(bytes.NewReader(m.file(t, name+"_"+version+"_oci.tar")))
		for {
			header, err := archive.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if header.Typeflag == tar.TypeReg {
				content, err := io.ReadAll(archive)
				if err != nil {
					t.Fatal(err)
				}
				write(t, filepath.Join(dir, filepath.FromSlash(header.Name)), string(content))
			}
		}
		top, err := layout.ImageIndexFromPath(dir)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := validate.Index(top); err != nil {
			t.Errorf("%s: the layout is invalid: %v", name, err)
		}
		manifest, err := top.IndexManifest()
		if err != nil || len(manifest.Manifests) != 1 || manifest.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != version {
			t.Fatalf("%s: got the layout %+v, error %v, want one index with the name %s", name, manifest, err, version)
		}
		index, err := top.ImageIndex(manifest.Manifests[0].Digest)
		if err != nil {
			t.Fatal(err)
		}
		if manifest, err = index.IndexManifest(); err != nil || len(manifest.Manifests) != 2 {
			t.Fatalf("%s: got the index %+v, error %v, want two images", name, manifest, err)
		}
		for n, arch := range []string{"amd64", "arm64"} {
			if at := manifest.Manifests[n].Platform; at == nil || at.OS != "linux" || at.Architecture != arch {
				t.Errorf("%s: got the platform %v, want linux/%s", name, at, arch)
			}
			img, err := index.Image(manifest.Manifests[n].Digest)
			if err != nil {
				t.Fatal(err)
			}
			testImage(t, name, arch, img)
		}
	}
}

func testImage(t *testing.T, name, arch string, img v1.Image) {
	t.Helper()
	cfg, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	c := cfg.Config
	if cfg.OS != "linux" || cfg.Architecture != arch || c.User != "65532:65532" || !slices.Equal(c.Entrypoint, []string{"/program"}) ||
		!slices.Equal(c.Env, []string{"ASSAY_DATA_DIR=/data"}) || c.Healthcheck == nil || !slices.Equal(c.Healthcheck.Test, []string{"CMD", "/program", "health"}) ||
		c.Labels["org.opencontainers.image.version"] != version || c.Labels["org.opencontainers.image.title"] != "assay "+name {
		t.Errorf("%s: got the configuration %+v, want that of deploy/Dockerfile", name, cfg)
	}
	owners := map[string]int{}
	content := mutate.Extract(img)
	defer content.Close()
	for files := tar.NewReader(content); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		owners[filepath.Clean(header.Name)] = header.Uid
		if header.Name == "program" && header.Mode != 0o755 {
			t.Errorf("%s: got the mode %o of the program, want 755", name, header.Mode)
		}
	}
	for path, want := range map[string]int{"program": 0, "etc/ssl/certs/ca-certificates.crt": 0, "data": 65532, "data/nats": 65532, "data/s3/objects": 65532} {
		if got, found := owners[path]; !found || got != want {
			t.Errorf("%s: %s: got owner %d, found %t, want %d", name, path, got, found, want)
		}
	}
}
