package release

import (
	"bytes"
	_ "embed"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
)

// Files of the Debian package.
var (
	//go:embed debian/assay.service
	unit []byte
	//go:embed debian/assay.env
	environment []byte
	//go:embed debian/postinst
	postinst []byte
	//go:embed debian/prerm
	prerm []byte
	//go:embed debian/postrm
	postrm []byte
)

// debian returns the name and the content of the Debian package of a target. content are the files of its archive.
// The package contains a systemd unit, which it does not start. work is a folder for temporary files.
func debian(t Target, version string, content []file, modified time.Time, work string) (name string, _ []byte, err error) {
	dir, err := os.MkdirTemp(work, "debian")
	if err != nil {
		return "", nil, err
	}
	stored := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err == nil {
			err = os.WriteFile(path, content, 0o644)
		}
		return path
	}
	info := &nfpm.Info{
		Name: "assay", Arch: t.Arch, Platform: t.OS, Version: version, Section: "net", Priority: "optional", License: "Apache-2.0", Homepage: Repository,
		Maintainer: "assay-project <noreply@assay-project.invalid>", MTime: modified, DisableGlobbing: true,
		Overridables: nfpm.Overridables{Umask: 0o022},
		Description: "Processes texts, photos, documents and messages in the background\n" +
			"Assay accepts files over HTTP, analyzes them and reports the results over\nHTTP, live events, webhooks or NATS.",
	}
	add := func(from, to, kind string, mode os.FileMode) {
		info.Contents = append(info.Contents, &files.Content{
			Source: from, Destination: to, Type: kind, FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: mode, MTime: modified},
		})
	}
	for _, f := range content {
		switch f.name {
		case t.program():
			add(stored(f.name, f.content), "/usr/bin/assay", files.TypeFile, 0o755)
		case "LICENSE":
			add(stored(f.name, f.content), "/usr/share/doc/assay/copyright", files.TypeFile, 0o644)
		default:
			add(stored(f.name, f.content), "/usr/share/doc/assay/"+f.name, files.TypeFile, 0o644)
		}
	}
	add(stored("assay.service", unit), "/usr/lib/systemd/system/assay.service", files.TypeFile, 0o644)
	add(stored("assay.env", environment), "/etc/assay/assay.env", files.TypeConfigNoReplace, 0o600)
	add("", "/etc/assay", files.TypeDir, 0o755)
	add("", "/etc/assay/credentials", files.TypeDir, 0o700)
	info.Scripts = nfpm.Scripts{PostInstall: stored("postinst", postinst), PreRemove: stored("prerm", prerm), PostRemove: stored("postrm", postrm)}
	info.Recommends = []string{"ca-certificates"}
	if err != nil {
		return "", nil, err
	}
	var out bytes.Buffer
	info = nfpm.WithDefaults(info)
	if err := deb.Default.Package(info, &out); err != nil {
		return "", nil, err
	}
	return strings.ReplaceAll(deb.Default.ConventionalFileName(info), "~", "-"), out.Bytes(), nil
}
