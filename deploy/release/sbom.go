package release

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"golang.org/x/mod/modfile"

	"github.com/assay-project/assay/pkg/process/modules"
)

// own is the prefix of the paths of the repository's modules.
const own = "github.com/assay-project/assay/"

// scripts matches the npm packages whose licenses a program prints: those of the web app and of the API page.
var scripts = regexp.MustCompile(`contains the npm package (\S+), version (\S+), under this license`)

// linked is a Go module in a program.
type linked struct {
	path, version string
	sum           string // of go.sum; empty for the modules of the repository
}

// linkedBy returns the Go modules in a program, as "go version -m" prints them, and the version of Go. The modules of the
// repository have the version of the release.
func linkedBy(program []byte, version string) ([]linked, string, error) {
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		return nil, "", fmt.Errorf("build information: %w", err)
	}
	var all []linked
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		l := linked{m.Path, m.Version, m.Sum}
		switch replaced := m.Replace; {
		case strings.HasPrefix(m.Path, own):
			l.version, l.sum = version, ""
		case replaced == nil:
		case modfile.IsDirectoryPath(replaced.Path):
			return nil, "", fmt.Errorf("%s is replaced by the folder %s", m.Path, replaced.Path)
		default:
			l = linked{replaced.Path, replaced.Version, replaced.Sum}
		}
		all = append(all, l)
	}
	return all, info.GoVersion, nil
}

// licensed returns an error if the program links a module whose license it does not contain.
func licensed(all []linked) error {
	listed := map[string]bool{}
	for _, section := range modules.All() {
		for _, name := range section.Modules {
			listed[name] = true
		}
	}
	for _, m := range all {
		if !strings.HasPrefix(m.path, own) && !listed[m.path+" "+m.version] {
			return fmt.Errorf("the program contains no license of %s %s: go test ./services/assay -run ModuleLicenses -update", m.path, m.version)
		}
	}
	return nil
}

// bom returns the list of components of a program in the format CycloneDX (JSON).
func bom(program []byte, version string, t Target, about described, made time.Time) ([]byte, error) {
	all, goVersion, err := linkedBy(program, version)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(program)
	main := cdx.Component{
		BOMRef: purl("golang", all[0].path, version), PackageURL: purl("golang", all[0].path, version), Type: cdx.ComponentTypeApplication, Name: "assay", Version: version,
		Hashes:   &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}},
		Licenses: &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}},
		Properties: &[]cdx.Property{
			{Name: "assay:commit", Value: about.Commit}, {Name: "assay:file", Value: t.program()}, {Name: "assay:platform", Value: t.String()},
		},
	}
	components := []cdx.Component{{
		BOMRef: purl("golang", "stdlib", goVersion), PackageURL: purl("golang", "stdlib", goVersion), Type: cdx.ComponentTypeLibrary, Name: "stdlib", Version: goVersion,
	}}
	for _, m := range all[1:] {
		c := cdx.Component{
			BOMRef: purl("golang", m.path, m.version), PackageURL: purl("golang", m.path, m.version), Type: cdx.ComponentTypeLibrary, Name: m.path, Version: m.version,
		}
		if m.sum != "" {
			hash, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.sum, "h1:"))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", m.path, err)
			}
			// The hash of go.sum covers the files of the module, not an archive of them.
			c.Properties = &[]cdx.Property{{Name: "golang:h1", Value: hex.EncodeToString(hash)}}
		}
		components = append(components, c)
	}
	for _, e := range about.Embedded {
		components = append(components, cdx.Component{
			BOMRef: e.Source + "#" + url.PathEscape(e.Name), PackageURL: e.Source, Type: componentType(e.Kind), Name: e.Name, Version: e.Version,
		})
	}
	for _, found := range scripts.FindAllStringSubmatch(about.licenses, -1) {
		name, release := found[1], found[2]
		components = append(components, cdx.Component{
			BOMRef: purl("npm", name, release), PackageURL: purl("npm", name, release), Type: cdx.ComponentTypeLibrary, Name: name, Version: release,
		})
	}
	var needs []string
	for _, c := range components {
		needs = append(needs, c.BOMRef)
	}
	slices.Sort(needs)
	list := cdx.NewBOM()
	list.Metadata = &cdx.Metadata{Timestamp: made.Format(time.RFC3339), Component: &main}
	list.Components = &components
	list.Dependencies = &[]cdx.Dependency{{Ref: main.BOMRef, Dependencies: &needs}}
	var out bytes.Buffer
	// Version 1.6 is the newest that most scanners read.
	err = cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(list, cdx.SpecVersion1_6)
	return out.Bytes(), err
}

// componentType returns the type of an embedded component in CycloneDX.
func componentType(kind string) cdx.ComponentType {
	switch kind {
	case "model":
		return cdx.ComponentTypeMachineLearningModel
	case "program":
		return cdx.ComponentTypeLibrary
	}
	return cdx.ComponentTypeData
}

// purl returns the package URL of a component. Versions of Go modules keep their v.
func purl(kind, name, version string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(url.PathEscape(part), "@", "%40")
	}
	return "pkg:" + kind + "/" + strings.Join(parts, "/") + "@" + url.PathEscape(version)
}
