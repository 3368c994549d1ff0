package release

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// pinned are the variables of the go command that change what it builds. Builds ignore the values of the environment.
var pinned = []string{"GOFLAGS=", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0", "GOFIPS140=off", "GOTOOLCHAIN=local", "CGO_ENABLED=0"}

// build builds the program for a target into file, with the engines of "assay serve".
func (s source) build(ctx context.Context, version string, t Target, file string) error {
	return s.run(ctx, version, t, "TAGS=", "deploy/build", "assay", file)
}

// content creates the content of the image of a program in dir. engines adds those of "assay serve".
func (s source) content(ctx context.Context, version string, t Target, program string, engines bool, dir string) error {
	tags := "TAGS=noengines"
	if engines {
		tags = "TAGS="
	}
	return s.run(ctx, version, t, tags, "deploy/compile", program, dir)
}

// run runs a script of the commit that builds a program.
func (s source) run(ctx context.Context, version string, t Target, tags, script string, args ...string) error {
	cmd := exec.CommandContext(ctx, "sh", append([]string{script}, args...)...)
	cmd.Dir = s.dir
	cmd.Env = append(append(os.Environ(), pinned...),
		"GOOS="+t.OS, "GOARCH="+t.Arch, tags, "VERSION="+version, "COMMIT="+s.hash, "DATE="+s.date.Format(time.RFC3339), "PWD="+s.dir)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %v for %s: %w\n%s", script, args, t, err, output.String())
	}
	return nil
}

// embedded is a component of the program that is no Go module, as "assay version --json" lists it.
type embedded struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Kind    string `json:"kind"`   // program, model, data or font
	Source  string `json:"source"` // package URL of the origin
}

// described contains what a program says about itself.
type described struct {
	Version, Commit string
	Embedded        []embedded
	licenses        string // the licenses of the program and of all that it contains
}

// describe builds the program for this machine, or uses the program at file if it exists, and asks it.
func (s source) describe(ctx context.Context, version, file string) (described, error) {
	if _, err := os.Stat(file); err != nil {
		if err := s.build(ctx, version, Host(), file); err != nil {
			return described{}, err
		}
	}
	var about described
	said, err := ask(ctx, file, "version", "--json")
	if err != nil {
		return described{}, err
	}
	if err := json.Unmarshal(said, &about); err != nil {
		return described{}, fmt.Errorf("assay version --json: %w", err)
	}
	if about.Version != version || about.Commit != s.hash {
		return described{}, fmt.Errorf("the program says that it is version %q of commit %q, want %q of %q", about.Version, about.Commit, version, s.hash)
	}
	said, err = ask(ctx, file, "licenses")
	about.licenses = string(said)
	return about, err
}

// ask runs a program and returns its output.
func ask(ctx context.Context, file string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, file, args...)
	cmd.Dir = filepath.Dir(file)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	said, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("assay %v: %w: %s", args, err, stderr.String())
	}
	return said, nil
}
