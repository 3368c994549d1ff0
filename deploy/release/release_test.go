package release_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"aead.dev/minisign"

	"github.com/assay-project/assay/deploy/release"
)

// TestRelease makes a release of small programs for all platforms and checks its files.
func TestRelease(t *testing.T) {
	if testing.Short() {
		t.Skip(".ci/run release runs it")
	}
	key := filepath.Join(t.TempDir(), "key")
	public, private, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := private.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	write(t, key, string(text))
	source := repository(t)
	m := makeRelease(t, source, func(c *release.Config) { c.Key, c.URL = key, "https://releases.example/v" })
	var names []string
	entries, err := os.ReadDir(m.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	want := []string{"SHA256SUMS", "SHA256SUMS.minisig", "assay.rb", "install.sh", "minisign.pub", "assay_0.1.0-rc.1_amd64.deb", "assay_0.1.0-rc.1_arm64.deb"}
	for _, image := range []string{"ingest", "analyzer", "query", "assay", "assay-serve"} {
		want = append(want, image+"_"+version+"_oci.tar")
	}
	for _, target := range []string{"linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64", "windows_amd64", "windows_arm64"} {
		ending := ".tar.gz"
		if strings.HasPrefix(target, "windows") {
			ending = ".zip"
		}
		want = append(want, "assay_"+version+"_"+target+ending, "assay_"+version+"_"+target+".cdx.json")
	}
	if slices.Sort(want); !slices.Equal(names, want) {
		t.Fatalf("got the files %q, want %q", names, want)
	}
	t.Run("signature", func(t *testing.T) {
		sums := m.file(t, release.Sums)
		if !minisign.Verify(public, sums, m.file(t, release.Signature)) {
			t.Error("the signature is invalid, want a valid one")
		}
		if minisign.Verify(public, append(sums, '\n'), m.file(t, release.Signature)) {
			t.Error("the signature is valid for other checksums, want an invalid one")
		}
		if !strings.Contains(string(m.file(t, release.PublicKey)), public.String()) {
			t.Errorf("minisign.pub does not contain %s", public)
		}
		for _, name := range want {
			if listed := strings.Contains(string(sums), "  "+name+"\n"); listed != !strings.HasPrefix(name, release.Sums) {
				t.Errorf("%s in SHA256SUMS: got %t, want %t", name, listed, !listed)
			}
		}
	})
	t.Run("formula", func(t *testing.T) {
		formula, sums := string(m.file(t, "assay.rb")), string(m.file(t, release.Sums))
		for _, target := range []string{"linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"} {
			name := "assay_" + version + "_" + target + ".tar.gz"
			sum, _, _ := strings.Cut(sums[strings.LastIndex(sums[:strings.Index(sums, name)], "\n")+1:], " ")
			if want := "url \"https://releases.example/v/" + name + "\"\n      sha256 \"" + sum + "\"\n"; !strings.Contains(formula, want) {
				t.Errorf("the formula does not contain %q:\n%s", want, formula)
			}
		}
	})
	t.Run("archives", func(t *testing.T) { testArchives(t, m) })
	t.Run("components", func(t *testing.T) { testComponents(t, m) })
	t.Run("debian", func(t *testing.T) { testDebian(t, m) })
	t.Run("images", func(t *testing.T) { testImages(t, m) })
	t.Run("installer", func(t *testing.T) { testInstaller(t, m, public.String()) })
	t.Run("reproducible", func(t *testing.T) {
		other := filepath.Join(t.TempDir(), "a", "longer", "folder")
		git(t, ".", "clone", "--quiet", source, other)
		again := makeRelease(t, other, func(c *release.Config) { c.Key, c.URL = key, "https://releases.example/v" })
		for _, name := range names {
			if !bytes.Equal(m.file(t, name), again.file(t, name)) {
				t.Errorf("%s differs in the second build, want equal bytes", name)
			}
		}
	})
}

// testArchives checks what the archives contain, and that the program for this machine states its version.
func testArchives(t *testing.T, m made) {
	commit, err := exec.CommandContext(t.Context(), "git", "-C", m.source, "show", "--no-patch", "--format=%H %ct").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range release.Targets {
		base, program := m.base(target), "assay"
		var files map[string][]byte
		if target.OS == "windows" {
			program, files = "assay.exe", unzip(t, m.file(t, base+".zip"))
		} else {
			files = untar(t, m.file(t, base+".tar.gz"))
		}
		got := slices.Sorted(maps.Keys(files))
		want := []string{base + "/CHANGELOG.md", base + "/LICENSE", base + "/LICENSES", base + "/README.md", base + "/" + program}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got the files %q, want %q", target, got, want)
		}
		if licenses := string(files[base+"/LICENSES"]); !strings.Contains(licenses, "\n  "+library+" v") || !strings.Contains(licenses, "Redistribution and use") {
			t.Errorf("%s: LICENSES does not contain the license of %s", target, library)
		}
		if target != (release.Target{OS: runtime.GOOS, Arch: runtime.GOARCH}) {
			continue
		}
		path := filepath.Join(t.TempDir(), "assay")
		if err := os.WriteFile(path, files[base+"/assay"], 0o755); err != nil {
			t.Fatal(err)
		}
		said, err := exec.CommandContext(t.Context(), path, "version", "--json").Output()
		hash, _, _ := strings.Cut(string(commit), " ")
		if err != nil || !strings.Contains(string(said), `"version":"`+version+`","commit":"`+hash+`"`) {
			t.Errorf("got %s, error %v, want version %s of commit %s", said, err, version, hash)
		}
	}
}

// untar returns the files of a compressed tar archive. All must belong to root.
func untar(t *testing.T, content []byte) map[string][]byte {
	t.Helper()
	unpacked, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for archive := tar.NewReader(unpacked); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if mode := header.Mode; header.Uid != 0 || header.Gid != 0 || mode != 0o755 && mode != 0o644 {
			t.Errorf("%s: got %+v, want a file of root with the mode 755 or 644", header.Name, header)
		}
		if files[header.Name], err = io.ReadAll(archive); err != nil {
			t.Fatal(err)
		}
	}
}

func unzip(t *testing.T, content []byte) map[string][]byte {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, entry := range archive.File {
		opened, err := entry.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[entry.Name], err = io.ReadAll(opened); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// TestRefusals checks that no release is made of what it would not contain, or where it would mix with other files.
func TestRefusals(t *testing.T) {
	source := repository(t)
	host := release.Target{OS: runtime.GOOS, Arch: runtime.GOARCH}
	run := func(change func(*release.Config)) error {
		cfg := release.Config{Root: source, Version: version, Commit: "HEAD", Out: filepath.Join(t.TempDir(), "dist"), Targets: []release.Target{host}, Log: io.Discard}
		change(&cfg)
		return release.Run(t.Context(), cfg)
	}
	full := t.TempDir()
	write(t, filepath.Join(full, "file"), "")
	for want, change := range map[string]func(*release.Config){
		`the version is "0.1.0"`:    func(c *release.Config) { c.Version = "0.1.0" },
		`the version is "v0.1"`:     func(c *release.Config) { c.Version = "v0.1" },
		`the version is "v1.0.0+x"`: func(c *release.Config) { c.Version = "v1.0.0+x" },
		"is not empty":              func(c *release.Config) { c.Out = full },
		"git rev-parse":             func(c *release.Config) { c.Commit = "absent" },
		"ASSAY_RELEASE_KEY: ":       func(c *release.Config) { c.Key = filepath.Join(full, "absent") },
		"is no minisign key":        func(c *release.Config) { c.Key = filepath.Join(full, "file") },
		"there are no targets":      func(c *release.Config) { c.Targets = nil },
		"deploy/build [assay":       func(c *release.Config) { c.Commit = broken(t, source) },
	} {
		if err := run(change); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got the error %v, want %q in it", err, want)
		}
	}
	write(t, filepath.Join(source, "services/assay/main.go"), program+"\n// changed\n")
	if err := run(func(*release.Config) {}); !errors.Is(err, release.ErrUncommitted) || !strings.Contains(err.Error(), "services/assay/main.go") {
		t.Errorf("got the error %v, want ErrUncommitted and the name of the file", err)
	}
	if err := run(func(c *release.Config) { c.Uncommitted = true }); err != nil {
		t.Errorf("with Uncommitted: got the error %v, want none", err)
	}
}

// broken returns a commit, on no branch, whose program does not compile.
func broken(t *testing.T, source string) string {
	t.Helper()
	other := t.TempDir()
	git(t, ".", "clone", "--quiet", source, other)
	write(t, filepath.Join(other, "services/assay/main.go"), "package main\n\nfunc main() { undefined() }\n")
	git(t, other, "-c", "user.name=Test", "-c", "user.email=test@localhost", "commit", "--quiet", "--all", "--message", "Broken")
	git(t, other, "push", "--quiet", "origin", "HEAD:refs/heads/broken")
	return "refs/heads/broken"
}
