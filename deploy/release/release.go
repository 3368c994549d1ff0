package release

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Limits of the Linux programs, in bytes. Run reports larger ones.
const (
	MaxProgram = 90e6
	MaxArchive = 40e6
)

//go:embed install.sh
var installer string

// maker makes one release.
type maker struct {
	Config
	source source
	signer signer
	work   string            // folder for temporary files
	sums   map[string]string // SHA-256 sums of the written files
	begun  time.Time
}

// Run makes a release in the folder c.Out. On an error, the folder may contain some of the files, but not the checksums.
func Run(ctx context.Context, c Config) (err error) {
	if c, err = c.validated(); err != nil {
		return err
	}
	m := maker{Config: c, sums: map[string]string{}, begun: time.Now()}
	if m.signer, err = openSigner(c); err != nil {
		return err
	}
	if m.work, err = os.MkdirTemp("", "assay-release"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(m.work)) }()
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		return err
	}
	tree := filepath.Join(m.work, "source")
	if err := os.Mkdir(tree, 0o755); err != nil {
		return err
	}
	if m.source, err = copySource(ctx, c, tree); err != nil {
		return err
	}
	m.log("assay %s: commit %s of %s", c.Version, m.source.hash, m.source.date.Format(time.RFC3339))
	about, err := m.source.describe(ctx, c.Version, m.built(Host()))
	if err != nil {
		return err
	}
	for _, t := range c.Targets {
		if err := m.target(ctx, t, about); err != nil {
			return err
		}
	}
	if c.Images {
		for _, i := range images {
			archive, err := i.archive(ctx, m.source, c.Version, c.Targets, m.work)
			if err == nil {
				err = m.write(i.file(c.Version), archive, 0o644)
			}
			if err != nil {
				return fmt.Errorf("image %s: %w", i.name, err)
			}
		}
	}
	return m.finish()
}

// built returns the path of the program for a target.
func (m maker) built(t Target) string {
	return filepath.Join(m.work, t.base(m.Version), t.program())
}

// target makes the files of one platform: the archive, the list of components and, for Linux, the Debian package.
func (m maker) target(ctx context.Context, t Target, about described) error {
	path := m.built(t)
	if t != Host() {
		if err := m.source.build(ctx, m.Version, t, path); err != nil {
			return err
		}
	}
	program, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	all, _, err := linkedBy(program, m.Version)
	if err == nil {
		err = licensed(all)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", t, err)
	}
	components, err := bom(program, m.Version, t, about, m.source.date)
	if err != nil {
		return fmt.Errorf("%s: %w", t, err)
	}
	files := []file{{name: t.program(), mode: 0o755, content: program}, {name: "LICENSES", mode: 0o644, content: []byte(notices(about, all))}}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		content, err := os.ReadFile(filepath.Join(m.source.dir, name))
		if err != nil {
			return err
		}
		files = append(files, file{name: name, mode: 0o644, content: content})
	}
	archive, err := pack(t, m.Version, files, m.source.date)
	if err != nil {
		return err
	}
	if t.OS == "linux" && (len(program) > MaxProgram || len(archive) > MaxArchive) {
		m.log("%s: ABOVE THE LIMIT: the program has %d bytes and its archive %d, want at most %d and %d", t, len(program), len(archive), int(MaxProgram), int(MaxArchive))
	}
	m.log("%s: program of %.1f MB", t, float64(len(program))/1e6)
	if err := m.write(t.archive(m.Version), archive, 0o644); err != nil {
		return err
	}
	if err := m.write(t.base(m.Version)+".cdx.json", components, 0o644); err != nil {
		return err
	}
	if t.OS != "linux" {
		return nil
	}
	name, content, err := debian(t, m.Version, files, m.source.date, m.work)
	if err != nil {
		return fmt.Errorf("%s: %w", t, err)
	}
	return m.write(name, content, 0o644)
}

// finish writes the files that depend on all others.
func (m maker) finish() error {
	replaced := strings.NewReplacer("@VERSION@", m.Version, "@URL@", m.URL, "@KEY@", m.signer.public)
	if err := m.write("install.sh", []byte(replaced.Replace(installer)), 0o755); err != nil {
		return err
	}
	if !slices.ContainsFunc(Targets, func(t Target) bool { return t.OS != "windows" && !slices.Contains(m.Targets, t) }) {
		content, err := formula(m.Version, m.URL, m.sums)
		if err == nil {
			err = m.write("assay.rb", content, 0o644)
		}
		if err != nil {
			return fmt.Errorf("formula: %w", err)
		}
	}
	if m.signer.public != "" {
		if err := m.write(PublicKey, m.signer.file(), 0o644); err != nil {
			return err
		}
	}
	sums := sumsOf(m.sums)
	if err := m.write(Sums, sums, 0o644); err != nil {
		return err
	}
	if m.signer.public == "" {
		m.log("the release is NOT SIGNED: ASSAY_RELEASE_KEY is not set")
	} else {
		signature, err := m.signer.sign(sums, m.Version)
		if err == nil {
			err = m.write(Signature, signature, 0o644)
		}
		if err != nil {
			return err
		}
	}
	m.log("made in %s", time.Since(m.begun).Round(time.Second))
	return nil
}

// write writes a file of the release.
func (m maker) write(name string, content []byte, mode os.FileMode) error {
	m.sums[name] = sumOf(content)
	m.log("%10d  %s", len(content), name)
	return os.WriteFile(filepath.Join(m.Out, name), content, mode)
}

func (m maker) log(format string, values ...any) {
	fmt.Fprintf(m.Log, format+"\n", values...)
}
