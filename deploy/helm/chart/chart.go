// Package chart renders the chart of Assay with Helm's library.
package chart

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	v2 "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"
)

// Options select what is rendered.
type Options struct {
	Dir       string // the chart
	Release   string // name of the release, assay by default
	Namespace string // assay by default
	Upgrade   bool   // an upgrade instead of an installation
	// NATS is the folder of the chart nats. Without it, the objects of that chart are missing.
	NATS string
}

// Document is one rendered object.
type Document struct {
	Path string // of its template in the chart
	YAML []byte
}

// Render renders the chart as Helm does and returns the documents in the order of their paths. It returns an error if the
// values do not match the schema or a template uses a value that does not exist.
func Render(values map[string]any, o Options) ([]Document, error) {
	c, err := o.load()
	if err != nil {
		return nil, err
	}
	if err := chartutil.ProcessDependencies(c, values); err != nil {
		return nil, err
	}
	release := common.ReleaseOptions{Name: cmp.Or(o.Release, "assay"), Namespace: cmp.Or(o.Namespace, "assay"), Revision: 1, IsInstall: !o.Upgrade, IsUpgrade: o.Upgrade}
	all, err := util.ToRenderValues(c, values, release, common.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	files, err := engine.Engine{Strict: o.NATS == ""}.Render(c, all) // the chart nats uses missing values
	if err != nil {
		return nil, err
	}
	var documents []Document
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if path.Ext(name) != ".yaml" {
			continue
		}
		found, err := split(name, files[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		documents = append(documents, found...)
	}
	return documents, nil
}

func (o Options) load() (*v2.Chart, error) {
	c, err := loader.LoadDir(o.Dir)
	if err != nil || o.NATS == "" {
		return c, err
	}
	nats, err := loader.LoadDir(o.NATS)
	if err != nil {
		return nil, err
	}
	c.AddDependency(nats)
	return c, nil
}

// split returns the documents of a rendered template that are not empty.
func split(name, content string) (all []Document, err error) {
	reader := yaml.NewYAMLReader(bufio.NewReader(strings.NewReader(content)))
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		var object map[string]any
		if err := sigsyaml.UnmarshalStrict(document, &object); err != nil {
			return nil, err
		}
		if len(object) > 0 {
			all = append(all, Document{Path: name, YAML: bytes.TrimSpace(document)})
		}
	}
}

// Values reads a file with values.
func Values(path string) (map[string]any, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var values map[string]any
	if err := sigsyaml.UnmarshalStrict(content, &values); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return values, nil
}

// Write writes documents as one file for kubectl or Kustomize, without what only helm test uses. Hooks of Helm are objects
// like others there.
func Write(to io.Writer, documents []Document) error {
	for _, d := range documents {
		if strings.Contains(d.Path, "/templates/tests/") {
			continue
		}
		if _, err := fmt.Fprintf(to, "---\n# Source: %s\n%s\n", d.Path, d.YAML); err != nil {
			return err
		}
	}
	return nil
}
